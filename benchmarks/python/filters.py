# SPDX-License-Identifier: Apache-2.0
"""Measures 1,000 filters: evaluated once, when the snapshot is created, and at every read, as in other clients. The
other clients are represented by pyjexl, which is written in Python.

usage: filters.py SCRATCH_DIR

Prints nanoseconds.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from statistics import median

import remora

COUNT = 1_000
REPETITIONS = 7
READS = 200
CONTEXTS = ({"locale": "de", "build": 500}, {"locale": "fr", "build": 500})


def expression(number: int) -> str:
    """Returns one of 1,000 different filters, each about as long as filters in use."""
    return f"env.locale in ['en', 'de', 'x{number}'] && (env.build >= {number} || env.channel == 'beta{number}')"


def packaged(with_filters: bool) -> bytes:
    """Returns the records. Without filters, they have a member of the same length that does not filter."""
    member = "filter_expression" if with_filters else "no_such_expression"
    records = [
        {"id": f"record-{number:04}", "last_modified": 1, "v": number, member: expression(number)}
        for number in range(COUNT)
    ]
    return json.dumps({"data": records, "timestamp": 1}).encode()


def timed(run: Callable[[], object]) -> int:
    began = time.perf_counter_ns()
    run()
    return time.perf_counter_ns() - began


def shown(number: int, context: dict[str, object]) -> bool:
    return context["locale"] in ("en", "de") and int(str(context["build"])) >= number


class Remora:
    """Opens a source, which creates a snapshot: it decodes, parses and evaluates."""

    def __init__(self, with_filters: bool) -> None:
        self.client = remora.Client(":memory:", server="http://127.0.0.1:9")
        self.client.set_context(CONTEXTS[0])
        data = packaged(with_filters)
        began = time.perf_counter_ns()
        self.source = self.client.collection("filtered", trust="off", packaged_data=data)
        self.opening = time.perf_counter_ns() - began
        expected = sum(shown(number, CONTEXTS[0]) for number in range(COUNT)) if with_filters else COUNT
        if len(self.source.snapshot()) != expected:
            sys.exit("the filters select the wrong records")

    def context(self) -> float:
        """Measures a new context that selects other records, and the change back."""
        return timed(lambda: [self.client.set_context(context) for context in reversed(CONTEXTS)]) / len(CONTEXTS)

    def read(self) -> float:
        """Measures one read of a key by the library, including the loop."""
        get_int, keys = self.source.get_int, [f"record-{number:04}" for number in range(READS)]
        return timed(lambda: [get_int(key, "/v") for key in keys]) / READS


def pyjexl_read() -> int:
    """Measures one read by a client that evaluates every filter at each read."""
    import pyjexl

    jexl = pyjexl.JEXL()
    context = {"env": CONTEXTS[0] | {"channel": "release"}}
    expressions = [expression(number) for number in range(COUNT)]
    results: list[bool] = []
    spent = timed(lambda: results.extend(jexl.evaluate(one, context) for one in expressions))
    if results != [shown(number, CONTEXTS[0]) for number in range(COUNT)]:
        sys.exit("pyjexl selects other records")
    return spent


def main() -> None:
    times: dict[str, list[float]] = {}
    for _ in range(REPETITIONS):
        filtered, plain = Remora(True), Remora(False)
        for name, value in {
            "remora.filters.made": filtered.opening - plain.opening,
            "remora.filters.context": filtered.context(),
            "remora.filters.read": filtered.read(),
            "remora.plain.read": plain.read(),
        }.items():
            times.setdefault(name, []).append(value)
        filtered.client.close()
        plain.client.close()
    if find_spec("pyjexl"):
        times["pyjexl.filters.read"] = [pyjexl_read() for _ in range(3)]
    for name, values in times.items():
        print(f"{name} {median(values):.1f}")


if __name__ == "__main__":
    main()
