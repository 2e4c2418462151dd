# SPDX-License-Identifier: Apache-2.0
"""Tests of the files that benchmarks/run.py saves: docs/benchmarks.md with its chart, and benchmarks/results.md."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
import run
from headlines import HEADLINES, REASONS, ROWS, Group, Reason, headlines, missed, row
from report import cells, headline_cells, outcome, target
from targets import AXES, MEMORY, TIME, Axis, Result, Row, evaluate

from Docs.documents import ROOT

PAGE, ALL = ROOT / "docs" / "benchmarks.md", ROOT / "benchmarks" / "results.md"


def lines(document: Path) -> list[tuple[str, ...]]:
    """The rows of the tables of a document."""
    found = [line for line in document.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    return [tuple(cell.strip() for cell in line[1:-1].split("|")) for line in found]


def measured(value: float, absent: dict[str, str]) -> list[tuple[Axis, list[Result]]]:
    """The tables of a run in which each benchmark has printed the same value."""
    samples = {name: [value] for one in ROWS.values() for name in (one.remora, one.other)}
    return [(axis, evaluate(axis, samples, absent)) for axis in AXES]


@pytest.mark.parametrize("absent", [{}, {"eppo": "does not run here"}])
def test_a_run_saves_the_headlines_their_chart_and_a_file_with_all_rows(tmp_path: Path, absent: dict[str, str]) -> None:
    tables = measured(1000, absent)
    run.save(tables, 5, tmp_path)
    results = [result for _, of_axis in tables for result in of_axis]
    page = lines(tmp_path / "docs" / "benchmarks.md")
    chosen = [result for _, of_group in headlines(results) for result in of_group]
    assert len(chosen) == sum(len(group.rows) for group in HEADLINES)
    assert [line for line in page if line in set(map(headline_cells, results))] == list(map(headline_cells, chosen))
    assert [line for line in lines(tmp_path / "benchmarks" / "results.md") if line[0] != "what"] == [
        cells(result) for result in results
    ]
    ElementTree.parse(tmp_path / "docs" / "benchmarks.svg")


def test_a_headline_or_reason_that_names_no_benchmark_is_an_error() -> None:
    assert row("dlopen", "libcurl").remora == "remora.dlopen"
    with pytest.raises(ValueError, match="no row 'dlopen' beside 'nothing'"):
        row("dlopen", "nothing")


def test_each_benchmark_has_descriptions_of_its_own() -> None:
    assert len(ROWS) == sum(len(axis.rows) for axis in AXES)


def test_a_row_that_was_not_measured_is_left_out_of_the_headlines() -> None:
    one, other = Row("a", "b", "a.1", "b.1"), Row("c", "d", "c.1", "d.1")
    assert headlines([Result(one)], (Group("Reads", (other, one)),)) == [("Reads", [Result(one)])]


def test_each_missed_target_has_its_reason_and_one_without_a_reason_is_last() -> None:
    slow, large, fast = (Row(name, "b", name, "b", TIME, 4) for name in ("slow", "large", "fast"))
    results = [Result(slow, figure=5), Result(large, figure=5), Result(fast, figure=3)]
    reasons = (Reason("It is fast.", (fast,)), Reason("It is large.", (large,)))
    assert missed(results, reasons) == [("It is large.", [results[1]]), ("", [results[0]])]


def test_the_figure_of_a_missed_target_is_the_one_that_is_compared_with_it() -> None:
    late = Result(Row("dlopen", "libcurl", "a", "b", TIME, 450_000), 642_000, 1, 642_000)
    large = Result(Row("the image", "the body", "a", "b", MEMORY, 1.5), 3e6, 1e6, 3)
    assert (outcome(late), target(late)) == ("642 µs", "≤ 450 µs")
    assert (outcome(large), target(large)) == ("3.00 ×", "≤ 1.5 ×")


def test_the_saved_page_has_each_row_that_misses_its_target_and_the_figures_of_the_file_with_all_rows() -> None:
    results, page = lines(ALL), lines(PAGE)
    figures = {line[:4] for line in results}
    shown = [line for line in page if len(line) == 5 and line[4] not in {"reason", "target"} and not line[4].isdigit()]
    assert len(shown) >= 20 and [line for line in shown if line[:4] not in figures] == []
    explained = [(line[0], line[3]) for line in page if line[4].isdigit()]
    assert sorted(explained) == sorted((line[0], line[4]) for line in results if line[5] == "missed")
    assert {int(line[4]) for line in page if line[4].isdigit()} <= set(range(1, len(REASONS) + 1))
