# SPDX-License-Identifier: Apache-2.0
#
# The environment of the site, a small tree of documents, and the whole site.
"""Fixtures of the tests of the site."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "site"))

NAVIGATION = """
home = "README.md"
[[section]]
title = "Guides"
pages = [
  ["Waiting", "docs/waiting.md"], ["C", "@c"], ["C++ API", "@cpp"], ["Python API", "@python"], ["remora(1)", "@tool"],
]
[[section]]
title = "Inside"
is_searched = false
pages = [["Decisions", "docs/decisions/README.md"]]
"""
HEADER = """/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file remora.h Waits for settings.
 */
#define REMORA_VERSION "1.0"
/* ------------------------------------------------------------- waiting --- */
/** A set of settings. */
typedef struct remora_source remora_source;

/** Waits for a source. See docs/waiting.md.
    @return 0; -1 if the source is NULL.
    Blocking: at most timeout_ms. */
int remora_wait(remora_source *source, int timeout_ms);
#ifdef __cplusplus
}
#endif
"""
CPP = """/// @file waiting.hpp Waiting.
namespace remora {
/// When a wait ends.
enum class end { early, late };

/// A set of settings. See docs/waiting.md.
class source {
 public:
  // Waiting does not block reads.

  /// Waits like remora_wait, until stop().
  /// @param timeout_ms The longest time; see remora::end.
  end wait(int timeout_ms = -1) const { return secret(timeout_ms); }
  end wait(long timeout_ms) const;
  /// Ends all waits. Blocking: no.
  void stop() noexcept;
  source(const source &) = delete;

 private:
  end secret(int timeout_ms) const;
  int number_;
};
namespace detail { void assist(); }
}
"""
MANUAL = """.TH REMORA 1
.SH NAME
remora \\- waits
.SH OPTIONS
.TP
.BI \\-\\-timeout " SECONDS"
The longest time.
.SH EXAMPLES
.nf
remora \\-\\-timeout 5
.fi
"""
PYTHON = '"""Waits for settings."""\n\n__all__ = ["wait"]\n\n\ndef wait(timeout: float) -> None:\n    """Waits."""\n'
FILES = {
    "site/navigation.toml": NAVIGATION,
    "include/remora.h": HEADER,
    "include/remora.hpp": "/// @file remora.hpp Waits, in C++.\n#include <remora/waiting.hpp>\n",
    "include/remora/waiting.hpp": CPP,
    "packaging/remora.1": MANUAL,
    "README.md": "# Remora\n\n`remora_wait` waits: [Waiting](docs/waiting.md#why), [header](include/remora.h).\n",
    "docs/waiting.md": "# Waiting\n\n## Why\n\n[1](decisions/0001-wait.md).\n\n```c program run\nint main() {}\n```\n",
    "docs/decisions/README.md": "# Decisions\n\n[One](0001-wait.md), and [a program](../../examples/wait.c).\n",
    "docs/decisions/0001-wait.md": "# Wait\n\nBecause.\n",
    "examples/wait.c": "int main(void) {}\n",
    "bindings/python/src/remora/__init__.py": PYTHON,
}


def planted(root: Path) -> Path:
    """Writes the small tree to a folder."""
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small tree with everything that a site is made of."""
    return planted(tmp_path / "tree")


@pytest.fixture(scope="session")
def python() -> str:
    """The Python of the site's environment, which is installed if it is missing."""
    made = subprocess.run(
        ["make", "--silent", ".venv-site/requirements.txt"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if made.returncode:
        pytest.skip("the Python packages of the site cannot be installed in .venv-site")
    return str(ROOT / ".venv-site" / "bin" / "python")


Build = Callable[[Path, Path], subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def build(python: str) -> Build:
    """Builds the site of a tree in a folder."""

    def run(root: Path, output: Path) -> subprocess.CompletedProcess[str]:
        command = [python, str(ROOT / "site" / "build.py"), "--root", str(root), "--output", str(output), "--jobs", "1"]
        # As a CI service that asks for colours: the build prints no colours anyway.
        environment = {**os.environ, "FORCE_COLOR": "1"}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    return run


@pytest.fixture(scope="session")
def small(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site and the man pages of the small tree."""
    root = planted(tmp_path_factory.mktemp("small"))
    built = build(root, root / "out")
    assert built.returncode == 0, built.stderr
    return root / "out"


@pytest.fixture(scope="session")
def site(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole site."""
    output = tmp_path_factory.mktemp("site")
    built = build(ROOT, output)
    assert built.returncode == 0, built.stderr
    return output / "html"
