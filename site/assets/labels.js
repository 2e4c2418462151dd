// SPDX-License-Identifier: Apache-2.0
//
// Stores the name of its column in each cell of a table, for site.css.
addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll("table.docutils")) {
    const names = [...table.querySelectorAll("thead th")].map((one) => one.textContent.trim());
    for (const row of table.querySelectorAll("tbody tr")) {
      [...row.cells].forEach((cell, number) => {
        if (number && names[number]) cell.dataset.label = names[number];
      });
    }
  }
});
