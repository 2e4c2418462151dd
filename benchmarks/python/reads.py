# SPDX-License-Identifier: Apache-2.0
"""Processor time of one read, by everybody in turn in one process, each as its users write it.

usage: reads.py SCRATCH_DIR

Prints `<contender>.<operation>` in nanoseconds, the loop over the keys included.
"""

from __future__ import annotations

import sys
import time
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from timeit import Timer
from typing import Any

import raw
import remora
import workload
from peers import open_configcat, open_eppo

REPETITIONS = 7
LOOPS = 3
SETTLING_SECONDS = 2.5
READS = {
    "dict.python": "plain[key]",
    "remora.python.snapshot": "snapshot[key]",
    "remora.python.source": "source[key]",
    "remora.python.direct": "source.get_bool(key, '/v')",
    "remora.python.ctypes": "get_bool(handle, key.encode(), b'/v', 0)",
    "eppo.python": "eppo.get_boolean_assignment(key, 'user', {}, False)",
    "configcat.python": "configcat.get_value(key, False)",
}
FRESH = "remora.python.fresh"
"""`source[key]` in the first second of a process, while the revision says nothing yet."""
SLOW = {"configcat.python": 500}
"""Who is so slow that fewer keys will do."""


def contenders(scratch: Path) -> dict[str, Any]:
    """What the statements above name."""
    client = remora.Client(scratch / "storage", server="http://127.0.0.1:9")
    source = client.collection("settings", trust="off", packaged_data=workload.packaged())
    get_bool, handle = raw.open_source(workload.packaged())
    names = {
        "plain": workload.SETTINGS,
        "source": source,
        "snapshot": source.snapshot(),
        "get_bool": get_bool,
        "handle": handle,
    }
    for name, module, document, opener in (
        ("eppo", "eppo_client", workload.eppo, open_eppo),
        ("configcat", "configcatclient", workload.configcat, open_configcat),
    ):
        if find_spec(module):
            path = scratch / f"{name}.json"
            path.write_bytes(document())
            names[name] = opener(path)
    return names


def timer_of(read: str, names: dict[str, Any], keys: list[str]) -> Timer:
    """Times one read of every key."""
    return Timer(f"for key in keys: {read}", timer=time.thread_time_ns, globals={**names, "keys": keys})


def settle(source: remora.Source) -> None:
    """Reads until this process looks out for what others store, which is when the check of the revision holds."""
    deadline = time.monotonic() + SETTLING_SECONDS
    while time.monotonic() < deadline:
        source[workload.READS[0]]


def main() -> None:
    names = contenders(Path(sys.argv[1]))
    fresh = timer_of("source[key]", names, workload.READS)
    print(f"{FRESH} {min(fresh.repeat(LOOPS, 1)) / workload.COUNT:.1f}")
    settle(names["source"])
    timers: dict[str, tuple[Timer, int]] = {}
    for row, read in READS.items():
        if read.split("[")[0].split(".")[0].split("(")[0] not in names:
            continue
        keys = workload.READS[: SLOW.get(row)]
        check = eval(f"[{read} for key in keys]", {**names, "keys": keys})
        expected = [workload.SETTINGS[key] for key in keys]
        if [one["v"] if isinstance(one, dict) else bool(one) for one in check] != expected:
            sys.exit(f"{row} does not read the values")
        timers[row] = timer_of(read, names, keys), len(keys)
    times: dict[str, list[float]] = {row: [] for row in timers}
    for _ in range(REPETITIONS):
        for row, (timer, count) in timers.items():
            # The first loop after somebody else's finds the processor's caches full of other things.
            times[row].append(min(timer.repeat(LOOPS, 1)) / count)
    for row, values in times.items():
        print(f"{row} {median(values):.1f}")


if __name__ == "__main__":
    main()
