# SPDX-License-Identifier: Apache-2.0
"""Tests of the options of the simulation: a wrong option must not start a campaign with other numbers."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

SIMULATE = Path(__file__).resolve().parents[3] / "build" / "tests" / "remora-simulate"
USAGE = "usage: remora-simulate [--seed N] [--worlds N] [--steps N] [--minutes N] [--log]"
SEED_RANGE = "--seed must be a whole number, 0 to 9223372036854775807"
WORLDS_RANGE = "--worlds must be a whole number, 1 to 1000000000"
STEPS_RANGE = "--steps must be a whole number, 1 to 1000000000"
MINUTES_RANGE = "--minutes must be a whole number, 1 to 1000000"


def simulate(*options: str) -> subprocess.CompletedProcess[str]:
    """Runs the simulation to its end."""
    if not SIMULATE.exists():
        pytest.fail(f"{SIMULATE} is missing: build the project first (make build)")
    environment = {**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1"}
    return subprocess.run(
        [SIMULATE, *options], env=environment, capture_output=True, text=True, timeout=60, check=False
    )


#: The problems of wrong options, by the words of the command line.
WRONG = {
    "--wolrds 9": f'"--wolrds" is not an option; {USAGE}',
    "--worlds=9": f'"--worlds=9" is not an option; {USAGE}',
    "--log 9": f'"9" is not an option; {USAGE}',
    "": f'"" is not an option; {USAGE}',
    "--a\nb": f'"--a\\u{{a}}b" is not an option; {USAGE}',
    "--seed": f"--seed needs a number; {USAGE}",
    "--log --minutes": f"--minutes needs a number; {USAGE}",
    "--seed abc": SEED_RANGE,
    "--seed -1": SEED_RANGE,
    f"--seed {2**63}": SEED_RANGE,
    "--worlds --log": WORLDS_RANGE,
    "--worlds 0": WORLDS_RANGE,
    "--worlds 1000000001": WORLDS_RANGE,
    "--worlds 99999999999999999999": WORLDS_RANGE,
    "--steps 1.5": STEPS_RANGE,
    f"--steps {2**64 - 1}": STEPS_RANGE,
    "--minutes ": MINUTES_RANGE,
    f"--minutes {2**63 - 1}": MINUTES_RANGE,
}


@pytest.mark.parametrize("words", WRONG)
def test_the_simulation_refuses_a_wrong_option_in_one_line_on_standard_error_and_exits_with_status_2(
    words: str,
) -> None:
    done = simulate(*words.split(" "))
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"remora-simulate: {WRONG[words]}\n")


@pytest.mark.parametrize("seed", [0, 2**63 - 1])
def test_the_simulation_runs_the_requested_number_of_worlds_from_the_smallest_and_from_the_largest_seed(
    seed: int,
) -> None:
    done = simulate("--seed", str(seed), "--worlds", "2", "--steps", "10")
    assert (done.returncode, done.stderr) == (0, "")
    assert " steps in 2 worlds and " in done.stdout and done.stdout.endswith(" s: all invariants hold\n")
