#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Syncs collections with their server until a signal stops it:

    periodic_sync.py [-i SECONDS] [-r SECONDS] SERVER_URL ROOT_SHA256 STORAGE_DIR COLLECTION...

ROOT_SHA256 may be "off", for a server that does not sign. The first sync starts at once. The next one starts -r seconds
after a network error (default: 300), after the delay that the server requested, or else after -i seconds (default:
86400). Prints a line for each source that was updated or failed, and one for each sync. SIGINT and SIGTERM stop it with
exit status 0.

A host that only needs fresh settings passes refresh_interval instead.
"""

from __future__ import annotations

import argparse
import signal
import sys

import remora

DAY_SECONDS, RETRY_SECONDS, SYNC_SECONDS = 86400.0, 300.0, 120.0
ENDS = (signal.SIGINT, signal.SIGTERM)


def print_report(report: remora.SyncReport) -> None:
    """Prints the result of a sync."""
    for item in report.items:
        if item.error:
            print(f"failed {item.source_name} {item.error.name}: {item.error}")
        elif item.outcome is remora.Outcome.UPDATED:
            print(f"updated {item.source_name}")
    counts = f"total={report.total} updated={report.updated} unchanged={report.unchanged} failed={report.failed}"
    print(f"sync {counts} status={report.error.name if report.error else 'REMORA_OK'}")


def seconds_after(error: remora.Error | None, normal: float, retry: float) -> float:
    """Returns the pause after a sync."""
    if isinstance(error, (remora.BackoffError, remora.HttpError)):
        # Wait as long as the server requested. Without a delay, treat it like a network error.
        return retry if error.retry_after is None else error.retry_after
    if type(error) in (remora.NetworkError, remora.TlsError, remora.TimeoutError):
        return retry
    # Success, or an error that an early retry does not fix.
    return normal


def run(client: remora.Client, normal: float, retry: float) -> None:
    """Syncs until a signal arrives."""
    while True:
        report = client.sync(SYNC_SECONDS)
        print_report(report)
        seconds = seconds_after(report.error, normal, retry)
        print(f"next in {seconds:.1f} s")
        if signal.sigtimedwait(ENDS, seconds):
            return


def positive(text: str) -> float:
    """Parses a number of seconds above 0."""
    seconds = float(text)
    if seconds <= 0:
        raise ValueError(text)
    return seconds


def main() -> int:
    """Runs the program and returns its exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("-i", dest="normal", metavar="SECONDS", type=positive, default=DAY_SECONDS)
    parser.add_argument("-r", dest="retry", metavar="SECONDS", type=positive, default=RETRY_SECONDS)
    parser.add_argument("server", metavar="SERVER_URL")
    parser.add_argument("root", metavar="ROOT_SHA256|off")
    parser.add_argument("storage", metavar="STORAGE_DIR")
    parser.add_argument("names", metavar="COLLECTION", nargs="+")
    chosen = parser.parse_args()
    # Blocked before the first thread starts, so that only sigtimedwait receives the signals.
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
    trust, root = (remora.Trust.OFF, None) if chosen.root == "off" else (remora.Trust.REQUIRED, chosen.root)
    try:
        with remora.Client(chosen.storage, server=chosen.server) as client:
            sources = [client.collection(name, trust=trust, root_sha256=root) for name in chosen.names]
            run(client, chosen.normal, chosen.retry)
            del sources  # Keeps the sources until here: a source without references is not synced.
    except remora.Error as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    sys.exit(main())
