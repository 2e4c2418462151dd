# SPDX-License-Identifier: Apache-2.0
#
# The guide for those who run hosts: its commands beside its host, and each recipe with a host of its own.
"""Tests of docs/operations.md."""

from __future__ import annotations

import math
import operator
import os
import re
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import remora
from prometheus_client.openmetrics import parser
from Servers.v2_collection import Collection
from Servers.v2_server import V2Server

from Docs import documents
from Docs.documents import ROOT, Block, blocks
from Docs.test_tool import timeless
from Docs.tutorial import Reader

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
    return documents.with_words(PAGE, *words)


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


def test_the_commands_of_the_guide_print_what_it_shows_beside_its_host(reader: Reader) -> None:
    (program,) = with_words("python", "host")
    (publish,), (start,), (change,), (diff,), (check,) = (
        with_words("sh", word) for word in ("publish", "start", "change", "diff", "check")
    )
    (reader.directory / "host.py").write_text(program.text)
    reader.run(publish)
    with reader.start(start) as host:
        assert host.stdout is not None and host.stdout.readline() == "ready\n"
        for block in with_words("sh"):
            compare(block, reader.directory)
        reader.run(change)
        printed, _ = host.communicate("\n", timeout=60)
        assert host.returncode == 0, printed
    compare(diff, reader.directory)
    assert shell(check.text, reader.directory).stdout == "ok: 1 sources\n"
    late = shell(check.text.replace("> 3600", "> -1"), reader.directory)
    assert (late.returncode, late.stdout) == (1, "late: main/limits\n")


def test_the_check_of_the_guide_fails_without_a_traceback_if_the_folder_is_empty_or_missing(tmp_path: Path) -> None:
    (check,) = with_words("sh", "check")
    missing = shell(check.text, tmp_path)
    (tmp_path / "storage").mkdir()
    empty = shell(check.text, tmp_path)
    assert (empty.returncode, empty.stdout) == (1, "no sources\n")
    expected = ["no sources", "remora: cannot open storage: No such file or directory"]
    assert (missing.returncode, sorted(missing.stdout.splitlines())) == (1, expected)


@pytest.mark.parametrize("place", ["missing", "uploads /missing", "uploads /max/missing", "hidden"])
def test_without_a_value_explain_succeeds_and_get_fails_as_the_guide_says(
    server: V2Server, place: str, tmp_path: Path
) -> None:
    server.collection("limits").publish({"uploads": {"max": 20}, "hidden": {"filter_expression": "false"}})
    with remora.Client(tmp_path / "storage", server=server.url) as client:
        client.collection("limits", trust="off").refresh(30)
    explained = shell(f"remora explain storage limits {place}", tmp_path)
    assert explained.returncode == 0 and "no value" in explained.stdout
    assert shell(f"remora get storage limits {place}", tmp_path).returncode == 1


def compare(block: Block, folder: Path) -> None:
    """Runs a block whose output is the block that follows it."""
    (expected,) = [other for other in blocks(PAGE) if other.number == block.number + 1]
    done = shell(block.text, folder)
    assert expected.words == ("text",) and done.returncode == 0, done.stdout
    assert sorted(constant(done.stdout).splitlines()) == sorted(constant(expected.text).splitlines())


def test_the_metrics_of_the_guide_are_open_metrics_and_report_failures_and_sources_without_data(
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
        never = client.collection("limits", bucket="other", trust="off")
        with pytest.raises(remora.NetworkError):
            never.refresh(30)
        (age,) = [family.samples for family in read(metrics({"never": never})) if family.name == "remora_age_seconds"]
    assert [sample.value for sample in age] == [math.inf]
    numbers = {name: [sample.value for sample in family.samples] for name, family in families.items()}
    assert numbers["remora_version"] == [limits.timestamp]
    assert numbers["remora_failing"] == [1] and numbers["remora_pending"] == [0]
    assert 0 <= numbers["remora_age_seconds"][0] < 60
    assert families["remora_origin"].type == "stateset" and numbers["remora_origin"] == [0, 0, 0, 0, 1]


def alerts(source: remora.Source) -> set[str]:
    """The alerts of the guide that fire for a source, whatever their duration."""
    (rules,) = with_words("yaml", "alerts")
    read: Any = parser.text_string_to_metric_families
    families = read(recipe("metrics")["metrics"]({"limits": source}))
    numbers = {family.name: family.samples[0].value for family in families}
    compare = {"==": operator.eq, ">": operator.gt}
    found = re.findall(r"- {alert: (\w+), expr: (\w+) (==|>) (\w+)", rules.text)
    assert len(found) == rules.text.count("alert:")
    return {
        alert for alert, name, sign, limit in found
        if compare[sign](numbers[name], numbers[limit] if limit in numbers else float(limit))
    }  # fmt: skip


def test_each_alert_of_the_guide_fires_at_its_signal_only(server: V2Server, limits: Collection, tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o777)  # Remora does not use it.
    with remora.Client(tmp_path / "storage", server=server.url) as client:
        source = client.collection("limits", trust="off", fetch_at_open=False)
        assert alerts(source) == {"SettingsStale"}
        source.refresh(30)
        assert alerts(source) == set()
        limits.publish({"uploads": {"max": 0}})
        source.refresh(30)
        source.reject(source.snapshot())
        assert alerts(source) == {"SettingsRejected"}
        limits.publish({"uploads": {"max": 30}})
        source.refresh(30)
        assert alerts(source) == set()
    with remora.Client(tmp_path / "other", server=server.url) as client:
        source = client.collection("limits", trust="off", activation="manual")
        source.refresh(30)
        assert alerts(source) == {"SettingsNotActivated"}
    with remora.Client(tmp_path / "shared", server=server.url) as client:
        source = client.collection("limits", trust="off")
        source.refresh(30)
        assert alerts(source) == {"SettingsNotStored"}


def test_reads_of_a_new_installation_return_no_value_while_its_first_version_is_not_activated(
    server: V2Server, limits: Collection, tmp_path: Path
) -> None:
    with remora.Client(tmp_path / "storage", server=server.url) as client:
        source = client.collection("limits", trust="off", activation="manual")
        assert source.refresh(30) == remora.Outcome.STAGED
        assert source.get_int("uploads", "/max") is None and source.info().has_staged


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
