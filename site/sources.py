# SPDX-License-Identifier: Apache-2.0
"""Pages of the files to which the documents link: the text, highlighted. Sphinx would need a minute for them."""

from __future__ import annotations

import html
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{path} - Remora</title>
<link rel="stylesheet" href="{up}_static/pygments.css">
<link rel="stylesheet" href="{up}_static/site.css">
</head>
<body class="source-file">
<p><a href="{up}index.html">Remora</a> / <code>{path}</code></p>
{text}
</body>
</html>
"""


def page_of(path: str) -> str:
    """The page of a file of the project that is not Markdown."""
    return f"source/{path}.html"


def write(root: Path, site: Path, paths: list[str]) -> None:
    """Writes the pages of files."""
    formatter = HtmlFormatter(linenos="inline", lineanchors="L", cssclass="highlight")
    for path in paths:
        text = (root / path).read_text(encoding="utf-8")
        try:
            lexer = get_lexer_for_filename(path)
        except ClassNotFound:
            lexer = TextLexer()
        page = site / page_of(path)
        page.parent.mkdir(parents=True, exist_ok=True)
        up = "../" * (page_of(path).count("/"))
        body = highlight(text, lexer, formatter)
        page.write_text(PAGE.format(path=html.escape(path), up=up, text=body), encoding="utf-8")
