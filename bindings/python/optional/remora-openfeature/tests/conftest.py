# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests: a server in memory, and OpenFeature with one provider."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import remora
from openfeature import api
from openfeature.client import OpenFeatureClient
from openfeature.event import EventDetails, ProviderEvent
from remora.testing import Server
from remora_openfeature import RemoraProvider

URL = "https://settings.test/flags.json"
SECONDS = 20.0

FLAGS: dict[str, Any] = {
    "on": True,
    "color": "red",
    "limit": 5,
    "whole": 2.0,
    "ratio": 0.75,
    "list": [1, 2],
    "nothing": None,
    "menu": {"variants": {"new": True, "old": False}, "default": "old", "metadata": {"owner": "ui", "ignored": [1]}},
    "price": {
        "variants": {"low": 10, "high": 20},
        "default": "high",
        "rules": [
            {"if": "env.country == 'AT'", "variant": "low"},
            {"if": "env.targetingKey == 'me'", "variant": "low"},
        ],
    },
    "no-default": {"variants": {"a": "x"}, "rules": [{"if": "env.plan == 'pro'", "variant": "a"}]},
    "bad-rule": {"variants": {"a": 1}, "default": "a", "rules": [{"if": "env.country ==", "variant": "a"}]},
    "bad-variant": {"variants": {"a": 1}, "default": "b"},
    "bad-rules": {"variants": {"a": 1}, "default": "a", "rules": "all"},
    "bad-shape": {"variants": {"a": 1}, "default": "a", "rules": [{"variant": "a"}]},
}


@pytest.fixture
def server() -> Server:
    made = Server()
    made.publish_document(URL, FLAGS)
    return made


@pytest.fixture
def remora_client(server: Server) -> Iterator[remora.Client]:
    with remora.Client.in_memory(server=server.url, transport=server) as made:
        yield made
        api.clear_providers()


@pytest.fixture
def settings(remora_client: remora.Client) -> remora.Settings:
    return remora_client.settings(URL, fetch_at_open=False, activation="immediate")


@pytest.fixture
def client(settings: remora.Settings) -> OpenFeatureClient:
    """The client of OpenFeature, whose provider reads the settings."""
    api.set_provider_and_wait(RemoraProvider(settings))
    return api.get_client()


@pytest.fixture
def events() -> Iterator[Callable[[ProviderEvent], EventDetails]]:
    """Returns the next event of a type."""
    seen: dict[ProviderEvent, queue.Queue[EventDetails]] = {one: queue.Queue() for one in ProviderEvent}
    handlers = {one: seen[one].put for one in ProviderEvent}
    for one, handler in handlers.items():
        api.add_handler(one, handler)
    yield lambda event: seen[event].get(timeout=SECONDS)
    for one, handler in handlers.items():
        api.remove_handler(one, handler)


@pytest.fixture
def storage(tmp_path: Path) -> Path:
    return tmp_path / "storage"
