# SPDX-License-Identifier: Apache-2.0
"""Tests of the runner: what it counts, what it ends, and what its steps inherit."""

from __future__ import annotations

import json
import signal
import sys
from collections import Counter
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

from Runner import steps
from Runner.counts import Count, Outcome, by_cargo, by_junit, by_last_line
from Runner.schedule import run_all
from Runner.steps import ROOT, Result, Step

JUNIT = '<testsuites><testsuite tests="5" failures="1" errors="1" skipped="1"/><testsuite tests="2"/></testsuites>'


@pytest.fixture(autouse=True)
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the steps of a test leave their output."""
    monkeypatch.setattr(steps, "LOGS", tmp_path)
    return tmp_path


@pytest.fixture
def script(logs: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """scripts/test as a module."""
    loader = SourceFileLoader("scripts_test", str(ROOT / "scripts" / "test"))
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    loader.exec_module(module)
    monkeypatch.setattr(module, "LOGS", logs)
    return module


def python(name: str, program: str, **options: object) -> Step:
    return Step(name, "a title", [sys.executable, "-c", program], **options)  # type: ignore[arg-type]


def run(step: Step) -> Result:
    return steps.run(step, set())


def test_the_runner_reads_test_counts_from_junit_reports_and_from_the_output(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    assert by_junit(Outcome(0, "", report)) is None
    report.write_text(JUNIT)
    assert by_junit(Outcome(0, "", report)) == Count(4, 2, 1)
    assert by_last_line(Outcome(0, "ok 1\n3 passed, 0 failed, 1 skipped\n", report)) == Count(3, 0, 1)
    assert by_last_line(Outcome(0, "3 passed, 0 failed, 1 skipped\nmore\n", report)) is None
    line = "test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured\n"
    assert by_cargo(Outcome(0, line * 2, report)) == Count(4, 0, 2)


def test_the_runner_reports_a_failure_for_a_test_program_that_crashes_or_writes_no_report() -> None:
    assert run(python("crash", "import os; os.abort()")).count == Count(failed=1)
    assert run(python("silent", "", count=by_junit)).count == Count(failed=1)
    passed = "print('3 passed, 0 failed, 0 skipped'); raise SystemExit(1)"
    assert run(python("status", passed, count=by_last_line)).count == Count(3, 1, 0)
    assert run(Step("missing", "a title", ["./no-such-program"])).failures == [
        "missing: [Errno 2] No such file or directory: './no-such-program'"
    ]


def test_the_runner_prints_what_a_sanitizer_reported_in_the_middle_of_a_long_output(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = "WARNING: ThreadSanitizer: data race\\n  Write of size 8\\nSUMMARY: ThreadSanitizer: data race in f"
    program = f"print('{report}'); print('passed\\n' * 200); raise SystemExit(66)"
    (result,) = run_all([python("race", program)], 1)
    assert "   |   Write of size 8\n" in capsys.readouterr().out
    assert result.failures[0] == "race: SUMMARY: ThreadSanitizer: data race in f"


def test_the_runner_ends_a_test_program_and_its_child_processes_at_the_time_limit() -> None:
    program = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import signal; signal.pause()'])"
    late = run(python("late", program, minutes=0.005))
    assert (late.count, late.outcome.status) == (Count(failed=1), 124)
    assert "no end within" in late.outcome.output


def test_the_processor_time_of_a_test_program_includes_its_child_processes() -> None:
    work = "import time\nwhile time.process_time() < 0.3: pass"
    program = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {work!r}])"
    assert run(python("work", program)).cpu >= 0.3


def test_test_programs_start_with_default_signal_handling_even_if_the_runner_ignores_signals() -> None:
    numbers = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGPIPE, signal.SIGCHLD)
    before = {number: signal.signal(number, signal.SIG_IGN) for number in numbers}
    try:
        (result,) = run_all([Step("signals", "a title", ["grep", "SigIgn", "/proc/self/status"])], 1)
        mask = int(result.outcome.output.split()[1], 16)
        assert [number for number in numbers if mask >> (number - 1) & 1] == []
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_the_runner_runs_every_folder_of_python_tests_and_lists_no_step_twice(script: ModuleType) -> None:
    names = Counter(step.name for tier in script.TIERS for step in script.STEPS[tier])
    assert {name: count for name, count in names.items() if count > 1} == {}
    words = {word for tier in script.TIERS for step in script.STEPS[tier] for word in step.command}
    folders = {f"Tests/{path.parent.name}" for path in (ROOT / "Tests").glob("*/test_*.py")}
    assert folders - words == set()


def test_test_all_runs_the_slow_tests_of_every_folder(script: ModuleType) -> None:
    marks = {"slow", "slow or not slow"}
    run_by = {word for step in script.STEPS["test-all"] if marks & set(step.command) for word in step.command}
    files = [path for path in (ROOT / "Tests").glob("*/*.py") if "mark.slow" in path.read_text()]
    assert {f"Tests/{path.parent.name}" for path in files} - {"Tests/Runner"} <= run_by


def test_the_summary_adds_the_counts_of_make_test_and_make_test_all_and_fails_if_either_is_missing(
    script: ModuleType, logs: Path
) -> None:
    (logs / "test.json").write_text(json.dumps({"count": {"passed": 5, "failed": 0, "skipped": 1}}))
    assert script.sum_of_tiers() == Count(5, 1, 1)
    (logs / "test-all.json").write_text(json.dumps({"count": {"passed": 2, "failed": 0, "skipped": 0}}))
    assert script.sum_of_tiers() == Count(7, 0, 1)
