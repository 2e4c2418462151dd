#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the site in OUTPUT/html and the man pages in OUTPUT/man, or names what stops it.

Without cargo, the site has no reference of the Rust API; without `make docs-api`, none of the Swift API.

usage: site/build.py [--root TREE] [--output OUTPUT] [--jobs N]
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import checks
import man
import sources
from staging import Stage

HERE = Path(__file__).resolve().parent


def sphinx(stage: Stage, html: Path, doctrees: Path, jobs: str) -> list[str]:
    """Runs Sphinx, for which a warning is an error. Returns its warnings, with the names of the sources."""
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "--no-color",
        "-j",
        jobs,
        "-c",
        str(HERE),
        "-d",
        str(doctrees),
    ]
    done = subprocess.run([*command, str(stage.folder), str(html)], stderr=subprocess.PIPE, text=True, check=False)
    if not done.returncode:
        return []
    source_of = {page: source for source, page in stage.pages.items()}

    def named(found: re.Match[str]) -> str:
        # Without the line, because that of the page differs.
        return source_of.get(found.group(1), found.group(1)) + ":"

    place = re.compile(rf"^{re.escape(str(stage.folder))}/([^:]+)(?::\d+)?:")
    return [place.sub(named, line) for line in done.stderr.splitlines() if line.strip()]


def rustdoc(root: Path, target: Path, html: Path) -> list[str]:
    """Copies the reference of the Rust crates to the site. Returns warnings, such as of a missing comment."""
    manifest = root / "bindings" / "rust" / "Cargo.toml"
    if not manifest.exists() or not shutil.which("cargo"):
        return []
    # As on docs.rs, which has no libremora.
    environment = {**os.environ, "DOCS_RS": "1", "PKG_CONFIG": "/nonexistent", "RUSTDOCFLAGS": "--deny warnings"}
    environment.pop("REMORA_LIB_DIR", None)
    command = ["cargo", "doc", "--quiet", "--offline", "--workspace", "--no-deps"]
    command += ["--manifest-path", str(manifest), "--target-dir", str(target)]
    done = subprocess.run(command, env=environment, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        return [f"Rust: {line}" for line in done.stderr.splitlines() if line.strip()]
    shutil.copytree(target / "doc", html / "api" / "rust", dirs_exist_ok=True)
    return []


def build(root: Path, output: Path, jobs: str = "auto") -> list[str]:
    """Builds everything, and returns the faults: those of the first step that has any."""
    shutil.rmtree(output / "html", ignore_errors=True)
    if (output / "swift").is_dir():
        shutil.copytree(output / "swift", output / "html" / "api" / "swift")
    if faults := rustdoc(root, output / "rust", output / "html"):
        return faults
    stage = Stage(root, output / "stage", output / "html")
    stage.make()
    if stage.faults:
        return stage.faults
    if faults := sphinx(stage, output / "html", output / "doctrees", jobs):
        return faults
    sources.write(root, output / "html", stage.linked_files)
    man.write(root / "include" / "remora.h", output / "man" / "man3")
    return checks.faults(output / "html")


def main() -> int:
    """Builds the site of a tree."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--root", type=Path, default=HERE.parent, help="the tree with the documents")
    parser.add_argument("--output", type=Path, help="default: build/docs of the tree")
    parser.add_argument("--jobs", default="auto", help="processes of Sphinx")
    options = parser.parse_args()
    output = options.output or options.root / "build" / "docs"
    faults = build(options.root.resolve(), output.resolve(), options.jobs)
    for fault in faults:
        print(f"FAILED {fault}", file=sys.stderr)
    if not faults:
        pages = len(list((output / "html").rglob("*.html")))
        print(f"{output / 'html' / 'index.html'}: {pages} pages; {output / 'man'}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
