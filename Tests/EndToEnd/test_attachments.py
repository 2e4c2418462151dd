# SPDX-License-Identifier: Apache-2.0
#
# Attachments through the built library: stored once for all processes, and continued after every kind of end.
"""Attachments of the /v2 server."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from EndToEnd.attachment_files import LARGE, SMALL, attached, digest, files
from EndToEnd.hosts import Hosts, V2Source
from Servers import v2_faults
from Servers.loopback import Request, Response
from Servers.v2_faults import Fault
from Servers.v2_server import ATTACHMENT
from Servers.waiting import wait_until

HUGE = 60 << 20


def test_an_attachment_is_fetched_once_for_all_processes(v2: V2Source, hosts: Hosts) -> None:
    v2.publish_attached("a", SMALL)
    v2.publish_attached("b", SMALL)
    first = hosts.updated(v2)
    opened = first.attachment("a")
    assert (opened["status"], opened["size"], opened["checksum"]) == ("REMORA_OK", len(SMALL), zlib.crc32(SMALL))
    assert opened["path"] == str(hosts.storage / f"{digest(SMALL)}.attachment")
    assert opened["progress"] == [(len(SMALL), len(SMALL))]
    assert Path(opened["path"]).read_bytes() == SMALL
    second = hosts.open(v2)
    assert second.attachment("b")["status"] == "REMORA_OK"
    assert second.attachment(location=f"{v2.collection}/a.bin", timeout=0)["progress"] == []
    assert len(v2.attachment_requests("a")) == 1 and not v2.attachment_requests("b")
    assert files(hosts) == [f"{digest(SMALL)}.attachment"]


def test_a_stored_attachment_opens_from_disk_while_the_server_is_down(v2: V2Source, hosts: Hosts) -> None:
    first = attached(v2, hosts, LARGE)
    assert first.attachment("a")["status"] == "REMORA_OK"
    assert first.end() == 0
    v2.server.stop()
    second = hosts.open(v2)
    opened = second.attachment("a", local=True)
    assert (opened["status"], opened["size"]) == ("REMORA_OK", len(LARGE))
    v2.server.start()


def test_the_first_request_for_an_attachment_has_no_range_and_accepts_no_content_encoding(
    v2: V2Source, hosts: Hosts
) -> None:
    host = attached(v2, hosts, SMALL)
    host.attachment("a")
    headers = v2.attachment_requests("a")[0].headers
    assert headers["accept-encoding"] == "identity"
    assert "range" not in headers


def test_a_download_whose_connection_breaks_is_resumed_at_once_with_a_range_request(v2: V2Source, hosts: Hosts) -> None:
    host = attached(v2, hosts, LARGE)
    v2.server.set_fault(ATTACHMENT, v2_faults.close(at=500_000), times=2)
    opened = host.attachment("a")
    assert (opened["status"], opened["checksum"]) == ("REMORA_OK", zlib.crc32(LARGE))
    assert opened["progress"] == sorted(opened["progress"]) and opened["progress"][-1][0] == len(LARGE)
    ranges = [one.headers.get("range") for one in v2.attachment_requests("a")]
    assert ranges == [None, "bytes=500000-", "bytes=1000000-"]


def test_the_download_of_a_killed_process_is_resumed_by_the_next_process(v2: V2Source, hosts: Hosts) -> None:
    host = attached(v2, hosts, LARGE)
    v2.server.set_fault(ATTACHMENT, v2_faults.stall(at=700_000), times=1)
    part = hosts.storage / f"{digest(LARGE)}.part"
    host.send("attachment", "a")
    wait_until(lambda: part.exists() and part.stat().st_size == 700_000, "the first half")
    host.kill()
    opened = hosts.open(v2).attachment("a")
    assert (opened["status"], opened["checksum"]) == ("REMORA_OK", zlib.crc32(LARGE))
    assert v2.attachment_requests("a")[-1].headers["range"] == "bytes=700000-"
    assert files(hosts) == [f"{digest(LARGE)}.attachment"]


def test_a_download_that_timed_out_is_resumed_when_the_attachment_is_opened_again(v2: V2Source, hosts: Hosts) -> None:
    host = attached(v2, hosts, LARGE)
    assert host.attachment("a", timeout=0)["status"] == "REMORA_ERR_TIMEOUT"
    assert v2.attachment_requests("a") == []
    v2.server.set_fault(ATTACHMENT, v2_faults.stall(at=700_000), times=1)
    assert host.attachment("a", timeout=1.5)["status"] == "REMORA_ERR_TIMEOUT"
    assert host.attachment("a")["status"] == "REMORA_OK"
    assert v2.attachment_requests("a")[-1].headers["range"] == "bytes=700000-"


def test_a_download_that_receives_no_bytes_fails_at_the_stall_timeout(v2: V2Source, hosts: Hosts) -> None:
    host = attached(v2, hosts, LARGE, setup={"stall_timeout": 1.0, "total_timeout": 0.5})
    v2.server.set_fault(ATTACHMENT, v2_faults.stall(at=0))
    assert host.attachment("a")["status"] == "REMORA_ERR_NETWORK"


def test_a_download_that_makes_progress_may_take_longer_than_total_timeout_ms(v2: V2Source, hosts: Hosts) -> None:
    def drip(_: Request, honest: Response) -> Response:
        pause = threading.Event()

        def stream() -> Iterator[bytes]:
            for start in range(0, len(LARGE), 200_000):
                yield LARGE[start : start + 200_000]
                pause.wait(0.1)

        return replace(honest, body=b"", stream=stream())

    host = attached(v2, hosts, LARGE, setup={"total_timeout": 0.4})
    v2.server.set_fault(ATTACHMENT, Fault(respond=drip))
    assert host.attachment("a")["status"] == "REMORA_OK"
    assert len(v2.attachment_requests("a")) == 1


def test_two_processes_that_open_an_attachment_at_the_same_time_share_one_download(v2: V2Source, hosts: Hosts) -> None:
    def held(_: Request, honest: Response) -> Response:
        gate.wait(30)
        return honest

    gate = threading.Event()
    v2.publish_attached("a", LARGE)
    first, second = hosts.open(v2), hosts.open(v2)
    first.update()
    second.refresh()
    v2.server.set_fault(ATTACHMENT, Fault(respond=held))
    with ThreadPoolExecutor() as pool:
        ends = [pool.submit(host.attachment, "a") for host in (first, second)]
        wait_until(lambda: v2.attachment_requests("a"), "the request")
        gate.set()
        assert [end.result()["status"] for end in ends] == ["REMORA_OK", "REMORA_OK"]
    assert len(v2.attachment_requests("a")) == 1


def test_packaged_attachments_are_opened_without_a_server(v2: V2Source, hosts: Hosts, tmp_path: Path) -> None:
    v2.publish_attached("a", SMALL)
    v2.publish_attached("b", LARGE)
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "a").write_bytes(SMALL)
    (folder / "b").write_bytes(LARGE[::-1])
    host = hosts.updated(v2, packaged_attachments=folder)
    opened = host.attachment("a", local=True)
    assert (opened["status"], opened["path"]) == ("REMORA_OK", str(folder / "a"))
    assert host.attachment("b", local=True)["status"] == "REMORA_ERR_NOT_FOUND"
    assert host.attachment("b")["status"] == "REMORA_OK"
    assert v2.attachment_requests("a") == []


def test_without_a_storage_directory_an_attachment_is_kept_in_memory(v2: V2Source, hosts: Hosts) -> None:
    host = attached(v2, hosts, LARGE, storage=":memory:")
    opened = host.attachment("a")
    assert (opened["status"], opened["path"], opened["checksum"]) == ("REMORA_OK", None, zlib.crc32(LARGE))


def test_opening_a_large_attachment_without_reading_it_needs_at_most_2_mib_of_memory(
    v2: V2Source, hosts: Hosts
) -> None:
    body = SMALL * (HUGE // len(SMALL))
    v2.publish_attached("small", SMALL)
    v2.publish_attached("huge", body)
    host = hosts.updated(v2)
    host.attachment("small")
    before = host.memory("VmHWM")
    assert host.attachment("huge", unread=True)["size"] == len(body)
    assert host.memory("VmHWM") - before <= 2 << 20


def test_the_fields_of_a_record_equal_the_published_fields(v2: V2Source, hosts: Hosts) -> None:
    v2.publish("a", text="é", list=[1, None], attachment=None)
    host = hosts.updated(v2)
    assert host.succeed("record", "a")["fields"] == {"text": "é", "list": [1, None]}
