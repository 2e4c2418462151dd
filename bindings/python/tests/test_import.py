# SPDX-License-Identifier: Apache-2.0
"""Finding the library: what is wrong is an ImportError that says what was looked for and where."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import remora
from remora import _ffi

PACKAGE = Path(remora.__file__).parent
LIBRARY = os.environ["REMORA_LIBRARY"]


def import_error(**environment: str | None) -> str:
    """What `import remora` says in a new process; "" when it succeeds."""
    merged = {**os.environ, **environment}
    program = "try:\n import remora\nexcept ImportError as error:\n print(error)"
    command = [sys.executable, "-W", "error", "-c", program]
    variables = {name: value for name, value in merged.items() if value is not None}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=variables, check=True)
    assert done.stderr == ""
    return done.stdout.strip()


def library_of(directory: Path, version: str, functions: list[str]) -> str:
    """A library that answers with a version, and has functions that do nothing."""
    source = directory / "fake.c"
    stubs = "\n".join(f"void {name}(void) {{}}" for name in functions if name != "remora_version")
    source.write_text(f'const char *remora_version(void) {{ return "{version}"; }}\n{stubs}\n')
    library = directory / "libfake.so"
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", library, source], check=True)
    return str(library)


def test_the_library_that_the_environment_variable_names_is_loaded() -> None:
    assert import_error(REMORA_LIBRARY=LIBRARY) == ""


def test_an_error_about_a_missing_library_names_the_path_and_the_environment_variable() -> None:
    message = import_error(REMORA_LIBRARY="/nowhere/libremora.so")
    assert "/nowhere/libremora.so" in message and "REMORA_LIBRARY" in message


def test_the_error_about_a_missing_library_names_the_searched_places() -> None:
    message = import_error(REMORA_LIBRARY=None, LD_LIBRARY_PATH=None)
    assert "libremora.so.0" in message and "REMORA_LIBRARY is not set" in message and str(PACKAGE) in message
    assert "install the wheel or the library" in message


def test_the_library_is_found_in_the_folder_of_the_package(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "remora", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(LIBRARY, tmp_path / "remora" / "libremora.so.0")
    assert import_error(REMORA_LIBRARY=None, PYTHONPATH=str(tmp_path)) == ""


def test_the_library_is_found_by_the_dynamic_loader(tmp_path: Path) -> None:
    shutil.copy(LIBRARY, tmp_path / "libremora.so.0")
    assert import_error(REMORA_LIBRARY=None, LD_LIBRARY_PATH=str(tmp_path)) == ""


def test_a_file_that_is_not_a_library_is_refused_with_an_import_error(tmp_path: Path) -> None:
    file = tmp_path / "libremora.so"
    file.write_text("no library")
    assert str(file) in import_error(REMORA_LIBRARY=str(file))


@pytest.mark.parametrize("version", ["0.0.9", "0", "1.1.0", "10.1.0", "strange", ""])
def test_a_library_of_another_major_version_is_refused(tmp_path: Path, version: str) -> None:
    library = library_of(tmp_path, version, list(_ffi.FUNCTIONS))
    message = import_error(REMORA_LIBRARY=library)
    assert "needs version 0.1" in message and library in message and f"is version {version}".rstrip() in message


@pytest.mark.parametrize("version", ["0.1.99", "0.2.0"])
def test_a_newer_library_of_the_same_major_version_is_accepted(tmp_path: Path, version: str) -> None:
    assert import_error(REMORA_LIBRARY=library_of(tmp_path, version, list(_ffi.FUNCTIONS))) == ""


@pytest.mark.parametrize("missing", ["remora_client_get_fd", "remora_snapshot_get_json"])
def test_an_error_about_a_library_that_lacks_a_function_names_the_function(tmp_path: Path, missing: str) -> None:
    functions = [name for name in _ffi.FUNCTIONS if name != missing]
    assert missing in import_error(REMORA_LIBRARY=library_of(tmp_path, "0.1.0", functions))


def test_a_library_that_is_not_remora_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "other.c"
    source.write_text("int other(void) { return 0; }\n")
    library = tmp_path / "libother.so"
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", library, source], check=True)
    assert "remora_version" in import_error(REMORA_LIBRARY=str(library))


def test_importing_the_package_imports_no_slow_module() -> None:
    slow = "{'asyncio', 'collections', 'dataclasses', 'datetime', 'enum', 'functools', 'json', 'logging', 'select', 'threading', 'typing', 'weakref', '_weakrefset'}"
    program = (
        f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r}); import remora; print({slow} & {{*sys.modules}})"
    )
    command = [sys.executable, "-I", "-S", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "set()\n"


def imported_inside_functions() -> set[str]:
    """The modules that the package, without that for asyncio, imports at their first use."""
    found: set[str] = set()
    for file in PACKAGE.rglob("*.py"):
        folder = "remora" if file.parent == PACKAGE else f"remora.{file.parent.name}"
        functions = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.FunctionDef)]
        for node in (inner for function in functions for inner in ast.walk(function)):
            if isinstance(node, ast.Import):
                found.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                package = {0: "", 1: f"{folder}.", 2: "remora."}[node.level]
                module = f"{package}{node.module}" if node.module else package.rstrip(".")
                found.add(module)
                submodules = {f"{module}.{alias.name}" for alias in node.names}
                found.update(one for one in submodules if (PACKAGE.parent / (one.replace(".", "/") + ".py")).exists())
    return found


def modules_of_a_child(prepare: str) -> set[str]:
    """The modules that a forked child finds imported."""
    fork = "if (pid := os.fork()) == 0: print(*sys.modules, flush=True); os._exit(0)\nos.waitpid(pid, 0)"
    command = [sys.executable, "-W", "ignore", "-c", f"import os, sys, threading, remora\n{prepare}\n{fork}"]
    return set(subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.split())


def test_a_process_with_threads_imports_the_lazily_imported_modules_before_it_forks() -> None:
    later = imported_inside_functions()
    found = modules_of_a_child("threading.Thread(target=threading.Event().wait, daemon=True).start()")
    assert "remora.bundle" in later and later <= found
    assert "remora.bundle" not in modules_of_a_child("pass"), "without threads a fork costs nothing"


def test_every_public_name_of_the_package_exists_and_is_listed_by_dir() -> None:
    assert "Client" in remora.__all__ and "errors" not in remora.__all__
    assert all(getattr(remora, name) is not None for name in remora.__all__)
    assert {*remora.__all__} <= {*dir(remora)}
    assert remora.__version__ == _ffi.CONSTANTS["REMORA_VERSION"]


@pytest.mark.parametrize("package", ["aio", "testing"])
def test_a_package_inside_remora_is_an_attribute_without_an_import_of_its_own(package: str) -> None:
    program = f"import remora, sys; assert 'remora.{package}' not in sys.modules and '{package}' in dir(remora)\n"
    program += f"assert remora.{package} is sys.modules['remora.{package}']"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_pyinstaller_includes_the_library_and_every_module_of_an_installed_package(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "remora", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(PACKAGE.parent / "remora_pyinstaller", tmp_path / "remora_pyinstaller")
    (tmp_path / "remora" / "libremora.so.0").write_bytes(b"")
    program = """
import runpy, sys
from pathlib import Path
import remora_pyinstaller
[hooks] = remora_pyinstaller.hook_dirs()
found = runpy.run_path(str(Path(hooks) / "hook-remora.py"))
print(found["binaries"] == [(str(Path("remora/libremora.so.0").resolve()), "remora")], "remora" in sys.modules)
print(*sorted(set(found["hiddenimports"])))
"""
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=60, env=environment, cwd=tmp_path, check=False
    )
    assert done.stderr == ""
    first, modules = done.stdout.splitlines()
    files = [file.relative_to(PACKAGE.parent).with_suffix("") for file in PACKAGE.rglob("*.py")]
    expected = {".".join(file.parts).removesuffix(".__init__") for file in files}
    assert first == "True False" and set(modules.split()) == expected


def test_pyinstaller_finds_the_hook_by_its_entry_point() -> None:
    project = (PACKAGE.parents[1] / "pyproject.toml").read_text()
    assert '[project.entry-points.pyinstaller40]\nhook-dirs = "remora_pyinstaller:hook_dirs"\n' in project
