# SPDX-License-Identifier: Apache-2.0
#
# A connection ahead of time: it is the one that the next request uses, and a failure is only a line in the log.
"""Pre-connect."""

from __future__ import annotations

import logging
from urllib.parse import urlsplit

from EndToEnd.driver import Driver
from EndToEnd.hosts import Hosts, V2Source
from EndToEnd.settings_hosts import PATH, SettingsHosts
from Servers.loopback import Ending, Response
from Servers.waiting import wait_until


def line_of_preconnect(host: Driver) -> tuple[int, str]:
    """The level and the text of the line about its end."""
    while True:
        line = host.succeed("take", "log")
        if "pre-connect" in line["message"]:
            return line["levelno"], line["message"]


def test_preconnect_and_the_next_requests_use_one_connection(v2: V2Source, hosts: Hosts) -> None:
    v2.publish("a", n=1)
    before = v2.server.connections
    host = hosts.start()
    host.succeed("preconnect", f"{v2.url}/nothing")
    host.succeed("setup", hosts.storage, server=v2.url, log=logging.DEBUG)
    origin = v2.url.removesuffix("/v2")
    assert line_of_preconnect(host) == (logging.DEBUG, f"pre-connected to {origin}: HTTP status 404")
    host.succeed("open", "collection", v2.collection, root_sha256=v2.root)
    host.update()
    assert v2.server.connections == before + 1
    asked = next(one for one in v2.server.requests if "/nothing" in one.target)
    assert urlsplit(asked.target).query == "app=e2e&platform=linux"


def test_c02_a_failure_of_preconnect_does_not_affect_the_start_of_the_program(v2: V2Source, hosts: Hosts) -> None:
    v2.publish("a", n=1)
    host = hosts.start()
    assert host.succeed("preconnect", "http://127.0.0.1:1/")["elapsed_ms"] < 2000
    host.succeed("setup", hosts.storage, server=v2.url, log=logging.DEBUG)
    level, line = line_of_preconnect(host)
    assert level == logging.WARNING and line.startswith("cannot pre-connect to http://127.0.0.1:1: ")
    host.succeed("open", "collection", v2.collection, root_sha256=v2.root)
    host.update()
    assert host.values()["a"]["n"] == 1


def test_c02_a_preconnect_to_a_server_that_never_responds_delays_nothing(settings: SettingsHosts) -> None:
    settings.say(a=1)
    settings.server.answer(Response(silent=True, ending=Ending.HANG), "/hanging")
    host = settings.hosts.start()
    assert host.succeed("preconnect", settings.server.url("/hanging"))["elapsed_ms"] < 2000
    wait_until(lambda: settings.server.requests, "the request of the pre-connect")
    host.succeed("setup", settings.storage, log=logging.WARNING)
    settings.try_open(host, activation="immediate", on_event=True)
    assert host.event()["cause"] == "opened"
    assert host.event()["outcome"] == "updated"
    assert host.get_int("a") == 1
    assert [one.path for one in settings.server.requests] == ["/hanging", PATH]
    assert host.log() == []
