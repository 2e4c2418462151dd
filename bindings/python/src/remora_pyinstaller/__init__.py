# SPDX-License-Identifier: Apache-2.0
#
# Imported by each run of PyInstaller in an environment that has Remora. So it is outside of the package, which loads
# the library, and needs neither the package nor PyInstaller.
"""What PyInstaller includes in a frozen program that imports remora."""

from __future__ import annotations

import os
from importlib.util import find_spec


def hook_dirs() -> list[str]:
    """Returns the folders with hooks. The entry point `hook-dirs` names this function."""
    return [os.path.dirname(os.path.abspath(__file__))]


def binaries() -> list[tuple[str, str]]:
    """Returns the library inside the installed package, and its folder in the frozen program.

    Empty if the package uses a library of the system: then the frozen program uses it too.
    """
    library = os.path.join(_package(), "libremora.so.0")
    return [(library, "remora")] if os.path.exists(library) else []


def modules() -> list[str]:
    """Returns the modules of the package.

    Several are imported at their first use, by names that PyInstaller cannot see.
    """
    package, found = _package(), []
    for folder, _, files in os.walk(package):
        parent = "remora" + folder[len(package) :].replace(os.sep, ".")
        found += [
            parent if file == "__init__.py" else f"{parent}.{file[:-3]}" for file in files if file.endswith(".py")
        ]
    return sorted(found)


def _package() -> str:
    spec = find_spec("remora")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("the package remora is not installed")
    return next(iter(spec.submodule_search_locations))
