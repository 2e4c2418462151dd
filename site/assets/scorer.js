// SPDX-License-Identifier: Apache-2.0
//
// How Sphinx's search orders its results. A heading that contains the whole question comes first, and guides come
// before the references. The headings of C++ and of the tool are names of headers and commands, and their entries have
// common words such as "header" in their names. The other numbers are Sphinx's own.
var Scorer = {
  score: ([page, title, anchor, description, score, file, kind]) => {
    const isReference = /^(c|cpp-api|python-api)\/|^remora-1$/.test(page);
    const hasCommonNames = /^cpp-api\/|^remora-1$/.test(page);
    if (kind === "title") return score + (hasCommonNames ? 0 : 20);
    if (kind === "object") return score - (hasCommonNames ? 7 : 0);
    return score - (isReference ? 5 : 0);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
