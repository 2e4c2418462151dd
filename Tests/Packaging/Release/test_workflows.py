# SPDX-License-Identifier: Apache-2.0
#
# The workflows only call scripts and targets of the Makefile, so that a check is the same on every machine.
"""Tests of .github/workflows, and of the script that installs Swift for them."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from Docs.documents import ROOT
from Packaging.checkout import shell

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
# What a checkout needs in an empty container.
BOOTSTRAP = "apt-get update && apt-get install --yes --no-install-recommends ca-certificates git make"
ARCHITECTURES = {"amd64": "debian12", "arm64": "debian12-aarch64"}


def jobs(workflow: Path) -> list[dict[str, Any]]:
    return list(yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"].values())


def steps(workflow: Path) -> list[dict[str, Any]]:
    return [step for job in jobs(workflow) for step in job["steps"]]


def is_known(command: list[str]) -> bool:
    """Whether a command is an executable script of the checkout, or a documented target of the Makefile."""
    if command[0] == "make":
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        return re.search(rf"^{re.escape(command[1])}:.*## ", makefile, re.MULTILINE) is not None
    return os.access(ROOT / command[0], os.X_OK)


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_every_command_of_a_workflow_is_a_script_or_a_make_target(workflow: Path) -> None:
    commands = [step["run"] for step in steps(workflow) if "run" in step]
    assert commands[0] == BOOTSTRAP
    assert [command for command in commands[1:] if not is_known(shlex.split(command))] == []
    assert len(commands) > 2


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_every_action_of_a_workflow_is_pinned_by_its_full_commit(workflow: Path) -> None:
    actions = [step["uses"] for step in steps(workflow) if "uses" in step]
    assert actions and [it for it in actions if not re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", it)] == []


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_every_job_runs_in_debian_12_and_13_with_the_rights_to_mount_file_systems(workflow: Path) -> None:
    for job in jobs(workflow):
        assert job["strategy"]["matrix"] == {"debian": ["bookworm", "trixie"]}
        assert job["container"] == {"image": "rust:1.90-${{ matrix.debian }}", "options": "--privileged"}


def test_the_workflows_check_each_change_and_release_each_tag() -> None:
    assert [path.name for path in WORKFLOWS] == ["ci.yml", "release.yml"]
    last = {path.name: [step["run"] for step in steps(path) if "run" in step][-1] for path in WORKFLOWS}
    assert last["ci.yml"] == ".ci/run"
    assert last["release.yml"] == 'make release VERSION="${GITHUB_REF_NAME#v}" DRY_RUN=1'


class Site:
    """A copy of swift.org in a folder: a toolchain whose swift prints a word, its signature, and the keys."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.script = place / "install-swift"
        self.gnupg = {"GNUPGHOME": str(place / "gnupg")}
        platform = ARCHITECTURES[shell("dpkg --print-architecture", place).strip()]
        text = (ROOT / "scripts/install-swift").read_text(encoding="utf-8")
        version = re.findall(r"^version=(.+)$", text, re.MULTILINE)[0]
        name = f"swift-{version}-RELEASE"
        folder = place / f"site/swift-{version}-release/{platform}/{name}"
        self.archive = folder / f"{name}-{platform}.tar.gz"
        for path in [place / "gnupg", folder, place / "bin", place / "links"]:
            path.mkdir(mode=0o700, parents=True)
        (place / "bin/apt-get").write_text("#!/bin/sh\n")
        (place / "bin/apt-get").chmod(0o755)
        shell(f"mkdir -p {name}/usr/bin && echo 'echo hello' | tee {name}/usr/bin/swift >{name}/usr/bin/swiftc", place)
        shell(f"chmod +x {name}/usr/bin/* && tar -czf {self.archive} {name}", place)
        fingerprint = self.create_key("Swift <swift@remora.example>")
        for setting, value in {
            "site": f"file://{place}/site",
            "keys": f"file://{place}/keys",
            "fingerprint": fingerprint,
            "programs": str(place / "links"),
        }.items():
            text, count = re.subn(rf"^{setting}=.+$", f"{setting}={value}", text, flags=re.MULTILINE)
            assert count == 1, setting
        self.script.write_text(text)
        self.sign(fingerprint)

    def create_key(self, name: str) -> str:
        """Creates a key for signatures, and returns its fingerprint."""
        shell(f"gpg --batch --quiet --passphrase '' --quick-generate-key '{name}' ed25519 sign", self.place, self.gnupg)
        listed = shell(f"gpg --batch --with-colons --fingerprint '{name}'", self.place, self.gnupg)
        (fingerprint,) = re.findall(r"^fpr:+([0-9A-F]+):", listed, re.MULTILINE)
        return str(fingerprint)

    def sign(self, key: str) -> None:
        """Signs the archive, and publishes all keys."""
        line = (
            f"gpg --batch --quiet --yes --local-user {key} --detach-sign {self.archive} && gpg --armor --export >keys"
        )
        shell(line, self.place, self.gnupg)

    def install(self) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", str(self.script), str(self.place / "swift")], cwd=self.place, capture_output=True, text=True,
            env={**os.environ, "PATH": f"{self.place}/bin:{os.environ['PATH']}"}, check=False,
        )  # fmt: skip


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    made = Site(tmp_path)
    yield made
    shell("gpgconf --kill all", tmp_path, made.gnupg)


def test_the_script_that_installs_swift_unpacks_a_signed_toolchain_and_links_its_programs(site: Site) -> None:
    done = site.install()
    assert done.returncode == 0, done.stderr
    assert shell("links/swift && links/swiftc", site.place) == "hello\nhello\n"
    assert site.install().stderr == f"install-swift: {site.place}/swift exists\n"


@pytest.mark.parametrize("damage", ["changed", "other key", "no signature"])
def test_the_script_that_installs_swift_refuses_a_toolchain_without_a_valid_signature(site: Site, damage: str) -> None:
    if damage == "changed":
        site.archive.open("ab").write(b"\0")
    elif damage == "other key":
        site.sign(site.create_key("Somebody <somebody@remora.example>"))
    else:
        Path(f"{site.archive}.sig").write_bytes(b"")
    done = site.install()
    assert done.returncode == 1 and f"{site.archive.name} is not signed by the key" in done.stderr, done.stderr
    assert not (site.place / "swift").exists()
