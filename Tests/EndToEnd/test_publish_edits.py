# SPDX-License-Identifier: Apache-2.0
#
# Trees in which somebody has edited what no signature covers: the monitor, names, tombstones and further members; or in
# which the signature shows the edit. Nothing that was written there is signed or stays, and nothing ends the tool.
"""Edited trees."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import remora
from Servers.tree_servers import PythonServer

from EndToEnd import tool
from EndToEnd.publishing import Publisher, contents

X, Y, Z = ({"id": name, "n": number} for number, name in enumerate("xyz"))


def written(document: dict[str, Any]) -> bytes:
    """A changeset as the tool writes it: canonical JSON, with each element of a list on its own line."""

    def text(value: object) -> str:
        return json.dumps(value, sort_keys=True, separators=(",", ":"))

    def lines(values: list[object]) -> str:
        return "[" + ",".join(f"\n{text(one)}" for one in values) + "]"

    rest = {name: value for name, value in document["metadata"].items() if name != "signatures"}
    members = {name: text(value) for name, value in rest.items()}
    members["signatures"] = lines(document["metadata"]["signatures"])
    metadata = ",".join(f'"{name}":{value}' for name, value in sorted(members.items()))
    others = {name: text(value) for name, value in document.items() if name not in ("changes", "metadata")}
    whole = {**others, "changes": lines(document["changes"]), "metadata": f"{{{metadata}}}"}
    return ("{" + ",".join(f'"{name}":{value}' for name, value in sorted(whole.items())) + "}").encode()


@pytest.fixture
def edited(publisher: Publisher) -> Publisher:
    """A tree with the collection main/a: the records x and y, and a tombstone of z."""
    publisher.write("main/b.json", [{"id": "of b"}])
    for records in ([X, Y, Z], [X, Y]):
        publisher.write("main/a.json", records)
        publisher.publish()
    assert publisher.changeset("main/a").read_bytes() == written(publisher.document("main/a"))
    return publisher


def edit(publisher: Publisher, change: Callable[[dict[str, Any]], object]) -> None:
    """Edits the changeset of main/a, and keeps the form in which the tool writes it."""
    document = publisher.document("main/a")
    change(document)
    publisher.changeset("main/a").write_bytes(written(document))


def times(publisher: Publisher) -> dict[str, int]:
    """The times of the records and tombstones of main/a."""
    return {one["id"]: one["last_modified"] for one in publisher.document("main/a")["changes"]}


def _set(id_: str, time: int) -> Callable[[dict[str, Any]], object]:
    return lambda document: next(one for one in document["changes"] if one["id"] == id_).update(last_modified=time)


def _edit_record(document: dict[str, Any]) -> None:
    document["changes"][0]["n"] = 9


@pytest.mark.parametrize(
    "change", [_set("x", 1), _set("x", 2**62), _edit_record], ids=["an early time", "a late time", "a record"]
)
def test_times_in_a_changeset_without_a_valid_signature_are_not_signed(
    edited: Publisher, change: Callable[[dict[str, Any]], object]
) -> None:
    edit(edited, _set("z", 7))
    edit(edited, change)
    assert edited.check().status == 4
    done = edited.publish()["main/a"]
    assert done["change"] == "repaired"
    assert times(edited) == dict.fromkeys("xyz", done["after"]) and set(edited.verify()["main/a"]) == {"x", "y"}
    assert edited.check().status == 0 and edited.publish()["main/a"]["change"] == "unchanged"


UNSIGNED: dict[str, tuple[Callable[[dict[str, Any]], object], int]] = {
    "no bucket": (lambda document: document["metadata"].pop("bucket"), 5),
    "no id": (lambda document: document["metadata"].pop("id"), 5),
    "a name that is not a string": (lambda document: document["metadata"].update(id=1), 5),
    "a late tombstone": (_set("z", 2**62), 1),
    "a tombstone without a time": (lambda document: document["changes"][-1].pop("last_modified"), 1),
    "the mode of the signature": (lambda document: document["metadata"]["signatures"][0].update(mode="x"), 4),
    "a second signature": (lambda document: document["metadata"]["signatures"].append({"signature": "x"}), 1),
    "a member of the signature": (lambda document: document["metadata"]["signatures"][0].update(more=1), 1),
    "a member of the metadata": (lambda document: document["metadata"].update(schema={}), 1),
    "a member of the document": (lambda document: document.update(more=1), 1),
    "another order": (lambda document: document["changes"].reverse(), 1),
}


@pytest.mark.parametrize("name", UNSIGNED)
def test_edits_of_parts_that_are_not_signed_are_reported_and_repaired(edited: Publisher, name: str) -> None:
    change, status = UNSIGNED[name]
    before = times(edited)
    edit(edited, change)
    found = edited.check()
    assert (found.status, "publish again" in found.out, found.out.count("\n")) == (status, status != 4, 2), found
    assert "repaired, because its file was edited" in edited.run("--dry-run").out
    done = edited.publish()["main/a"]
    assert (done["change"], done["changed"]) == ("repaired", 0)
    if status != 5:
        assert times(edited) == {**before, "z": done["after"]}
    assert set(edited.verify()["main/a"]) == {"x", "y"} and edited.check().status == 0
    assert edited.publish()["main/a"]["change"] == "unchanged"


@pytest.mark.parametrize("is_renewed", [False, True], ids=["same chain", "renewed chain"])
@pytest.mark.parametrize("name", [name for name, (_, status) in UNSIGNED.items() if status != 5])
def test_a_kept_collection_loses_what_was_added_to_its_file(edited: Publisher, name: str, is_renewed: bool) -> None:
    before = edited.document("main/a")["timestamp"]
    edit(edited, UNSIGNED[name][0])
    (edited.folder / "main/a.json").unlink()
    if is_renewed:
        assert tool.run("keys", "renew", edited.keys).status == 0
    done = edited.publish()["main/a"]
    assert (done["change"], done["after"]) == ("kept", before)
    assert edited.changeset("main/a").read_bytes() == written(edited.document("main/a"))
    assert max(times(edited).values()) <= before and set(edited.document("main/a")["metadata"]) == {
        "bucket", "id", "signatures",
    }  # fmt: skip
    edited.verify()
    assert edited.check().status == 0


@pytest.mark.parametrize("is_renewed", [False, True], ids=["same chain", "renewed chain"])
def test_the_changeset_of_another_collection_is_not_signed_under_a_name_that_it_does_not_state(
    edited: Publisher, is_renewed: bool
) -> None:
    document = edited.document("main/b")
    del document["metadata"]["bucket"], document["metadata"]["id"]
    edited.changeset("main/a").write_bytes(written(document))
    (edited.folder / "main/a.json").unlink()
    if is_renewed:
        assert tool.run("keys", "renew", edited.keys).status == 0
    ended = edited.refused()
    assert (ended.status, "main/a was edited or damaged in the tree" in ended.complaint) == (4, True), ended
    found = edited.check()
    assert "main/a/changeset" not in found.out
    assert (found.status, "collections/a/changeset lacks metadata.bucket or metadata.id" in found.out) == (5, True)


@pytest.mark.parametrize(
    "change",
    [
        {"id": "", "deleted": True, "last_modified": 1},
        {"id": "a\0b", "deleted": True, "last_modified": 1},
        {"id": "a\0b", "last_modified": 1},
        {"id": 1, "deleted": True},
        {"id": "x", "deleted": True, "last_modified": 1},
    ],
    ids=json.dumps,
)
def test_an_added_record_or_tombstone_that_clients_refuse_is_removed(
    edited: Publisher, change: dict[str, object]
) -> None:
    edit(edited, lambda document: document["changes"].append(change))
    assert edited.check().status == 5
    assert edited.publish()["main/a"]["change"] == "repaired"
    assert set(times(edited)) == {"x", "y", "z"} and edited.check().status == 0


def test_a_program_without_trust_loses_the_records_that_were_deleted_before_a_repair(publisher: Publisher) -> None:
    with (
        PythonServer(publisher.tree, publisher.directory) as server,
        remora.Client.in_memory(server=server.url) as client,
    ):
        publisher.base_url = server.url
        publisher.write("main/a.json", [{"id": "x"}, {"id": "y"}, {"id": "z"}])
        publisher.publish()
        source = client.collection("a", trust="off")
        source.refresh(30)
        publisher.write("main/a.json", [{"id": "x"}, {"id": "y"}])
        publisher.publish()
        edit(publisher, _set("x", 1))
        publisher.write("main/a.json", [{"id": "x"}])
        assert publisher.publish()["main/a"]["change"] == "repaired"
        source.refresh(30)
        assert set(source) == {"x"}


NAMES = [("", ""), ("main", ""), ("main", "x/y"), ("main/x", "y"), ("..", "x"), ("main", "a b"), ("monitor", "changes")]


def _list(publisher: Publisher, bucket: str, collection: str) -> None:
    """Adds an entry to the monitor."""
    document = publisher.document("monitor/changes")
    document["changes"].append({"bucket": bucket, "collection": collection, "last_modified": 1})
    publisher.changeset("monitor/changes").write_text(json.dumps(document))


@pytest.mark.parametrize("name", NAMES, ids="/".join)
def test_a_name_in_the_monitor_that_no_collection_can_have_is_reported_and_not_requested(
    publisher: Publisher, tmp_path: Path, name: tuple[str, str]
) -> None:
    with PythonServer(publisher.tree, publisher.directory) as server:
        publisher.base_url = server.url
        publisher.write("main/a.json", [X])
        publisher.publish()
        _list(publisher, *name)
        problem = f'lists "{"/".join(name)}", which is not the name of a published collection'
        for place in (publisher.tree, server.url):
            found = publisher.check(place)
            assert (found.status, found.err, found.out.count("\n")) == (5, "", 2), found
            assert found.out.startswith("error: monitor: ") and problem in found.out
        shown = tool.run("keys", "show", server.url)
        assert (shown.status, problem in shown.complaint) == (5, True), shown
        served, publisher.directory = publisher.directory, tmp_path / "ci"
        publisher.directory.mkdir()
        for folder in ("keys", "settings"):
            (publisher.directory / folder).symlink_to(served / folder)
        ended = publisher.run("--from", server.url)
        assert (ended.status, problem in ended.complaint) == (5, True), ended
        assert contents(publisher.tree) == {}
        publisher.directory = served
        assert publisher.publish()["main/a"]["change"] == "unchanged"
        assert set(publisher.monitor()) == {"main/a"} and publisher.check(server.url).status == 0


def test_a_chain_whose_url_ends_like_a_changeset_is_reported(edited: Publisher) -> None:
    with PythonServer(edited.tree, edited.directory) as server:
        edit(edited, lambda document: document["metadata"]["signatures"][0].update(x5u=f"{server.url}/v2/changeset"))
        shown = tool.run("keys", "show", server.url)
        assert (shown.status, f"is not at {server.url}/v2/authorities/changeset" in shown.complaint) == (4, True), shown
