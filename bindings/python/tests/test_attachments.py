# SPDX-License-Identifier: Apache-2.0
"""Opening attachments, and what is refused."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path
from typing import Any

import pytest

import remora
from conftest import SECONDS, Attached, attachment_of
from Servers import v2_faults
from Servers.v2_server import ATTACHMENT, ROOT, V2Server

ICON = b"\x89PNG\r\n\0" + bytes(range(256)) * 300


def test_an_attachment_is_downloaded_and_verified_once_and_then_read_from_its_stored_file(
    stored: remora.Source, attached: Attached, tmp_path: Path
) -> None:
    attached.publish("icon", ICON)
    attachment = attachment_of(stored)
    before = attached.requests
    assert attachment.read(SECONDS) == ICON and hashlib.sha256(ICON).hexdigest() == attachment.hash
    with attachment.open(0) as opened:
        assert opened.read() == ICON and opened.size == len(ICON) == attachment.size
        assert opened.path is not None and Path(opened.path).read_bytes() == ICON
        assert Path(opened.path).parent == tmp_path / "storage"
    assert attached.requests == before + 1


def test_the_bytes_of_an_attachment_are_read_without_a_copy(stored: remora.Source, attached: Attached) -> None:
    attached.publish("icon", ICON)
    with attachment_of(stored).open(SECONDS) as opened:
        data = opened.data
        assert data == ICON and data[0] == 0x89 and bytes(data[1:4]) == b"PNG" and len(data) == len(ICON)
        assert data.readonly and data.contiguous and (data.format, data.itemsize, data.ndim) == ("B", 1, 1)
        with pytest.raises(TypeError):
            data[0] = 1
        with opened.data as view:
            assert hashlib.sha256(view).digest() == hashlib.sha256(ICON).digest()
        assert opened.data[-1] == 255  # That one was released, not the attachment.


def test_an_attachment_without_bytes_can_be_opened(stored: remora.Source, attached: Attached) -> None:
    attached.publish("icon", b"")
    with attachment_of(stored).open(SECONDS) as opened:
        assert (opened.size, opened.read(), bytes(opened.data), len(opened.data)) == (0, b"", b"", 0)


def test_an_attachment_of_a_client_without_a_storage_directory_has_no_file(
    source: remora.Source, attached: Attached
) -> None:
    attached.publish("icon", ICON)
    with attachment_of(source).open(SECONDS) as opened:
        assert opened.path is None and opened.read() == ICON


def test_opening_an_attachment_with_timeout_0_or_the_option_local_sends_no_request(
    stored: remora.Source, attached: Attached
) -> None:
    attached.publish("icon", ICON)
    attachment, before = attachment_of(stored), attached.requests
    for read in (attachment.read, attachment.open):
        with pytest.raises(remora.TimeoutError):
            read(0)
        with pytest.raises(remora.NotFoundError):
            read(SECONDS, local=True)
    assert attached.requests == before
    attachment.read(SECONDS)
    assert attachment.read(0) == attachment.read(local=True) == ICON


def test_an_attachment_larger_than_max_bytes_is_refused_without_a_request(
    stored: remora.Source, attached: Attached
) -> None:
    attached.publish("icon", ICON)
    attachment, before = attachment_of(stored), attached.requests
    with pytest.raises(remora.TooLargeError):
        attachment.open(SECONDS, max_bytes=len(ICON) - 1)
    assert attached.requests == before
    assert attachment.read(SECONDS, max_bytes=len(ICON)) == attachment.read(max_bytes=math.inf) == ICON
    attached.publish("large", b"x", size=64 * 1024 * 1024 + 1)
    with pytest.raises(remora.TooLargeError):
        attachment_of(stored, "large").open(SECONDS)


@pytest.mark.parametrize("said", [{"size": len(ICON) - 1}, {"size": len(ICON) + 1}, {"hash": "0" * 64}], ids=str)
def test_an_attachment_that_does_not_match_its_record_is_refused_and_not_stored(
    stored: remora.Source, attached: Attached, said: dict[str, object], tmp_path: Path
) -> None:
    attached.publish("icon", ICON, **said)
    attachment = attachment_of(stored)
    with pytest.raises(remora.TrustError) as caught:
        attachment.open(SECONDS)
    assert type(caught.value) is remora.AttachmentMismatchError
    assert caught.value.name == "REMORA_ERR_ATTACHMENT_MISMATCH"
    assert not list((tmp_path / "storage").glob("*.attachment"))


def test_opening_an_attachment_whose_location_contains_a_parent_directory_fails(
    stored: remora.Source, attached: Attached
) -> None:
    attached.publish("icon", ICON, location="../x")
    attachment = attachment_of(stored)
    assert attachment.location == "../x"
    message = f"^{stored.info().name}: attachment.location of record icon contains a segment"
    with pytest.raises(remora.FormatError, match=message):
        attachment.open(SECONDS)


def test_a_record_that_was_read_before_an_update_opens_the_old_version_of_its_attachment(
    stored: remora.Source, attached: Attached
) -> None:
    attached.publish("icon", ICON)
    old = attachment_of(stored)
    attached.publish("icon", b"new")
    new = attachment_of(stored)
    assert (old.read(SECONDS), new.read(SECONDS)) == (ICON, b"new")
    attached.collection.delete("icon")
    stored.refresh(SECONDS)
    assert old.read(0) == ICON


def test_the_attachment_of_a_record_can_be_opened_after_a_filter_hid_the_record(
    stored: remora.Source, attached: Attached
) -> None:
    location = attached.publish("icon", ICON)
    shown = attachment_of(stored)
    record = dict(stored["icon"].items())  # type: ignore[union-attr]
    attached.collection.publish({"icon": {**record, "filter_expression": "false"}})
    stored.refresh(SECONDS)
    assert "icon" not in stored and shown.read(SECONDS) == ICON
    hidden = stored.snapshot(unfiltered=True).record("icon").attachment
    assert hidden is not None and hidden.read(0) == ICON and stored.open_attachment(location, 0).read() == ICON


def test_an_attachment_can_be_opened_by_its_location(stored: remora.Source, attached: Attached) -> None:
    location = attached.publish("icon", ICON)
    stored.refresh(SECONDS)
    with stored.open_attachment(location, SECONDS, max_bytes=len(ICON), progress=lambda *_: None) as opened:
        assert opened.read() == ICON
    for missing in ("elsewhere.bin", "", "\ud800", location + "\0"):
        with pytest.raises(remora.NotFoundError):
            stored.open_attachment(missing, SECONDS)
    for wrong in (5, b"x", None, ["x"]):
        with pytest.raises(TypeError, match="location"):
            stored.open_attachment(wrong, SECONDS)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "error", "named"),
    [
        ({"timeout": "1"}, TypeError, "timeout"),
        ({"timeout": -1}, ValueError, "timeout"),
        ({"timeout": True}, TypeError, "timeout"),
        ({"progress": 5}, TypeError, "callable"),
        ({"progress": "print"}, TypeError, "callable"),
        ({"max_bytes": 0}, ValueError, "max_bytes"),
        ({"max_bytes": -1}, ValueError, "max_bytes"),
        ({"max_bytes": 1.5}, TypeError, "max_bytes"),
        ({"max_bytes": "9"}, TypeError, "max_bytes"),
        ({"max_bytes": True}, TypeError, "max_bytes"),
        ({"max_bytes": 2**63}, ValueError, "max_bytes"),
        ({"max_bytes": math.nan}, TypeError, "max_bytes"),
        ({"other": 1}, TypeError, "has no option 'other'"),
    ],
    ids=str,
)
def test_an_error_about_an_invalid_option_for_opening_an_attachment_names_the_option(
    stored: remora.Source, attached: Attached, options: dict[str, Any], error: type[Exception], named: str
) -> None:
    location = attached.publish("icon", ICON)
    attachment = attachment_of(stored)
    with pytest.raises(error, match=named):
        attachment.open(**options)
    with pytest.raises(error, match=named):
        attachment.read(**options)
    with pytest.raises(error, match=named):
        stored.open_attachment(location, **options)


def test_the_value_none_selects_the_default_of_every_option_for_opening_an_attachment(
    stored: remora.Source, attached: Attached
) -> None:
    attached.publish("icon", ICON)
    assert attachment_of(stored).read(timeout=None, progress=None, max_bytes=None) == ICON


def test_a_download_whose_connection_breaks_is_resumed_with_a_range_request(
    stored: remora.Source, attached: Attached
) -> None:
    attached.publish("icon", ICON)
    attachment = attachment_of(stored)
    attached.server.set_fault(ATTACHMENT, v2_faults.close(at=20000), times=2)
    assert attachment.read(SECONDS) == ICON
    ranges = [request.headers["range"] for request in attached.server.requests if "range" in request.headers]
    assert ranges[-2:] == ["bytes=20000-", "bytes=40000-"]


def test_a_failed_download_raises_the_error_class_for_its_reason(stored: remora.Source, attached: Attached) -> None:
    attached.publish("icon", ICON)
    attachment = attachment_of(stored)
    attached.server.set_fault(ATTACHMENT, v2_faults.status(404), times=1)
    with pytest.raises(remora.HttpError) as caught:
        attachment.open(SECONDS)
    assert caught.value.http_status == 404
    attached.server.set_fault(ATTACHMENT, v2_faults.stall(at=5))
    with pytest.raises(remora.TimeoutError):
        attachment.open(0.1)
    attached.server.clear_faults()
    assert attachment.read(SECONDS) == ICON


def test_a_packaged_attachment_is_opened_without_a_request(
    server: V2Server, attached: Attached, tmp_path: Path
) -> None:
    packaged = tmp_path / "packaged"
    packaged.mkdir(mode=0o755)
    (packaged / "icon").write_bytes(ICON)
    (packaged / "other").write_bytes(b"not what the record says")
    attached.publish("icon", ICON)
    attached.publish("other", b"other")
    with remora.Client(tmp_path / "storage", server=server.url) as client:
        source = client.collection(attached.collection.name, trust="off", packaged_attachments=packaged)
        attachment, before = attachment_of(source), attached.requests
        with attachment.open(0) as opened:
            assert opened.read() == ICON and opened.path == str(packaged / "icon")
        assert attached.requests == before
        assert attachment_of(source, "other").read(SECONDS) == b"other" and attached.requests == before + 1


@pytest.mark.parametrize("folder", [5, b"folder", ["folder"]], ids=repr)
def test_a_folder_of_packaged_attachments_that_is_not_a_path_is_a_type_error(
    client: remora.Client, folder: Any
) -> None:
    with pytest.raises(TypeError, match="packaged_attachments"):
        client.collection("c", trust="off", packaged_attachments=folder)


def test_opening_an_attachment_fails_with_a_format_error_if_the_server_lists_no_attachments(
    stored: remora.Source, attached: Attached, server: V2Server
) -> None:
    attached.publish("icon", ICON)
    attachment = attachment_of(stored)
    server.set_fault(ROOT, v2_faults.body('{"capabilities": {}}'), times=1)
    with pytest.raises(remora.FormatError, match="attachments"):
        attachment.open(SECONDS)
    assert attachment.read(SECONDS) == ICON
