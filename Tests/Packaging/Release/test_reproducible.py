# SPDX-License-Identifier: Apache-2.0
#
# The packages of a second checkout: at another path, with files of another time, and with a private umask. Both use the
# same compiled library.
"""Tests that equal sources make equal packages."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from Docs.documents import ROOT
from Packaging.checkout import BUILD, copy_checkout, shell
from Packaging.page import DIST

pytestmark = pytest.mark.slow

TIME = 1893456000
COMMANDS = {
    "the source archive": ("scripts/make-source {build}/dist", "*.tar.gz"),
    "the Debian packages": ("scripts/make-deb {build}", "*.deb"),
    "the Debian source package": ("scripts/make-deb --source {build}", "remora_*"),
    "the wheel": ("scripts/make-wheel {build}", "*.whl"),
}


@pytest.fixture(scope="module")
def second(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The second checkout."""
    checkout = copy_checkout(tmp_path_factory.mktemp("elsewhere") / "second")
    for path in ROOT.glob("bindings/**/LICENSE*"):
        if path.is_symlink():
            (checkout / path.relative_to(ROOT)).symlink_to(path.readlink())
    for path in checkout.rglob("*"):
        os.utime(path, (TIME, TIME), follow_symlinks=False)
    shell("git init --quiet && git add --all", checkout)
    return checkout


@pytest.mark.parametrize(("command", "pattern"), COMMANDS.values(), ids=COMMANDS)
def test_a_checkout_elsewhere_makes_the_same_bytes(second: Path, command: str, pattern: str) -> None:
    made = []
    DIST.mkdir(exist_ok=True)
    for checkout, mask in [(ROOT, "022"), (second, "077")]:
        for old in DIST.glob(pattern):
            old.unlink()
        shell(f"umask {mask} && {command.format(build=BUILD)}", checkout, {"PYTHON": sys.executable})
        made.append({path.name: path.read_bytes() for path in DIST.glob(pattern)})
    assert made[0] and made[0] == made[1]
