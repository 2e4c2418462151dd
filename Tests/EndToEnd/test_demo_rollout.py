# SPDX-License-Identifier: Apache-2.0
"""The demo of a bad version that a service survives."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from EndToEnd.driver import REPOSITORY

TESTS = Path(__file__).parent.parent


def test_the_rollout_demo_shows_a_service_that_rejects_a_bad_version_and_uses_the_next_one() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "Servers.demo_rollout", str(REPOSITORY / "build")],
        cwd=TESTS,
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("The demo succeeded.\n")
