# SPDX-License-Identifier: Apache-2.0
#
# The /v2 server speaks as Mozilla's does, signs what openssl verifies, and each fault
# does the one harm that it names. A fault that does nothing would prove nothing later.
"""Tests of the /v2 server."""

from __future__ import annotations

import gzip
import hashlib
import http.client
import json
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from Servers import v2_faults, v2_lies
from Servers.pki import Pki, make_pki
from Servers.signing import Signer, verifies
from Servers.v2_server import CHAIN, CHANGESET, V2Server


@pytest.fixture(scope="module")
def pki(tmp_path_factory: pytest.TempPathFactory) -> Pki:
    return make_pki(tmp_path_factory.mktemp("pki"))


@pytest.fixture
def server(pki: Pki) -> Iterator[V2Server]:
    with V2Server(pki) as running:
        running.collection("c").publish({"a": {"n": 1}, "b": {"u": "é😀", "d": 1.5}})
        yield running


def url(server: V2Server, query: str = "") -> str:
    return f"{server.url}/buckets/main/collections/c/changeset?_expected=0{query}"


def get(address: str, headers: dict[str, str] | None = None, timeout: float = 5) -> http.client.HTTPResponse:
    response = urllib.request.urlopen(urllib.request.Request(address, headers=headers or {}), timeout=timeout)
    assert isinstance(response, http.client.HTTPResponse)
    return response


def document(server: V2Server, query: str = "") -> dict[str, Any]:
    with get(url(server, query)) as response:
        loaded: dict[str, Any] = json.load(response)
    return loaded


def is_genuine(answer: dict[str, Any], pki: Pki) -> bool:
    signature = answer["metadata"]["signatures"][0]["signature"]
    return verifies(signature, answer["changes"], answer["timestamp"], pki.chain_pem)


def test_a_full_changeset_has_a_valid_signature_and_its_x5u_url_serves_the_certificate_chain(
    server: V2Server, pki: Pki
) -> None:
    answer = document(server)
    assert is_genuine(answer, pki)
    assert answer["metadata"]["bucket"] == "main"
    assert get(answer["metadata"]["signature"]["x5u"]).read().decode() == pki.chain_pem


def test_a_diff_contains_changed_records_and_its_tombstones_have_no_last_modified(server: V2Server) -> None:
    since = server.collection("c").timestamp
    server.collection("c").publish({"new": {}})
    server.collection("c").delete("a")
    changes = document(server, f"&_since={since}")["changes"]
    assert [record["id"] for record in changes] == ["new", "a"]
    assert changes[1] == {"id": "a", "deleted": True}


def test_a_request_with_an_unknown_since_parameter_is_redirected_to_the_url_without_it(server: V2Server) -> None:
    connection = http.client.HTTPConnection(server.url.split("/")[2])
    connection.request("GET", "/v2/buckets/main/collections/c/changeset?_expected=7&_since=1")
    answer = connection.getresponse()
    assert answer.status == 307
    assert answer.headers["Location"] == f"{server.url}/buckets/main/collections/c/changeset?_expected=7"


def test_a_request_with_since_in_quotes_gets_status_422(server: V2Server) -> None:
    with pytest.raises(urllib.error.HTTPError, match="422"):
        document(server, "&_since=%221%22")


def test_a_request_with_an_expected_timestamp_below_the_since_parameter_gets_status_400(server: V2Server) -> None:
    since = server.collection("c").timestamp
    address = url(server, f"&_since={since}")
    for expected in (0, since, since + 1):
        assert get(address.replace("_expected=0", f"_expected={expected}")).status == 200
    with pytest.raises(urllib.error.HTTPError, match="400"):
        get(address.replace("_expected=0", f"_expected={since - 1}"))


def test_a_request_with_the_last_etag_gets_304_until_the_collection_is_signed_again(server: V2Server) -> None:
    etag = get(url(server)).headers["ETag"]
    with pytest.raises(urllib.error.HTTPError, match="304"):
        get(url(server), {"If-None-Match": etag})
    server.collection("c").re_sign()
    assert get(url(server), {"If-None-Match": etag}).status == 200


def test_the_test_server_compresses_a_response_if_the_client_accepts_gzip(server: V2Server) -> None:
    answer = get(url(server), {"Accept-Encoding": "gzip"})
    assert answer.headers["Content-Encoding"] == "gzip"
    assert json.loads(gzip.decompress(answer.read())) == document(server)


def test_signing_a_collection_again_keeps_its_timestamp_and_changes_its_signature(server: V2Server, pki: Pki) -> None:
    before = document(server)
    server.collection("c").re_sign()
    after = document(server)
    assert after["timestamp"] == before["timestamp"]
    assert after["metadata"]["signature"]["signature"] != before["metadata"]["signature"]["signature"]
    assert is_genuine(after, pki)


def test_the_servers_list_of_collections_contains_their_timestamps(server: V2Server) -> None:
    answer = json.load(get(f"{server.url}/buckets/monitor/collections/changes/changeset?_expected=0"))
    assert answer["timestamp"] == answer["changes"][0]["last_modified"] == server.collection("c").timestamp


def test_a_test_server_without_a_signing_key_sends_no_signatures() -> None:
    with V2Server(None) as server:
        server.collection("c").publish({"a": {}})
        assert "signatures" not in document(server)["metadata"]


def test_the_test_server_serves_a_whole_attachment_or_a_range_of_its_bytes(server: V2Server) -> None:
    server.attachments["main/a b.bin"] = b"0123456789"
    base = json.load(get(f"{server.url}/"))["capabilities"]["attachments"]["base_url"]
    assert get(f"{base}main/a%20b.bin").read() == b"0123456789"
    rest = get(f"{base}main/a%20b.bin", {"Range": "bytes=7-"})
    assert (rest.status, rest.headers["Content-Range"], rest.read()) == (206, "bytes 7-9/10", b"789")
    with pytest.raises(urllib.error.HTTPError, match="416"):
        get(f"{base}main/a%20b.bin", {"Range": "bytes=10-"})
    with pytest.raises(urllib.error.HTTPError, match="404"):
        get(f"{base}main/b.bin")


def test_the_record_of_an_attachment_on_the_test_server_states_its_location_size_hash_file_name_and_mime_type(
    server: V2Server,
) -> None:
    member = server.attachments.add(b"0123456789", "main/c/é.bin", "text/plain")
    base = json.load(get(f"{server.url}/"))["capabilities"]["attachments"]["base_url"]
    content = get(base + quote(member["location"])).read()
    assert (len(content), hashlib.sha256(content).hexdigest()) == (member["size"], member["hash"])
    assert (member["filename"], member["mimetype"]) == ("é.bin", "text/plain")


def test_the_test_server_counts_the_requests_for_each_route(server: V2Server) -> None:
    document(server)
    document(server)
    assert (server.count(CHANGESET), server.count(CHAIN)) == (2, 0)


def test_a_stopped_test_server_refuses_connections_and_restarts_with_the_same_data(server: V2Server) -> None:
    before = document(server)
    server.stop()
    with pytest.raises(urllib.error.URLError, match="refused"):
        document(server)
    server.start()
    assert document(server) == before


@pytest.mark.parametrize("fault", [v2_faults.hang(), v2_faults.stall()], ids=["hang", "stall"])
def test_a_client_times_out_if_the_test_server_simulates_a_hang_or_a_stall(
    server: V2Server, fault: v2_faults.Fault
) -> None:
    server.set_fault(CHANGESET, fault)
    with pytest.raises(TimeoutError):
        get(url(server), timeout=0.2).read()


def test_the_test_server_can_close_the_connection_within_a_body(server: V2Server) -> None:
    server.set_fault(CHANGESET, v2_faults.close(at=5))
    with pytest.raises(http.client.IncompleteRead):
        get(url(server)).read()


def test_the_test_server_can_truncate_a_body_so_that_it_looks_complete(server: V2Server) -> None:
    server.set_fault(CHANGESET, v2_faults.truncate(at=5))
    assert len(get(url(server)).read()) == 5


def test_the_test_server_simulates_a_fault_for_the_requested_number_of_responses(server: V2Server) -> None:
    server.set_fault(CHANGESET, v2_faults.status(503, retry_after="3"), times=1)
    with pytest.raises(urllib.error.HTTPError, match="503") as raised:
        document(server)
    assert raised.value.headers["Retry-After"] == "3"
    assert document(server)


@pytest.mark.parametrize("fault", [v2_faults.gzip_bomb(), v2_faults.endless()], ids=["gzip bomb", "endless"])
def test_the_test_server_streams_a_huge_or_endless_body_in_chunks(server: V2Server, fault: v2_faults.Fault) -> None:
    server.set_fault(CHANGESET, fault)
    with get(url(server)) as answer:
        assert answer.headers["Transfer-Encoding"] == "chunked"
        assert len(answer.read(200_000)) == 200_000


def test_the_test_server_can_send_a_redirect_loop_and_a_redirect_to_another_server(server: V2Server) -> None:
    server.set_fault(CHANGESET, v2_faults.redirect_loop())
    with pytest.raises(urllib.error.HTTPError, match="infinite loop"):
        document(server)
    with socket.create_server(("127.0.0.1", 0)) as other:
        location = f"http://127.0.0.1:{other.getsockname()[1]}/elsewhere"
        server.set_fault(CHANGESET, v2_faults.redirect(location))
        connection = http.client.HTTPConnection(server.url.split("/")[2])
        connection.request("GET", "/v2/buckets/main/collections/c/changeset?_expected=0")
        assert connection.getresponse().headers["Location"] == location


@pytest.mark.parametrize("fault", [v2_lies.forged_record(), v2_lies.forged_timestamp()], ids=["record", "timestamp"])
def test_the_signature_of_a_forged_record_or_timestamp_is_invalid(
    server: V2Server, pki: Pki, fault: v2_faults.Fault
) -> None:
    server.set_fault(CHANGESET, fault)
    assert not is_genuine(document(server), pki)


def test_the_test_server_can_confirm_a_version_by_an_empty_diff_without_a_signature(server: V2Server) -> None:
    server.set_fault(CHANGESET, v2_lies.unsigned_empty_diff(7))
    metadata = {"bucket": "main", "id": "c"}
    assert document(server) == {"timestamp": 7, "metadata": metadata, "changes": []}


def test_a_signature_by_another_key_is_invalid(server: V2Server, pki: Pki, tmp_path: Path) -> None:
    server.set_fault(CHANGESET, v2_lies.wrong_signature(Signer(make_pki(tmp_path).leaf_key)))
    assert not is_genuine(document(server), pki)


def test_if_the_test_server_simulates_a_malicious_server_its_old_or_conflicting_or_future_content_has_valid_signatures(
    server: V2Server, pki: Pki
) -> None:
    collection = server.collection("c")
    honest = document(server)
    for lie in (v2_lies.replay(0), v2_lies.equivocate(), v2_lies.future()):
        server.set_fault(CHANGESET, lie)
        answer = document(server, f"&_since={collection.timestamp}")
        assert is_genuine(answer, pki)
        assert (answer["timestamp"], answer["changes"]) != (honest["timestamp"], honest["changes"])
