# SPDX-License-Identifier: Apache-2.0
#
# Harm on the wire: statuses, redirects, bombs, stalls and cuts. The answer has a name,
# comes in time, and the last good data stay.
"""Faults of the transport."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from email.utils import formatdate

import pytest

from EndToEnd.driver import Driver
from EndToEnd.host import LIMIT
from EndToEnd.hosts import Hosts, V2Source, without_metadata
from Servers import v2_faults
from Servers.loopback import LoopbackServer, Request, Response
from Servers.v2_faults import Fault
from Servers.v2_server import CHANGESET

LIMITS: dict[str, object] = {"stall_timeout": 1.0, "total_timeout": 8.0, "max_body_bytes": 1 << 20}

FAULTS = {
    "status 500": (v2_faults.status(500), "REMORA_ERR_HTTP", "failed"),
    "status 404": (v2_faults.status(404), "REMORA_ERR_HTTP", "failed"),
    "redirect loop": (v2_faults.redirect_loop(), "REMORA_ERR_REDIRECT", "failed"),
    "connection closed in the body": (v2_faults.close(), "REMORA_ERR_NETWORK", "failed"),
    "stall in the body": (v2_faults.stall(), "REMORA_ERR_NETWORK", "failed"),
    "no answer at all": (v2_faults.hang(), "REMORA_ERR_NETWORK", "failed"),
    "gzip bomb": (v2_faults.gzip_bomb(), "REMORA_ERR_TOO_LARGE", None),
    "endless body": (v2_faults.endless(), "REMORA_ERR_TOO_LARGE", None),
    "not JSON": (v2_faults.body("nonsense"), "REMORA_ERR_PARSE", None),
    "JSON of another shape": (v2_faults.body("[]"), "REMORA_ERR_FORMAT", None),
    "empty body": (v2_faults.body(""), "REMORA_ERR_PARSE", None),
}


def opened(v2: V2Source, hosts: Hosts) -> Driver:
    """A host with good data and tight limits."""
    host = hosts.published(v2, setup=LIMITS)
    v2.publish("a", n=2)
    return host


@pytest.mark.parametrize("name", FAULTS)
def test_each_network_fault_has_a_specific_error_and_no_data_is_lost(v2: V2Source, hosts: Hosts, name: str) -> None:
    fault, status, outcome = FAULTS[name]
    host = opened(v2, hosts)
    v2.server.set_fault(CHANGESET, fault)
    answer = host.refresh()
    assert answer["status"] == status
    assert answer["outcome"] in ([outcome] if outcome else ["failed", "refused"])
    assert answer["elapsed_ms"] < 15_000
    assert host.values()["a"]["n"] == 1
    v2.server.clear_faults()
    host.update()
    assert host.values()["a"]["n"] == 2


def test_a_refresh_whose_transfer_stalls_ends_at_the_stall_timeout(v2: V2Source, hosts: Hosts) -> None:
    host = opened(v2, hosts)
    v2.server.set_fault(CHANGESET, v2_faults.stall())
    assert 900 <= host.refresh()["elapsed_ms"] < 4000


def test_a_request_for_a_collection_does_not_follow_a_redirect_to_another_server(v2: V2Source, hosts: Hosts) -> None:
    asked: list[Request] = []

    def remember(request: Request) -> Response:
        asked.append(request)
        return Response(status=404)

    host = opened(v2, hosts)
    with LoopbackServer(remember) as other:
        v2.server.set_fault(CHANGESET, v2_faults.redirect(f"{other.origin}/v2/elsewhere"))
        assert host.run("refresh", LIMIT)["status"] == "REMORA_ERR_REDIRECT"
    assert asked == []
    assert host.values()["a"]["n"] == 1


def test_a_client_recovers_after_its_server_stopped_and_restarted(v2: V2Source, hosts: Hosts) -> None:
    host = opened(v2, hosts)
    v2.server.stop()
    answer = host.refresh()
    assert (answer["status"], answer["outcome"]) == ("REMORA_ERR_NETWORK", "failed")
    v2.server.start()
    host.update()
    assert host.values()["a"]["n"] == 2


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_the_retry_after_header_of_a_response_is_obeyed_by_the_next_process(
    unsigned: V2Source, hosts: Hosts, form: str
) -> None:
    retry_after = "3600" if form == "seconds" else formatdate(time.time() + 3600, usegmt=True)
    unsigned.server.set_fault(CHANGESET, v2_faults.status(503, retry_after=retry_after), times=1)
    host = hosts.open(unsigned, trust="off")
    answer = host.refresh()
    assert (answer["status"], answer["http_status"]) == ("REMORA_ERR_HTTP", 503)
    assert 3500 < answer["retry_after"] <= 3600
    successor = hosts.open(unsigned, trust="off", after=host)
    assert successor.run("refresh", LIMIT)["status"] == "REMORA_ERR_BACKOFF"
    assert unsigned.server.count(CHANGESET) == 1
    successor.succeed("begin_refresh", force=True)
    assert successor.completion()["outcome"] == "updated"


def test_the_backoff_header_of_a_valid_response_is_obeyed(unsigned: V2Source, hosts: Hosts) -> None:
    unsigned.server.set_fault(CHANGESET, v2_faults.backoff(3600))
    host = hosts.updated(unsigned, trust="off")
    answer = host.refresh()
    assert (answer["status"], unsigned.server.count(CHANGESET)) == ("REMORA_ERR_BACKOFF", 1)
    assert host.succeed("info")["retry_after"] > 0


def test_a_body_that_is_truncated_at_any_byte_changes_nothing(unsigned: V2Source, hosts: Hosts) -> None:
    host = hosts.updated(unsigned, trust="off")
    unsigned.publish("a", n=2)
    text = json.dumps(unsigned.content.changeset(None))
    for length in range(len(text)):
        unsigned.server.set_fault(CHANGESET, v2_faults.body(text[:length]))
        assert host.run("refresh", LIMIT)["status"] == "REMORA_ERR_PARSE", text[:length]
        assert without_metadata(host.values()) == {"a": {"n": 1}}
    unsigned.server.clear_faults()
    host.update()


@pytest.mark.parametrize("cut", [v2_faults.truncate, v2_faults.close], ids=["said to be whole", "connection closed"])
def test_a_compressed_signed_body_that_is_truncated_at_any_byte_is_never_accepted_in_part(
    v2: V2Source, hosts: Hosts, cut: Callable[[int], Fault]
) -> None:
    host = hosts.published(v2)
    v2.publish("a", n=2)
    for length in range(0, 700):
        v2.server.set_fault(CHANGESET, cut(length))
        accepted = host.run("refresh", LIMIT)["status"] == "REMORA_OK"
        assert without_metadata(host.values()) == {"a": {"n": 2 if accepted else 1}}, length
        if accepted:
            break
    v2.server.clear_faults()
    host.refresh()
    assert without_metadata(host.values()) == {"a": {"n": 2}}


def test_a_large_signed_response_that_is_lost_while_it_is_decoded_changes_nothing(v2: V2Source, hosts: Hosts) -> None:
    host = hosts.published(v2)
    # Compressed, these records have more than 500 KB.
    v2.content.publish({f"record-{n}": {"v": hashlib.shake_128(str(n).encode()).hexdigest(150)} for n in range(3000)})
    for sent in range(30_000, 500_000, 47_000):
        v2.server.set_fault(CHANGESET, v2_faults.close(sent))
        assert host.run("refresh", LIMIT)["status"] == "REMORA_ERR_NETWORK", sent
        assert without_metadata(host.values()) == {"a": {"n": 1}}, sent
    v2.server.clear_faults()
    host.update()
    assert len(host.values()) == 3001
