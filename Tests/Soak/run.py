#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs for hours with one storage directory and a server with faults. Fails if something grows or is wrong.

usage: run.py [--hours H] [--save]

--save writes docs/soak.md and docs/soak.svg. The library, the tool and the examples must be built.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from Soak import judge, report
from Soak.processes import ROOT, CHost, Process, PythonHost
from Soak.publisher import Publisher
from Soak.series import Series
from Soak.server import Server

PUBLISH_SECONDS, KILL_SECONDS = 2.0, 5.0
SEED = 1


class Soak:
    """The server, the publisher and four processes: two that live through the soak, and two that are killed."""

    def __init__(self, directory: Path, server: Server, publisher: Publisher) -> None:
        self.server, self.publisher = server, publisher
        self._random = random.Random(SEED)
        self.storage = directory / "storage"
        rejections = str(directory / "rejections")
        hosts = (server.url, publisher.root, str(self.storage), rejections)
        syncs = ("-i", "1", "-r", "1", server.url, publisher.root, str(self.storage), "pool")
        self.lasting = [PythonHost("Python", *hosts, "1"), CHost("C", *syncs)]
        self.killed = [PythonHost("Python, killed", *hosts, "2"), CHost("C, killed", *syncs)]

    @property
    def processes(self) -> list[Process]:
        return [*self.lasting, *self.killed]

    def run(self, seconds: float) -> Series:
        """Samples and kills until the time is over."""
        series = Series(max(0.5, seconds / 480))
        started = time.monotonic()
        next_kill = KILL_SECONDS
        pause = threading.Event()
        while (now := time.monotonic() - started) < seconds and all(one.is_running for one in self.lasting):
            if now >= next_kill:
                self._random.choice(self.killed).kill()
                next_kill += self._random.uniform(0.5, 1.5) * KILL_SECONDS
            series.add(now, {one.name: one.sample() for one in self.lasting}, self.totals())
            pause.wait(max(0.0, series.interval * len(series.times) - (time.monotonic() - started)))
        return series

    def totals(self) -> dict[str, float]:
        counts = self.counts
        files = sum(len(files) for _, _, files in os.walk(self.storage))
        errors = sum(count for name, count in counts.items() if name.startswith("error "))
        made = {"requests": self.server.requests, "refreshes": counts["refreshes"], "events": counts["events"]}
        return {"files": files, "errors": errors, **made}

    @property
    def counts(self) -> report.Counts:
        return sum((one.counts for one in self.processes), report.Counts())

    def end(self) -> None:
        for one in self.processes:
            one.end()

    def faults(self, series: Series) -> list[str]:
        """All that was wrong."""
        found = [f"{one.name}: {line}" for one in self.processes for line in one.wrong]
        if self.publisher.failure:
            found.append(self.publisher.failure)
        for one in self.lasting:
            found += judge.faults(one.name, series.of(one.name))
        return found + judge.faults("the storage directory", {"files": series.totals["files"]})


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--hours", type=float, default=1.0, metavar="H", help="the duration (default 1)")
    parser.add_argument("--save", action="store_true", help="write docs/soak.md and docs/soak.svg")
    options = parser.parse_args()
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="remora-soak-")))
        publisher = Publisher(ROOT / "build" / "remora", directory)
        server = stack.enter_context(Server(publisher.tree, SEED))
        publisher.publish(server)
        soak = Soak(directory, server, publisher)
        stack.callback(soak.end)
        publisher.start(server, PUBLISH_SECONDS)
        stack.callback(publisher.stop)
        series = soak.run(options.hours * 3600)
        soak.end()
        faults = soak.faults(series)
    result = report.Result(series, soak.counts, server.requests, server.faults, publisher.edition,
                           sum(one.kills for one in soak.processes), faults)  # fmt: skip
    print("\n".join(report.table(result)))
    for fault in faults:
        print(f"FAULT {fault}")
    if options.save:
        report.save(result, ROOT / "docs")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
