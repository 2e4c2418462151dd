# SPDX-License-Identifier: Apache-2.0
#
# A program with remote settings: its defaults, what the run before fetched, the settings of a tag, and an activation.
"""Tests of the examples that open settings."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from Servers.bundle_server import BundleServer
from Servers.loopback import Ending, Request, Response
from Servers.waiting import wait_until

from Stories.languages import SETTERS, Example

PATH = "/settings"
DEFAULTS = "limit=10 dark=0 ratio=1.00 title=Welcome help=https://example.org/help"
FETCHED = "limit=3 dark=1 ratio=0.50 title=Hi help=https://help.example/x"

each = pytest.mark.parametrize("setter", SETTERS, ids=str)


def dictionary(limit: int) -> bytes:
    main = {"limit": limit, "dark": True, "ratio": 0.5, "title": "Hi", "help": "https://help.example/x"}
    return json.dumps(main).encode()


def answer_with(server: BundleServer, limit: int) -> None:
    """Answers with one dictionary for the tag, and with another one, which has this limit, without it."""

    def answer(request: Request) -> Response:
        return Response(body=b'{"brush":5}' if "tag" in request.query else dictionary(limit))

    server.answer(answer, PATH)


@pytest.fixture
def settings() -> Iterator[BundleServer]:
    with BundleServer() as server:
        answer_with(server, 3)
        yield server
        server.stop()


Run = Callable[[Path], CompletedProcess[str]]


@pytest.fixture
def in_time(tmp_path: Path) -> Callable[[Run], CompletedProcess[str]]:
    """Repeats a run, each time in a new storage directory, until the example has not waited two seconds for the tag.

    A machine that stands still for a moment can exceed them.
    """
    numbers = itertools.count()

    def repeated(run: Run) -> CompletedProcess[str]:
        def attempt() -> list[CompletedProcess[str]]:
            done = run(tmp_path / f"storage{next(numbers)}")
            has_default = "editor brush=3" in done.stdout.splitlines()
            return [] if has_default or "time limit of 2000 ms" in done.stderr else [done]

        return wait_until(attempt, "a run in which the tag arrives in time")[0]

    return repeated


@each
def test_the_settings_example_uses_the_first_settings_that_it_fetches_at_once(
    setter: Example, settings: BundleServer, in_time: Callable[[Run], CompletedProcess[str]]
) -> None:
    done = in_time(lambda storage: setter.run(settings.url(PATH), storage))
    assert (done.returncode, done.stderr) == (0, "")
    first, *others = done.stdout.splitlines()
    # The refresh at the opening may have succeeded already, or succeed while the values are read one after the other.
    before, after = f"settings origin=none {DEFAULTS}".split(" "), f"settings origin=fetched {FETCHED}".split(" ")
    words = first.split(" ")
    assert words in [before[:number] + after[number:] for number in range(len(before) + 1)]
    assert others == ["editor brush=5", "activate unchanged", f"settings origin=fetched {FETCHED}"]
    assert {one.target for one in settings.requests} == {
        f"{PATH}?user=u1&version=2.0", f"{PATH}?user=u1&version=2.0&tag=editor"
    }  # fmt: skip


@each
def test_the_settings_example_reads_later_settings_only_after_it_activates_them(
    setter: Example, settings: BundleServer, in_time: Callable[[Run], CompletedProcess[str]]
) -> None:
    def run_twice(storage: Path) -> CompletedProcess[str]:
        answer_with(settings, 3)
        setter.run(settings.url(PATH), storage)
        answer_with(settings, 4)
        return setter.run(settings.url(PATH), storage)

    done = in_time(run_twice)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        f"settings origin=cached {FETCHED}",
        "editor brush=5",
        "activate updated",
        f"settings origin=fetched {FETCHED.replace('limit=3', 'limit=4')}",
    ]


@each
def test_without_a_server_the_settings_example_reads_the_previous_values_or_else_the_defaults(
    setter: Example, settings: BundleServer, tmp_path: Path, in_time: Callable[[Run], CompletedProcess[str]]
) -> None:
    url = settings.url(PATH)
    used, new = in_time(lambda storage: setter.run(url, storage)).args[-1], tmp_path / "new"
    settings.stop()
    for storage, state, brush in ((used, f"origin=cached {FETCHED}", 5), (new, f"origin=none {DEFAULTS}", 3)):
        done = setter.run(url, storage)
        assert done.returncode == 0 and "127.0.0.1" in done.stderr
        line = f"settings {state}"
        assert done.stdout.splitlines() == [line, f"editor brush={brush}", "activate unchanged", line]


@each
def test_the_settings_example_uses_a_default_if_the_server_does_not_respond_in_time(
    setter: Example, settings: BundleServer, tmp_path: Path
) -> None:
    def answer(request: Request) -> Response:
        return Response(silent=True, ending=Ending.HANG) if "tag" in request.query else Response(body=b"{}")

    settings.answer(answer, PATH)
    done = setter.run(settings.url(PATH), tmp_path / "storage")
    assert done.returncode == 0 and done.stdout.splitlines()[1] == "editor brush=3"
