# SPDX-License-Identifier: Apache-2.0
"""Records as objects."""

from __future__ import annotations

import copy
import datetime
import json
import pickle
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import remora
from Servers.v2_collection import Collection

ATTACHMENT = {"filename": "a.bin", "mimetype": "application/x-a", "location": "x/a.bin", "hash": "0" * 64, "size": 3}


def published(source: remora.Source, collection: Collection, attachment: object) -> remora.CollectionRecord:
    """A record with that attachment."""
    collection.publish({"one": {"attachment": attachment}})
    source.refresh(30)
    return source.record("one")


def test_a_record_has_an_id_and_the_time_of_its_last_modification(
    source: remora.Source, collection: Collection
) -> None:
    for record in (source.record("banner"), source.snapshot().record("banner")):
        assert isinstance(record, remora.CollectionRecord) and record.id == "banner"
        assert record.last_modified == collection.timestamp and record.attachment is None
        moment = record.modified_at
        assert moment is not None and moment.tzinfo is datetime.timezone.utc
        assert round(moment.timestamp() * 1000) == record.last_modified


@pytest.mark.parametrize(("ms", "year"), [(253_402_300_799_999, 9999), (253_402_300_800_000, None)])
def test_a_time_after_the_year_9999_has_no_datetime(ms: int, year: int | None, tmp_path: Path) -> None:
    data = {"data": [{"id": "a", "last_modified": ms}], "timestamp": ms}
    with remora.Client(tmp_path, server="http://127.0.0.1:1") as client:
        source = client.collection("c", trust="off", packaged_data=json.dumps(data))
        moment = source.record("a").modified_at
    assert (moment and moment.year) == year


def test_the_fields_of_a_record_exclude_its_id_time_and_attachment(
    source: remora.Source, collection: Collection
) -> None:
    collection.publish({"one": {"title": "T", "list": [1], "attachment": ATTACHMENT}})
    source.refresh(30)
    fields = source.record("one").fields
    assert fields == {"title": "T", "list": [1]} and json.loads(json.dumps(fields)) == fields
    with pytest.raises(TypeError):
        fields["title"] = "U"  # type: ignore[index]


def test_a_record_is_a_mapping_of_all_members_of_its_json_object(source: remora.Source) -> None:
    record = source.record("banner")
    assert isinstance(record, Mapping) and record == source["banner"] and dict(record) == source["banner"]
    assert record["text"] == "Hi" and record.get("other") is None and "n" in record and "other" not in record
    assert len(record) == len(source["banner"]) and list(record) == list(source["banner"])
    with pytest.raises(KeyError):
        record["other"]


def test_records_are_iterated_in_the_order_of_their_ids(source: remora.Source, collection: Collection) -> None:
    collection.publish({key: {"n": 1} for key in ["b", "a", "é"]})
    source.refresh(30)
    for mapping in (source, source.snapshot()):
        assert [record.id for record in mapping.records()] == list(mapping) == ["a", "b", "banner", "é"]


def test_a_record_does_not_change_when_its_collection_is_updated(source: remora.Source, collection: Collection) -> None:
    snapshot = source.snapshot()
    record, records = snapshot.record("banner"), snapshot.records()
    collection.publish({"banner": {"text": "New"}})
    source.refresh(30)
    snapshot.close()
    assert record["text"] == "Hi" and [one["text"] for one in records] == ["Hi"]
    assert source.record("banner")["text"] == "New"
    with pytest.raises(remora.ClosedError):
        snapshot.record("banner")
    with pytest.raises(remora.ClosedError):
        snapshot.records()


def test_reading_records_of_a_closed_source_raises_closed_error(source: remora.Source) -> None:
    source.close()
    with pytest.raises(remora.ClosedError):
        source.record("banner")
    with pytest.raises(remora.ClosedError):
        source.records()


@pytest.mark.parametrize("key", ["other", "", "a\0b", "\ud800", "k" * 70000], ids=ascii)
def test_reading_a_missing_record_raises_a_key_error(source: remora.Source, key: str) -> None:
    for mapping in (source, source.snapshot()):
        with pytest.raises(KeyError, match="there is no record") as caught:
            mapping.record(key)
        assert isinstance(caught.value, remora.NotFoundError) and str(caught.value).encode()


@pytest.mark.parametrize("key", [5, b"banner", None, ("banner",), ["banner"]], ids=repr)
def test_a_record_id_that_is_not_a_str_is_a_type_error(source: remora.Source, key: Any) -> None:
    for mapping in (source, source.snapshot()):
        with pytest.raises(TypeError):
            mapping.record(key)


def test_a_record_is_read_only_and_cannot_be_pickled_or_copied(source: remora.Source) -> None:
    record: Any = source.record("banner")
    for name in ("id", "last_modified", "fields", "attachment", "other"):
        with pytest.raises(AttributeError):
            setattr(record, name, 1)
    for function in (pickle.dumps, copy.copy):
        with pytest.raises(TypeError, match=r"dict\(record\)"):
            function(record)
    assert repr(record) == (
        f"<remora.CollectionRecord 'banner' last_modified={record.last_modified} collection {source.info().name!r}>"
    )


def test_the_attachment_object_of_a_record_has_the_location_size_hash_file_name_and_mime_type_from_the_record(
    source: remora.Source, collection: Collection
) -> None:
    attachment = published(source, collection, {**ATTACHMENT, "other": 1}).attachment
    assert isinstance(attachment, remora.Attachment)
    assert {name: getattr(attachment, name) for name in ATTACHMENT} == ATTACHMENT
    assert "a.bin" in repr(attachment) and "size=3" in repr(attachment)
    with pytest.raises(AttributeError):
        attachment.size = 4


@pytest.mark.parametrize("name", [None, 5, ["a"]], ids=repr)
def test_the_file_name_and_mime_type_of_an_attachment_can_be_missing(
    source: remora.Source, collection: Collection, name: object
) -> None:
    seen = {"location": "x", "hash": "aB" * 32, "size": 0, "filename": name}
    attachment = published(source, collection, seen).attachment
    assert attachment is not None and (attachment.filename, attachment.mimetype, attachment.size) == (None, None, 0)


@pytest.mark.parametrize(
    ("attachment", "named"),
    [
        ("x", "attachment"),
        ({}, "attachment.hash"),
        ({**ATTACHMENT, "location": None}, "attachment.location"),
        ({**ATTACHMENT, "size": -1}, "attachment.size"),
    ],
)
def test_an_error_about_an_invalid_attachment_names_its_member_and_the_record_stays_readable(
    source: remora.Source, collection: Collection, attachment: object, named: str
) -> None:
    record = published(source, collection, attachment)
    with pytest.raises(remora.FormatError, match=f"^{named} of record one is not ") as caught:
        record.attachment
    assert caught.value.name == "REMORA_ERR_FORMAT"
    assert record.fields == {} and record["attachment"] == attachment


def test_reading_a_key_does_not_import_the_modules_for_records() -> None:
    package = str(Path(remora.__file__).parent.parent)
    program = f"""
import sys; sys.path.insert(0, {package!r})
import remora
packaged = b'{{"data": [{{"id": "a", "last_modified": 1, "n": 5}}], "timestamp": 1}}'
source = remora.Client.in_memory().collection("demo", trust="off", packaged_data=packaged)
assert source["a"]["n"] == 5 and source.get_int("a", "/n") == 5
assert "remora.records" not in sys.modules and "remora.attachments" not in sys.modules
assert source.record("a").fields == {{"n": 5}} and remora.CollectionRecord.__name__ == "CollectionRecord"
assert not hasattr(remora, "NoSuchName")
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_reading_a_value_that_is_not_a_json_object_as_a_record_raises_wrong_type_error() -> None:
    content: Any = {"one": 5}
    with pytest.raises(remora.WrongTypeError, match="'one'"):
        remora.CollectionRecord(content, "one", None)
