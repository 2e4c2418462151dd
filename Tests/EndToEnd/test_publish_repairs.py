# SPDX-License-Identifier: Apache-2.0
#
# A tree whose changeset is older than the version that its monitor lists: an old file was restored, or a copy is
# incomplete. Programs that have the listed version refuse such a changeset, so the next publication replaces it.
"""Publication over a tree with an outdated changeset."""

from __future__ import annotations

import pytest
from Servers.tree_servers import PythonServer

from EndToEnd import tool
from EndToEnd.hosts import Hosts
from EndToEnd.publishing import Publisher

OLD, NEW = [{"id": "x", "n": 1}], [{"id": "x", "n": 2}, {"id": "y"}]


def _restore_changeset(publisher: Publisher) -> None:
    """Publishes two versions, and restores the changeset of the first one."""
    publisher.write("main/a.json", OLD)
    publisher.publish()
    first = publisher.changeset("main/a").read_bytes()
    publisher.write("main/a.json", NEW)
    publisher.publish()
    publisher.changeset("main/a").write_bytes(first)


def _raise_monitor(publisher: Publisher) -> None:
    """Publishes a version, and raises its timestamp in the monitor by a minute."""
    publisher.write("main/a.json", OLD)
    timestamp = publisher.publish()["main/a"]["after"]
    monitor = publisher.changeset("monitor/changes")
    monitor.write_text(monitor.read_text().replace(f"{timestamp}", f"{timestamp + 60_000}"))


FAULTS = {"an old changeset": _restore_changeset, "a raised timestamp in the monitor": _raise_monitor}


@pytest.mark.parametrize("records", [OLD, NEW], ids=["old records", "new records"])
@pytest.mark.parametrize("is_renewed", [False, True], ids=["same chain", "renewed chain"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_changeset_older_than_the_monitor_states_is_signed_again_above_both_timestamps(
    publisher: Publisher, fault: str, is_renewed: bool, records: list[dict[str, object]]
) -> None:
    FAULTS[fault](publisher)
    stated, monitored = publisher.document("main/a")["timestamp"], publisher.monitor()["main/a"]
    assert stated < monitored
    publisher.write("main/a.json", records)
    if is_renewed:
        assert tool.run("keys", "renew", publisher.keys).status == 0
    change = publisher.publish()["main/a"]
    assert (change["change"], change["before"]) == ("repaired", monitored)
    assert publisher.document("main/a")["timestamp"] == change["after"] > monitored
    assert set(publisher.verify()["main/a"]) == {record["id"] for record in records}
    assert publisher.check().status == 0
    assert publisher.publish()["main/a"]["change"] == "unchanged"


@pytest.mark.parametrize("is_renewed", [False, True], ids=["same chain", "renewed chain"])
@pytest.mark.parametrize("fault", FAULTS)
def test_an_outdated_changeset_that_the_folder_lacks_is_not_signed(
    publisher: Publisher, fault: str, is_renewed: bool
) -> None:
    publisher.write("main/b.json", [])
    FAULTS[fault](publisher)
    (publisher.folder / "main/a.json").unlink()
    if is_renewed:
        assert tool.run("keys", "renew", publisher.keys).status == 0
    ended = publisher.refused()
    assert (ended.status, "main/a is older in the tree than the version " in ended.complaint) == (5, True), ended
    publisher.write("main/a.json", NEW)
    assert publisher.publish()["main/a"]["change"] == "repaired"
    publisher.verify()


def test_the_table_states_why_a_collection_was_repaired(publisher: Publisher) -> None:
    _restore_changeset(publisher)
    publisher.write("main/a.json", OLD)
    assert "  +0 ~0 -0 repaired, because the monitor lists a later version  (1 record)" in publisher.run().out
    path = publisher.changeset("main/a")
    path.write_text(path.read_text().replace('"n":1', '"n":7'))
    assert "  +0 ~1 -0 repaired, because its signature was not valid  (1 record)" in publisher.run().out


@pytest.mark.parametrize("is_remote", [False, True], ids=["the tree", "--from"])
def test_programs_receive_the_repaired_version_of_an_outdated_changeset(
    publisher: Publisher, hosts: Hosts, is_remote: bool
) -> None:
    with PythonServer(publisher.tree, publisher.directory) as server:
        publisher.base_url = server.url
        publisher.write("main/a.json", OLD)
        publisher.publish()
        first = publisher.changeset("main/a").read_bytes()
        publisher.write("main/a.json", NEW)
        publisher.publish()
        host = hosts.setup(server=server.url)
        host.succeed("open", "collection", "a", root_sha256=publisher.root)
        host.update()
        publisher.changeset("main/a").write_bytes(first)
        publisher.write("main/a.json", OLD)
        publisher.publish(*(["--from", server.url] if is_remote else []))
        host.update()
        assert set(host.values()) == {"x"} and host.get_int("x", "/n") == 1
