# SPDX-License-Identifier: Apache-2.0
"""`python -m remora` runs the command line tool `remora`, which docs/tool.md describes."""

from __future__ import annotations

import os
import shutil
import sys

from ._ffi.library import folders

TOOL = "remora"
NOT_FOUND = 127
"""The exit status of shells for a command that does not exist."""


def find_tool() -> str | None:
    """Returns the path of the tool, in the package, beside the library or in PATH; None if it is not found."""
    return shutil.which(TOOL, path=os.pathsep.join(folders())) or shutil.which(TOOL)


def main() -> None:
    """Replaces this process by the tool, with the same arguments."""
    tool = find_tool()
    if tool is None:
        places = " or ".join((*folders(), "PATH"))
        print(f"remora: the command line tool remora is not in {places}: see docs/tool.md", file=sys.stderr)
        sys.exit(NOT_FOUND)
    os.execv(tool, [TOOL, *sys.argv[1:]])


if __name__ == "__main__":
    main()
