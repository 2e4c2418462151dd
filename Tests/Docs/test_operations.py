# SPDX-License-Identifier: Apache-2.0
#
# The guide for those who run hosts: its commands beside its host, and each recipe with a host of its own.
"""Tests of docs/operations.md."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import remora
from prometheus_client.openmetrics import parser
from Servers.v2_collection import Collection
from Servers.v2_server import V2Server
from Servers.waiting import wait_until

from Docs.documents import ROOT, Block, blocks
from Docs.test_tool import timeless

PAGE = ROOT / "docs" / "operations.md"


@pytest.fixture
def server() -> Iterator[V2Server]:
    with V2Server(None) as running:
        yield running


@pytest.fixture
def limits(server: V2Server) -> Collection:
    collection = server.collection("limits")
    collection.publish({"uploads": {"max": 20}, "banner": {}})
    return collection


def with_words(*words: str) -> list[Block]:
    return [block for block in blocks(PAGE) if block.words == words]


def constant(text: str) -> str:
    """A text with the same times, files and port everywhere."""
    text = re.sub(r"\d+ seconds? ago", "AGO", timeless(text))
    return re.sub(r"127\.0\.0\.1:\d+|\b[0-9a-f]{32}\b", "X", text)


def recipe(name: str) -> dict[str, Any]:
    """The functions of a recipe."""
    (block,) = with_words("python", name)
    module: dict[str, Any] = {}
    exec(compile(block.text, str(PAGE), "exec"), module)  # noqa: S102
    return module


def shell(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": f"{ROOT / 'build'}:{os.environ['PATH']}"}
    return subprocess.run(
        ["sh", "-eu", "-c", text], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, check=False,
    )  # fmt: skip


def test_the_commands_of_the_guide_print_what_it_shows_beside_its_host(
    server: V2Server, limits: Collection, tmp_path: Path
) -> None:
    (program,) = with_words("python", "host")
    (tmp_path / "host.py").write_text(program.text)
    command = [sys.executable, str(tmp_path / "host.py"), server.url, str(tmp_path / "storage")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as host:
        assert host.stdin is not None and host.stdout is not None and host.stdout.readline() == "ready\n"
        *present, change = with_words("sh")
        for block in present:
            compare(block, tmp_path)
        limits.publish({"uploads": {"max": 30}})
        host.communicate("\n", timeout=60)
    compare(change, tmp_path)
    (check,) = with_words("sh", "check")
    assert shell(check.text, tmp_path).stdout == "ok: 1 sources\n"
    late = check.text.replace("> 3600", "> -1")
    assert shell(late, tmp_path).returncode == 1 and shell(late, tmp_path).stdout == "late: main/limits\n"


def compare(block: Block, folder: Path) -> None:
    """Runs a block whose output is the block that follows it."""
    (expected,) = [other for other in blocks(PAGE) if other.number == block.number + 1]
    done = shell(block.text, folder)
    assert expected.words == ("text",) and done.returncode == 0, done.stdout
    assert sorted(constant(done.stdout).splitlines()) == sorted(constant(expected.text).splitlines())


def test_the_metrics_of_the_guide_are_open_metrics_and_report_a_failure(
    server: V2Server, limits: Collection, tmp_path: Path
) -> None:
    metrics = recipe("metrics")["metrics"]
    with remora.Client(tmp_path / "storage", server=server.url) as client:
        source = client.collection("limits", trust="off")
        source.refresh(30)
        server.stop()
        with pytest.raises(remora.NetworkError):
            source.refresh(30)
        read: Any = parser.text_string_to_metric_families
        families = {family.name: family for family in read(metrics({"limits": source}))}
    numbers = {name: [sample.value for sample in family.samples] for name, family in families.items()}
    assert numbers["remora_version"] == [limits.timestamp]
    assert numbers["remora_failing"] == [1] and numbers["remora_pending"] == [0]
    assert 0 <= numbers["remora_age_seconds"][0] < 60
    assert families["remora_origin"].type == "stateset" and numbers["remora_origin"] == [0, 0, 0, 0, 1]


def test_the_validation_of_the_guide_activates_only_usable_data(
    server: V2Server, limits: Collection, tmp_path: Path
) -> None:
    with remora.Client(tmp_path / "storage", server=server.url) as client:
        source = client.collection("limits", trust="off", activation="manual")
        subscription = recipe("validation")["activate_usable"](source)
        source.refresh(30)
        wait_until(lambda: source.get_int("uploads", "/max") == 20, "the activation")
        limits.publish({"uploads": {"max": 0}})
        assert source.refresh(30) == remora.Outcome.STAGED
        limits.publish({"uploads": {"max": 30}})
        assert source.refresh(30) == remora.Outcome.STAGED
        wait_until(lambda: source.get_int("uploads", "/max") == 30, "the activation")
        subscription.close()


def test_the_push_recipe_of_the_guide_refreshes_once_with_the_version_of_the_message(
    server: V2Server, limits: Collection, tmp_path: Path
) -> None:
    arrived = threading.Event()
    with remora.Client(tmp_path / "storage", server=server.url) as client:
        source = client.collection("limits", trust="off")
        subscription = source.subscribe(lambda event: arrived.set() if event.version == limits.timestamp else None)
        timer = recipe("push")["refresh_soon"](source, limits.timestamp, spread=0.01)
        assert arrived.wait(30)
        timer.join()
        subscription.close()
