# SPDX-License-Identifier: Apache-2.0
#
# A server changes its root, and its hosts change their pin: what they have stays readable, what comes is held to the
# new root, and nothing older than before is accepted.
"""The rotation of a root."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from EndToEnd.driver import Driver
from EndToEnd.hosts import Hosts, V2Source
from Servers import v2_lies
from Servers.pki import Pki
from Servers.v2_server import CHANGESET, V2Server


@dataclass(frozen=True)
class Rotation:
    """A source before the rotation, and what it is called for hosts with the new pin."""

    before: V2Source
    after: V2Source
    new_pki: Pki

    def rotate(self) -> None:
        self.before.server.rotate(self.new_pki)

    def open(self, hosts: Hosts) -> Driver:
        """A host with the new pin that knows the old one."""
        return hosts.open(self.after, previous_roots=[self.before.root])


@pytest.fixture
def rotation(pki: Pki, stranger: Pki) -> Iterator[Rotation]:
    with V2Server(pki) as server:
        source = V2Source(server, "c", pki.root_sha256)
        source.publish("a", n=1)
        yield Rotation(source, replace(source, root=stranger.root_sha256), stranger)


def test_after_the_root_certificate_has_changed_data_verified_with_the_previous_root_can_be_read_at_once(
    rotation: Rotation, hosts: Hosts
) -> None:
    version = hosts.fetch(rotation.before)
    rotation.before.server.stop()
    host = rotation.open(hosts)
    assert (host.origin(), host.version(), set(host.values())) == ("cached", version, {"a"})
    assert host.refresh()["status"] == "REMORA_ERR_NETWORK"
    assert set(host.values()) == {"a"}
    assert hosts.open(rotation.after).origin() == "none"


def test_after_the_root_certificate_has_changed_the_next_update_is_verified_and_stored_with_the_new_root(
    rotation: Rotation, hosts: Hosts
) -> None:
    version = hosts.fetch(rotation.before)
    rotation.rotate()
    rotation.before.publish("b", n=1)
    host = rotation.open(hosts)
    host.update()
    assert rotation.before.last_since() == str(version)
    successor = hosts.open(rotation.after, after=host)
    assert (successor.origin(), set(successor.values())) == ("cached", {"a", "b"})


def test_after_the_root_certificate_has_changed_unchanged_data_is_verified_once_with_the_new_root(
    rotation: Rotation, hosts: Hosts
) -> None:
    version = hosts.fetch(rotation.before)
    host = rotation.open(hosts)
    assert host.refresh()["status"] == "REMORA_ERR_ROOT_MISMATCH"
    assert (host.version(), set(host.values())) == (version, {"a"})
    rotation.rotate()
    host.succeed("subscribe")
    host.update()
    assert host.event()["changes"] == []
    assert host.refresh()["outcome"] == "unchanged"
    assert hosts.open(rotation.after, after=host).version() == version


def test_after_the_root_certificate_has_changed_a_response_older_than_or_conflicting_with_the_stored_data_is_not_used(
    rotation: Rotation, hosts: Hosts
) -> None:
    rotation.before.publish("a", n=2)
    version = hosts.fetch(rotation.before)
    rotation.rotate()
    head = rotation.before.content.head
    older = v2_lies.genuine([{"id": "a", "n": 1, "last_modified": 1000}], 1000)
    other = v2_lies.genuine([{"id": "a", "n": 3, "last_modified": head.timestamp}], head.timestamp)
    for _ in range(2):
        host = rotation.open(hosts)
        rotation.before.server.set_fault(CHANGESET, older)
        assert host.refresh()["outcome"] == "not_newer"
        rotation.before.server.set_fault(CHANGESET, other)
        assert host.refresh()["status"] == "REMORA_ERR_EQUIVOCATION"
        assert (host.version(), host.values()["a"]["n"]) == (version, 2)
        host.end()


def test_processes_with_the_old_and_the_new_root_certificate_can_share_a_storage_directory(
    rotation: Rotation, hosts: Hosts
) -> None:
    hosts.fetch(rotation.before)
    rotation.rotate()
    new = rotation.open(hosts)
    new.update()
    old = hosts.open(rotation.before)
    assert old.origin() == "cached"
    rotation.before.publish("b", n=1)
    assert old.refresh()["status"] == "REMORA_ERR_ROOT_MISMATCH"
    new.update()
    assert (set(old.values()), set(new.values())) == ({"a"}, {"a", "b"})


def test_a_reset_also_deletes_data_that_was_verified_with_the_previous_root_certificate(
    rotation: Rotation, hosts: Hosts
) -> None:
    hosts.fetch(rotation.before)
    host = rotation.open(hosts)
    host.succeed("reset")
    assert host.origin() == "none"
    host.end()
    assert rotation.open(hosts).origin() == "none"


def test_an_error_about_an_invalid_previous_root_names_the_option_previous_roots(
    rotation: Rotation, hosts: Hosts
) -> None:
    host = hosts.setup(server=rotation.after.url)
    answer = host.run("open", "collection", "c", previous_roots=["abc"])
    assert answer["status"] == "REMORA_ERR_INVALID_ARGUMENT"
    assert "previous_roots" in answer["message"]
