# SPDX-License-Identifier: Apache-2.0
"""Tests of `scripts/plant-faults --check`: each fault still applies to the sources."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
FAULTS = Path("Tests/Simulation/Faults")
#: A fault that applies to the file of the checkout below.
FAULT = """\
fault: an example
invariants: 1 2
file: Sources/Example.swift
--- old
  old()
--- new
  new()
--- end
"""


def check(root: Path) -> subprocess.CompletedProcess[str]:
    """Checks the faults of a checkout."""
    command = [str(root / "scripts" / "plant-faults"), "--check"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with the script, one source file, and one fault that applies to it."""
    (tmp_path / "scripts").mkdir()
    shutil.copy2(ROOT / "scripts" / "plant-faults", tmp_path / "scripts" / "plant-faults")
    (tmp_path / "Sources").mkdir()
    (tmp_path / "Sources/Example.swift").write_text("func f() {\n  old()\n}\n", encoding="utf-8")
    (tmp_path / FAULTS).mkdir(parents=True)
    (tmp_path / FAULTS / "01-example.fault").write_text(FAULT, encoding="utf-8")
    return tmp_path


def plant(checkout: Path, old: str, new: str) -> subprocess.CompletedProcess[str]:
    """Checks the fault of a checkout after a change of its text."""
    assert old in FAULT
    (checkout / FAULTS / "01-example.fault").write_text(FAULT.replace(old, new), encoding="utf-8")
    return check(checkout)


def test_the_tool_plant_faults_can_apply_every_file_with_a_deliberate_fault_to_the_current_source_code() -> None:
    done = check(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == f"plant-faults: {len(list((ROOT / FAULTS).glob('*.fault')))} faults apply\n"


def test_every_file_with_a_deliberate_fault_names_only_invariants_that_the_simulation_of_the_library_checks() -> None:
    listed = (ROOT / "Tests/Simulation/Invariants/Invariants.swift").read_text(encoding="utf-8")
    known = set(re.findall(r"^// +(\d+)\. ", listed, re.MULTILINE))
    for path in (ROOT / FAULTS).glob("*.fault"):
        wanted = re.findall(r"^invariants: (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert len(wanted) == 1 and set(wanted[0].split()) <= known, path.name


def test_the_tool_plant_faults_accepts_a_deliberate_fault_whose_text_to_replace_occurs_once_in_the_source_code(
    checkout: Path,
) -> None:
    done = check(checkout)
    assert (done.returncode, done.stdout) == (0, "plant-faults: 1 faults apply\n")


def test_the_tool_plant_faults_reports_a_deliberate_fault_whose_text_to_replace_is_not_in_the_source_code(
    checkout: Path,
) -> None:
    done = plant(checkout, "  old()", "  other()")
    assert done.returncode == 1
    assert done.stdout == "01-example: its old text occurs 0 times in Sources/Example.swift\n"


def test_the_tool_plant_faults_reports_a_deliberate_fault_whose_text_to_replace_occurs_twice_in_the_source_code(
    checkout: Path,
) -> None:
    (checkout / "Sources/Example.swift").write_text("  old()\n  old()\n", encoding="utf-8")
    done = check(checkout)
    assert done.returncode == 1 and "its old text occurs 2 times" in done.stdout


def test_the_tool_plant_faults_reports_a_deliberate_fault_whose_replacement_equals_the_text_to_replace(
    checkout: Path,
) -> None:
    done = plant(checkout, "  new()", "  old()")
    assert done.returncode == 1 and "its new text is the old text" in done.stdout


def test_the_tool_plant_faults_reports_a_deliberate_fault_that_names_a_missing_source_file(checkout: Path) -> None:
    done = plant(checkout, "Example.swift", "Missing.swift")
    assert done.returncode == 1 and "there is no file Sources/Missing.swift" in done.stdout


@pytest.mark.parametrize("line", ["fault: an example\n", "invariants: 1 2\n", "--- old\n", "--- end\n"])
def test_the_tool_plant_faults_reports_a_file_with_a_deliberate_fault_that_lacks_a_required_line(
    checkout: Path, line: str
) -> None:
    done = plant(checkout, line, "")
    assert done.returncode == 1 and done.stderr.startswith("01-example.fault: ")
