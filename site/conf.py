# SPDX-License-Identifier: Apache-2.0
"""The settings of Sphinx. site/build.py has made the pages."""

import re
from collections.abc import Iterator
from pathlib import Path

from sphinx.addnodes import desc_signature
from sphinx.domains.c import CDomain, CObject
from sphinx.domains.cpp import CPPDomain
from sphinx.domains.python import PyObject

ROOT = Path(__file__).resolve().parents[1]
ASSETS = Path(__file__).resolve().parent / "assets"
_HEADER = (ROOT / "include" / "remora.h").read_text(encoding="utf-8")

project = author = html_title = "Remora"
_found = re.search(r'#define REMORA_VERSION "(.*)"', _HEADER)
version = release = _found.group(1) if _found else ""
extensions = ["myst_parser", "sphinx_copybutton"]
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "fieldlist"]
myst_heading_anchors = 6
highlight_language = "none"
# A "" in the text is an empty string.
smartquotes = False
# Fences show output and excerpts too.
suppress_warnings = ["misc.highlighting_failure"]
c_maximum_signature_line_length = cpp_maximum_signature_line_length = python_maximum_signature_line_length = 100
add_module_names = add_function_parentheses = False
copybutton_exclude = ".linenos, .gp"

html_theme = "furo"
html_static_path = [str(ASSETS / "site.css"), str(ASSETS / "labels.js")]
html_css_files = ["site.css"]
html_js_files = ["labels.js"]
html_search_scorer = str(ASSETS / "scorer.js")
html_copy_source = html_show_sourcelink = html_show_sphinx = html_show_copyright = False
html_theme_options = {
    "footer_icons": [],
    "light_css_variables": {"color-brand-primary": "#00695c", "color-brand-content": "#00695c"},
    "dark_css_variables": {"color-brand-primary": "#4db6ac", "color-brand-content": "#4db6ac"},
}

Entry = tuple[str, str, str, str, str, int]
_all_objects, _all_cpp_objects = CDomain.get_objects, CPPDomain.get_objects


def _searched_objects(self: CDomain) -> Iterator[Entry]:
    # Hundreds of parameters named "error" would come before the pages.
    return (one for one in _all_objects(self) if one[2] != "functionParam")


def _searched_cpp_objects(self: CPPDomain) -> Iterator[Entry]:
    # Overloads have one name, and a constructor has that of its class.
    found = {one[0]: one for one in _all_cpp_objects(self) if not one[2].endswith("Param")}
    for name, one in found.items():
        *scope, last = name.split("::")
        if not scope or scope[-1] != last:
            yield one


def _c_entry(self: CObject, sig_node: desc_signature) -> str:
    return "" if self.objtype == "macro" else _c_entry_of_sphinx(self, sig_node)


def _python_entry(self: PyObject, sig_node: desc_signature) -> str:
    # The parts are the module, the class and the member. Members would double the time of the build.
    return "" if len(sig_node.get("_toc_parts", ())) > 2 else _python_entry_of_sphinx(self, sig_node)


_c_entry_of_sphinx, _python_entry_of_sphinx = CObject._toc_entry_name, PyObject._toc_entry_name
CDomain.get_objects = _searched_objects  # type: ignore[method-assign]
CPPDomain.get_objects = _searched_cpp_objects  # type: ignore[method-assign]
CObject._toc_entry_name = _c_entry  # type: ignore[method-assign]
PyObject._toc_entry_name = _python_entry  # type: ignore[method-assign]
