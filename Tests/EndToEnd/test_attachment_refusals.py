# SPDX-License-Identifier: Apache-2.0
#
# Attachments through the built library: nothing is opened that is not what its record says, whatever the server sends.
"""Refused attachments of the /v2 server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from EndToEnd.attachment_files import LARGE, SMALL, attached, files
from EndToEnd.hosts import Hosts, V2Source
from Servers import v2_faults
from Servers.v2_faults import Fault
from Servers.v2_server import ATTACHMENT, ROOT


@pytest.mark.parametrize(
    ("claims", "status"),
    [
        ({"hash": "0" * 64}, "REMORA_ERR_ATTACHMENT_MISMATCH"),
        ({"size": len(SMALL) - 1}, "REMORA_ERR_ATTACHMENT_MISMATCH"),
        ({"size": len(SMALL) + 1}, "REMORA_ERR_ATTACHMENT_MISMATCH"),
        ({"size": -1}, "REMORA_ERR_FORMAT"),
        ({"size": 1 << 40}, "REMORA_ERR_TOO_LARGE"),
        ({"location": None}, "REMORA_ERR_FORMAT"),
        ({"location": "../secret"}, "REMORA_ERR_FORMAT"),
    ],
)
def test_an_attachment_whose_record_has_a_wrong_hash_size_or_location_is_not_opened(
    v2: V2Source, hosts: Hosts, claims: dict[str, object], status: str
) -> None:
    v2.publish_attached("a", SMALL, **claims)
    host = hosts.updated(v2)
    before = v2.server.count(ATTACHMENT)
    opened = host.attachment("a")
    assert opened["status"] == status
    if status == "REMORA_ERR_FORMAT":
        assert f"attachment.{next(iter(claims))} of record a" in opened["message"]
    assert files(hosts) == []
    assert (v2.server.count(ATTACHMENT) == before) == (status != "REMORA_ERR_ATTACHMENT_MISMATCH")
    # None also where the response was truncated, because it had more bytes than the record says.
    is_whole = status == "REMORA_ERR_ATTACHMENT_MISMATCH" and claims.get("size") != len(SMALL) - 1
    assert opened["http_status"] == (200 if is_whole else None)


@pytest.mark.parametrize(
    "lie",
    [
        lambda body: body[::-1],
        lambda body: body + b"x" * (1 << 20),
        lambda body: body[:-1],
        lambda body: b"",
    ],
    ids=["other", "more", "fewer", "none"],
)
def test_an_attachment_that_does_not_match_its_record_is_not_opened(
    v2: V2Source, hosts: Hosts, lie: Callable[[bytes], bytes]
) -> None:
    host = attached(v2, hosts, LARGE)
    v2.server.set_fault(ATTACHMENT, Fault(respond=lambda _, honest: replace(honest, body=lie(honest.body))))
    assert host.attachment("a")["status"] == "REMORA_ERR_ATTACHMENT_MISMATCH"
    assert files(hosts) == []
    v2.server.clear_faults()
    assert host.attachment("a")["status"] == "REMORA_OK"


def test_the_download_of_an_attachment_with_an_endless_body_is_stopped(v2: V2Source, hosts: Hosts) -> None:
    host = attached(v2, hosts, LARGE)
    v2.server.set_fault(ATTACHMENT, v2_faults.endless())
    assert host.attachment("a")["status"] == "REMORA_ERR_ATTACHMENT_MISMATCH"
    assert files(hosts) == []


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        (v2_faults.status(404), "REMORA_ERR_HTTP"),
        (v2_faults.redirect("https://127.0.0.1:1/elsewhere"), "REMORA_ERR_REDIRECT"),
        (v2_faults.redirect_loop(), "REMORA_ERR_REDIRECT"),
        (v2_faults.gzip_bomb(), "REMORA_ERR_NETWORK"),
    ],
)
def test_a_failed_download_of_an_attachment_returns_the_error_status_for_its_cause(
    v2: V2Source, hosts: Hosts, fault: Fault, status: str
) -> None:
    host = attached(v2, hosts, SMALL)
    v2.server.set_fault(ATTACHMENT, fault)
    assert host.attachment("a")["status"] == status


def test_an_attachment_is_not_opened_if_the_servers_base_url_contains_a_user_name(v2: V2Source, hosts: Hosts) -> None:
    host = attached(v2, hosts, SMALL)
    v2.server.set_fault(
        ROOT, v2_faults.body('{"capabilities":{"attachments":{"base_url":"http://user@127.0.0.1:1/"}}}')
    )
    assert host.attachment("a")["status"] == "REMORA_ERR_FORMAT"


def test_opening_an_attachment_fails_without_a_request_after_a_503_response_with_retry_after(
    v2: V2Source, hosts: Hosts
) -> None:
    host = attached(v2, hosts, SMALL)
    v2.server.set_fault(ROOT, v2_faults.status(503, retry_after="30"), times=1)
    assert host.attachment("a")["status"] == "REMORA_ERR_HTTP"
    refused = host.attachment("a")
    assert refused["status"] == "REMORA_ERR_BACKOFF"
    assert 0 < refused["retry_after"] <= 30
    assert v2.attachment_requests("a") == []
