// SPDX-License-Identifier: Apache-2.0
//
// How Sphinx's search orders its results. A heading that contains the whole question comes first, and guides come
// before the references. The other numbers are Sphinx's own.
var Scorer = {
  score: ([page, title, anchor, description, score, file, kind]) =>
    score + (kind === "title" ? 20 : 0) - (kind === "text" && /^(c|python-api)\//.test(page) ? 5 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
