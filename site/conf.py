# SPDX-License-Identifier: Apache-2.0
"""The settings of Sphinx. site/build.py has made the pages."""

import re
from collections.abc import Iterator
from pathlib import Path

from sphinx.domains.c import CDomain

ROOT = Path(__file__).resolve().parents[1]
HERE = Path(__file__).resolve().parent
_HEADER = (ROOT / "include" / "remora.h").read_text(encoding="utf-8")

project = author = html_title = "Remora"
_found = re.search(r'#define REMORA_VERSION "(.*)"', _HEADER)
version = release = _found.group(1) if _found else ""
extensions = ["myst_parser", "sphinx_copybutton"]
myst_enable_extensions = ["attrs_inline", "colon_fence", "fieldlist"]
myst_heading_anchors = 6
highlight_language = "none"
# Fences show output and excerpts too.
suppress_warnings = ["misc.highlighting_failure"]
c_maximum_signature_line_length = python_maximum_signature_line_length = 100
add_module_names = False
copybutton_exclude = ".linenos, .gp"

html_theme = "furo"
html_static_path = [str(HERE / "site.css")]
html_css_files = ["site.css"]
html_copy_source = html_show_sourcelink = html_show_sphinx = html_show_copyright = False
html_theme_options = {
    "footer_icons": [],
    "light_css_variables": {"color-brand-primary": "#00695c", "color-brand-content": "#00695c"},
    "dark_css_variables": {"color-brand-primary": "#4db6ac", "color-brand-content": "#4db6ac"},
}

_all_objects = CDomain.get_objects


def _searched_objects(self: CDomain) -> Iterator[tuple[str, str, str, str, str, int]]:
    # Hundreds of parameters named "error" would come before the pages.
    return (one for one in _all_objects(self) if one[2] != "functionParam")


CDomain.get_objects = _searched_objects  # type: ignore[method-assign]
