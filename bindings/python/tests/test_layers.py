# SPDX-License-Identifier: Apache-2.0
#
# The modules of the package form layers, which the README of the binding lists. Every import counts: for type checkers,
# and inside functions. An import from another package also runs that package's own module; the outermost one runs
# always, and does not count.
"""Layers: no module imports one that is listed behind it."""

from __future__ import annotations

import ast
import graphlib
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
PACKAGE = PROJECT / "src" / "remora"
MOST_MODULES = 16

UPWARDS = {
    "for type checkers": ("if TYPE_CHECKING:\n    from ..events import Event\n", "events"),
    "inside a function": ("def planted():\n    from ..events import Event\n", "events"),
    "of a module": ("from .. import events\n", "events"),
    "by its whole name": ("import remora.events\n", "events"),
    "of a public name": ("from .. import Event\n", "remora"),
    "of the whole package": ("def planted():\n    import remora\n", "remora"),
}
"""Imports that a module of a lower layer must not have, and the module that each of them uses."""


def modules(package: Path) -> dict[str, Path]:
    """The files of the modules, by their names below the package; its own name is "remora"."""
    named = {}
    for file in package.rglob("*.py"):
        parts = file.relative_to(package).with_suffix("").parts
        named[".".join(parts[:-1] if parts[-1] == "__init__" else parts) or "remora"] = file
    return named


def imported(package: Path, file: Path) -> Iterator[str]:
    """The absolute names of all that a file imports, wherever in the file it does so."""
    here = ("remora", *file.relative_to(package).parent.parts)
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            outer = here[: len(here) - node.level + 1] if node.level else ()
            origin = ".".join((*outer, *([node.module] if node.module else [])))
            yield from (f"{origin}.{alias.name}" for alias in node.names)


def uses(package: Path) -> dict[str, set[str]]:
    """The modules that each module uses."""
    named = modules(package)
    found: dict[str, set[str]] = {name: set() for name in named}
    for name, file in named.items():
        own = file.parent.relative_to(package).as_posix().replace("/", ".")
        for words in (full.split(".") for full in imported(package, file) if full.split(".")[0] == "remora"):
            # The modules on the way to what is imported; a name that is none of them is a public one.
            prefixes = {".".join(words[1:end]) for end in range(2, len(words) + 1)}
            found[name] |= (prefixes & named.keys() or {"remora"}) - {name, own}
    return found


def listed() -> list[str]:
    """The modules in the order of the README's table."""
    page = (PROJECT / "README.md").read_text(encoding="utf-8")
    rows = page.split("| modules | contents |\n|---|---|\n")[1].split("\n\n")[0].splitlines()
    return [name for row in rows for name in re.findall(r"`([\w.]+)`", row.split("|")[1])]


def upward_imports(package: Path) -> list[str]:
    """The imports of modules that are listed behind the one that imports them."""
    place = {name: number for number, name in enumerate(listed())}
    found = uses(package).items()
    return sorted(
        f"{name} imports {used}" for name, all_used in found for used in all_used if place[used] > place[name]
    )


def test_the_readme_of_the_package_lists_every_module_once() -> None:
    assert sorted(listed()) == sorted(modules(PACKAGE))


def test_every_module_imports_only_modules_that_the_readme_lists_before_it() -> None:
    assert upward_imports(PACKAGE) == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert len(list(graphlib.TopologicalSorter(uses(PACKAGE)).static_order())) == len(modules(PACKAGE))


@pytest.mark.parametrize(("planted", "used"), UPWARDS.values(), ids=UPWARDS)
def test_the_check_of_imports_reports_a_module_that_imports_a_module_below_it_in_the_list_of_the_readme(
    planted: str, used: str, tmp_path: Path
) -> None:
    package = tmp_path / "remora"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    with (package / "_runtime" / "content.py").open("a", encoding="utf-8") as file:
        file.write(planted)
    assert upward_imports(package) == [f"_runtime.content imports {used}"]
    with pytest.raises(graphlib.CycleError):
        graphlib.TopologicalSorter(uses(package)).prepare()


def test_only_the_module_remora_imports_modules_by_computed_names() -> None:
    computed = re.compile(r"import_module\(|__import__\(")
    found = {name for name, file in modules(PACKAGE).items() if computed.search(file.read_text(encoding="utf-8"))}
    assert found == {"remora"}


def test_only_the_package_for_the_c_api_imports_ctypes() -> None:
    named = modules(PACKAGE).items()
    found = {name for name, file in named for full in imported(PACKAGE, file) if full.split(".")[0] == "ctypes"}
    assert found and {name.partition(".")[0] for name in found} == {"_ffi"}


def test_no_folder_of_the_package_has_too_many_modules() -> None:
    folders = Counter(file.parent for file in modules(PACKAGE).values() if not file.name.startswith("__"))
    assert {folder.name: count for folder, count in folders.items() if count > MOST_MODULES} == {}
