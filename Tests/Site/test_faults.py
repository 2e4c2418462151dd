# SPDX-License-Identifier: Apache-2.0
#
# Each fault is planted in a copy of a small tree.
"""Tests that the build of the site stops for a fault, and names it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from Site.conftest import Build


def change(path: Path, old: str, new: str) -> None:
    """Replaces a part of a file."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def built(tree: Path, build: Build) -> Path:
    """The output of a build, which must succeed."""
    done = build(tree, tree / "out")
    assert done.returncode == 0, done.stderr
    return tree / "out"


def complaint(tree: Path, build: Build) -> str:
    """What a build prints, which must fail."""
    done = build(tree, tree / "out")
    assert done.returncode == 1
    return done.stderr


def test_a_tree_without_faults_becomes_pages_and_man_pages(small: Path) -> None:
    html = small / "html"
    home, waiting = (html / "index.html").read_text(), (html / "waiting.html").read_text()
    assert 'href="waiting.html#why"' in home and 'href="c/waiting.html#c.remora_wait"' in home
    assert "program run" not in waiting
    assert 'id="remora.wait"' in (html / "python-api" / "remora.html").read_text()
    assert "At most timeout_ms." in (html / "c" / "waiting.html").read_text()
    assert 'id="_CPPv4NK6remora6source4waitEi"' in (html / "cpp-api" / "waiting.html").read_text()
    assert 'id="cmdoption-remora-timeout"' in (html / "remora-1.html").read_text()
    assert "main" in (html / "source" / "examples" / "wait.c.html").read_text()
    assert (small / "man" / "man3" / "remora_wait.3").exists()


def test_links_keep_their_text_and_names_of_files_become_titles(tree: Path, build: Build) -> None:
    text = "\n[the\nguide](docs/waiting.md), [docs/waiting.md](docs/waiting.md#why), `[code](lost.md)`\n\n"
    text += "    [code](lost.md)\n"
    (tree / "README.md").write_text(f"# Remora\n{text}", encoding="utf-8")
    home = (built(tree, build) / "html" / "index.html").read_text()
    assert ">the guide</span></a>, " in home and ">Waiting</span></a>, <code" in home
    assert home.count("[code](lost.md)") == 2


@pytest.mark.parametrize(
    ("file", "old", "new", "named"),
    [
        ("README.md", "docs/waiting.md#why", "docs/wait.md", "README.md: broken link: docs/wait.md"),
        ("README.md", "include/remora.h", "include/lost.h", "README.md: broken link: include/lost.h"),
        ("README.md", "#why", "#when", "README.md: WARNING: local id not found in doc 'waiting': 'when'"),
        (
            "docs/decisions/README.md",
            "0001-wait.md",
            "0001-wait.md#when",
            "docs/decisions/README.md: WARNING: local id",
        ),
        ("docs/waiting.md", "```c program run", "```", "docs/waiting.md: a fence has no language: int main() {}"),
        ("docs/waiting.md", "## Why", "#### Why", "docs/waiting.md: WARNING: Non-consecutive header level"),
        ("include/remora.h", "/** A set of settings. */", "", "no comment in include/remora.h: remora_source"),
        ("include/remora.h", "docs/waiting.md", "docs/wait.md", "include/remora.h: no page docs/wait.md"),
        ("site/navigation.toml", '["Waiting", "docs/waiting.md"],', "", "docs/waiting.md: not in the navigation"),
        ("include/remora.hpp", "@file remora.hpp Waits", "Waits", "include/remora.hpp: no comment at its top"),
        (
            "include/remora.hpp",
            "<remora/waiting",
            "<remora/lost",
            "include/remora.hpp:2: 'remora/lost.hpp' file not found",
        ),
        (
            "include/remora/waiting.hpp",
            "/// A set of settings. See docs/waiting.md.",
            "",
            "include/remora/waiting.hpp:7: remora::source has no comment",
        ),
        (
            "include/remora/waiting.hpp",
            "/// Ends all waits. Blocking: no.",
            "",
            "include/remora/waiting.hpp:16: remora::source::stop has no comment",
        ),
        (
            "include/remora/waiting.hpp",
            "remora::end",
            "remora::lost",
            "include/remora/waiting.hpp: a comment mentions remora::lost, which does not exist",
        ),
        ("packaging/remora.1", ".TP", ".XY", "packaging/remora.1:5: unknown request .XY"),
        (
            "site/navigation.toml",
            "docs/waiting.md",
            "docs/wait.md",
            "docs/wait.md: listed in site/navigation.toml, but",
        ),
        ("bindings/python/src/remora/__init__.py", '"""Waits."""', "...", "remora.wait: no docstring"),
    ],
)
def test_a_planted_fault_stops_the_build_and_is_named(
    tree: Path, build: Build, file: str, old: str, new: str, named: str
) -> None:
    change(tree / file, old, new)
    assert named in complaint(tree, build)


def test_a_rust_function_without_a_comment_stops_the_build(tree: Path, build: Build) -> None:
    if not shutil.which("cargo"):
        pytest.skip("cargo is not installed")
    sources = tree / "bindings" / "rust" / "src"
    sources.mkdir(parents=True)
    (sources.parent / "Cargo.toml").write_text('[package]\nname = "waiting"\nversion = "1.0.0"\n[workspace]\n')
    (sources / "lib.rs").write_text("//! Waits.\n#![deny(missing_docs)]\n/// Waits.\npub fn wait() {}\n")
    assert (built(tree, build) / "html" / "api" / "rust" / "waiting" / "index.html").exists()
    change(sources / "lib.rs", "/// Waits.", "")
    printed = complaint(tree, build)
    assert "Rust: error: missing documentation for a function" in printed and "src/lib.rs:4" in printed


def test_a_picture_on_another_host_stops_the_build(tree: Path, build: Build) -> None:
    change(tree / "README.md", "# Remora\n", "# Remora\n\n![Picture](https://example.com/a.png)\n")
    assert "index.html: requests https://example.com/a.png" in complaint(tree, build)
