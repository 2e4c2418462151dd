// SPDX-License-Identifier: Apache-2.0
//
// Runs the search of a built site: node search.js SITE QUERY. Prints the pages that it finds, the best first.
// The scripts are those that a browser loads. The page around them is empty, because only the results are needed.
"use strict";

const fs = require("fs");
const vm = require("vm");

const [site, query] = process.argv.slice(2);
const element = { dataset: { content_root: "" }, appendChild: () => element, remove: () => undefined, children: [] };
const page = {
  readyState: "loading",
  documentElement: element,
  body: element,
  addEventListener: () => undefined,
  createElement: () => element,
  getElementById: () => null,
  querySelector: () => null,
};
const context = vm.createContext({ document: page, console, URL, URLSearchParams });
context.window = context;
context.window.location = { search: "" };
context.localStorage = { getItem: () => null, setItem: () => undefined, removeItem: () => undefined };

function run(name) {
  vm.runInContext(fs.readFileSync(`${site}/${name}`, "utf8"), context, { filename: name });
}

for (const name of ["documentation_options", "doctools", "language_data", "sphinx_highlight", "searchtools"]) {
  run(`_static/${name}.js`);
}
context.Search = vm.runInContext("Search", context);
run("searchindex.js");
context.query = query;
const results = vm.runInContext("Search._performSearch(...Search._parseQuery(query))", context);
// The page takes them from the end.
console.log(JSON.stringify(results.reverse().map(([document]) => document)));
