# SPDX-License-Identifier: Apache-2.0
#
# From an editor's desk to users, against the real server: an edit is seen in the preview, then approved and seen by
# everybody, or dropped. One host looks at the preview, another at what is public, over one storage directory.
"""Editing, review and publication."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from EndToEnd.driver import Driver
from EndToEnd.hosts import Hosts, KintoSource, without_metadata
from EndToEnd.proxy import Proxy
from Servers.kinto_admin import PREVIEW, KintoAdmin


@dataclass
class Desk:
    """A collection of Kinto, and the two hosts that look at it."""

    kinto: KintoSource
    proxy: Proxy
    hosts: Hosts
    live: Driver
    preview: Driver

    @property
    def admin(self) -> KintoAdmin:
        return self.kinto.server.admin

    def open(self, storage: Path | None = None, **options: object) -> Driver:
        """A host; it reaches the server through what can be switched off."""
        host = self.hosts.setup(storage=storage, server=f"{self.proxy.origin}/v1")
        host.succeed("open", "collection", self.kinto.collection, root_sha256=self.kinto.root, **options)
        return host

    def restart(self) -> None:
        """Both hosts end, and come again over the same storage."""
        assert (self.live.end(), self.preview.end()) == (0, 0)
        self.live, self.preview = self.open(), self.open(bucket=PREVIEW)


@pytest.fixture
def desk(kinto: KintoSource, proxy: Proxy, hosts: Hosts) -> Desk:
    kinto.put("banner", text="one")
    kinto.publish("other", n=1)
    blank = hosts.start()
    made = Desk(kinto, proxy, hosts, blank, blank)
    made.live, made.preview = made.open(), made.open(bucket=PREVIEW)
    for host in (made.live, made.preview):
        host.update()
    return made


def records(host: Driver) -> dict[str, Any]:
    return without_metadata(host.values())


def test_an_edit_is_visible_in_the_preview_bucket_and_after_approval_in_the_main_bucket(desk: Desk) -> None:
    desk.kinto.put("banner", text="two")
    reviewed = desk.admin.request_review(desk.kinto.collection)
    assert reviewed > desk.live.version()
    desk.live.succeed("subscribe")
    desk.preview.update()
    assert (desk.preview.version(), records(desk.preview)["banner"]) == (reviewed, {"text": "two"})
    assert desk.live.refresh()["outcome"] == "unchanged"
    assert records(desk.live)["banner"] == {"text": "one"}
    assert desk.live.event()["outcome"] == "unchanged"
    approved = desk.admin.approve(desk.kinto.collection)
    assert records(desk.live)["banner"] == {"text": "one"}
    desk.live.update()
    assert (desk.live.version(), records(desk.live)["banner"]) == (approved, {"text": "two"})
    event = desk.live.event()
    assert [(one["kind"], one["key"]) for one in event["changes"]] == [("updated", "banner")]
    assert records(desk.preview) == records(desk.live)
    assert desk.live.succeed("snapshot")["verified"] == desk.preview.succeed("snapshot")["verified"] == 1


def test_the_preview_bucket_and_the_main_bucket_have_separate_caches(desk: Desk) -> None:
    desk.kinto.put("banner", text="draft")
    desk.admin.request_review(desk.kinto.collection)
    desk.preview.update()
    desk.restart()
    assert (desk.live.origin(), records(desk.live)["banner"]) == ("cached", {"text": "one"})
    assert (desk.preview.origin(), records(desk.preview)["banner"]) == ("cached", {"text": "draft"})
    # One host may have both.
    both = desk.open(bucket=PREVIEW)
    both.succeed("open", "collection", desk.kinto.collection, root_sha256=desk.kinto.root)
    report = both.succeed("sync")
    assert {item["source_name"].split("/")[0]: item["outcome"] for item in report["items"]} == {
        "main": "unchanged",
        PREVIEW: "unchanged",
    }
    assert records(both)["banner"] == {"text": "one"}
    desk.preview.succeed("reset")
    assert (desk.preview.origin(), desk.live.origin(), both.origin()) == ("none", "cached", "cached")


def test_a_rejected_edit_is_never_visible_in_the_main_bucket(desk: Desk, tmp_path: Path) -> None:
    desk.kinto.put("banner", text="no")
    desk.admin.request_review(desk.kinto.collection)
    desk.preview.update()
    assert records(desk.preview)["banner"] == {"text": "no"}
    reviewed = desk.preview.version()
    # Kinto puts the old records back under the timestamp of the draft: its signature is not over the draft any more.
    assert desk.admin.roll_back(desk.kinto.collection) == reviewed
    assert desk.preview.refresh()["status"] == "REMORA_ERR_EQUIVOCATION"
    assert records(desk.preview)["banner"] == {"text": "no"}
    assert desk.live.refresh()["outcome"] == "unchanged"
    assert records(desk.live)["banner"] == {"text": "one"}
    newcomer = desk.open(storage=tmp_path / "new", bucket=PREVIEW)
    newcomer.update()
    assert records(newcomer)["banner"] == {"text": "one"}
    # The next draft shows that the base is another one, and everything is fetched.
    desk.kinto.put("other", n=2)
    desk.admin.request_review(desk.kinto.collection)
    desk.preview.update()
    assert records(desk.preview) == {"banner": {"text": "one"}, "other": {"n": 2}}
    desk.live.refresh()
    assert records(desk.live) == {"banner": {"text": "one"}, "other": {"n": 1}}


def test_after_a_reset_a_rejected_edit_is_no_longer_visible_in_the_preview_bucket(desk: Desk) -> None:
    desk.kinto.put("banner", text="no")
    desk.admin.request_review(desk.kinto.collection)
    desk.preview.update()
    desk.admin.roll_back(desk.kinto.collection)
    desk.preview.succeed("reset")
    desk.preview.update()
    assert records(desk.preview)["banner"] == {"text": "one"}


def test_a_deletion_is_visible_first_in_the_preview_bucket_and_after_approval_in_the_main_bucket(desk: Desk) -> None:
    desk.kinto.delete("other")
    desk.admin.request_review(desk.kinto.collection)
    desk.preview.update()
    desk.live.refresh()
    assert (set(desk.preview.values()), set(desk.live.values())) == ({"banner"}, {"banner", "other"})
    desk.live.succeed("subscribe")
    desk.admin.approve(desk.kinto.collection)
    desk.live.update()
    assert [(one["kind"], one["key"]) for one in desk.live.event()["changes"]] == [("deleted", "other")]
    assert set(desk.live.values()) == {"banner"}
    desk.restart()
    assert set(desk.preview.values()) == set(desk.live.values()) == {"banner"}


def test_a_collection_that_was_signed_again_without_a_change_is_reported_as_unchanged(
    desk: Desk, tmp_path: Path
) -> None:
    name = desk.kinto.collection
    before = desk.admin.changeset(name)
    desk.admin.re_sign(name)
    after = desk.admin.changeset(name)
    assert after["timestamp"] == before["timestamp"]
    assert after["metadata"]["last_modified"] > before["metadata"]["last_modified"]
    assert after["metadata"]["signature"]["signature"] != before["metadata"]["signature"]["signature"]
    version = desk.live.version()
    for host in (desk.live, desk.preview):
        host.succeed("subscribe")
        assert host.refresh()["outcome"] == "unchanged"
        assert host.event()["changes"] == []
    assert desk.live.version() == version
    # The new signature is over the same content: whoever has nothing takes it, and so does the next diff.
    newcomer = desk.open(storage=tmp_path / "new")
    newcomer.update()
    assert (newcomer.version(), newcomer.succeed("snapshot")["verified"]) == (version, 1)
    desk.kinto.publish("banner", text="after")
    desk.live.update()
    assert records(desk.live)["banner"] == {"text": "after"}


def test_updates_that_were_missed_while_the_server_was_down_are_fetched_afterwards(desk: Desk) -> None:
    desk.kinto.put("banner", text="draft")
    desk.admin.request_review(desk.kinto.collection)
    desk.proxy.stop()
    for host in (desk.live, desk.preview):
        answer = host.refresh()
        assert (answer["status"], answer["outcome"]) == ("REMORA_ERR_NETWORK", "failed")
        assert records(host)["banner"] == {"text": "one"}
    desk.restart()
    for host in (desk.live, desk.preview):
        assert (host.origin(), records(host)["banner"]) == ("cached", {"text": "one"})
        assert host.run("sync")["status"] == "REMORA_ERR_NETWORK"
    desk.proxy.start()
    desk.preview.update()
    assert desk.live.refresh()["outcome"] == "unchanged"
    assert (records(desk.preview)["banner"], records(desk.live)["banner"]) == ({"text": "draft"}, {"text": "one"})
    desk.admin.approve(desk.kinto.collection)
    desk.live.update()
    assert records(desk.live)["banner"] == {"text": "draft"}
