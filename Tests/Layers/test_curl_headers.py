# SPDX-License-Identifier: Apache-2.0
"""Tests that the transport compiles with the headers of old and new versions of libcurl.

The header of this machine has one form of each constant only. So a stub includes it, and turns each constant that Swift
uses into a macro with a cast, as libcurl 8.14 and 8.16 did with several constants.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONSTANT = re.compile(r"^RCURL_CONSTANT\((\w+), (\w+)\);$", re.MULTILINE)
DIRECT = re.compile(r"(?<!\w)CURL[A-Z]*_\w+")


def stub_header(constants: list[tuple[str, str]]) -> str:
    """Returns a header in which each constant is a macro with a cast, and no enumerator has its name."""
    hidden = [f"#define {name} old_{name}" for _, name in constants]
    shown = [f"#undef {name}\n#define {name} (({kind})old_{name})" for kind, name in constants]
    return "\n".join(["#pragma GCC system_header", *hidden, "#include_next <curl/curl.h>", *shown, ""])


def test_the_transport_compiles_if_libcurl_declares_its_constants_as_macros_with_casts(tmp_path: Path) -> None:
    constants = CONSTANT.findall((ROOT / "Sources/CCurl/constants.h").read_text(encoding="utf-8"))
    # What the header of this machine declares as macros cannot be renamed.
    macros = subprocess.run(
        [os.environ.get("CC", "cc"), "-E", "-dM", "-x", "c", "-"], input="#include <curl/curl.h>\n", capture_output=True,
        text=True, check=True,
    ).stdout  # fmt: skip
    enumerators = [(kind, name) for kind, name in constants if f"#define {name} " not in macros]
    assert ("CURLcode", "CURLE_OK") in enumerators
    (tmp_path / "curl").mkdir()
    (tmp_path / "curl/curl.h").write_text(stub_header(enumerators), encoding="utf-8")
    done = subprocess.run(
        ["scripts/check-layers", "Transport"],
        cwd=ROOT,
        env={**os.environ, "CPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_swift_code_uses_constants_of_libcurl_only_by_their_names_for_swift() -> None:
    code = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "Sources").rglob("*.swift"))}
    lines = [(path, line.partition("//")[0]) for path, text in code.items() for line in text.splitlines()]
    assert [f"{path.relative_to(ROOT)}: {line.strip()}" for path, line in lines if DIRECT.search(line)] == []
