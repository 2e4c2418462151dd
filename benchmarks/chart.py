# SPDX-License-Identifier: Apache-2.0
"""Draws the results as one SVG: per row a dot for Remora and one for its contender, on a
logarithmic scale of time. Follows the reader's light or dark colour scheme."""

from __future__ import annotations

import math
from collections.abc import Callable
from xml.sax.saxutils import escape

from report import figure, quantity, target
from targets import MEMORY, RATE, RATIO, SIZE, Result

WIDTH = 1150
LABEL_RIGHT = 500
PLOT_LEFT, PLOT_RIGHT = 530, 920
FIGURE_LEFT = 950
ROW = 40
TITLE, TICKS, GAP, LEGEND = 34, 24, 26, 44

# Colours are repeated, because some SVG viewers do not support CSS variables.
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .title { font-size: 15px; font-weight: 600; }
  .soft { font-size: 11px; fill: #656d76; }
  .paper { fill: #ffffff; }
  .grid { stroke: #d0d7de; }
  .span { stroke: #8c959f; stroke-width: 2; }
  .remora { fill: #0969da; }
  .other { fill: #ffffff; stroke: #8c959f; stroke-width: 2; }
  .met { fill: #1a7f37; font-weight: 600; }
  .missed { fill: #cf222e; font-weight: 600; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .soft { fill: #9198a1; }
    .paper { fill: #0d1117; }
    .grid { stroke: #3d444d; }
    .span { stroke: #9198a1; }
    .remora { fill: #4493f8; }
    .other { fill: #0d1117; stroke: #9198a1; }
    .met { fill: #3fb950; }
    .missed { fill: #f85149; }
  }
"""


def text(x: float, y: float, content: str, style: str = "", anchor: str = "start") -> str:
    named = f' class="{style}"' if style else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{named} text-anchor="{anchor}">{escape(content)}</text>'


def _dot(x: float, y: float, style: str) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5.5" class="{style}"/>'


def _row(result: Result, y: float, place: Callable[[float], float]) -> list[str]:
    kind = result.row.kind
    remora, other = place(result.remora), place(result.other)
    # The numbers are outside of the pair, so that they do not overlap.
    outward = 1 if remora >= other else -1
    sides = {1: (12, "start"), -1: (-12, "end")}
    (remora_shift, remora_anchor), (other_shift, other_anchor) = sides[outward], sides[-outward]
    middle = y + ROW / 2
    return [
        text(LABEL_RIGHT, middle - 2, result.row.what, anchor="end"),
        text(LABEL_RIGHT, middle + 12, f"beside {result.row.beside}", "soft", "end"),
        f'<line x1="{remora:.1f}" y1="{middle}" x2="{other:.1f}" y2="{middle}" class="span"/>',
        _dot(other, middle, "other"),
        _dot(remora, middle, "remora"),
        text(remora + remora_shift, middle + 4, quantity(kind, result.remora), "soft", remora_anchor),
        text(other + other_shift, middle + 4, quantity(kind, result.other), "soft", other_anchor),
        text(FIGURE_LEFT, middle - 2, figure(result)),
        text(FIGURE_LEFT, middle + 12, f"target {target(result)}" if result.verdict else "", "soft"),
        text(WIDTH - 20, middle - 2, result.verdict, result.verdict, "end"),
    ]


def _panel(title: str, results: list[Result], top: float) -> tuple[list[str], float]:
    values = [value for result in results for value in (result.remora, result.other)]
    low, high = math.floor(math.log10(min(values)) - 0.3), math.ceil(math.log10(max(values)) + 0.3)

    def place(value: float) -> float:
        return PLOT_LEFT + (math.log10(value) - low) / (high - low) * (PLOT_RIGHT - PLOT_LEFT)

    rows_top = top + TITLE
    bottom = rows_top + ROW * len(results)
    made = [text(20, top + 16, title, "title")]
    for power in range(low, high + 1):
        x = place(10.0**power)
        made.append(f'<line x1="{x:.1f}" y1="{rows_top}" x2="{x:.1f}" y2="{bottom}" class="grid"/>')
        tick = quantity(RATIO, 10.0**power).replace(".00", "").replace(".0", "")
        made.append(text(x, bottom + 14, tick, "soft", "middle"))
    for number, result in enumerate(results):
        made += _row(result, rows_top + ROW * number, place)
    return made, bottom + TICKS + GAP


def draw(tables: list[tuple[str, list[Result]]]) -> str:
    """Returns the SVG of tables with their titles."""
    made = [
        _dot(26, 20, "remora"),
        text(38, 24, "Remora"),
        _dot(116, 20, "other"),
        text(128, 24, "what is named below the row: the rival or a limit"),
        text(WIDTH - 20, 24, "logarithmic scale; left is faster", "soft", "end"),
    ]
    top: float = LEGEND
    for title, results in tables:
        timed = [result for result in results if result.row.kind not in (RATE, SIZE, MEMORY) and not result.absent]
        if timed:
            panel, top = _panel(title, timed, top)
            made += panel
    return (
        "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top:.0f}" width="{WIDTH}" role="img" '
                'aria-label="Remora beside a hand-rolled rival and the bare limits">',
                f"<style>{STYLE}</style>",
                f'<rect class="paper" width="{WIDTH}" height="{top:.0f}" rx="6"/>',
                *made,
                "</svg>",
            ]
        )
        + "\n"
    )
