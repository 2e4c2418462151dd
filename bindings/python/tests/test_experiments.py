# SPDX-License-Identifier: Apache-2.0
"""Experiments of settings."""

from __future__ import annotations

import json
import queue
from collections.abc import Iterator
from pathlib import Path

import pytest

import remora
from conftest import SECONDS
from remora.aio.events import merged
from Servers.bundle_server import BundleServer

PATH = "/settings"
PAINT = {"name": "paint", "variant": "v1", "trackable": 1, "settings": ["brush", "canvas"]}


class Settings(BundleServer):
    """A server of settings with experiments."""

    def serve(self, *experiments: object) -> None:
        """Answers with these experiments."""
        self.say(json.dumps({"experiments": experiments}).encode(), PATH)


@pytest.fixture
def settings() -> Iterator[Settings]:
    with Settings() as running:
        yield running
        running.stop()


def names(event: remora.Event) -> list[tuple[str, str]]:
    """What an event announces."""
    return [(one.name, one.variant) for one in event.new_experiments]


def test_experiments_are_read_by_name_from_a_source_and_its_snapshots(host: remora.Client, settings: Settings) -> None:
    settings.serve(PAINT, {"name": "ä", "settings": 1}, {"variant": "nameless"})
    source = host.settings(settings.url(PATH), tag="x", fetch_at_open=False)
    assert source.experiments == {}
    source.refresh(SECONDS)
    snapshot = source.snapshot()
    assert list(source.experiments) == ["paint", "ä"]
    paint = snapshot.experiments["paint"]
    assert isinstance(paint, remora.Experiment)
    assert (paint.name, paint.variant, paint.trackable) == ("paint", "v1", 1.0)
    assert paint.settings == ("brush", "canvas")
    other = source.experiments["ä"]
    assert (other.variant, other.trackable, other.settings) == ("", 0.0, ())
    with pytest.raises(TypeError):
        source.experiments["own"] = paint  # type: ignore[index]
    source.close()
    assert list(snapshot.experiments) == ["paint", "ä"]
    snapshot.close()
    with pytest.raises(remora.ClosedError):
        snapshot.experiments  # noqa: B018
    with pytest.raises(remora.ClosedError):
        source.experiments  # noqa: B018


def test_an_override_can_set_the_experiments_of_a_source(host: remora.Client, settings: Settings) -> None:
    source = host.settings(settings.url(PATH), tag="x", fetch_at_open=False)
    source.overrides["experiments"] = {"own": {"variant": "b"}}
    assert source.experiments["own"].variant == "b"


def test_an_experiment_in_fetched_settings_is_reported_once_when_the_settings_are_opened_again(
    settings: Settings, tmp_path: Path
) -> None:
    settings.serve()
    with remora.Client(tmp_path) as client:
        client.settings(settings.url(PATH), fetch_at_open=False).refresh(SECONDS)
    settings.serve(PAINT)
    for expected in [[[], []], [[("paint", "v1")], []], [[], []]]:
        events: queue.SimpleQueue[remora.Event] = queue.SimpleQueue()
        with remora.Client(tmp_path) as client:
            with client.settings(settings.url(PATH), fetch_at_open=False, on_event=events.put) as source:
                source.refresh(SECONDS)  # Its event comes while the files are still held; who waits has them let go.
                assert [names(events.get(timeout=SECONDS)) for _ in range(2)] == expected


def test_an_event_for_several_merged_updates_reports_only_experiments_that_still_exist(
    host: remora.Client, settings: Settings
) -> None:
    events: queue.SimpleQueue[remora.Event] = queue.SimpleQueue()
    source = host.settings(settings.url(PATH), tag="x", fetch_at_open=False, on_event=events.put)
    assert names(events.get(timeout=SECONDS)) == []
    seen = []
    for items in [[PAINT, {"name": "gone"}, {"name": "kept"}], [{**PAINT, "variant": "v2"}, {"name": "kept"}]]:
        settings.serve(*items)
        source.refresh(SECONDS)
        seen.append(events.get(timeout=SECONDS))
    first, last = seen
    assert names(first) == [("paint", "v1"), ("gone", ""), ("kept", "")]
    assert names(last) == [("paint", "v2")]
    assert names(merged(first, last)) == [("paint", "v2"), ("kept", "")]
