# SPDX-License-Identifier: Apache-2.0
"""Measures the processor time of one read, for all contenders in turn in one process.

usage: reads.py SCRATCH_DIR

Prints `<contender>.<operation>` in nanoseconds, including the loop over the keys.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from statistics import median
from timeit import Timer
from typing import Any

import peers
import raw
import remora
import workload

REPETITIONS = 7
LOOPS = 3
SETTLING_SECONDS = 2.5
READS = {
    "dict.python": "plain[key]",
    "remora.python.snapshot": "snapshot[key]",
    "remora.python.source": "source[key]",
    "remora.python.direct": "source.get_bool(key, '/v')",
    "remora.python.ctypes": "get_bool(handle, key.encode(), b'/v', 0)",
    **{f"{name}.python": read for name, read in peers.READS.items()},
}
FRESH = "remora.python.fresh"
"""`source[key]` in the first second of a process, before the revision can be used."""
SLOW = {"configcat.python": 500, "yggdrasil.python": 500, "flipt.python": 500, "launchdarkly.python": 500}
"""The number of keys for slow contenders."""


def contenders(scratch: Path) -> dict[str, Any]:
    """Returns the variables of the statements above."""
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
    for name, path in workload.write_documents(scratch).items():
        names.update(peers.open_peer(name, path))
    return names


def timer_of(read: str, names: dict[str, Any], keys: list[str]) -> Timer:
    """Times one read of every key."""
    return Timer(f"for key in keys: {read}", timer=time.thread_time_ns, globals={**names, "keys": keys})


def settle(source: remora.Source) -> None:
    """Reads until this process polls for updates by other processes. From then on the revision can be used."""
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
        check = eval(f"[{read} for key in keys]", {**names, "keys": workload.READS})
        expected = [workload.SETTINGS[key] for key in workload.READS]
        if [one["v"] if isinstance(one, dict) else bool(one) for one in check] != expected:
            sys.exit(f"{row} does not read the values")
        keys = workload.READS[: SLOW.get(row)]
        timers[row] = timer_of(read, names, keys), len(keys)
    times: dict[str, list[float]] = {row: [] for row in timers}
    for _ in range(REPETITIONS):
        for row, (timer, count) in timers.items():
            # The first loop runs with the processor caches of the previous contender.
            times[row].append(min(timer.repeat(LOOPS, 1)) / count)
    for row, values in times.items():
        print(f"{row} {median(values):.1f}")


if __name__ == "__main__":
    main()
