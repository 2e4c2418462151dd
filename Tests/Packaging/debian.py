# SPDX-License-Identifier: Apache-2.0
#
# A Debian of its own for a test, which mmdebstrap makes from the mirror of this system. It takes root, and seconds.
"""A small Debian in a folder, in which nothing of the checkout is visible."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from Docs.documents import ROOT
from Packaging.checkout import shell
from Packaging.page import need

ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
# The mount ends with the command.
INSIDE = 'mount -t proc proc "$0/proc"; exec chroot "$0" sh -euc "$1"'


class Debian:
    """A Debian of its own, in which nothing of the checkout is visible."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def run(self, line: str, folder: str = "/work") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(line, folder), env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip

    def command(self, line: str, folder: str) -> list[str]:
        """The command that runs a command of the shell in a folder inside."""
        return ["unshare", "--mount", "sh", "-euc", INSIDE, str(self.root), f"cd {folder}; {line}"]

    def check(self, line: str, folder: str = "/work") -> str:
        """Runs a command, which must succeed."""
        done = self.run(line, folder)
        assert done.returncode == 0, f"{line}: {done.stdout}"
        return done.stdout

    def write(self, name: str, text: str) -> None:
        place = self.root / "work" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def codename() -> str:
    """The name of the release of Debian that this system has."""
    return shell(". /etc/os-release; echo $VERSION_CODENAME", ROOT).strip()


@contextmanager
def made(place: Path, variant: str, *options: str) -> Iterator[Debian]:
    """Makes the same release as this system has, in a variant of mmdebstrap, and removes it at the end."""
    need("mmdebstrap", shutil.which("mmdebstrap"))
    if os.geteuid() != 0:
        pytest.skip("a root folder can be made by root only")
    root = place / "root"
    shell(f"mmdebstrap --quiet --variant={variant} {' '.join(options)} {codename()} {root}", ROOT)
    yield Debian(root)
    shutil.rmtree(root)


def unattended(commands: str) -> str:
    """Commands of the page that ask nothing."""
    return commands.replace("apt-get install", "apt-get install --yes -qq")
