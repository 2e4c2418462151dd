# SPDX-License-Identifier: Apache-2.0
#
# Both servers of static documents do the same.
"""Tests of the servers of static documents."""

from __future__ import annotations

import gzip
import http.client
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from Servers.loopback import Exchange
from Servers.static_nginx import NginxServer
from Servers.static_server import RecordingStaticServer, StaticServer

PATH = "/bundle.json"


@pytest.fixture(params=["recording", "nginx"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StaticServer]:
    with RecordingStaticServer() if request.param == "recording" else NginxServer(tmp_path / "nginx") as server:
        yield server


def get(server: StaticServer, path: str = PATH, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Status, headers by their names in lower case, and body."""
    connection = http.client.HTTPConnection(urlsplit(server.origin).netloc, timeout=10)
    connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    result = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    connection.close()
    return result


def test_the_test_server_keeps_the_etag_of_a_document_until_the_document_changes(server: StaticServer) -> None:
    server.say(b"one")
    status, headers, body = get(server)
    assert (status, body) == (200, b"one")
    assert get(server, if_none_match=headers["etag"])[0] == 304
    server.say(b"two")
    status, others, body = get(server, if_none_match=headers["etag"])
    assert (status, body) == (200, b"two")
    assert others["etag"] != headers["etag"]


def test_the_test_server_compresses_a_document_if_the_client_accepts_gzip(server: StaticServer) -> None:
    server.say(b"text " * 100)
    _, headers, body = get(server, accept_encoding="gzip")
    assert (headers["content-encoding"], gzip.decompress(body)) == ("gzip", b"text " * 100)
    assert get(server, accept_encoding="gzip", if_none_match=headers["etag"])[0] == 304
    assert server.exchanges == [Exchange("", 200, "gzip"), Exchange(headers["etag"], 304, "")]


def test_the_path_of_a_document_determines_its_cache_control_header(server: StaticServer) -> None:
    for path, said in [("/fresh/x", "max-age=600"), ("/stale/x", "max-age=0"), ("/x", None)]:
        server.say(b"{}", path)
        assert get(server, path)[1].get("cache-control") == said


def test_the_test_server_keeps_its_list_of_received_requests_across_a_restart(server: StaticServer) -> None:
    server.say(b"{}")
    get(server, f"{PATH}?q=%2F")
    server.stop()
    with pytest.raises(ConnectionRefusedError):
        get(server)
    server.start()
    assert get(server, "/nothing")[0] == 404
    server.fail()
    assert get(server)[0] == 500
    assert [one.target for one in server.requests] == [f"{PATH}?q=%2F", "/nothing", PATH]
    assert [one.status for one in server.exchanges] == [200, 404, 500]
