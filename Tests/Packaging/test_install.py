# SPDX-License-Identifier: Apache-2.0
#
# `make install` over the build folder of the checkout, without package managers and network, and hosts that link with
# what it installs. The build folder is reused: CMake finds the sources through it.
"""Tests of installing, and of the lines for pkg-config and find_package."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from Docs.documents import ROOT, blocks
from Packaging.checkout import BUILD, copy_checkout, shell, version, write_host
from Packaging.page import snippet

HEADERS = Path(__file__).resolve().parents[2] / "include"
UNAVAILABLE = [
    "apt-get",
    "apt",
    "sudo",
    "pip",
    "pip3",
    "curl",
    "wget",
    "cargo",
    "rustc",
    "nginx",
    "python3",
    "python3.11",
]


@pytest.fixture(scope="module")
def offline(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which package managers, downloads and Python fail."""
    folder = tmp_path_factory.mktemp("unavailable")
    for name in UNAVAILABLE:
        program = folder / name
        program.write_text(f"#!/bin/sh\necho {name} was called >&2\nexit 1\n")
        program.chmod(0o755)
    # `sudo make install` has root's PATH, in which the folder of Swift is missing.
    places = [Path(place) for place in os.environ["PATH"].split(":")]
    path = ":".join(str(place) for place in places if not (place / "swiftc").exists() or (place / "make").exists())
    # Nor may pip of another Python, called by its whole path, reach an index.
    return {"PATH": f"{folder}:{path}", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "", "MAKEFLAGS": ""}


@pytest.fixture(scope="module")
def installed(offline: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """DESTDIR after the documented `make install`, from a checkout without .venv."""
    place = tmp_path_factory.mktemp("install")
    checkout = copy_checkout(place / "remora")
    (install, _) = snippet("sh", "source", "install").splitlines()
    shell(f"{install} DESTDIR={place}/package BUILD={BUILD}", checkout, offline)
    assert not (checkout / ".venv").exists()
    return place / "package"


def test_make_install_installs_exactly_the_expected_files_without_a_package_manager(installed: Path) -> None:
    files = {str(path.relative_to(installed / "usr/local")) for path in installed.rglob("*") if not path.is_dir()}
    expected = {"bin/remora", "lib/libremora.so", "lib/libremora.so.0", "lib/pkgconfig/remora.pc"}
    expected |= {f"lib/cmake/Remora/Remora{part}.cmake" for part in ["Config", "ConfigVersion", "Embed", "Targets"]}
    expected |= {f"lib/libremora.so.{version()}", "lib/cmake/Remora/RemoraTargets-release.cmake"}
    expected |= {
        "include/remora.h",
        "include/remora_test.h",
        "include/remora/module.modulemap",
        "share/man/man1/remora.1",
        "share/doc/remora/LICENSE",
        "share/doc/remora/LICENSES.md",
        "share/bash-completion/completions/remora",
    }
    expected |= {str(path.relative_to(HEADERS.parent)) for path in HEADERS.rglob("*.hpp")}
    assert files == expected


def test_if_the_build_libraries_are_present_the_script_install_deps_installs_and_downloads_nothing(
    offline: dict[str, str], tmp_path: Path
) -> None:
    checkout = copy_checkout(tmp_path / "remora")
    assert shell("scripts/install-deps build", checkout, offline) == ""
    assert "usage: scripts/install-deps [build|demo|test]" in shell("! scripts/install-deps everything", checkout)


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ("echo 'Swift version 6.2.4 (swift-6.2.4-RELEASE)'", "{swiftc} is version 6.2.4"),
        ("exit 127", "no {swiftc} was found"),
    ],
    ids=["an older Swift", "no Swift"],
)
@pytest.mark.parametrize("command", ["cmake -S . -B build", "make build"])
def test_configuring_without_a_usable_swift_says_in_one_sentence_what_to_install(
    offline: dict[str, str], tmp_path: Path, command: str, reply: str, found: str
) -> None:
    checkout = copy_checkout(tmp_path / "remora")
    swiftc = tmp_path / "swiftc"
    swiftc.write_text(f"#!/bin/sh\n{reply}\n")
    swiftc.chmod(0o755)
    output = " ".join(shell(f"! {command}", checkout, {**offline, "SWIFTC": str(swiftc)}).split())
    sentence = f"Remora needs Swift 6.3 or newer, but {found.format(swiftc=swiftc)}: install it from https://"
    assert sentence in output, output


def test_the_documented_pkg_config_command_builds_a_program(installed: Path, tmp_path: Path) -> None:
    libraries = installed / "usr/local/lib"
    search = {"PKG_CONFIG_PATH": f"{libraries}/pkgconfig"}
    project = write_host(tmp_path / "host")
    shell(snippet("sh", "debian", "compile"), project, search)
    assert shell("./host", project, {"LD_LIBRARY_PATH": str(libraries)}) == version()


def test_pkg_config_finds_a_moved_installation_from_the_place_of_its_file(installed: Path, tmp_path: Path) -> None:
    moved = shutil.copytree(installed / "usr/local", tmp_path / "moved", symlinks=True)
    search = {"PKG_CONFIG_PATH": f"{moved}/lib/pkgconfig"}
    for variable, folder in [("includedir", "include"), ("libdir", "lib")]:
        found = shell(f"pkg-config --variable={variable} remora", tmp_path, search).strip()
        assert Path(found).resolve() == moved / folder


def test_the_c_test_in_the_testing_guide_compiles_with_an_installed_remora_and_passes(
    installed: Path, tmp_path: Path
) -> None:
    guide = list(blocks(ROOT / "docs" / "testing.md"))
    (program,) = [block.text for block in guide if block.words[0] == "c" and "remora_test.h" in block.text]
    (compile_line,) = [block.text for block in guide if block.words == ("sh", "test", "compile")]
    (tmp_path / "tests.c").write_text(program, encoding="utf-8")
    libraries = installed / "usr/local/lib"
    search = {"PKG_CONFIG_PATH": f"{libraries}/pkgconfig"}
    shell(compile_line, tmp_path, search)
    shell("./tests", tmp_path, {"LD_LIBRARY_PATH": str(libraries)})


def test_the_documented_find_package_lines_build_a_program(installed: Path, tmp_path: Path) -> None:
    project = write_host(tmp_path / "host")
    (project / "CMakeLists.txt").write_text(snippet("cmake"), encoding="utf-8")
    for command in snippet("sh", "cmake", "build").splitlines():
        shell(command, project, {"CMAKE_PREFIX_PATH": f"{installed}/usr/local"})
    assert shell("build/host", project) == version()
