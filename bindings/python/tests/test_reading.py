# SPDX-License-Identifier: Apache-2.0
"""Reading sources and snapshots."""

from __future__ import annotations

import copy
import datetime
import json
import pickle
from collections.abc import Callable, Mapping
from typing import Any

import pytest

import remora
from remora._runtime.data import parse_json
from Servers.v2_collection import Collection

Mutation = Callable[[Any], object]

IMPOSSIBLE_KEYS = ["", "a\0b", "\ud800", "k" * 70000]


def test_a_source_is_a_mapping_from_keys_to_json_values(source: remora.Source, collection: Collection) -> None:
    banner = source["banner"]
    assert isinstance(source, Mapping) and isinstance(banner, dict)
    assert banner == collection.head.records[0]
    assert type(banner["n"]) is int and type(banner["ratio"]) is float and banner["nothing"] is None
    assert list(source) == ["banner"] and len(source) == 1 and "banner" in source and "other" not in source
    assert list(source.items()) == [("banner", banner)] and list(source.values()) == [banner]
    assert source.get("other") is None and source.get("other", 7) == 7


def test_keys_are_iterated_in_the_order_of_their_bytes(source: remora.Source, collection: Collection) -> None:
    collection.publish({key: {} for key in ["b", "a", "B", "é", "z"]})
    source.refresh(30)
    assert list(source) == sorted(source, key=str.encode) == ["B", "a", "b", "banner", "z", "é"]


def test_a_missing_key_raises_a_key_error_with_a_complete_sentence(source: remora.Source) -> None:
    for mapping in (source, source.snapshot()):
        with pytest.raises(KeyError) as caught:
            mapping["other"]
        assert isinstance(caught.value, remora.NotFoundError)
        assert "other" in str(caught.value) and not str(caught.value).startswith("'")


@pytest.mark.parametrize("key", IMPOSSIBLE_KEYS, ids=ascii)
def test_an_empty_too_long_or_malformed_key_is_treated_as_a_missing_key(source: remora.Source, key: str) -> None:
    snapshot = source.snapshot()
    assert key not in source and key not in snapshot
    for mapping in (source, snapshot):
        with pytest.raises(remora.NotFoundError):
            mapping[key]
        assert mapping.get_int(key, default=3) == 3 and mapping.get_str(key, None, "d") == "d"
    with pytest.raises(remora.NotFoundError):
        snapshot.json(key)
    with pytest.raises(remora.NotFoundError):
        snapshot.at(key, "/a")


def test_a_key_that_contains_u0000_is_not_truncated(source: remora.Source) -> None:
    assert source.get_str("banner\0", "/text") is None and source.get_str("banner", "/text\0") is None
    assert "banner\0" not in source


@pytest.mark.parametrize("key", [5, b"banner", None, 1.5, ("banner",), ["banner"]], ids=repr)
def test_a_key_that_is_not_a_str_is_a_type_error(source: remora.Source, key: Any) -> None:
    for mapping in (source, source.snapshot()):
        for read in (mapping.__getitem__, mapping.__contains__, mapping.get, mapping.get_bool, mapping.get_int):
            with pytest.raises(TypeError):
                read(key)
        for read in (mapping.get_float, mapping.get_str):
            with pytest.raises(TypeError):
                read(key)


def test_subscribing_to_a_key_that_is_not_a_str_is_a_type_error(source: remora.Source) -> None:
    key: Any = b"banner"
    with pytest.raises(TypeError):
        source.subscribe(print, key)


@pytest.mark.parametrize("pointer", [5, b"/text", ("/text",)], ids=repr)
def test_a_json_pointer_that_is_not_a_str_is_a_type_error(source: remora.Source, pointer: Any) -> None:
    for mapping in (source, source.snapshot()):
        for read in (mapping.get_bool, mapping.get_int, mapping.get_float, mapping.get_str):
            with pytest.raises(TypeError):
                read("banner", pointer)


def test_typed_reads_of_a_source_return_the_value_or_the_default(source: remora.Source) -> None:
    assert source.get_bool("banner", "/on") is True and source.get_int("banner", "/n") == 5
    assert source.get_float("banner", "/ratio") == 0.75 and source.get_str("banner", "/text") == "Hi"
    assert source.get_int("banner", "/whole") == 2 and source.get_float("banner", "/n") == 5.0
    assert source.get_str("banner", "/list/1/deep") == "x"
    default = object()
    for read in (source.get_bool, source.get_int, source.get_float, source.get_str):
        for pointer in ("/nothing", "/missing", "/list", ""):
            assert read("banner", pointer, default) is default
            assert read("banner", pointer) is None
        assert read("missing", default=default) is default
    assert source.get_int("banner", "/on", default=8) == 8 and source.get_bool("banner", "/n", default=None) is None
    assert source.get_int("banner", "/ratio", default=8) == 8 and source.get_str("banner", "/n", default="d") == "d"


@pytest.mark.parametrize("pointer", ["text", "list/0", "#/text", "/~", "/~2", "/~~01", " /text"])
@pytest.mark.parametrize("key", ["banner", "missing"])
def test_a_malformed_json_pointer_is_a_value_error_even_with_a_default(
    source: remora.Source, key: str, pointer: str
) -> None:
    for mapping in (source, source.snapshot()):
        reads = mapping.get_bool, mapping.get_int, mapping.get_float, mapping.get_str, mapping.get_url
        for read in (*reads, mapping.get_list, mapping.get_dict, mapping.get_json):
            for _ in range(2):
                with pytest.raises(ValueError, match="is not a JSON Pointer") as raised:
                    read(key, pointer, default=99)
                assert type(raised.value) is remora.InvalidArgumentError


@pytest.mark.parametrize("pointer", ["", "/", "/a~0b~1c", "/ ", "/~01"])
def test_a_json_pointer_that_leads_nowhere_is_a_missing_value(source: remora.Source, pointer: str) -> None:
    assert (
        source.get_int("banner", pointer, default=99) == source.snapshot().get_int("banner", pointer, default=99) == 99
    )


def test_typed_reads_return_the_smallest_and_largest_integers_and_strings_of_any_length(
    source: remora.Source, collection: Collection
) -> None:
    from remora._ffi.reads import INT_MARK_VALUE

    numbers = {"least": -(2**63), "most": 2**63 - 1, "mark": INT_MARK_VALUE, "zero": 0, "minus": -1}
    texts = {"empty": "", "long": "ab" * 5000, "nul": "a\0b", "wide": "日本 \U0001f41f"}
    collection.publish({"extremes": {**numbers, **texts}})
    source.refresh(30)
    snapshot = source.snapshot()
    for name, number in numbers.items():
        assert source.get_int("extremes", f"/{name}", default=7) == number == snapshot.get_int("extremes", f"/{name}")
    for name, text in texts.items():
        assert snapshot.get_str("extremes", f"/{name}") == text == source.get_str("extremes", f"/{name}", default="d")
    assert snapshot["extremes"] == {**numbers, **texts, "id": "extremes", "last_modified": collection.timestamp}


def test_typed_reads_of_a_snapshot_distinguish_missing_values_from_values_of_another_type(
    source: remora.Source,
) -> None:
    snapshot = source.snapshot()
    assert snapshot.get_bool("banner", "/on") is True and snapshot.get_int("banner", "/n") == 5
    assert snapshot.get_float("banner", "/ratio") == 0.75 and snapshot.get_str("banner", "/text") == "Hi"
    for read in (snapshot.get_bool, snapshot.get_int, snapshot.get_float, snapshot.get_str):
        for pointer in ("/missing", "/nothing"):
            with pytest.raises(remora.NotFoundError):
                read("banner", pointer)
        with pytest.raises(remora.WrongTypeError):
            read("banner", "/list")
        with pytest.raises(remora.InvalidArgumentError):
            read("banner", "no pointer", 1)
        assert read("banner", "/list", default="d") == read("banner", "/missing", default="d") == "d"


def test_a_json_pointer_reads_a_value_of_any_type(source: remora.Source) -> None:
    snapshot = source.snapshot()
    assert snapshot.at("banner", "/list/1") == {"deep": "x"} and snapshot.at("banner", "/nothing") is None
    assert snapshot.at("banner", "") == snapshot["banner"]
    assert snapshot.at("banner", "/list/9", default=3) == snapshot.at("banner", "/nothing", default=3) == 3
    assert snapshot.at("other", "/a", default=None) is None
    with pytest.raises(remora.NotFoundError):
        snapshot.at("banner", "/list/9")
    with pytest.raises(remora.InvalidArgumentError):
        snapshot.at("banner", "/~")


def test_the_json_text_of_a_value_is_canonical(source: remora.Source) -> None:
    snapshot = source.snapshot()
    assert json.loads(snapshot.json()) == dict(snapshot) and json.loads(snapshot.json("banner")) == snapshot["banner"]
    assert snapshot.json("banner", "/list") == '[1,{"deep":"x"}]'
    with pytest.raises(remora.InvalidArgumentError):
        snapshot.json(None, "/list")


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value.__setitem__("text", 1),
        lambda value: value.__delitem__("text"),
        lambda value: value.clear(),
        lambda value: value.pop("text"),
        lambda value: value.popitem(),
        lambda value: value.setdefault("new", 1),
        lambda value: value.update({}),
        lambda value: value.__ior__({}),
        lambda value: value["list"].__setitem__(0, 1),
        lambda value: value["list"].__delitem__(0),
        lambda value: value["list"].__iadd__([1]),
        lambda value: value["list"].__imul__(2),
        lambda value: value["list"].append(1),
        lambda value: value["list"].clear(),
        lambda value: value["list"].extend([1]),
        lambda value: value["list"].insert(0, 1),
        lambda value: value["list"].pop(),
        lambda value: value["list"].remove(1),
        lambda value: value["list"].reverse(),
        lambda value: value["list"].sort(),
        lambda value: value["list"][1].clear(),
    ],
)
def test_json_arrays_and_objects_that_are_read_are_immutable(source: remora.Source, change: Mutation) -> None:
    before = json.dumps(source["banner"])
    with pytest.raises(TypeError, match="read-only"):
        change(source["banner"])
    assert json.dumps(source["banner"]) == before


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value)), copy.copy])
def test_copies_and_pickles_of_json_values_are_plain_lists_and_dicts(
    source: remora.Source, copied: Callable[[Any], Any]
) -> None:
    value = source["banner"]
    made = copied(value)
    assert made == value and type(made) is dict
    made["text"] = "changed"
    if copied is not copy.copy:
        assert type(made["list"]) is list and type(made["list"][1]) is dict


def test_reading_a_json_value_twice_returns_the_same_object_until_a_new_version_is_fetched(
    source: remora.Source, collection: Collection
) -> None:
    first = source["banner"]
    with source.subscribe(lambda _: None):  # Makes this process look out, so that the revision says something.
        source.get("banner")
        assert source["banner"] is source["banner"] is source.snapshot()["banner"]
        collection.publish({"banner": {"text": "New"}})
        source.refresh(30)
        assert source["banner"] is not first and source.snapshot().at("banner", "/text") == "New"


def test_reading_a_value_again_raises_closed_error_after_the_client_is_closed(
    source: remora.Source, client: remora.Client
) -> None:
    with source.subscribe(lambda _: None):
        assert source["banner"] is source["banner"]
        client.close()
        with pytest.raises(remora.ClosedError):
            source["banner"]


@pytest.mark.parametrize("closed", ["source", "client"])
def test_after_a_close_getters_of_a_type_return_the_default_and_other_reads_raise_closed_error(
    source: remora.Source, client: remora.Client, closed: str
) -> None:
    assert source.get_str("banner", "/text", default="none") != "none"
    (source if closed == "source" else client).close()
    assert source.get_str("banner", "/text", default="none") == "none"
    assert source.get_int("banner", "/n", default=7) == 7
    assert source.get_bool("banner", "/on", default=True)
    reads: list[Callable[[], object]] = [
        lambda: source["banner"],
        lambda: source.get("banner"),
        lambda: len(source),
        source.snapshot,
    ]
    for read in reads:
        with pytest.raises(remora.ClosedError):
            read()


def test_each_read_after_a_refresh_returns_the_fetched_value(source: remora.Source, collection: Collection) -> None:
    for number in range(50):
        collection.publish({"banner": {"n": number}})
        source.refresh(30)
        assert source.snapshot().at("banner", "/n") == number == source.get_int("banner", "/n")
        banner = source["banner"]
        assert isinstance(banner, dict) and banner["n"] == number


def test_a_snapshot_has_an_origin_a_version_and_the_time_when_it_was_fetched(
    source: remora.Source, collection: Collection
) -> None:
    snapshot = source.snapshot()
    assert (snapshot.origin, snapshot.version) == (remora.Origin.FETCHED, collection.timestamp)
    assert snapshot.verified is False and snapshot.error is None
    age = datetime.datetime.now(datetime.timezone.utc) - (snapshot.fetched_at or pytest.fail("never fetched"))
    assert abs(age) < datetime.timedelta(minutes=1)


def test_the_snapshot_of_a_source_without_data_is_empty_and_has_no_time_of_a_fetch(client: remora.Client) -> None:
    with client.collection("nothing-yet", trust="off") as source:
        snapshot = source.snapshot()
        assert (snapshot.origin, snapshot.version, snapshot.fetched_at) == (remora.Origin.NONE, 0, None)
        assert dict(snapshot) == {} == dict(source)


def test_a_snapshot_can_be_read_after_its_client_is_closed(client: remora.Client, source: remora.Source) -> None:
    snapshot = source.snapshot()
    client.close()
    assert snapshot.at("banner", "/text") == "Hi" and dict(snapshot)["banner"] == snapshot["banner"]


def test_reads_of_a_closed_snapshot_raise_closed_error_and_other_snapshots_stay_readable(source: remora.Source) -> None:
    other = source.snapshot()
    with source.snapshot() as snapshot:
        assert len(snapshot) == 1
    snapshot.close()
    reads: list[Callable[[], object]] = [
        lambda: snapshot["banner"],
        lambda: len(snapshot),
        lambda: list(snapshot),
        lambda: "banner" in snapshot,
        lambda: snapshot.origin,
        lambda: snapshot.json(),
    ]
    for read in reads:
        with pytest.raises(remora.ClosedError):
            read()
    with pytest.raises(remora.ClosedError):
        snapshot.get_int("banner", "/n", 1)
    assert "closed" in repr(snapshot) and other["banner"] == source["banner"]


def test_the_difference_of_two_snapshots_compares_values_and_is_sorted_by_key(
    source: remora.Source, collection: Collection
) -> None:
    old = source.snapshot()
    collection.publish({"banner": {"text": "New"}, "added": {"n": 1}})
    source.refresh(30)
    new = source.snapshot()
    added, updated = old.diff(new)
    assert (added.kind, added.key, added.old) == (remora.ChangeKind.CREATED, "added", None)
    assert added.new == new["added"]
    assert (updated.kind, updated.old, updated.new) == (remora.ChangeKind.UPDATED, old["banner"], new["banner"])
    assert [change.kind for change in new.diff(old)] == [remora.ChangeKind.DELETED, remora.ChangeKind.UPDATED]
    assert new.diff(new) == []


def test_a_python_enumeration_converts_a_number_without_a_named_member_to_a_member_with_this_number() -> None:
    unknown = remora.Outcome(77)
    assert unknown == 77 and unknown.name == "UNKNOWN_77" and remora.Outcome(77) is unknown
    assert pickle.loads(pickle.dumps(unknown)) == 77
    with pytest.raises(ValueError):
        remora.Outcome("updated")  # type: ignore[arg-type]


def test_a_path_of_member_names_and_indexes_reads_a_value_of_the_requested_type(source: remora.Source) -> None:
    source.overrides["banner", "/a~1b"] = {"~": [{"": 7}]}
    for reader in (source, source.snapshot()):
        assert reader.at("banner", "text", type=str) == "Hi" and reader.at("banner", "list", 1, "deep") == "x"
        assert reader.at("banner", "list", 0, type=int) == reader.at("banner", "/list/0", type=int) == 1
        assert reader.at("banner", "a/b", "~", 0, "") == 7
        assert reader.at("banner") == reader.at("banner", "") == reader["banner"]
        assert reader.at("banner", "whole", type=int) == 2 and reader.at("banner", "nothing") is None
        assert (
            reader.at("banner", "text", type=int, default=3) == reader.at("banner", "nothing", type=int, default=3) == 3
        )
        assert reader.at("banner", "absent", default=None) is None
        with pytest.raises(remora.WrongTypeError):
            reader.at("banner", "text", type=int)
        for place in (("banner", "absent"), ("absent",), ("banner", "list", 9), ("banner", "a\0b")):
            with pytest.raises(remora.NotFoundError):
                reader.at(*place)
        with pytest.raises(ValueError, match="index"):
            reader.at("banner", "list", -1)
        wrong: Any = reader
        for arguments in (("banner", 1.5), ("banner", True), ("banner", None), (5,)):
            with pytest.raises(TypeError):
                wrong.at(*arguments)
        with pytest.raises(TypeError, match="type must be"):
            wrong.at("banner", "text", type=tuple)
    source.close()
    with pytest.raises(remora.ClosedError):
        source.at("banner", "text")


@pytest.mark.parametrize(
    "text",
    [
        "null", "true", "-0", "1.0", "1e400", "-9223372036854775808", "18446744073709551616", '""', '"\\u00e9\\ud83d\\ude00\\n"',
        '{"":{"a":[1,2.5,null,false,{}],"b":[]}}', "[[[[[[[[]]]]]]]]",
    ],
)  # fmt: skip
def test_json_is_decoded_like_by_the_module_json_which_is_not_imported(text: str) -> None:
    found, expected = parse_json(text), json.loads(text)
    assert (found, repr(found)) == (expected, repr(expected))
