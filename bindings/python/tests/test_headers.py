# SPDX-License-Identifier: Apache-2.0
"""Headers that a program replaces while its client is open: a server that requires a token."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import remora
import remora.aio
from conftest import SECONDS, Attached, RunPython, attachment_of
from Servers.v2_collection import Collection
from Servers.v2_server import V2Server


class TokenServer(ThreadingHTTPServer):
    """Serves settings to requests with the right token. Refuses others, and asks them for a pause of an hour."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.token = "one"
        self.refusal = 401
        self.seen: list[str | None] = []
        self.gate = threading.Event()
        self.gate.set()
        self.arrived = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/settings.json"


class Handler(BaseHTTPRequestHandler):
    server: TokenServer

    def do_GET(self) -> None:
        token = self.headers.get("Authorization")
        self.server.seen.append(token)
        self.server.arrived.set()
        self.server.gate.wait(SECONDS)
        accepted = token == f"Bearer {self.server.token}"
        body = b'{"a": 1}' if accepted else b""
        self.send_response(200 if accepted else self.server.refusal)
        self.send_header("Content-Length", str(len(body)))
        if not accepted:
            self.send_header("Retry-After", "3600")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def tokens() -> Iterator[TokenServer]:
    with TokenServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.gate.set()
        server.shutdown()
        thread.join()


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def open_settings(client: remora.Client, server: TokenServer) -> remora.Settings:
    return client.settings(server.url, fetch_at_open=False, activation="immediate")


def test_the_next_request_has_the_renewed_token_and_a_wrong_one_gets_401(tokens: TokenServer) -> None:
    with remora.Client.in_memory(headers=bearer("one")) as client, open_settings(client, tokens) as settings:
        assert settings.refresh(SECONDS) is remora.Outcome.UPDATED
        tokens.token = "two"
        with pytest.raises(remora.HttpError) as refused:
            settings.refresh(SECONDS)
        assert refused.value.http_status == 401
        with pytest.raises(remora.BackoffError):
            settings.refresh(SECONDS)
        client.set_headers(bearer("two"))
        assert settings.info().retry_after is None
        assert settings.refresh(SECONDS) is remora.Outcome.UNCHANGED
        client.set_headers(None)
        with pytest.raises(remora.HttpError):
            settings.refresh(SECONDS)
        assert tokens.seen == ["Bearer one", "Bearer one", "Bearer two", None]


def test_a_running_request_keeps_the_token_with_which_it_started(tokens: TokenServer) -> None:
    with remora.Client.in_memory(headers=bearer("one")) as client, open_settings(client, tokens) as settings:
        tokens.gate.clear()
        outcomes: list[Any] = []
        thread = threading.Thread(target=lambda: outcomes.append(settings.refresh(SECONDS)))
        thread.start()
        assert tokens.arrived.wait(SECONDS)
        client.set_headers(bearer("two"))
        tokens.gate.set()
        thread.join()
        assert outcomes == [remora.Outcome.UPDATED] and tokens.seen == ["Bearer one"]


@pytest.mark.parametrize("status", [401, 403])
def test_the_pause_after_a_refusal_does_not_hold_for_other_clients_of_the_directory(
    tokens: TokenServer, tmp_path: Path, status: int
) -> None:
    tokens.refusal = status
    with remora.Client(tmp_path / "s", headers=bearer("wrong")) as wrong, remora.Client(
        tmp_path / "s", headers=bearer("one")
    ) as right:  # fmt: skip
        refused, allowed = open_settings(wrong, tokens), open_settings(right, tokens)
        with pytest.raises(remora.HttpError) as error:
            refused.refresh(SECONDS)
        assert error.value.http_status == status
        assert refused.info().retry_after and allowed.info().retry_after is None
        assert allowed.refresh(SECONDS) is remora.Outcome.UPDATED
        with pytest.raises(remora.BackoffError):
            refused.refresh(SECONDS)
        refused.close()
        allowed.close()


PROCESS = """
import sys, remora
url, storage, token = sys.argv[1:4]
with remora.Client(storage, headers={"Authorization": "Bearer " + token}) as client:
    with client.settings(url, fetch_at_open=False) as settings:
        try:
            print(settings.refresh(20).name)
        except remora.HttpError as error:
            print(error.http_status, settings.info().retry_after > 3000)
"""


def test_the_pause_after_a_refusal_does_not_hold_for_other_processes(
    tokens: TokenServer, run_python: RunPython, tmp_path: Path
) -> None:
    def run(token: str) -> str:
        return run_python(PROCESS, tokens.url, tmp_path / "s", token).stdout.strip()

    assert [run("wrong"), run("one")] == ["401 True", "UPDATED"]


def test_syncs_and_attachments_of_the_same_server_have_the_replaced_headers(
    client: remora.Client, source: remora.Source, attached: Attached, server: V2Server, collection: Collection
) -> None:
    attached.publish("icon", b"bytes")
    client.set_headers(bearer("two"))
    first = len(server.requests)
    client.sync(SECONDS).raise_for_failures()
    attachment_of(source).open(SECONDS).close()
    requests = server.requests[first:]
    assert {"/v2/", "monitor", "attachments"} <= {
        word for one in requests for word in ("/v2/", "monitor", "attachments") if word in one.path
    }
    assert {one.headers.get("authorization") for one in requests} == {"Bearer two"}


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"Range": "bytes=0-"}, remora.InvalidArgumentError),
        ({"A": "x\r\nB: y"}, remora.InvalidArgumentError),
        ({"A:B": "x"}, ValueError),
        ("A: B", TypeError),
        ([("A", 5)], TypeError),
    ],
)
def test_headers_that_cannot_be_used_are_refused_and_the_earlier_ones_stay(
    tokens: TokenServer, wrong: Any, error: type[Exception]
) -> None:
    with remora.Client.in_memory(headers=bearer("one")) as client, open_settings(client, tokens) as settings:
        with pytest.raises(error, match="header"):
            client.set_headers(wrong)
        assert settings.refresh(SECONDS) is remora.Outcome.UPDATED


def test_a_closed_client_accepts_no_headers(client: remora.Client) -> None:
    client.close()
    with pytest.raises(remora.ClosedError):
        client.set_headers({})


def test_a_client_of_asyncio_replaces_its_headers_too(play: Any) -> None:
    async def scene(client: remora.aio.Client, source: remora.aio.Source) -> None:
        client.set_headers(bearer("two"))
        await source.refresh(SECONDS, force=True)

    play(scene)
