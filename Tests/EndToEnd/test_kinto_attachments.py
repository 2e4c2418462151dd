# SPDX-License-Identifier: Apache-2.0
#
# Attachments against the real server: uploaded by an editor, reviewed with their records, opened
# by their ids, replaced, and read from disk once nobody serves them any more.
"""The story of an attachment on Kinto."""

from __future__ import annotations

from pathlib import Path

from EndToEnd.hosts import Hosts, KintoSource

FIRST = b"the first model\n" * 1000
SECOND = b"the second model\n" * 2000


def test_an_uploaded_attachment_can_be_opened_and_replaced_and_the_old_version_stays_readable(
    own_kinto: KintoSource, hosts: Hosts
) -> None:
    own_kinto.put("model", title="A model")
    own_kinto.attach("model", "model é.bin", FIRST)
    own_kinto.publish("plain", title="No model")
    host = hosts.updated(own_kinto)
    record = host.values()["model"]
    assert record["attachment"]["size"] == len(FIRST)
    assert host.succeed("record", "model")["fields"]["title"] == "A model"
    first = host.attachment("model")
    assert first["status"] == "REMORA_OK"
    assert Path(first["path"]).read_bytes() == FIRST
    assert host.attachment(location=record["attachment"]["location"])["path"] == first["path"]
    assert host.attachment("plain")["attachment"] is None
    host.succeed("hold")

    own_kinto.attach("model", "model.bin", SECOND)
    own_kinto.publish()
    assert host.succeed("sync")["updated"] == 1
    second = host.attachment("model")
    assert second["status"] == "REMORA_OK"
    assert Path(second["path"]).read_bytes() == SECOND
    assert host.attachment("model", held=True)["path"] == first["path"]
    assert host.end() == 0

    own_kinto.server.stop()
    own_kinto.server.files.stop()
    later = hosts.open(own_kinto)
    assert later.attachment("model")["path"] == second["path"]
    own_kinto.server.files.start()


def test_an_attachment_server_that_fails_does_not_affect_refreshes_of_the_collection(
    own_kinto: KintoSource, hosts: Hosts
) -> None:
    own_kinto.put("model", title="A model")
    own_kinto.attach("model", "model.bin", FIRST)
    own_kinto.publish()
    host = hosts.updated(own_kinto)
    own_kinto.server.files.failing_status = 503
    failed = host.attachment("model")
    assert (failed["status"], failed["http_status"]) == ("REMORA_ERR_HTTP", 503)
    own_kinto.server.files.failing_status = None
    assert host.attachment("model")["status"] == "REMORA_OK"
