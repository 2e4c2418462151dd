# SPDX-License-Identifier: Apache-2.0
"""How long attachments live, and their use by several threads."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import threading
from pathlib import Path

import pytest

import remora
from conftest import SECONDS, Attached, attachment_of
from Servers import v2_faults
from Servers.v2_server import ATTACHMENT, V2Server
from Servers.waiting import wait_until

ICON = b"\x89PNG\r\n\0" + bytes(range(256)) * 300


def test_a_memoryview_of_an_attachment_stays_readable_after_its_file_and_source_are_gone(
    stored: remora.Source, attached: Attached
) -> None:
    attached.publish("icon", ICON)
    opened = attachment_of(stored).open(SECONDS)
    assert opened.path is not None
    view, part = opened.data, opened.data[7:263]
    os.unlink(opened.path)
    opened.close()
    opened.close()
    stored.close()
    gc.collect()
    assert view == ICON and bytes(part) == bytes(range(256))
    for use in (lambda: opened.data, lambda: opened.size, lambda: opened.path, opened.read):
        with pytest.raises(remora.ClosedError, match="attachment"):
            use()
    assert opened.closed and "closed" in repr(opened)


def mappings() -> int:
    """How many files of attachments are mapped."""
    return Path("/proc/self/maps").read_text(encoding="utf-8").count(".attachment")


def test_the_file_of_an_attachment_is_unmapped_when_its_last_reference_is_dropped(
    stored: remora.Source, attached: Attached
) -> None:
    attached.publish("icon", ICON)
    attachment = attachment_of(stored)
    attachment.open(SECONDS)
    view = attachment.open(SECONDS).data
    kept = [attachment.open(0) for _ in range(100)]
    assert bytes(view) == ICON and all(one.read() == ICON for one in kept)
    assert mappings() >= 1
    view.release()
    kept.clear()
    wait_until(lambda: mappings() == 0, "the end of the mapping")


def test_threads_that_open_the_same_attachment_share_one_download(stored: remora.Source, attached: Attached) -> None:
    attached.publish("icon", ICON)
    attachment, before = attachment_of(stored), attached.requests
    contents: list[bytes] = []
    threads = [threading.Thread(target=lambda: contents.append(attachment.read(SECONDS))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert contents == [ICON] * 8 and attached.requests == before + 1


def test_many_threads_can_read_one_open_attachment(stored: remora.Source, attached: Attached) -> None:
    attached.publish("icon", ICON)
    attachment = attachment_of(stored)
    attachment.read(SECONDS)
    failures: list[object] = []

    def look() -> None:
        for _ in range(200):
            with attachment.open(0) as opened:
                view = opened.data
            if view[:7] != ICON[:7]:
                failures.append(view)

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert not failures and not any(thread.is_alive() for thread in threads)


def test_closing_the_client_ends_a_download_that_another_thread_waits_for(
    stored: remora.Source, attached: Attached, server: V2Server
) -> None:
    attached.publish("icon", ICON)
    attachment, before = attachment_of(stored), attached.requests
    server.set_fault(ATTACHMENT, v2_faults.stall(at=100))
    ended: list[BaseException] = []

    def read() -> None:
        try:
            attachment.read()
        except remora.Error as error:
            ended.append(error.with_traceback(None))

    thread = threading.Thread(target=read)
    thread.start()
    wait_until(lambda: attached.requests > before, "the request")
    stored._client.close()  # type: ignore[attr-defined]
    thread.join(SECONDS)
    assert [type(error) for error in ended] == [remora.ClosedError]
    with pytest.raises(remora.ClosedError):
        attachment.open(0)


def test_a_closed_source_opens_no_attachment(stored: remora.Source, attached: Attached) -> None:
    location = attached.publish("icon", ICON)
    attachment = attachment_of(stored)
    stored.close()
    for use in (attachment.open, attachment.read, lambda: stored.open_attachment(location)):
        with pytest.raises(remora.ClosedError):
            use()
    assert attachment.size == len(ICON)


def test_a_record_keeps_its_source_open_and_a_snapshot_does_not(
    server: V2Server, attached: Attached, client: remora.Client
) -> None:
    attached.publish("icon", ICON)
    source = client.collection(attached.collection.name, trust="off")
    source.refresh(SECONDS)
    snapshot, record = source.snapshot(), source.record("icon")
    del source
    assert record.attachment is not None and record.attachment.read(SECONDS) == ICON
    kept = snapshot.record("icon").attachment
    del record
    assert kept is not None and kept.read(SECONDS) == ICON
    del kept
    late = snapshot.record("icon").attachment
    assert late is not None and late.size == len(ICON)
    with pytest.raises(remora.ClosedError):
        late.open()


def test_an_attachment_can_be_copied_but_not_pickled(stored: remora.Source, attached: Attached) -> None:
    attached.publish("icon", ICON)
    attachment = attachment_of(stored)
    assert copy.copy(attachment) is attachment and "_source" not in repr(attachment)
    with attachment.open(SECONDS) as opened:
        assert repr(opened) == f"<remora.OpenAttachment size={len(ICON)} path={opened.path!r}>"
        for thing in (attachment, opened):
            with pytest.raises(TypeError, match="pickled"):
                pickle.dumps(thing)
