# SPDX-License-Identifier: Apache-2.0
#
# The whole way of an edit, against the real server: written, shown in the preview, approved, signed again, deleted,
# and read from the cache while the server is down.
"""Editing, review and publication, as a Python host sees them."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import remora
from Servers.kinto_admin import PREVIEW, KintoAdmin
from Servers.kinto_server import KintoServer

NAME = "reviewed"
SECONDS = 30


@pytest.fixture
def kinto() -> Iterator[KintoServer]:
    with KintoServer() as server:
        server.admin.create_collection(NAME)
        server.admin.put_record(NAME, "banner", {"text": "one"})
        server.admin.put_record(NAME, "other", {"n": 1})
        server.admin.publish(NAME)
        yield server


def opened(client: remora.Client, kinto: KintoServer, **options: Any) -> tuple[remora.Source, remora.Source]:
    """What is public, and the preview of it."""
    live = client.collection(NAME, root_sha256=kinto.root_sha256, **options)
    return live, client.collection(NAME, bucket=PREVIEW, root_sha256=kinto.root_sha256)


def texts(*sources: remora.Source) -> list[str]:
    return [source.get_str("banner", "/text", "") for source in sources]


def write(admin: KintoAdmin, text: str) -> None:
    admin.put_record(NAME, "banner", {"text": text})


def test_an_edit_goes_from_the_preview_to_everybody_and_the_caches_never_mix(
    kinto: KintoServer, tmp_path: Path
) -> None:
    changes: queue.Queue[list[tuple[str, str]]] = queue.Queue()

    def note(event: remora.Event) -> None:
        if event.changes:
            changes.put([(one.kind.name.lower(), one.key) for one in event.changes])

    admin = kinto.admin
    with remora.Client(tmp_path, server=kinto.url) as client:
        live, preview = opened(client, kinto, on_event=note)
        assert client.sync(SECONDS).updated == 2
        assert changes.get(timeout=SECONDS) == [("created", "banner"), ("created", "other")]

        write(admin, "two")
        admin.request_review(NAME)
        report = client.sync(SECONDS)
        assert (report.updated, report.unchanged) == (1, 1)
        assert texts(live, preview) == ["one", "two"]
        admin.approve(NAME)
        assert live.refresh(SECONDS) is remora.Outcome.UPDATED
        assert texts(live, preview) == ["two", "two"]
        assert changes.get(timeout=SECONDS) == [("updated", "banner")]

        admin.re_sign(NAME)
        version = live.info().version
        assert live.refresh(SECONDS) is preview.refresh(SECONDS) is remora.Outcome.UNCHANGED
        assert live.info().version == version
        with remora.Client(None, server=kinto.url) as newcomer:
            fresh, _ = opened(newcomer, kinto)
            assert fresh.refresh(SECONDS) is remora.Outcome.UPDATED
            with fresh.snapshot() as snapshot:
                assert snapshot.verified

        admin.delete_record(NAME, "other")
        write(admin, "three")
        admin.request_review(NAME)
        preview.refresh(SECONDS)
        assert (set(preview), set(live)) == ({"banner"}, {"banner", "other"})
        admin.approve(NAME)
        live.refresh(SECONDS)
        assert set(live) == {"banner"}

        write(admin, "draft")
        admin.request_review(NAME)
        preview.refresh(SECONDS)

    kinto.stop()
    with remora.Client(tmp_path, server=kinto.url) as client:
        live, preview = opened(client, kinto)
        assert texts(live, preview) == ["three", "draft"]
        with pytest.raises(remora.NetworkError):
            live.refresh(SECONDS)
        with preview.wait(SECONDS) as waited:
            assert isinstance(waited.error, remora.NetworkError)
        assert texts(live, preview) == ["three", "draft"]
        # It lost everything, and begins anew.
        kinto.start()
        kinto.admin.create_collection(NAME)
        write(kinto.admin, "four")
        kinto.admin.publish(NAME)
        assert client.sync(SECONDS).updated == 2
        assert texts(live, preview) == ["four", "four"]


def test_a_filtered_record_is_shown_to_those_it_is_for(kinto: KintoServer, tmp_path: Path) -> None:
    kinto.admin.put_record(NAME, "german", {"text": "Guten Tag", "filter_expression": "env.locale == 'de'"})
    kinto.admin.publish(NAME)
    with remora.Client(tmp_path, server=kinto.url) as client:
        live = client.collection(NAME, root_sha256=kinto.root_sha256)
        assert live.refresh(SECONDS) is remora.Outcome.UPDATED
        assert sorted(live) == ["banner", "other"]
        client.set_context({"locale": "de"})
        assert live.get_str("german", "/text") == "Guten Tag"
        client.set_context({"locale": "fr"})
        assert sorted(live) == ["banner", "other"] and len(live.snapshot(unfiltered=True)) == 3
