# SPDX-License-Identifier: Apache-2.0
#
# Builds of the library from its sources: inside another project, and by a packager. Both compile Swift, so both do it
# without optimisation (CMAKE_BUILD_TYPE=Debug), which takes a third of the time.
"""Tests of add_subdirectory and of the packager's commands."""

from __future__ import annotations

from pathlib import Path

from Docs.documents import ROOT
from Packaging.checkout import copy_checkout, shell, version, write_host
from Packaging.page import snippet

# What an including project may have set for itself.
CHOICES = """
set(CMAKE_C_STANDARD 99)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
install(TARGETS host)
"""


def test_a_cmake_project_can_include_the_remora_sources_with_add_subdirectory(tmp_path: Path) -> None:
    project = write_host(tmp_path / "host", CHOICES + snippet("cmake", "subproject"), languages="C CXX")
    (project / "remora").symlink_to(ROOT)
    shell("cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Debug", project)
    shell("cmake --build build", project)
    assert shell("build/host", project) == version()
    assert "no work to do" in shell("cmake --build build", project)
    # The library only: no tool, no tests, nothing that the host's package would have to leave out.
    programs = [path for path in (project / "build").glob("*") if path.is_file() and path.stat().st_mode & 0o100]
    assert [path.name for path in programs] == ["host"]
    assert not (project / "build" / "tests").exists()
    shell("DESTDIR=$PWD/package cmake --install build --prefix /usr", project)
    files = [path.relative_to(project / "package") for path in (project / "package").rglob("*") if path.is_file()]
    assert files == [Path("usr/bin/host")]


def test_the_documented_commands_for_packagers_build_and_stage_an_installation(tmp_path: Path) -> None:
    checkout = copy_checkout(tmp_path / "remora")
    commands = snippet("sh", "source", "package")
    assert "-DCMAKE_BUILD_TYPE=Release" in commands and "-DREMORA_BUILD_TESTS=OFF" in commands
    for command in commands.replace("Release", "Debug").splitlines():
        shell(command, checkout)
    assert shell("package/usr/bin/remora --version", checkout).split()[-1] == version()
    found = sorted(path.name for path in (checkout / "package/usr").rglob("*") if path.suffix in {".h", ".pc"})
    assert found == ["remora.h", "remora.pc", "remora_test.h"]
    assert not (checkout / "build" / "tests").exists()
