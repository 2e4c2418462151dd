# SPDX-License-Identifier: Apache-2.0
#
# Disks without space.
"""Filling of file systems."""

from __future__ import annotations

import errno
from pathlib import Path


def fill(directory: Path) -> None:
    """Writes until there is no space left."""
    with (directory / "filler").open("wb", buffering=0) as filler:
        try:
            while True:
                filler.write(b"x" * 4096)
        except OSError as error:
            assert error.errno == errno.ENOSPC
