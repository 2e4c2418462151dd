# SPDX-License-Identifier: Apache-2.0
"""Reports of attempts, with their cost."""

from __future__ import annotations

import queue
import sys
from typing import Any

import pytest

import remora
from conftest import SECONDS
from Servers import v2_faults
from Servers.v2_server import CHANGESET, V2Server


def test_each_refresh_attempt_is_reported_with_its_outcome_bytes_and_duration(
    server: V2Server, names: list[str]
) -> None:
    seen: queue.Queue[Any] = queue.Queue()
    with remora.Client.in_memory(server=server.url, on_attempt=seen.put) as client:
        source = client.collection(names[0], trust="off")
        source.refresh(30)
        attempt = seen.get(timeout=SECONDS)
        assert (attempt.server, attempt.source_name) == (server.url, f"main/{names[0]}")
        assert (attempt.outcome, attempt.status, attempt.error) == (remora.Outcome.UPDATED, "REMORA_OK", None)
        assert attempt.http_status == 200 and attempt.bytes > 0 and 0 <= attempt.duration < SECONDS
        client.sync(30)
        monitor, spared = seen.get(timeout=SECONDS), seen.get(timeout=SECONDS)
        assert (monitor.source_name, monitor.outcome) == ("monitor/changes", remora.Outcome.UPDATED)
        assert (spared.source_name, spared.outcome) == (f"main/{names[0]}", remora.Outcome.UNCHANGED)
        assert (spared.duration, spared.bytes, spared.http_status) == (0, 0, None)
        server.set_fault(CHANGESET, v2_faults.status(404), times=1)
        with pytest.raises(remora.HttpError):
            source.refresh(30)
        failed = seen.get(timeout=SECONDS)
        assert (failed.outcome, failed.status) == (remora.Outcome.FAILED, "REMORA_ERR_HTTP")
        assert isinstance(failed.error, remora.HttpError) and failed.http_status == 404
        with pytest.raises(AttributeError):
            failed.bytes = 5


def test_an_exception_in_the_on_attempt_callback_is_reported_and_affects_nothing_else(
    server: V2Server, names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    unraisable: queue.Queue[Any] = queue.Queue()
    monkeypatch.setattr(sys, "unraisablehook", unraisable.put)

    def fail(_: remora.Attempt) -> None:
        raise LookupError("mine")

    with remora.Client.in_memory(server=server.url, on_attempt=fail) as client:
        source = client.collection(names[0], trust="off")
        for outcome in (remora.Outcome.UPDATED, remora.Outcome.UNCHANGED):
            assert source.refresh(30) is outcome
            assert isinstance(unraisable.get(timeout=SECONDS).exc_value, LookupError)
