# SPDX-License-Identifier: Apache-2.0
"""remora.testing: a server in memory and a clock."""

from __future__ import annotations

import asyncio
import queue
import re
import runpy
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import remora
import remora.aio
from conftest import SECONDS
from remora.testing import Clock, Server
from Servers.waiting import wait_until

pytest_plugins = ["remora_pytest"]

ROOT = Path(__file__).resolve().parents[3]


def client_of(server: Server, clock: Clock | None = None, **options: Any) -> remora.Client:
    return remora.Client.in_memory(server=server.url, transport=server, clock=clock, **options)


def run_pytest(folder: Path, program: str) -> str:
    """Runs a file of tests of a host in a new process, and returns the output."""
    (folder / "test_host.py").write_text(program, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "remora_pytest", "-p", "no:cacheprovider", "test_host.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False).stdout


def test_a_client_fetches_records_that_were_published_on_the_test_server(remora_server: Server) -> None:
    with client_of(remora_server) as client:
        limits = client.collection("limits", trust="off")
        with pytest.raises(remora.HttpError, match="404"):
            limits.refresh()
        assert remora_server.publish("limits", {"uploads": {"max": 5}}) == 1000
        assert limits.refresh() is remora.Outcome.UPDATED
        assert limits["uploads"] == {"id": "uploads", "last_modified": 1000, "max": 5}
        assert limits.refresh() is remora.Outcome.UNCHANGED
        with pytest.raises(ValueError, match="timestamp must be greater than 1000"):
            remora_server.publish("limits", {}, timestamp=1000)
        assert remora_server.publish("limits", {"downloads": {"max": 6}}) == 2000
        assert limits.refresh() is remora.Outcome.UPDATED
        assert list(limits) == ["downloads"]


def test_a_sync_fetches_only_the_collections_that_changed_on_the_test_server(remora_server: Server) -> None:
    remora_server.publish("a", {"x": {"n": 1}})
    remora_server.publish("b", {"x": {"n": 2}})
    with client_of(remora_server) as client:
        a, b = (client.collection(name, trust="off") for name in "ab")
        assert client.sync().updated == 2
        assert (a.get_int("x", "/n"), b.get_int("x", "/n")) == (1, 2)
        remora_server.publish("b", {"x": {"n": 3}})
        count = len(remora_server.requests)
        assert client.sync().unchanged == 1
        assert b.get_int("x", "/n") == 3
        assert all("/collections/a/" not in url for url in remora_server.requests[count:])


def test_the_test_server_serves_a_settings_document_at_a_url(remora_server: Server) -> None:
    remora_server.publish_document("https://settings.test/app", {"settings": {"banner": {"text": "Hi"}}})
    with client_of(remora_server) as client:
        settings = client.settings("https://settings.test/app", root_key="settings", activation="immediate")
        settings.refresh()
        assert settings["banner"] == {"text": "Hi"}


def test_the_test_server_can_fail_a_request_and_the_test_clock_can_end_the_retry_after_time(
    remora_server: Server, remora_clock: Clock
) -> None:
    remora_server.publish("limits", {"uploads": {"max": 5}})
    with client_of(remora_server, remora_clock) as client:
        limits = client.collection("limits", trust="off")
        remora_server.fail_next(503, retry_after=30)
        with pytest.raises(remora.HttpError) as caught:
            limits.refresh()
        assert (caught.value.http_status, caught.value.retry_after) == (503, 30)
        with pytest.raises(remora.BackoffError):
            limits.refresh()
        remora_clock.advance(30)
        assert limits.refresh() is remora.Outcome.UPDATED


@pytest.mark.parametrize("status", [0, 199, 600])
def test_the_test_server_refuses_to_fail_with_a_number_that_is_not_an_http_status(
    status: int, remora_server: Server
) -> None:
    with pytest.raises(ValueError, match=f"^status must be from 200 to 599, not {status}$"):
        remora_server.fail_next(status)


def test_the_test_server_ignores_that_a_request_was_cancelled_before_its_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class LateServer(Server):
        def _answer(self, url: str) -> Any:
            assert started.wait(30)
            pending.cancel()
            return super()._answer(url)

    ignored: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", ignored.append)
    started, ended, server = threading.Event(), threading.Event(), LateServer()
    server.publish("limits", {"uploads": {"max": 5}})
    with client_of(server) as client:
        limits = client.collection("limits", trust="off")
        pending = limits.refresh_async(lambda *_: ended.set())
        started.set()
        assert ended.wait(30)
    assert ignored == []


def test_while_the_test_server_is_down_the_client_keeps_its_data(remora_server: Server) -> None:
    remora_server.publish("limits", {"uploads": {"max": 5}})
    with client_of(remora_server) as client:
        limits = client.collection("limits", trust="off")
        limits.refresh()
        remora_server.down()
        with pytest.raises(remora.NetworkError, match="down"):
            limits.refresh()
        assert limits.get_int("uploads", "/max") == 5
        remora_server.up()
        assert limits.refresh() is remora.Outcome.UNCHANGED


def test_a_periodic_refresh_runs_when_the_test_clock_is_advanced(remora_server: Server, remora_clock: Clock) -> None:
    seen: queue.Queue[int] = queue.Queue()
    remora_server.publish("limits", {"uploads": {"max": 5}})
    with client_of(remora_server, remora_clock) as client:
        limits = client.collection("limits", trust="off", refresh_interval=3600)
        limits.refresh()
        subscription = limits.subscribe(lambda event: seen.put(event.version))
        version = remora_server.publish("limits", {"uploads": {"max": 6}})
        remora_clock.advance(3600)
        assert seen.get(timeout=SECONDS) == version
        subscription.close()


class Silent(Server):
    """Receives requests and never answers."""

    def _receive(self, request: int, address: bytes) -> None:
        with self._lock:
            self._requests.append(address.decode())


def test_a_waiting_call_times_out_when_the_test_clock_is_advanced(remora_clock: Clock) -> None:
    server, errors = Silent(), queue.Queue[BaseException]()
    with client_of(server, remora_clock) as client:
        limits = client.collection("limits", trust="off")

        def refresh() -> None:
            try:
                limits.refresh(timeout=60)
            except remora.Error as error:
                errors.put(error)

        thread = threading.Thread(target=refresh)
        thread.start()
        wait_until(lambda: len(server.requests) == 1, "a request")
        remora_clock.advance(59)
        assert errors.empty()
        remora_clock.advance(1)
        assert isinstance(errors.get(timeout=SECONDS), remora.TimeoutError)
        thread.join()


def test_the_asyncio_client_accepts_the_test_server_and_the_test_clock(
    remora_server: Server, remora_clock: Clock
) -> None:
    async def scene() -> int:
        async with remora.aio.Client.in_memory(
            server=remora_server.url, transport=remora_server, clock=remora_clock
        ) as client:
            limits = client.collection("limits", trust="off")
            await limits.refresh()
            return limits.get_int("uploads", "/max", default=0)

    remora_server.publish("limits", {"uploads": {"max": 5}})
    assert asyncio.run(scene()) == 5


def test_the_test_clock_cannot_be_set_back(remora_clock: Clock) -> None:
    before = remora_clock.now
    with pytest.raises(ValueError, match="negative"):
        remora_clock.advance(-1)
    remora_clock.advance(0.5)
    assert remora_clock.now == before + 0.5


@pytest.mark.parametrize("option", ["transport", "clock"])
def test_a_client_refuses_a_transport_or_clock_that_is_not_of_the_test_kit(option: str) -> None:
    with pytest.raises(TypeError, match=f"{option} must be an object of remora.testing, not int"):
        remora.Client.in_memory(**{option: 5})  # type: ignore[arg-type]


def test_the_test_server_refuses_values_that_json_cannot_represent(remora_server: Server) -> None:
    with pytest.raises(TypeError):
        remora_server.publish("limits", {"uploads": {"max": object()}})
    with pytest.raises(TypeError):
        remora_server.publish_document("https://settings.test/app", {"a": object()})


def test_the_quickstart_prints_the_value_that_the_test_server_publishes(
    remora_server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Tested(remora.Client):
        def __init__(self, storage_dir: str, **options: Any) -> None:
            super().__init__(storage_dir, transport=remora_server, **options)

    remora_server.publish("demo", {"banner": {"per_day": 20}})
    monkeypatch.setattr(remora, "Client", Tested)
    monkeypatch.setattr(sys, "argv", ["quickstart.py", remora_server.url, "demo", "banner", "/per_day"])
    runpy.run_path(str(ROOT / "examples/python/quickstart.py"), run_name="__main__")
    assert capsys.readouterr().out == "/per_day = 20\n"


def test_the_pytest_plugin_imports_the_package_only_when_a_fixture_is_used(tmp_path: Path) -> None:
    program = "import sys, remora_pytest; sys.exit('remora' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], timeout=60, check=False).returncode == 0
    assert (ROOT / "bindings/python/pyproject.toml").read_text().count('\nremora = "remora_pytest"\n') == 1
    program = "def test_host(remora_server, remora_clock):\n    assert remora_server.requests == []\n"
    assert "1 passed" in run_pytest(tmp_path, program)


def test_the_python_tests_in_the_testing_guide_pass(tmp_path: Path) -> None:
    page = (ROOT / "docs/testing.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert "2 passed" in run_pytest(tmp_path, "\n\n".join(examples))
