# SPDX-License-Identifier: Apache-2.0
"""A connection ahead of time."""

from __future__ import annotations

from typing import Any

import pytest

import remora
from conftest import SECONDS
from Servers.bundle_server import BundleServer, element
from Servers.waiting import wait_until


def test_preconnect_and_the_next_request_use_one_connection() -> None:
    with BundleServer() as server, remora.Client.in_memory() as client:
        server.publish(1, element("app"))
        remora.preconnect(server.url("/hello"), application_name="host", user_agent="mine")
        wait_until(lambda: server.requests, "the request")
        (hello,) = server.requests
        assert (hello.path, hello.query, hello.headers["user-agent"]) == (
            "/hello",
            {"app": "host", "platform": "linux"},
            "mine",
        )
        assert client.bundle(server.url(), fetch_at_open=False).refresh(SECONDS) is remora.Outcome.UPDATED
        server.stop()


@pytest.mark.parametrize(
    ("arguments", "error", "named"),
    [
        ({"url": None}, TypeError, "url"),
        ({"url": "ftp://example.org"}, remora.InvalidArgumentError, "url"),
        ({"application_name": None}, TypeError, "application_name"),
        ({"application_name": "a\0"}, ValueError, "application_name"),
        ({"platform": 5}, TypeError, "platform"),
        ({"proxy": 5}, TypeError, "proxy"),
        ({"ca_file": 5}, TypeError, "ca_file"),
        ({"connect_timeout": "1"}, TypeError, "connect_timeout"),
        ({"total_timeout": 0}, ValueError, "total_timeout"),
    ],
    ids=repr,
)
def test_an_error_about_an_invalid_argument_of_preconnect_names_the_argument(
    arguments: Any, error: type[Exception], named: str
) -> None:
    with pytest.raises(error, match=named):
        remora.preconnect(**{"url": "http://127.0.0.1:9", "application_name": "host", **arguments})
