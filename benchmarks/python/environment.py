# SPDX-License-Identifier: Apache-2.0
"""An environment of its own for the measured processes, so that nobody's start pays for
packages of the tests; with the peers in it where PyPI has them for this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PEERS = {"eppo": "eppo-server-sdk==4.4.1", "configcat": "configcat-client==10.0.1", "pyjexl": "pyjexl==0.3.0"}


def make(folder: Path) -> tuple[Path, dict[str, str]]:
    """The environment's Python, and for each peer that is not in it a sentence why."""
    python = folder / "bin" / "python"
    if not python.exists():
        print(f"making {folder} for the peers", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    absent = {}
    for name, package in PEERS.items():
        done = folder / f"{package}.installed"
        if done.exists():
            continue
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", package]
        if subprocess.run(command, stdout=sys.stderr, check=False).returncode == 0:
            done.touch()
        else:
            absent[name] = f"{package} could not be installed"
    return python, absent


def plain() -> dict[str, str]:
    """The variables of this process but for Python's own: a package in use has its compiled files."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
