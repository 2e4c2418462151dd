# SPDX-License-Identifier: Apache-2.0
"""Tests of the judge: planted faults are found, and noise is not a fault."""

from __future__ import annotations

import pytest

from Soak import content, judge
from Soak.processes import parse_sync
from Soak.watch import Watch

WARM = [10_000.0, 30_000.0, 40_000.0, 41_000.0]


@pytest.mark.parametrize(("series", "step"), [("rss", 50.0), ("descriptors", 0.02), ("threads", 0.01), ("files", 0.2)])
def test_the_judge_finds_a_planted_series_that_grows(series: str, step: float) -> None:
    (fault,) = judge.faults("a host", {series: [100 + step * number for number in range(240)]})
    assert fault.startswith(f"a host: {series} grew from ")


def test_the_judge_ignores_the_warm_up_and_single_peaks() -> None:
    steady = WARM + [41_000.0 + number % 7 * 100 for number in range(236)]
    steady[200] = 90_000.0
    assert judge.faults("a host", {"rss": steady, "descriptors": [12.0, 30.0] + [14.0] * 238}) == []


def test_the_judge_refuses_a_soak_with_too_few_samples() -> None:
    with pytest.raises(ValueError, match="15 samples are too few"):
        judge.faults("a host", {"threads": [4.0] * 15})


def published(edition: int) -> dict[str, dict[str, object]]:
    return {key: content.value(key, edition) for key in content.KEYS}


def test_a_host_finds_planted_wrong_values() -> None:
    good = published(7)
    assert content.problem(good, content.KEYS) is None and content.problem({}, content.KEYS) is None
    assert content.problem({**good, "server-1": content.value("server-1", 6)}, content.KEYS) == (
        "the editions [6, 7] are mixed"
    )
    changed = {**good, "server-1": content.value("server-2", 7)}
    assert content.problem(changed, content.KEYS) == "wrong values of server-1"
    del good["server-3"]
    assert content.problem(good, content.KEYS) == "1 keys are missing"


def test_a_host_finds_a_version_that_goes_back_without_a_rejection() -> None:
    rejected: set[int] = {30, 60}
    watch = Watch(lambda: rejected)
    assert [watch.problem(version) for version in (10, 20, 20, 30, 10, 50, 40, 70)] == [None] * 8
    assert watch.problem(40) == "version 70 was followed by 40"


def test_a_sync_in_c_that_fails_for_an_unexpected_reason_is_found() -> None:
    line = "sync total=2 updated=0 unchanged=1 failed=1 status=REMORA_ERR_{}\n"
    counts, wrong = parse_sync(line.format("HTTP"))
    assert counts == {"syncs": 1, "refreshes": 2, "error HTTP": 1} and wrong == []
    assert parse_sync(line.format("CORRUPT"))[1] == [f"unexpected error: {line.format('CORRUPT').strip()}"]
