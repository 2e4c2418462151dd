# SPDX-License-Identifier: Apache-2.0
#
# Projects outside of the tree, configured against an installed prefix: find_package, and dumps inside of binaries.
"""Tests of the CMake package and of remora_embed_dump."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from EndToEnd import tool
from EndToEnd.driver import REPOSITORY
from EndToEnd.hosts import V2Source

EXAMPLE = REPOSITORY / "examples" / "c" / "embedded"


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `make install` installs."""
    place = tmp_path_factory.mktemp("prefix")
    cmake("--install", REPOSITORY / "build", "--prefix", place)
    return place


def cmake(*words: object) -> str:
    """Runs CMake, which must succeed."""
    done = try_cmake(*words)
    assert done.returncode == 0, done.stdout
    return done.stdout


def try_cmake(*words: object) -> subprocess.CompletedProcess[str]:
    command = ["cmake", *map(str, words)]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def build(project: Path, prefix: Path, *options: str) -> Path:
    """Configures and builds a project; gives where its binaries are."""
    binaries = project / "build folder"
    cmake("-S", project, "-B", binaries, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}", *options)
    cmake("--build", binaries)
    return binaries


def output(program: Path, *words: object) -> list[str]:
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def write(folder: Path, **files: str) -> Path:
    """Writes files by their names, `_` for a dot."""
    folder.mkdir()
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    return folder


def test_a_cmake_project_can_embed_a_dump_whose_signature_is_verified_at_the_first_refresh(
    v2: V2Source, prefix: Path, tmp_path: Path
) -> None:
    regions = V2Source(v2.server, "regions", v2.root)
    first = regions.content.publish({"eu": {"cities": 2}, "us": {"cities": 3}})
    project = tmp_path / "project"
    shutil.copytree(EXAMPLE, project)
    dump = ["dump", *tool.at(regions), "--output", project / "regions.json", "regions"]
    assert tool.run(*dump).status == 0
    program = build(project, prefix) / "embedded"
    assert output(program) == [f"origin=packaged version={first} verified=no keys=2"]
    assert output(program, v2.url, v2.root) == [
        f"origin=packaged version={first} verified=no keys=2",
        f"origin=packaged version={first} verified=yes keys=2",
    ]
    # A dump that changes is embedded by the next build, and one that does not is not.
    second = regions.publish("as", cities=5)
    assert tool.run(*dump).status == 0
    cmake("--build", project / "build folder")
    assert output(program) == [f"origin=packaged version={second} verified=no keys=3"]
    assert "is unchanged" in tool.run(*dump).err
    assert "no work to do" in cmake("--build", project / "build folder")


def test_the_installed_tool_prints_the_same_version_as_the_built_tool(prefix: Path) -> None:
    told = subprocess.run([prefix / "bin" / "remora", "--version"], capture_output=True, text=True, check=True)
    assert told.stdout == tool.run("--version").out


LISTS = """
cmake_minimum_required(VERSION 3.25)
project(matrix LANGUAGES {languages})
find_package(Remora REQUIRED)
add_custom_command(OUTPUT made.bin COMMAND printf %s made > made.bin)
add_library(part SHARED part.{suffix})
remora_embed_dump(part FILE "with space.bin" NAME with_space)
remora_embed_dump(part FILE ${{CMAKE_CURRENT_BINARY_DIR}}/made.bin NAME made)
add_executable(program main.{suffix})
remora_embed_dump(program FILE empty.bin NAME with_space)
target_link_libraries(program PRIVATE part)
"""

PART = """
#include "made.h"
#include "with_space.h"
{linkage} unsigned sum(void);
unsigned sum(void) {{
  unsigned total = made[0] * 1000u + (unsigned)made_size * 100u + made[made_size] + with_space[with_space_size];
  return total + (unsigned)with_space_size;
}}
"""

MAIN = """
#include <stdio.h>
#include "with_space.h"
{linkage} unsigned sum(void);
int main() {{
  printf("%u %u %u\\n", sum(), (unsigned)with_space_size, with_space[0]);
  return 0;
}}
"""


@pytest.mark.slow
@pytest.mark.parametrize("options", ["", "-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON", "-DCMAKE_BUILD_TYPE=Release"])
@pytest.mark.parametrize(("languages", "suffix", "linkage"), [("C", "c", "extern"), ("CXX", "cpp", 'extern "C"')])
def test_the_cmake_function_remora_embed_dump_embeds_stored_generated_and_empty_files_in_programs_and_libraries(
    prefix: Path, tmp_path: Path, languages: str, suffix: str, linkage: str, options: str
) -> None:
    project = write(tmp_path / "matrix", CMakeLists_txt=LISTS.format(languages=languages, suffix=suffix), empty_bin="")
    (project / "with space.bin").write_bytes(bytes(range(42)))
    (project / f"part.{suffix}").write_text(PART.format(linkage=linkage))
    (project / f"main.{suffix}").write_text(MAIN.format(linkage=linkage))
    binaries = build(project, prefix, *options.split())
    # "made" is 4 bytes from 'm', the other file 42, and a NUL stands behind each.
    assert output(binaries / "program") == [f"{ord('m') * 1000 + 4 * 100 + 42} 0 0"]
    exported = subprocess.run(["nm", "-D", binaries / "libpart.so"], capture_output=True, text=True, check=True).stdout
    assert "sum" in exported and "made" not in exported and "with_space" not in exported


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("remora_embed_dump(nothing FILE a.json NAME a)", '"nothing" is no target'),
        ("remora_embed_dump(program NAME a)", "give FILE <file> and NAME <name>"),
        ("remora_embed_dump(program FILE a.json)", "give FILE <file> and NAME <name>"),
        ("remora_embed_dump(program FILE a.json NAME a b)", "nothing else"),
        ("remora_embed_dump(program FILE a.json NAME a-b)", '"a-b" is no identifier'),
        ("remora_embed_dump(program FILE none.json NAME a)", "there is no FILE"),
    ],
)
def test_an_invalid_call_of_remora_embed_dump_stops_the_cmake_configuration(
    prefix: Path, tmp_path: Path, call: str, words: str
) -> None:
    lists = f"""
cmake_minimum_required(VERSION 3.25)
project(bad LANGUAGES C)
find_package(Remora REQUIRED)
add_executable(program main.c)
{call}
"""
    project = write(tmp_path / "bad", CMakeLists_txt=lists, main_c="int main(void) { return 0; }", a_json="{}")
    done = try_cmake("-S", project, "-B", project / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    assert done.returncode != 0
    assert words in " ".join(done.stdout.split())
