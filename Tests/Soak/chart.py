# SPDX-License-Identifier: Apache-2.0
"""Draws a soak as SVG: resident memory, descriptors and refreshes over time. Follows the reader's colour scheme."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

from Soak.series import Series

WIDTH, LEFT, RIGHT = 1000, 80, 980
PANEL, TITLE, GAP = 140, 40, 36
STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #656d76; }
  .title { font-size: 15px; font-weight: 600; fill: #1f2328; }
  .paper { fill: #ffffff; }
  .grid { stroke: #d0d7de; }
  .first, .second { fill: none; stroke-width: 1.5; stroke: #0969da; }
  .second { stroke: #bc4c00; }
  .first-name { fill: #0969da; } .second-name { fill: #bc4c00; }
  @media (prefers-color-scheme: dark) {
    text { fill: #9198a1; }
    .title { fill: #e6edf3; }
    .paper { fill: #0d1117; }
    .grid { stroke: #3d444d; }
    .first { stroke: #4493f8; } .second { stroke: #f0883e; }
    .first-name { fill: #4493f8; } .second-name { fill: #f0883e; }
  }
"""
CLASSES = ("first", "second")
Lines = dict[str, Sequence[float]]


def draw(series: Series) -> str:
    """Each panel has a line for each process, or one for the whole soak."""
    memory: Lines = {name: [kib / 1024 for kib in series.of(name)["rss"]] for name in series.processes}
    descriptors: Lines = {name: series.of(name)["descriptors"] for name in series.processes}
    refreshes: Lines = {"all": [count / 1000 for count in series.totals["refreshes"]]}
    panels: list[tuple[str, Lines]] = [
        ("Resident memory, MiB", memory), ("Descriptors", descriptors), ("Refreshes, thousands", refreshes),
    ]  # fmt: skip
    made: list[str] = []
    top = TITLE
    for title, lines in panels:
        made += _panel(title, lines, series.times, top)
        top += PANEL + GAP + TITLE
    height = top - TITLE + 10
    label = "Resident memory, descriptors and refreshes of a soak"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" role="img"'
    paper = f'<rect class="paper" width="{WIDTH}" height="{height}" rx="6"/>'
    return "\n".join([f'{head} aria-label="{label}">', f"<style>{STYLE}</style>", paper, *made, "</svg>", ""])


def _panel(title: str, lines: Lines, times: Sequence[float], top: float) -> list[str]:
    bottom = top + PANEL
    highest = max(max(values) for values in lines.values()) * 1.1 or 1
    end = times[-1]
    made = [_text(20, top - 14, title, "title")]
    for part in range(5):
        y, x = bottom - PANEL * part / 4, LEFT + (RIGHT - LEFT) * part / 4
        made.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{RIGHT}" y2="{y:.1f}" class="grid"/>')
        made.append(_text(LEFT - 8, y + 4, f"{highest * part / 4:.3g}", anchor="end"))
        made.append(_text(x, bottom + 16, f"{end * part / 4 / 60:.3g} min", anchor="middle"))
    for number, (name, values) in enumerate(lines.items()):
        points = " ".join(
            f"{LEFT + time / end * (RIGHT - LEFT):.1f},{bottom - value / highest * PANEL:.1f}"
            for time, value in zip(times, values)
        )
        made.append(f'<polyline points="{points}" class="{CLASSES[number]}"/>')
        made.append(_text(RIGHT - 120 * number, top - 14, name, f"{CLASSES[number]}-name", "end"))
    return made


def _text(x: float, y: float, text: str, style: str = "", anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{style}" text-anchor="{anchor}">{escape(text)}</text>'
