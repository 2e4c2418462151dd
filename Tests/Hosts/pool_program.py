# SPDX-License-Identifier: Apache-2.0
"""A program with a pool of processes that read settings, told by lines on standard input what to do.

usage: pool_program.py METHOD WAY STORAGE SERVER COLLECTION

METHOD is one of multiprocessing's, WAY is "reads" or "subscription". Every process opens the
settings when it imports this file; a forked one has its parent's. "refresh" lets the first
process refresh; "ask" prints what each process of the pool sees, as one line of JSON.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
from multiprocessing.synchronize import Barrier

import remora

PROCESSES = 3
SECONDS = 30

_, METHOD, WAY, STORAGE, SERVER, COLLECTION = sys.argv

settings = remora.Client(STORAGE, server=SERVER).collection(COLLECTION, trust="off")
seen: list[int] = []
everybody: Barrier
"""Lets every process of the pool do one task."""

if WAY == "subscription":
    subscription = settings.subscribe(lambda event: seen.append(event.version), replay=True)


def begin(together: Barrier) -> None:
    """The first thing that a process of the pool does."""
    global everybody
    everybody = together


def look(_: int) -> dict[str, int]:
    """What this process sees."""
    everybody.wait(SECONDS)
    return {
        "pid": os.getpid(),
        "n": settings.get_int("banner", "/n", -1),
        "version": settings.snapshot().version,
        "told": seen[-1] if seen else 0,
    }


def main() -> None:
    context = multiprocessing.get_context(METHOD)
    with context.Pool(PROCESSES, begin, (context.Barrier(PROCESSES),)) as pool:
        for line in sys.stdin:
            if line.strip() == "refresh":
                settings.refresh()
            print(json.dumps(pool.map(look, range(PROCESSES), chunksize=1)), flush=True)


if __name__ == "__main__":
    main()
