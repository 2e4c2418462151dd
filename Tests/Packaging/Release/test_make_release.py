# SPDX-License-Identifier: Apache-2.0
#
# scripts/make-release in a small repository, which has only the files that the script reads, and a `make dist` that
# writes one file.
"""Tests of `make release`: what it refuses, and the tags that it creates."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from Docs.documents import ROOT
from Packaging.checkout import shell, version

VERSION = version()
TAGS = [f"bindings/go/v{VERSION}", f"v{VERSION}"]
DEBIAN_DATE = "Tue, 24 Nov 2026 12:00:00 +0000"
DATED = f"## {VERSION}, 2026-11-24"
SCRIPT = (ROOT / "scripts/make-release").read_text(encoding="utf-8")
PLACES = re.findall(r'^    "(.+)": \[', SCRIPT, re.MULTILINE)
MAKEFILE = "# SPDX" + "-License-Identifier: Apache-2.0\ndist:\n\tmkdir -p $(BUILD) && touch $(BUILD)/made\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A clean repository whose version is ready to be released."""
    place = tmp_path / "remora"
    for name in [*PLACES, "CHANGELOG.md", "REUSE.toml", "LICENSES/Apache-2.0.txt", "scripts/make-release"]:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, place / name)
    (place / "Makefile").write_text(MAKEFILE)
    (place / ".gitignore").write_text("/build/\n")
    edit(place / "CHANGELOG.md", rf"^## {re.escape(VERSION)}, .*$", DATED)
    edit(place / "packaging/debian/changelog", r">  .*$", f">  {DEBIAN_DATE}")
    shell("git init --quiet && git config user.name Tester && git config user.email tester@remora.example", place)
    commit(place)
    return place


def edit(path: Path, pattern: str, text: str) -> None:
    """Replaces the first match of a pattern, which must exist."""
    changed, count = re.subn(pattern, text, path.read_text(encoding="utf-8"), count=1, flags=re.MULTILINE)
    assert count == 1, pattern
    path.write_text(changed, encoding="utf-8")


def commit(place: Path) -> None:
    shell("git add --all && git commit --quiet --message Change", place)


def release(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the script, without the Git configuration of the user."""
    return subprocess.run(
        [sys.executable, "scripts/make-release", *(arguments or [VERSION])], cwd=place, capture_output=True, text=True,
        env={**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}, check=False,
    )  # fmt: skip


def refused(place: Path) -> list[str]:
    """The problems that the script reports; it must neither build nor create a tag."""
    done = release(place)
    assert done.returncode == 1, done.stdout + done.stderr
    assert not (place / "build").exists()
    return [line.removeprefix("make-release: ") for line in done.stderr.splitlines()]


def tags(place: Path) -> list[str]:
    return shell("git tag --list", place).split()


def test_a_release_builds_the_packages_and_creates_annotated_tags(repository: Path) -> None:
    done = release(repository)
    assert done.returncode == 0, done.stderr
    assert (repository / "build/made").exists()
    assert tags(repository) == TAGS
    assert {shell(f"git cat-file -t {tag}", repository).strip() for tag in TAGS} == {"tag"}


def test_a_release_refuses_a_version_whose_tag_exists(repository: Path) -> None:
    for tag in TAGS:
        shell(f"git tag {tag}", repository)
    assert refused(repository) == [f"tag {tag} exists" for tag in reversed(TAGS)]
    assert release(repository, VERSION, "--dry-run").returncode == 0
    (repository / "new").write_text("SPDX" + "-License-Identifier: Apache-2.0\n")
    commit(repository)
    assert f"tag v{VERSION} exists" in release(repository, VERSION, "--dry-run").stderr


def test_a_dry_run_builds_the_packages_and_creates_no_tag(repository: Path) -> None:
    done = release(repository, VERSION, "--dry-run", "--build", "elsewhere/build")
    assert done.returncode == 0, done.stderr
    assert (repository / "elsewhere/build/made").exists()
    assert tags(repository) == []


def test_a_release_signs_the_tags_with_the_key_that_git_has(repository: Path) -> None:
    signer = repository.parent / "signer"
    signer.write_text('#!/bin/sh\ncat >/dev/null\necho "[GNUPG:] SIG_CREATED " >&2\necho signed with "$@"\n')
    signer.chmod(0o755)
    shell(f"git config user.signingkey KEY && git config gpg.program {signer}", repository)
    done = release(repository)
    assert done.returncode == 0, done.stderr
    for tag in TAGS:
        assert "signed with" in shell(f"git cat-file tag {tag}", repository)


def test_a_release_refuses_uncommitted_changes(repository: Path) -> None:
    (repository / "packaging/debian/changelog").open("a").write("\n")
    assert refused(repository) == ["uncommitted change: M packaging/debian/changelog"]


@pytest.mark.parametrize("name", PLACES)
def test_a_release_refuses_a_file_with_another_version(repository: Path, name: str) -> None:
    text = (repository / name).read_text(encoding="utf-8")
    (repository / name).write_text(text.replace(VERSION, "9.9.9"), encoding="utf-8")
    commit(repository)
    problems = refused(repository)
    assert set(problems) == {f"{name}: version is 9.9.9, expected {VERSION}"}


def test_a_release_refuses_a_file_without_a_version(repository: Path) -> None:
    edit(repository / "CMakeLists.txt", r"^project\(remora VERSION", "project(remora LANGUAGES")
    commit(repository)
    (problem,) = refused(repository)
    assert problem.startswith("CMakeLists.txt: no version was found")


def test_a_release_refuses_a_version_that_the_changelog_calls_unreleased(repository: Path) -> None:
    edit(repository / "CHANGELOG.md", DATED, f"## {VERSION}, unreleased")
    commit(repository)
    assert refused(repository) == [f'CHANGELOG.md: no section "## {VERSION}, YYYY-MM-DD"']


def test_a_release_refuses_two_changelogs_with_different_dates(repository: Path) -> None:
    edit(repository / "CHANGELOG.md", DATED, f"## {VERSION}, 2026-11-25")
    commit(repository)
    assert refused(repository) == ["packaging/debian/changelog: date is 2026-11-24, CHANGELOG.md has 2026-11-25"]


def test_a_release_refuses_a_file_without_a_licence(repository: Path) -> None:
    (repository / "new.c").write_text("int new;\n")
    commit(repository)
    assert refused(repository) == ["new.c: no license identifier"]


@pytest.mark.parametrize("argument", ["0.1", "v0.1.0", "missing"])
def test_a_release_refuses_a_version_that_is_not_three_numbers(repository: Path, argument: str) -> None:
    done = release(repository, argument)
    assert done.returncode == 2
    assert f"VERSION is '{argument}', expected three numbers" in done.stderr
