# SPDX-License-Identifier: Apache-2.0
#
# The Debian packages: what is in them, and a program that is built with them where nothing of the checkout exists.

"""Tests of `make deb`, and of the page's section on Debian packages."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from Docs.documents import ROOT
from Packaging.checkout import BUILD, HOST, shell, version
from Packaging.debian import Debian, made, unattended
from Packaging.page import make, need, only_file, snippet
from Servers.v2_server import V2Server

NAMES = ["libremora0", "libremora-dev", "remora-tools", "python3-remora"]
READING = ["list", "get", "explain", "diff", "watch"]
SECTIONS = ["dump", "verify", "seed", "keys init", "keys renew", "keys show", "publish", "check"]
COMMANDS = [*SECTIONS, *READING]
TOOLS = "gcc,libc6-dev,pkg-config,cmake,ninja-build,python3"


@pytest.fixture(scope="module")
def packages() -> dict[str, Path]:
    """The files of the packages, by their names."""
    make("debian")
    return {name: only_file(f"{name}_*.deb") for name in NAMES}


@pytest.fixture(scope="module")
def files(packages: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages unpacked over each other, with their control files in DEBIAN/NAME."""
    place = tmp_path_factory.mktemp("unpacked")
    for name, package in packages.items():
        shell(f"mkdir -p DEBIAN && dpkg-deb -x {package} . && dpkg-deb -e {package} DEBIAN/{name}", place)
    return place


def field(package: Path, name: str) -> str:
    """A field of a package's control file."""
    return shell(f"dpkg-deb -f {package} {name}", package.parent).strip()


def options(command: str) -> list[str]:
    """The options that the help of a command lists."""
    listed = shell(f"{BUILD}/remora help {command}", ROOT)
    found = re.findall(r"^  (--[a-z0-9-]+)[ =]", listed, re.MULTILINE)
    assert "--help" in found
    return found


def test_lintian_finds_no_error_in_the_debian_packages(packages: dict[str, Path]) -> None:
    need("lintian", shutil.which("lintian"))
    shell(f"lintian --fail-on error {' '.join(map(str, packages.values()))}", ROOT)


def test_the_debian_packages_depend_on_all_libraries_that_remora_links_or_loads(packages: dict[str, Path]) -> None:
    for name in ["libremora0", "remora-tools"]:
        depends = re.findall(r"[a-z0-9+.-]+(?= \(|,|$)", field(packages[name], "Depends"))
        assert set(depends) == {"libc6", "libjansson4", "libcurl4", "libssl3"}
    assert field(packages["libremora-dev"], "Depends") == f"libremora0 (= {version()}-1)"
    assert field(packages["python3-remora"], "Depends") == f"python3:any, libremora0 (>= {version()})"


def test_the_debian_packages_have_the_version_of_the_header(packages: dict[str, Path]) -> None:
    assert {field(package, "Version") for package in packages.values()} == {f"{version()}-1"}


def test_the_debian_packages_list_the_checksums_of_all_their_files(packages: dict[str, Path], files: Path) -> None:
    for name in NAMES:
        shell(f"md5sum --check --strict {files}/DEBIAN/{name}/md5sums", files)
    listed = [line.split()[1] for path in files.glob("DEBIAN/*/md5sums") for line in path.read_text().splitlines()]
    assert sorted(listed) == sorted(
        str(path.relative_to(files)) for path in (files / "usr").rglob("*") if path.is_file() and not path.is_symlink()
    )


def test_the_debian_symbols_file_lists_exactly_the_functions_of_the_c_api(files: Path) -> None:
    text = (files / "DEBIAN/libremora0/symbols").read_text()
    functions = json.loads((ROOT / "abi/remora.json").read_text())["functions"]
    listed = re.findall(rf"^ (remora_\w+)@REMORA_0 {re.escape(version())}$", text, re.MULTILINE)
    assert sorted(listed) == sorted(functions)


def test_each_debian_package_contains_a_copyright_file_and_a_changelog(files: Path) -> None:
    for name in NAMES:
        documents = files / "usr/share/doc" / name
        assert (documents / "copyright").read_text() == (ROOT / "packaging/debian/copyright").read_text()
        assert gzip.decompress((documents / "changelog.Debian.gz").read_bytes()).startswith(b"remora (")
        assert gzip.decompress((documents / "changelog.gz").read_bytes()) == (ROOT / "CHANGELOG.md").read_bytes()


def test_the_development_package_contains_the_guides_the_record_of_the_abi_and_the_examples(files: Path) -> None:
    documents = files / "usr/share/doc/libremora-dev"
    for guide in [*(ROOT / "docs").glob("*.md"), ROOT / "abi/remora.json"]:
        assert (documents / guide.name).read_bytes() == guide.read_bytes()
    for language in (ROOT / "examples").iterdir():
        shell(f"diff -r -x __pycache__ -x .build {language} {documents}/examples/{language.name}", ROOT)
    manual = files / "usr/share/man/man3/remora_setup.3.gz"
    assert manual.exists() == (ROOT / "site/man.py").exists()


@pytest.mark.parametrize("command", SECTIONS)
def test_the_manual_page_lists_exactly_the_options_that_the_tool_prints_as_help(command: str) -> None:
    assert options_in_page(command) == options(command)


def test_the_manual_page_lists_the_options_of_the_commands_that_read_a_directory_together() -> None:
    of_requests = {"--timeout", "--proxy", "--ca-file", "--header", "--client-certificate", "--client-key"}
    listed = options_in_page("list, get, explain, diff and watch")
    assert sorted(listed) == sorted({option for command in READING for option in options(command)} - of_requests)


def options_in_page(command: str) -> list[str]:
    """The options in a section of the manual page."""
    page = (ROOT / "packaging/remora.1").read_text(encoding="utf-8")
    section = page.split(f'.SS "Options of {command}"\n')[1].split("\n.S")[0]
    listed = re.findall(r"^\.TP\n\.BI? (\S+)", section, re.MULTILINE)
    return [option.replace("\\-", "-") for option in listed]


def test_groff_formats_the_manual_page_without_a_warning() -> None:
    need("groff", shutil.which("groff"))
    assert shell(f"groff -man -Tutf8 -ww -z {ROOT}/packaging/remora.1", ROOT) == ""


@pytest.mark.parametrize("command", COMMANDS)
def test_the_shell_completion_offers_exactly_the_options_that_the_tool_prints_as_help(command: str) -> None:
    assert completed("remora", *command.split(), "--") == options(command)


def test_the_shell_completion_offers_the_commands_and_the_known_servers() -> None:
    first_words = {command.split()[0] for command in COMMANDS}
    assert {*first_words, "help", "--help", "--version"} == set(completed("remora", ""))
    assert set(completed("remora", "help", "")) == first_words
    assert completed("remora", "keys", "") == ["init", "renew", "show"]
    assert completed("remora", "dump", "--server", "st") == ["stage"]


def completed(*words: str) -> list[str]:
    """What bash offers for the last word of a line."""
    line = " ".join(f"'{word}'" for word in words)
    script = (
        f'. packaging/remora.bash; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _remora; echo "${{COMPREPLY[@]}}"'
    )
    return shell(script, ROOT, {"PATH": f"{BUILD}:{os.environ['PATH']}"}).split()


def test_the_documented_cmake_command_for_the_component_named_library_installs_only_the_shared_library(
    tmp_path: Path,
) -> None:
    (tmp_path / "build").symlink_to(BUILD)
    shell(snippet("sh", "source", "component"), tmp_path)
    names = {path.name for path in (tmp_path / "package").rglob("*") if not path.is_dir()}
    assert names == {"libremora.so.0", f"libremora.so.{version()}"}


def test_a_swift_program_can_import_the_module_of_the_development_package(files: Path, tmp_path: Path) -> None:
    (tmp_path / "main.swift").write_text(
        "import CRemora\nprint(String(cString: remora_version()), terminator: String())\n"
    )
    shell(f"swiftc main.swift -I{files}/usr/include/remora -L{BUILD} -o host", tmp_path)
    assert shell("./host", tmp_path, {"LD_LIBRARY_PATH": str(BUILD)}) == version()


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Debian]:
    """The small Debian, with a compiler and CMake."""
    with made(tmp_path_factory.mktemp("debian"), "apt", f"--include={TOOLS}") as root:
        yield root


@pytest.fixture(scope="module")
def debian(bare: Debian, packages: dict[str, Path]) -> Debian:
    """The small Debian after the page's command has installed the packages."""
    place = bare.root / "work/build/dist"
    place.mkdir(parents=True)
    for package in packages.values():
        shutil.copy(package, place)
    bare.check(unattended(snippet("sh", "debian", "install")))
    return bare


@pytest.mark.slow
def test_the_installed_debian_packages_are_complete_and_the_tool_runs(debian: Debian) -> None:
    assert debian.check("remora --version").split()[-1] == version()
    assert debian.check("dpkg --verify libremora0 libremora-dev remora-tools") == ""
    assert debian.check("ldconfig -p | grep -c libremora.so.0").strip() == "1"


@pytest.mark.slow
def test_the_debian_packages_that_the_installation_page_lists_for_compiling_exist(debian: Debian) -> None:
    debian.check(unattended(snippet("sh", "debian", "compiler")))


@pytest.mark.slow
def test_with_the_debian_packages_the_quickstart_compiles_with_pkg_config_and_reads_from_a_server(
    debian: Debian,
) -> None:
    debian.write("host.c", (ROOT / "examples/c/quickstart.c").read_text(encoding="utf-8"))
    debian.check(snippet("sh", "debian", "compile"))
    with V2Server(None) as server:
        collection = server.collection("demo")
        collection.publish({"banner": {"text": "Hello"}})
        assert re.fullmatch(
            r"/last_modified = \d{13}\n", debian.check(f"./host {server.url} demo banner /last_modified")
        )


@pytest.mark.slow
def test_the_test_of_the_source_package_passes_with_the_installed_packages(debian: Debian) -> None:
    shutil.copytree(ROOT / "examples", debian.root / "work/source/examples")
    debian.write("source/quickstart", (ROOT / "packaging/debian/tests/quickstart").read_text(encoding="utf-8"))
    debian.check("apt-get install --yes -qq ./build/dist/python3-remora_*.deb")
    assert re.search(r"^/per_day = 20$", debian.check("python3 quickstart", "/work/source"), re.MULTILINE)


@pytest.mark.slow
def test_with_the_debian_packages_the_documented_cmake_lines_build_a_program(debian: Debian) -> None:
    debian.write("project/host.c", HOST)
    debian.write("project/CMakeLists.txt", snippet("cmake"))
    debian.check(snippet("sh", "cmake", "build"), "/work/project")
    assert debian.check("build/host", "/work/project") == version()


@pytest.mark.slow
def test_a_request_on_a_system_without_libcurl_fails_and_reports_the_missing_library(debian: Debian) -> None:
    debian.write("lone.c", (ROOT / "examples/c/quickstart.c").read_text(encoding="utf-8"))
    debian.check("cc -std=c99 lone.c $(pkg-config --cflags --libs remora) -o lone")
    debian.check("mkdir away; mv /usr/lib/*/libcurl.so.4* away/")
    try:
        done = debian.run("./lone http://127.0.0.1:9/v1 demo banner /n")
        checked = debian.run(f"remora check http://127.0.0.1:9 --root-sha256 {'0' * 64}")
    finally:
        debian.check("mv away/* $(dirname /usr/lib/*/libremora.so.0)/")
    assert done.returncode == 1 and "libcurl" in done.stdout, done.stdout
    assert checked.returncode == 7 and "libcurl" in checked.stdout, checked.stdout


@pytest.mark.slow
def test_purging_the_debian_packages_leaves_no_file_behind(debian: Debian) -> None:
    debian.check("apt-get purge --yes -qq python3-remora remora-tools libremora-dev libremora0")
    assert debian.check("find / -xdev -path /work -prune -o -path /proc -prune -o -name '*remora*' -print") == ""
