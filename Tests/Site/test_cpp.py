# SPDX-License-Identifier: Apache-2.0
"""Tests of the C++ reference."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from Site.conftest import ROOT


def public_names(header: Path) -> list[str]:
    """The classes and enumerations of a header, outside the namespace detail."""
    text = re.sub(
        r"namespace detail \{.*?\n(?:\} // namespace detail|class call;\n\})",
        "",
        header.read_text(encoding="utf-8"),
        flags=re.DOTALL,
    )
    return re.findall(r"^(?:class|struct|enum class) (?:\[\[nodiscard\]\] )?(\w+)\b[^;<]*\{", text, re.MULTILINE)


def test_a_page_has_public_names_with_links_and_no_others(small: Path) -> None:
    page = (small / "html" / "cpp-api" / "waiting.html").read_text()
    # An overload without a comment shares that of the function above.
    assert 'id="_CPPv4NK6remora6source4waitEi"' in page and 'id="_CPPv4NK6remora6source4waitEl"' in page
    assert page.count("Waits like") == 1 and "Waiting does not block reads." in page
    # remora_wait, the class, its method and a guide.
    for target in ("../c/waiting.html#c.remora_wait", "#_CPPv4N6remora3endE", "#_CPPv4N6remora6source4stopEv"):
        assert f'href="{target}"' in page
    assert 'href="../waiting.html"' in page
    assert [name for name in ("secret", "number_", "assist") if name in page] == []
    index = (small / "html" / "cpp-api" / "index.html").read_text()
    assert 'href="waiting.html#_CPPv4N6remora6sourceE"' in index and "A set of settings." in index


@pytest.mark.slow
def test_each_public_class_has_an_entry_and_is_in_the_index(site: Path) -> None:
    index = (site / "cpp-api" / "index.html").read_text()
    headers = [one for one in sorted((ROOT / "include" / "remora").glob("*.hpp")) if public_names(one)]
    assert sum(len(public_names(one)) for one in headers) >= 50
    for header in headers:
        page = (site / "cpp-api" / f"{header.stem}.html").read_text()
        for name in public_names(header):
            entry = re.search(rf'id="(_CPPv4(?:I0E)?N6remora{len(name)}{name}E)"', page)
            assert entry, f"{header.name}: {name}"
            assert f'href="{header.stem}.html#{entry.group(1)}"' in index


@pytest.mark.slow
def test_functions_are_linked_to_those_of_c_that_they_call(site: Path) -> None:
    page = (site / "cpp-api" / "source.html").read_text()
    entry = page.partition('id="_CPPv4NK6remora6source14clear_overrideE')[2].partition('id="_CPPv4')[0]
    assert 'href="../c/overrides.html#c.remora_override_clear"' in entry


@pytest.mark.slow
def test_each_symbol_that_a_comment_of_cpp_mentions_is_a_link(site: Path) -> None:
    pages = {one.name: one.read_text() for one in (site / "cpp-api").glob("*.html")}
    symbol = re.compile(
        r'(<a class="reference internal"[^>]*>)?<code class="[^"]*\bxref [^"]*"><span class="pre">([^<]*)'
    )
    found = [(name, one) for name, text in pages.items() for one in symbol.findall(text)]
    assert len(found) >= 200
    assert [(name, text) for name, (link, text) in found if not link] == []
