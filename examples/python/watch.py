#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Watches a collection until it changes:

    watch.py SERVER_URL ROOT_SHA256 COLLECTION STORAGE_DIR [PACKAGED_JSON]

ROOT_SHA256 may be "off", for a server that does not sign. Prints the state at the start ("state" and "key" lines),
refreshes, prints the result ("event" and "change" lines) and then "ready". Refreshes repeatedly until another event has
changes, prints it and exits with 0. Exits with 1 if no such event arrives within 60 seconds. Every line is flushed at
once, so that a script can follow the output.
"""

from __future__ import annotations

import contextlib
import enum
import sys
import threading
import time

import remora

DEADLINE_SECONDS, PAUSE_SECONDS, REFRESH_SECONDS = 60.0, 0.2, 30.0


def word(number: enum.IntEnum) -> str:
    """Returns a name in the format of the examples."""
    return number.name.lower().replace("_", "-")


def print_state(event: remora.Event) -> None:
    """Prints the state at the start, and every key."""
    print(f"state origin={word(event.origin)} version={event.version} keys={len(event.new)}")
    for key in event.new:
        print(f"key {key} {event.new.json(key)}")


def print_event(event: remora.Event) -> None:
    """Prints an event and its changes."""
    result = f"cause={word(event.cause)} outcome={word(event.outcome)} origin={word(event.origin)}"
    print(f"event {result} version={event.version} changes={len(event.changes)}")
    if event.error:
        print(f"error {event.error.name} {event.error}")
    if event.storage_error:
        print(f"storage {event.storage_error}")
    for change in event.changes:
        value = "" if change.kind is remora.ChangeKind.DELETED else f" {event.new.json(change.key)}"
        print(f"change {word(change.kind)} {change.key}{value}")


class Watcher:
    """The first subscriber. Counts events for the main thread; the client's thread delivers them one at a time."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.opened = self.refreshed = self.with_changes = 0

    def on_event(self, event: remora.Event) -> None:
        """Prints an event. After the first refresh, it does not print unchanged results."""
        if event.cause is remora.Cause.OPENED:
            print_state(event)
        elif self.refreshed == 0 or event.outcome is not remora.Outcome.UNCHANGED:
            print_event(event)
        with self._changed:
            self.opened += event.cause is remora.Cause.OPENED
            self.refreshed += event.cause is remora.Cause.REFRESHED
            self.with_changes += event.cause is not remora.Cause.OPENED and len(event.changes) > 0
            self._changed.notify_all()

    def wait_for(self, count: str, above: int, seconds: float) -> bool:
        """Waits until a count is above a number. Returns false if the time passes first."""
        with self._changed:
            return self._changed.wait_for(lambda: bool(getattr(self, count) > above), max(0.0, seconds))


def refresh(source: remora.Source) -> None:
    """Refreshes. The event of a failed refresh has its error, and the next refresh may succeed."""
    with contextlib.suppress(remora.Error):
        source.refresh(REFRESH_SECONDS)


def watch(source: remora.Source, watcher: Watcher) -> bool:
    """Refreshes until an event has changes. Returns false if the deadline passes first."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    if not watcher.wait_for("opened", 0, DEADLINE_SECONDS):
        return False
    refresh(source)
    if not watcher.wait_for("refreshed", 0, deadline - time.monotonic()):
        return False
    seen = watcher.with_changes
    print("ready")
    while time.monotonic() < deadline:
        if watcher.wait_for("with_changes", seen, PAUSE_SECONDS):
            return True
        refresh(source)
    return False


def main(arguments: list[str]) -> int:
    """Runs the program and returns its exit status."""
    if len(arguments) not in (5, 6):
        print(
            f"usage: {arguments[0]} SERVER_URL ROOT_SHA256|off COLLECTION STORAGE_DIR [PACKAGED_JSON]", file=sys.stderr
        )
        return 2
    server, root, name, storage = arguments[1:5]
    packaged = arguments[5] if len(arguments) == 6 else None
    watcher = Watcher()
    try:
        with remora.Client(storage, server=server) as client:
            source = client.collection(
                name,
                trust="off" if root == "off" else "required",
                root_sha256=None if root == "off" else root,
                packaged_file=packaged,
                on_event=watcher.on_event,
            )
            return 0 if watch(source, watcher) else 1
    except remora.Error as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    sys.exit(main(sys.argv))
