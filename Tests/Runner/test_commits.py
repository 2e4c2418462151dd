# SPDX-License-Identifier: Apache-2.0
"""Tests of scripts/check-commits, in repositories of their own."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from Runner.steps import ROOT

GIT = ["git", "-c", "user.name=A", "-c", "user.email=a@remora.example", "-c", "commit.gpgsign=false"]
BODY = "The reason."


class Checkout:
    """A repository that contains the script and commits without changes."""

    def __init__(self, place: Path) -> None:
        self.place = place
        (place / "scripts").mkdir()
        shutil.copy2(ROOT / "scripts" / "check-commits", place / "scripts")
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str) -> None:
        subprocess.run([*GIT, *arguments], cwd=self.place, check=True, capture_output=True)

    def commit(self, *paragraphs: str) -> None:
        self.git("commit", "--allow-empty", *(f"--message={paragraph}" for paragraph in paragraphs))

    def check(self, *arguments: str) -> tuple[int, list[str]]:
        """Returns the exit status, and the printed lines without the first word and the number of the commit."""
        command = ["scripts/check-commits", *arguments]
        done = subprocess.run(command, cwd=self.place, capture_output=True, text=True)
        return done.returncode, [line.split(" ", 2)[-1] for line in done.stderr.splitlines()]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_a_commit_with_a_subject_of_70_characters_and_a_body_is_accepted(checkout: Checkout) -> None:
    checkout.commit("é" * 70, BODY)
    assert checkout.check() == (0, [])


@pytest.mark.parametrize(
    ("paragraphs", "complaint"),
    [
        (["A" * 71, BODY], "the subject has 71 characters; at most 70 are allowed"),
        (["Fix it"], "the body with the reason is missing"),
        (["fixup! Fix it", BODY], "squash it into the commit that it corrects"),
        (["squash! Fix it", BODY], "squash it into the commit that it corrects"),
        (["amend! Fix it", BODY], "squash it into the commit that it corrects"),
    ],
)
def test_a_commit_with_a_long_subject_without_a_body_or_for_a_fixup_is_refused(
    checkout: Checkout, paragraphs: list[str], complaint: str
) -> None:
    checkout.commit(*paragraphs)
    checkout.commit("Fix another thing", BODY)
    assert checkout.check() == (1, [f'"{paragraphs[0]}": {complaint}'])


def test_a_merge_is_not_checked(checkout: Checkout) -> None:
    checkout.commit("Fix it", BODY)
    checkout.git("checkout", "--quiet", "-b", "other")
    checkout.commit("Fix another thing", BODY)
    checkout.git("checkout", "--quiet", "main")
    checkout.git("merge", "--no-ff", "--message", "Merge " + "a" * 80, "other")
    assert checkout.check() == (0, [])


def test_without_a_range_the_last_20_commits_are_checked(checkout: Checkout) -> None:
    checkout.commit("Fix it")
    for number in range(19):
        checkout.commit(f"Fix {number}", BODY)
    assert checkout.check() == (1, ['"Fix it": the body with the reason is missing'])
    checkout.commit("Fix the last thing", BODY)
    assert checkout.check() == (0, [])


def test_only_the_commits_of_a_range_are_checked(checkout: Checkout) -> None:
    checkout.commit("Fix it")
    checkout.commit("Fix another thing", BODY)
    assert checkout.check("HEAD~1..HEAD") == (0, [])
    assert checkout.check("HEAD")[0] == 1


def test_an_unknown_range_is_an_error(checkout: Checkout) -> None:
    checkout.commit("Fix it", BODY)
    assert checkout.check("unknown..HEAD")[0] == 128
    assert checkout.check("HEAD", "HEAD")[0] == 2
