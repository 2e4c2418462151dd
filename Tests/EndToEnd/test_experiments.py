# SPDX-License-Identifier: Apache-2.0
#
# Experiments in settings: what hosts read of them, and that each is announced once over all runs and processes.
"""Remote settings: experiments."""

from __future__ import annotations

import json

from EndToEnd.driver import Driver
from EndToEnd.settings_hosts import PATH, SettingsHosts
from Servers.waiting import wait_until

PAINT = {"name": "paint", "variant": "v1", "trackable": 1, "settings": ["brush", "canvas"]}
SAVE = {"name": "save", "variant": "original"}


def announced(host: Driver) -> list[str]:
    """What the next event announces."""
    return [f"{one['name']}={one['variant']}" for one in host.event()["new_experiments"]]


def test_the_experiments_in_settings_can_be_an_array_or_an_object(settings: SettingsHosts) -> None:
    host = settings.say(experiments=[PAINT, SAVE]).open(tag="x")
    host.update()
    assert host.succeed("experiments")["value"] == [PAINT, {**SAVE, "trackable": 0, "settings": []}]
    settings.say(experiments={"z": {"variant": "1"}, "a": {}})
    host.update()
    assert [one["name"] for one in host.succeed("experiments")["value"]] == ["a", "z"]
    settings.say(experiments={})
    host.update()
    assert host.succeed("experiments")["value"] == []


def test_malformed_experiments_are_ignored_and_a_warning_names_the_place_of_each(settings: SettingsHosts) -> None:
    host = settings.say(experiments=[7, {**PAINT, "trackable": "1"}, {"variant": "v"}, PAINT], a=1).open(tag="x")
    host.update()
    assert host.succeed("experiments")["value"] == [{**PAINT, "trackable": 0}]
    assert host.get_int("a") == 1
    lines = [host.succeed("take", "log")["message"] for _ in range(4)]
    places = ["/experiments/0 ", "/experiments/1/trackable ", "/experiments/2 ", "/experiments/3 "]
    assert all(place in line for place, line in zip(places, lines, strict=True)), lines


def test_an_experiment_in_fetched_settings_is_reported_once_when_the_settings_are_opened_again(
    settings: SettingsHosts,
) -> None:
    settings.say(a=1).fetch()
    host = settings.say(experiments=[PAINT]).open(on_event=True)
    assert announced(host) == []
    assert host.refresh()["outcome"] == "staged"
    assert announced(host) == []
    host.end()
    for expected in [["paint=v1"], []]:
        host = settings.open(on_event=True)
        assert announced(host) == expected
        host.refresh()
        assert announced(host) == []
        host.end()


def test_an_experiment_is_reported_by_the_process_that_fetched_it_and_by_no_other(settings: SettingsHosts) -> None:
    fetcher, reader = (settings.say(experiments=[PAINT, SAVE]).open(tag="x", on_event=True) for _ in range(2))
    assert announced(fetcher) == announced(reader) == []
    fetcher.update()
    assert announced(fetcher) == ["paint=v1", "save=original"]
    adopted = reader.event()
    assert (adopted["cause"], adopted["new_experiments"]) == ("adopted", [])
    settings.say(experiments=[{**PAINT, "variant": "v2"}, SAVE])
    reader.update()
    assert announced(reader) == ["paint=v2"]
    wait_until(lambda: json.dumps(fetcher.values()).find("v2") > 0, "the other's variant")
    assert announced(fetcher) == []


def test_a_new_variant_of_an_experiment_is_reported_by_the_process_that_fetches_it(settings: SettingsHosts) -> None:
    settings.say(experiments=[PAINT]).fetch(tag="x")
    host = settings.say(experiments=[{**PAINT, "variant": "v2"}]).open(tag="x", on_event=True)
    # Who fetched the first one was told of it, had it asked.
    assert announced(host) == []
    host.update()
    assert announced(host) == ["paint=v2"]
    assert len([one for one in settings.requests() if one.path == PATH]) == 2
