# SPDX-License-Identifier: Apache-2.0
"""Refreshing by interval."""

from __future__ import annotations

import math
import queue
import threading
from typing import Any

import pytest

import remora
from conftest import SECONDS
from Servers.v2_server import V2Server
from Servers.waiting import wait_until


def test_a_source_with_a_refresh_interval_is_refreshed_automatically(
    client: remora.Client, server: V2Server, names: list[str]
) -> None:
    source = client.collection(names[0], trust="off", refresh_interval=1)
    wait_until(lambda: source.get_int("a", "/n") == 1, "the first settings", SECONDS)
    server.collection(names[0]).publish({"a": {"n": 2}})
    wait_until(lambda: source.get_int("a", "/n") == 2, "the change", SECONDS)
    # Nobody is to be seen: so there is no thread that would do it.
    assert "remora-dispatch" not in {thread.name for thread in threading.enumerate()}
    source.close()


def test_subscribers_are_notified_of_a_periodic_refresh(client: remora.Client, names: list[str]) -> None:
    seen: queue.Queue[Any] = queue.Queue()
    source = client.collection(names[0], trust="off", refresh_interval=1, on_event=seen.put)
    assert seen.get(timeout=SECONDS).cause is remora.Cause.OPENED
    assert seen.get(timeout=SECONDS).outcome is remora.Outcome.UPDATED
    source.close()


@pytest.mark.parametrize("never", [None, math.inf])
def test_a_refresh_interval_of_none_or_infinity_is_accepted(client: remora.Client, never: Any) -> None:
    client.collection("never", trust="off", refresh_interval=never).close()


@pytest.mark.parametrize(
    ("wrong", "error"),
    [("60", TypeError), (True, TypeError), (0, ValueError), (-1, ValueError), (0.5, remora.InvalidArgumentError)],
)
def test_an_error_about_an_invalid_refresh_interval_names_the_option(
    client: remora.Client, wrong: Any, error: type[Exception]
) -> None:
    with pytest.raises(error, match="refresh_interval"):
        client.collection("wrong", trust="off", refresh_interval=wrong)
