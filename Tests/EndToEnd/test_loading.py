# SPDX-License-Identifier: Apache-2.0
#
# A plug-in host pays for what a library does while it is loaded, and did not ask for any of it.
"""Tests of loading the library into a running process."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from EndToEnd.driver import REPOSITORY

LIBRARY = REPOSITORY / "build" / "libremora.so"
LOADING = REPOSITORY / "build" / "tests" / "loading"
THROWING = REPOSITORY / "build" / "tests" / "throwing"

OF_THE_LOADER = {
    "openat", "read", "pread64", "fstat", "newfstatat", "mmap", "mprotect", "munmap", "close", "getcwd", "brk"
}  # fmt: skip
# The thread's number and the seed of hash tables. malloc asks for random bytes too.
OF_THE_RUNTIME = {"gettid", "getrandom"}


def load(*before: object, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [*map(str, before), str(LOADING), str(LIBRARY)]
    return subprocess.run(
        command, env={**os.environ, **variables}, capture_output=True, text=True, timeout=60, check=False
    )


def calls_while_loading(trace: Path) -> list[str]:
    """The lines of strace between the two that the host marks."""
    lines = trace.read_text().splitlines()
    begin = next(index for index, line in enumerate(lines) if 'write(2, "begin' in line)
    end = next(index for index, line in enumerate(lines) if 'write(2, "end' in line)
    return lines[begin + 1 : end]


def test_loading_the_library_opens_libraries_only_and_makes_no_other_system_calls_than_the_loader(
    tmp_path: Path,
) -> None:
    done = load("strace", "-o", tmp_path / "trace")
    assert done.returncode == 0, done.stderr
    calls = calls_while_loading(tmp_path / "trace")
    assert {line.split("(")[0] for line in calls} <= OF_THE_LOADER | OF_THE_RUNTIME
    assert sum(line.startswith("gettid") for line in calls) <= 1
    assert sum(line.startswith("getrandom") for line in calls) <= 4
    paths = [path for line in calls for path in re.findall(r'(?:openat|newfstatat)\([^"]*"([^"]+)"', line)]
    assert any(path.endswith("libremora.so") for path in paths)
    assert [path for path in paths if not re.search(r"\.so(\.\d+)*$|/ld\.so\.cache$", path)] == []


def test_the_backtrace_settings_of_swift_in_the_environment_of_a_host_change_nothing(tmp_path: Path) -> None:
    plain = load()
    told = "enable=yes,warnings=enabled,output-to=stdout,swift-backtrace=" + str(tmp_path / "missing")
    for setting in (told, "help", "nonsense", "enable=yes"):
        assert load(SWIFT_BACKTRACE=setting).stdout == plain.stdout == "handled 0\n", setting
        assert load(SWIFT_BACKTRACE=setting).stderr == plain.stderr == "begin\nend\n", setting


def test_a_cpp_host_that_loads_the_library_with_global_symbols_catches_its_own_exceptions_in_all_threads() -> None:
    done = subprocess.run([THROWING, LIBRARY], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "caught\n", "")
