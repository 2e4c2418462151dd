# SPDX-License-Identifier: Apache-2.0
#
# Somebody with an empty Debian and the packages of a release, who reads README, the page on installing, and the
# tutorial, and publishes, reads and changes a value of their own.
"""Tests of the way from nothing to a published value, with the packages."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from Docs.documents import Block
from Docs.tutorial import Reader, only, tutorial
from Packaging.checkout import version
from Packaging.debian import ENVIRONMENT, Debian, made, unattended
from Packaging.page import DIST, PAGE, make, snippet
from Servers.ports import free_port


@dataclass(frozen=True)
class Newcomer(Reader):
    """Somebody who follows the tutorial in a Debian without a checkout."""

    debian: Debian
    activation: str = ""

    def text(self, block: Block) -> str:
        return super().text(block).replace("/path/to/build/dist", "/work/build/dist")

    def open_terminal(self, commands: str) -> subprocess.Popen[str]:
        line = f"export HOME=/root PYTHONUNBUFFERED=1; {self.activation}\n{commands}"
        return subprocess.Popen(
            self.debian.command(line, "/work/tutorial"), env=ENVIRONMENT, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        )  # fmt: skip


@pytest.fixture(scope="module")
def debian(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Debian]:
    """An empty Debian that has the packages of a release, none of them installed."""
    for kind in ["debian", "python", "rust"]:
        make(kind)
    with made(tmp_path_factory.mktemp("newcomer"), "minbase") as root:
        place = root.root / "work/build/dist"
        place.mkdir(parents=True)
        for file in DIST.glob(f"*{version()}[-.]*"):
            shutil.copy(file, place)
        yield root


def install(debian: Debian, *names: str) -> None:
    """Installs packages of Debian by a command that the page has."""
    command = f"apt-get install {' '.join(names)}"
    assert command in PAGE.read_text(encoding="utf-8")
    debian.check(unattended(command))


@pytest.mark.slow
def test_a_newcomer_with_an_empty_debian_publishes_reads_and_changes_a_value_in_c_cpp_rust_and_python(
    debian: Debian,
) -> None:
    debian.check(unattended(snippet("sh", "debian", "install")))
    debian.check(unattended("apt-get install python3"))  # The web server of the tutorial.
    folder = debian.root / "work/tutorial"
    folder.mkdir()
    newcomer = Newcomer(folder, free_port(), debian)
    with tutorial(newcomer):
        debian.check(unattended(snippet("sh", "debian", "compiler")))
        newcomer.follow("c", "c")
        newcomer.run(only("sh", "again"))
        debian.check(unattended("apt-get install g++"))
        newcomer.follow("cpp", "cpp")
        newcomer.run(only("sh", "again"))
        install(debian, "cargo", "pkg-config")
        newcomer.run(only("sh", "new", "rs"))
        newcomer.follow("rust,no_run", "rs")
        newcomer.run(only("sh", "again"))
        install(debian, "python3-venv", "libcurl4")
        debian.check(f"export PIP_NO_INDEX=1\n{snippet('sh', 'python', 'install')}")
        Newcomer(folder, newcomer.port, debian, ". /work/venv/bin/activate").follow("python", "py")


@pytest.mark.slow
def test_with_the_wheel_alone_a_newcomer_publishes_with_the_tool_in_it(debian: Debian) -> None:
    debian.check("dpkg --purge remora-tools libremora-dev libremora0")
    debian.check("rm -rf /work/tutorial && mkdir /work/tutorial")
    newcomer = Newcomer(Path(debian.root / "work/tutorial"), free_port(), debian, ". /work/venv/bin/activate")
    with tutorial(newcomer):
        newcomer.follow("python", "py")
