# SPDX-License-Identifier: Apache-2.0
"""Creates a virtual environment for the measured processes, so that packages of the tests do not slow
their start. It contains the other libraries if PyPI has them for this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PEERS = {
    "eppo": "eppo-server-sdk==4.4.1",
    "configcat": "configcat-client==10.0.1",
    "statsig": "statsig-python-core==0.24.2",
    "yggdrasil": "yggdrasil-engine==2.0.0",
    "flipt": "flipt-client==1.4.5",
    "launchdarkly": "launchdarkly-server-sdk==9.20.0",
    "pyjexl": "pyjexl==0.3.0",
    "kinto": "kinto-http==11.11.0",
}


def make(folder: Path) -> tuple[Path, dict[str, str]]:
    """Returns the environment's Python, and the reason for each missing package."""
    python = folder / "bin" / "python"
    if not python.exists():
        print(f"creating {folder}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    absent = {}
    for name, package in PEERS.items():
        done = folder / f"{package}.installed"
        if done.exists():
            continue
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
        command += ["--retries", "1", package]
        if subprocess.run(command, stdout=sys.stderr, check=False).returncode == 0:
            done.touch()
        else:
            absent[name] = f"{package} could not be installed"
    return python, absent


def plain() -> dict[str, str]:
    """Returns the variables of this process without those of Python, so that bytecode is cached as usual."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
