# SPDX-License-Identifier: Apache-2.0
#
# The binding for Go: its own tests, and the programs of the guide. Its example is one of the watchers of the story.
"""Tests of the Go binding."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from zipfile import ZipFile

import pytest

from Docs.documents import blocks
from Servers.v2_server import V2Server
from Stories.conftest import COLLECTION, RECORD
from Stories.languages import GO, GO_PACKAGE, PUBLISHED, ROOT

GUIDE = ROOT / "docs" / "go.md"
MODULE, VERSION = "example.org/remora/bindings/go", "v0.1.0"
HOST = f"module host\ngo 1.19\nrequire {MODULE} {VERSION}\n"

TESTS = sorted(
    name
    for path in GO_PACKAGE.glob("*_test.go")
    for name in re.findall(r"^func (Test\w+)\(", path.read_text("utf-8"), re.MULTILINE)
)

pytestmark = pytest.mark.skipif(GO is None, reason="go is not installed")


def run_go(
    folder: Path, *arguments: str, environment: Mapping[str, str] = os.environ
) -> subprocess.CompletedProcess[str]:
    """Runs the go command to its end."""
    command = [GO or "go", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


def publish_module(folder: Path) -> dict[str, str]:
    """Puts the module into a proxy of files. Returns the environment in which the go command fetches it from there."""
    versions = folder / MODULE / "@v"
    versions.mkdir(parents=True)
    (versions / f"{VERSION}.info").write_text(f'{{"Version": "{VERSION}"}}', encoding="utf-8")
    (versions / f"{VERSION}.mod").write_bytes((GO_PACKAGE / "go.mod").read_bytes())
    with ZipFile(versions / f"{VERSION}.zip", "w") as archive:
        for path in GO_PACKAGE.rglob("*.*"):
            archive.write(path, f"{MODULE}@{VERSION}/{path.relative_to(GO_PACKAGE)}")
    # -modcacherw, so that pytest can remove the files.
    own = {
        "GOPROXY": folder.as_uri(),
        "GONOSUMDB": "*",
        "GOFLAGS": "-mod=mod -modcacherw",
        "GOMODCACHE": f"{folder}/cache",
    }
    return {**os.environ, **own}


def test_gofmt_and_go_vet_report_nothing_about_the_go_package() -> None:
    formatted = subprocess.run(
        ["gofmt", "-l", ".", PUBLISHED / "reader.go"], cwd=GO_PACKAGE, capture_output=True, text=True, check=True
    )
    assert formatted.stdout == ""
    done = run_go(GO_PACKAGE, "vet", "./...")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture(scope="module")
def tested() -> subprocess.CompletedProcess[str]:
    """The run of the tests of the Go package."""
    return run_go(GO_PACKAGE, "test", "-count=1", "-json", ".")


@pytest.fixture(scope="module")
def outputs(tested: subprocess.CompletedProcess[str]) -> Mapping[str, str]:
    """What each test of the Go package printed; under the empty name, what belongs to no test."""
    found = defaultdict(str, {"": tested.stderr})
    for line in tested.stdout.splitlines():
        if line.startswith("{"):
            event = json.loads(line)
            found[event.get("Test", "")] += event.get("Output", "")
        else:
            found[""] += f"{line}\n"
    return found


def test_the_run_of_the_go_tests_succeeds(tested: subprocess.CompletedProcess[str]) -> None:
    assert tested.returncode == 0, tested.stdout + tested.stderr


@pytest.mark.parametrize("name", TESTS)
def test_the_go_package_passes(name: str, outputs: Mapping[str, str]) -> None:
    if f"--- SKIP: {name} " in outputs[name]:
        pytest.skip(outputs[name])
    assert f"--- PASS: {name} " in outputs[name], outputs[name] + outputs[""]


def test_each_program_in_the_go_guide_fetches_the_module_and_prints_its_values(
    server: V2Server, tmp_path: Path
) -> None:
    attachment = server.attachments.add(b"Hello\n", "main/banner.txt")
    server.collection(COLLECTION).publish({"banner": {**RECORD, "attachment": attachment}})
    printed = ["Hello\n", "menu string Lunch\nmenu updated Lunch Dinner\n", f"main/{COLLECTION} updated\nHello\n"]
    environment = publish_module(tmp_path / "proxy")
    programs = [block for block in blocks(GUIDE) if block.words == ("go",)]
    for number, (block, wanted) in enumerate(zip(programs, printed, strict=True)):
        host = tmp_path / f"host{number}"
        host.mkdir()
        (host / "main.go").write_text(block.text, encoding="utf-8")
        (host / "go.mod").write_text(HOST, encoding="utf-8")
        done = run_go(host, "run", ".", server.url, COLLECTION, environment=environment)
        assert (done.returncode, done.stdout) == (0, wanted), done.stderr
