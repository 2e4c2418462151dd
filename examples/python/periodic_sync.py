#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps collections in step with their server until it is told to end:

    periodic_sync.py [-i SECONDS] [-r SECONDS] SERVER_URL ROOT_SHA256 STORAGE_DIR COLLECTION...

ROOT_SHA256 may be "off", for a server that does not sign. Syncs at once, and then by what came of it: after a network
error again in -r seconds (300), after a backoff when the server said, and otherwise in -i seconds (86400). Prints a
line for each source that was updated or failed, and one for each sync. SIGINT and SIGTERM end it with 0.

A host that only wants fresh settings passes refresh_interval and needs none of this.
"""

from __future__ import annotations

import argparse
import signal
import sys

import remora

DAY_SECONDS, RETRY_SECONDS, SYNC_SECONDS = 86400.0, 300.0, 120.0
ENDS = (signal.SIGINT, signal.SIGTERM)


def print_report(report: remora.SyncReport) -> None:
    """What a sync came to."""
    for item in report.items:
        if item.error:
            print(f"failed {item.source_name} {item.error.name}: {item.error}")
        elif item.outcome is remora.Outcome.UPDATED:
            print(f"updated {item.source_name}")
    counts = f"total={report.total} updated={report.updated} unchanged={report.unchanged} failed={report.failed}"
    print(f"sync {counts} status={report.error.name if report.error else 'REMORA_OK'}")


def seconds_after(error: remora.Error | None, normal: float, retry: float) -> float:
    """How long to wait after a sync."""
    if isinstance(error, (remora.BackoffError, remora.HttpError)):
        # The server said when, or is as good as not there.
        return retry if error.retry_after is None else error.retry_after
    if type(error) in (remora.NetworkError, remora.TlsError, remora.TimeoutError):
        return retry
    # All is well, or asking again soon would change nothing.
    return normal


def run(client: remora.Client, normal: float, retry: float) -> None:
    """Syncs until a signal comes."""
    while True:
        report = client.sync(SYNC_SECONDS)
        print_report(report)
        seconds = seconds_after(report.error, normal, retry)
        print(f"next in {seconds:.1f} s")
        if signal.sigtimedwait(ENDS, seconds):
            return


def positive(text: str) -> float:
    """A number of seconds above 0."""
    seconds = float(text)
    if seconds <= 0:
        raise ValueError(text)
    return seconds


def main() -> int:
    """Runs the program; the result is its exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("-i", dest="normal", metavar="SECONDS", type=positive, default=DAY_SECONDS)
    parser.add_argument("-r", dest="retry", metavar="SECONDS", type=positive, default=RETRY_SECONDS)
    parser.add_argument("server", metavar="SERVER_URL")
    parser.add_argument("root", metavar="ROOT_SHA256|off")
    parser.add_argument("storage", metavar="STORAGE_DIR")
    parser.add_argument("names", metavar="COLLECTION", nargs="+")
    chosen = parser.parse_args()
    # Before the first thread: signals come to the wait alone.
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
    trust, root = (remora.Trust.OFF, None) if chosen.root == "off" else (remora.Trust.REQUIRED, chosen.root)
    try:
        with remora.Client(chosen.storage, server=chosen.server) as client:
            sources = [client.collection(name, trust=trust, root_sha256=root) for name in chosen.names]
            run(client, chosen.normal, chosen.retry)
            del sources  # Until here: a source that is dropped is not synced.
    except remora.Error as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    sys.exit(main())
