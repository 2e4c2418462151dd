# SPDX-License-Identifier: Apache-2.0
#
# A host of a soak. It performs random actions until its standard input ends, and can be killed at any moment. Each line
# of its output has all that it has counted so far. Counts change on the main thread and on the callbacks' thread.
"""The Python program that a soak runs in several processes."""

from __future__ import annotations

import json
import os
import random
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import remora
from Soak import content
from Soak.watch import Watch

PAUSE_SECONDS = 0.05
"""The pause between two actions."""
REPORT_SECONDS = 0.5
STALE_RECORD = "NOT_FOUND"
"""The live version, or the record, was replaced meanwhile."""


class Rejections:
    """The versions that any host was about to reject, in a file that all hosts append to."""

    def __init__(self, file: Path) -> None:
        self._file = file
        file.touch()

    def add(self, version: int) -> None:
        with self._file.open("a") as file:
            file.write(f"{version}\n")

    def all(self) -> set[int]:
        return {int(line) for line in self._file.read_text().splitlines()}


class Host:
    """One client with a collection and settings, and the checks of all that they return."""

    def __init__(self, url: str, root: str, storage: str, rejections: str, seed: str) -> None:
        self._url, self._root, self._storage = url, root, storage
        self._rejections = Rejections(Path(rejections))
        self._random = random.Random(f"{seed} {os.getpid()}")
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._wrong: list[str] = []
        self._reads, self._events = (Watch(self._rejections.all) for _ in range(2))
        self._settings_reads = Watch(set)
        self._open()

    def act(self) -> None:
        """Performs one action, and then checks what reads return."""
        actions = {
            self._refresh: 40, self._refresh_settings: 20, self._sync: 10, self._subscribe: 10,
            self._open_attachment: 10, self._override: 10, self._reopen: 2, self._reject: 1,
        }  # fmt: skip
        (action,) = self._random.choices(list(actions), list(actions.values()))
        try:
            action()
        except remora.Error as error:
            self._count_error(error, also=(STALE_RECORD,))
        self._check_reads()

    def report(self) -> str:
        with self._lock:
            return json.dumps({"counts": self._counts, "wrong": self._wrong[:10]})

    def close(self) -> None:
        self._client.close()

    def _open(self) -> None:
        self._client = remora.Client(
            self._storage, server=self._url, application_name="soak", total_timeout=5, on_attempt=self._on_attempt
        )
        self._pool = self._client.collection(
            content.COLLECTION, root_sha256=self._root, refresh_interval=2, on_event=self._on_event
        )
        self._settings = self._client.settings(f"{self._url}/settings.json", activation="immediate")
        self._count("opens")

    def _refresh(self) -> None:
        self._pool.refresh(timeout=5)

    def _refresh_settings(self) -> None:
        self._settings.refresh(timeout=5)

    def _sync(self) -> None:
        report = self._client.sync(timeout=5)
        self._count("syncs")
        for item in report.items:
            if item.error:
                self._count_error(item.error)

    def _subscribe(self) -> None:
        with self._pool.subscribe(self._on_event, key=content.KEYS[0]), self._pool.subscribe(self._count_event):
            self._pool.refresh(timeout=5)

    def _open_attachment(self) -> None:
        snapshot = self._pool.snapshot()
        if content.FILE not in snapshot:
            return
        record = snapshot.record(content.FILE)
        assert record.attachment is not None
        if record.attachment.read(timeout=5) != content.attachment(int(str(record["edition"]))):
            self._find("wrong bytes of an attachment")
        self._count("attachments")

    def _override(self) -> None:
        overrides, number = self._pool.overrides, self._random.randrange(1000)
        overrides[content.OVERRIDE] = {"number": number}
        if self._pool.get_int(content.OVERRIDE, "/number", default=-1) != number:
            self._find("an override is not live")
        overrides.clear()
        if content.OVERRIDE in self._pool:
            self._find("an override is live after it was cleared")
        self._count("overrides")

    def _reopen(self) -> None:
        self._client.close()
        self._open()

    def _reject(self) -> None:
        snapshot = self._pool.snapshot()
        if snapshot.version == 0:
            return
        self._rejections.add(snapshot.version)
        self._pool.reject(snapshot, "a soak rejects versions at random")
        if self._pool.snapshot().version == snapshot.version:
            self._find("a rejected version is live")
        self._count("rejections")

    def _check_reads(self) -> None:
        pool, settings = self._pool.snapshot(), self._settings.snapshot()
        self._check(pool, self._reads)
        self._find(content.problem({key: settings[key] for key in settings}, content.KEYS[:5]))
        self._find(self._settings_reads.problem(settings.version))
        self._count("reads")

    def _check(self, pool: remora.Snapshot, watch: Watch) -> None:
        self._find(content.problem({key: pool[key] for key in pool}, [*content.KEYS, content.FILE]))
        self._find(watch.problem(pool.version))

    def _on_event(self, event: remora.Event) -> None:
        self._count_event(event)
        self._check(event.new, self._events)

    def _count_event(self, _: remora.Event) -> None:
        self._count("events")

    def _on_attempt(self, attempt: remora.Attempt) -> None:
        self._count("refreshes")
        self._count(f"outcome {attempt.outcome.name.lower()}")

    def _count(self, name: str) -> None:
        with self._lock:
            self._counts[name] += 1

    def _count_error(self, error: remora.Error, also: tuple[str, ...] = ()) -> None:
        name = error.name.removeprefix("REMORA_ERR_")
        self._count(f"error {name}")
        if name not in content.EXPECTED_ERRORS and name not in also:
            self._find(f"unexpected error: {error}")

    def _find(self, problem: str | None) -> None:
        if problem:
            with self._lock:
                self._wrong.append(f"{problem} (process {os.getpid()})")


def wait_for_end(ended: threading.Event) -> None:
    sys.stdin.read()
    ended.set()


def main() -> int:
    host = Host(*sys.argv[1:])
    ended = threading.Event()
    threading.Thread(target=wait_for_end, args=(ended,), daemon=True).start()
    reported = 0.0
    while not ended.wait(PAUSE_SECONDS):
        host.act()
        if time.monotonic() - reported >= REPORT_SECONDS:
            reported = time.monotonic()
            print(host.report(), flush=True)
    host.close()
    print(host.report(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
