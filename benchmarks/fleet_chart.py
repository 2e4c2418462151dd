# SPDX-License-Identifier: Apache-2.0
"""Draws the requests per second of a fleet as one SVG: a panel for each scenario, with the limit as a dashed line.
The interval in which the server fails is shaded."""

from __future__ import annotations

from dataclasses import dataclass

from chart import STYLE, text

WIDTH = 1000
LEFT, RIGHT = 70, WIDTH - 20
PANEL, TITLE, GAP, TICKS = 130, 30, 30, 18
AREA = """
  .requests { fill: none; stroke: #0969da; stroke-width: 1.5; }
  .limit { stroke: #cf222e; stroke-dasharray: 5 4; }
  .failing { fill: #8c959f; fill-opacity: 0.15; }
  @media (prefers-color-scheme: dark) {
    .requests { stroke: #4493f8; }
    .limit { stroke: #f85149; }
  }
"""


@dataclass(frozen=True)
class Panel:
    title: str
    requests: list[int]
    interval: int
    limit: float


def _panel(panel: Panel, top: float) -> list[str]:
    requests, interval, limit = panel.requests, panel.interval, panel.limit
    bottom = top + PANEL
    highest = -(-max(limit, max(requests)) // 500) * 500

    def x(second: float) -> float:
        return LEFT + second / len(requests) * (RIGHT - LEFT)

    def y(value: float) -> float:
        return bottom - value / highest * PANEL

    width = x(interval) - LEFT
    made = [
        text(20, top - 10, f"Interval of {interval} s. {panel.title}", "title"),
        f'<rect x="{x(interval):.1f}" y="{top:.1f}" width="{width:.1f}" height="{PANEL}" class="failing"/>',
    ]
    for second in range(0, len(requests) + 1, interval):
        made.append(f'<line x1="{x(second):.1f}" y1="{top}" x2="{x(second):.1f}" y2="{bottom}" class="grid"/>')
        made.append(text(x(second), bottom + 14, f"{second} s", "soft", "middle"))
    for value in (0, highest / 2, highest):
        made.append(text(LEFT - 8, y(value) + 4, f"{value:,.0f}", "soft", "end"))
    made.append(f'<line x1="{LEFT}" y1="{y(limit):.1f}" x2="{RIGHT}" y2="{y(limit):.1f}" class="limit"/>')
    # For each pixel, the busiest second.
    group = max(1, len(requests) // (RIGHT - LEFT))
    busiest = [(second, max(requests[second : second + group])) for second in range(0, len(requests), group)]
    points = " ".join(f"{x(second):.1f},{y(value):.1f}" for second, value in busiest)
    made.append(f'<polyline points="{points}" class="requests"/>')
    return made


def draw(panels: list[Panel]) -> str:
    made = [
        text(20, 24, "Requests per second. Dashed: the target. Shaded: the server as named above the panel.", "soft")
    ]
    top = 44.0 + TITLE
    for panel in panels:
        made += _panel(panel, top)
        top += PANEL + TICKS + GAP + TITLE - 10
    height = top - TITLE
    return (
        "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" '
                'role="img" aria-label="Requests per second of a fleet of clients">',
                f"<style>{STYLE}{AREA}</style>",
                f'<rect class="paper" width="{WIDTH}" height="{height:.0f}" rx="6"/>',
                *made,
                "</svg>",
            ]
        )
        + "\n"
    )
