# SPDX-License-Identifier: Apache-2.0
"""Whether the last successful refresh is recent enough."""

from __future__ import annotations

import queue

import pytest

import remora
from conftest import SECONDS
from remora import Cause, Freshness
from remora.testing import Clock, Server


def test_an_event_reports_that_data_became_stale_and_that_a_refresh_made_it_fresh() -> None:
    server, clock = Server(), Clock()
    server.publish("c", {"a": {}})
    events: queue.Queue[remora.Event] = queue.Queue()

    def next_change() -> tuple[Freshness, Freshness]:
        while True:
            event = events.get(timeout=SECONDS)
            if event.cause is Cause.FRESHNESS:
                return event.old_freshness, event.freshness
            assert event.old_freshness is event.freshness

    with remora.Client.in_memory(transport=server, clock=clock, max_stale=90) as client:
        source = client.collection("c", trust="off")
        assert source.info().freshness is Freshness.NEVER
        with source.subscribe(events.put):
            source.refresh(SECONDS)
            assert next_change() == (Freshness.NEVER, Freshness.FRESH)
            clock.advance(91)
            assert next_change() == (Freshness.FRESH, Freshness.STALE)
            assert source.info().freshness is Freshness.STALE
            source.refresh(SECONDS)
            assert next_change() == (Freshness.STALE, Freshness.FRESH)
            assert [one.freshness for one in client.sources()] == [Freshness.FRESH]


def test_without_max_stale_there_is_no_freshness(source: remora.Source) -> None:
    assert source.info().freshness is Freshness.NONE


@pytest.mark.parametrize("wrong", [0, -1, float("nan")])
def test_a_max_stale_that_is_not_positive_is_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="max_stale"):
        remora.Client.in_memory(max_stale=wrong)
