# SPDX-License-Identifier: Apache-2.0
"""Tests of slow downloads, which use all requests that a process sends to a server at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest
import remora

from EndToEnd.hosts import V2Source
from Servers.loopback import Request, Response
from Servers.v2_faults import Fault
from Servers.v2_server import ATTACHMENT
from Servers.waiting import wait_until

MOST_AT_ONCE = 8
SIZE = 10_000


def test_a_refresh_that_waits_for_eight_slow_downloads_fails_at_its_time_limit_and_works_after_them(
    v2: V2Source,
) -> None:
    may_end = threading.Event()

    def drip(_: Request, honest: Response) -> Response:
        def stream() -> Iterator[bytes]:
            yield honest.body[:1]
            may_end.wait(60)
            yield honest.body[1:]

        return replace(honest, body=b"", stream=stream())

    for number in range(MOST_AT_ONCE):
        v2.publish_attached(f"slow-{number}", bytes([number]) * SIZE)
    opened: list[remora.OpenAttachment | None] = []
    with remora.Client.in_memory(server=v2.url, total_timeout=0.5) as client:
        source = client.collection(v2.collection, root_sha256=v2.root)
        source.refresh(timeout=30)
        version = source.snapshot().version
        v2.server.set_fault(ATTACHMENT, Fault(respond=drip))
        for number in range(MOST_AT_ONCE):
            attachment = source.record(f"slow-{number}").attachment
            assert attachment is not None
            attachment.open_async(lambda one, _: opened.append(one))
        wait_until(lambda: sum("slow-" in one.path for one in v2.server.requests) == MOST_AT_ONCE, "eight downloads")
        v2.publish("new", n=1)
        with pytest.raises(remora.NetworkError, match="waited 500 ms for 8 other requests to this server"):
            source.refresh()
        assert source.snapshot().version == version
        may_end.set()
        wait_until(lambda: len(opened) == MOST_AT_ONCE, "the ends of the downloads")
        assert all(one is not None and one.size == SIZE for one in opened)
        assert source.refresh() is remora.Outcome.UPDATED
