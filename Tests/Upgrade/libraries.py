# SPDX-License-Identifier: Apache-2.0
"""The library of this tree and the previous one, each with its Python package; and what a host reads with either."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PREVIOUS_COMMIT = "7fac97d"
"""The last commit of the previous version."""

State = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Library:
    """A built library and its package."""

    tree: Path
    file: Path

    def run(self, plan: dict[str, object]) -> State:
        """What a host reads after it has done what the plan says."""
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.tree / "bindings" / "python" / "src"),
            "REMORA_LIBRARY": str(self.file),
        }
        command = [sys.executable, str(Path(__file__).with_name("host.py")), json.dumps(plan)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        state: State = json.loads(done.stdout)
        return state


CURRENT = Library(ROOT, Path(os.environ.get("REMORA_LIBRARY", ROOT / "build" / "libremora.so")))


def build_previous() -> Library | None:
    """Builds the library of the previous version from the history of the project; None if it is not in the history."""
    command = [str(ROOT / "scripts" / "build-previous"), PREVIOUS_COMMIT]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 3:
        return None
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    tree = ROOT / "build" / "previous" / PREVIOUS_COMMIT
    return Library(tree, tree / "build" / "libremora.so")
