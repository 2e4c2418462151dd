#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Uses a remote configuration as an application with a tracker does:

    bundle.py URL STORAGE_DIR

Opens it with a default bundle and a callback, which prints "success" with state and namespaces where a tracker calls
onSuccess, and "event" for all that a tracker is silent about; waits for the first refresh; sets a user id of its own,
refreshes once more, and shows that the user id is still the own one while the rest is the server's. Exits with 0, also
when the server cannot be reached: then the default or the cache holds.
"""

from __future__ import annotations

import sys

import remora

REFRESH_SECONDS = 10
DEFAULT = [
    {
        "namespace": "app",
        "networkConfiguration": {"endpoint": "https://collector.example", "method": "post"},
        "trackerConfiguration": {"appId": "example", "sessionContext": True},
        "subjectConfiguration": {"userId": "nobody"},
    }
]


def say(line: str) -> None:
    """Prints a line in one piece, as callbacks run on a thread of their own."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def is_success(event: remora.Event) -> bool:
    """Whether a tracker calls onSuccess: the default or cached bundle at the start, and every newer bundle."""
    if event.origin is remora.Origin.NONE:
        return False
    if event.cause is remora.Cause.REFRESHED:
        return event.outcome is remora.Outcome.UPDATED
    if event.cause is remora.Cause.ADOPTED:  # Another process fetched it.
        return event.outcome is remora.Outcome.NONE
    return event.cause is remora.Cause.OPENED


def print_event(event: remora.Event) -> None:
    """Prints what a tracker calls onSuccess with, state and namespaces; and what it is silent about."""
    if is_success(event) and event.source:
        try:
            # The others were carried over, or made by an override.
            names = ",".join(one.name for one in event.source.namespaces(event.new) if one.in_bundle)
        except remora.ClosedError:  # The program ends.
            return
        say(f"success state={event.origin.name.lower()} namespaces={names} version={event.version}")
    else:
        error = f" error={event.error.name}" if event.error else ""
        outcome = event.outcome.name.lower().replace("_", "-")
        say(f"event cause={event.cause.name.lower()} outcome={outcome}{error}")


def refresh(source: remora.Source) -> None:
    """Asks the server; without one, says so and goes on."""
    try:
        source.refresh(REFRESH_SECONDS)
    except remora.Error as error:
        print(error, file=sys.stderr)


def print_app(source: remora.Source) -> None:
    """A few values, each with what the application would do without."""
    endpoint = source.get_str("app", "/networkConfiguration/endpoint", "none")
    user = source.get_str("app", "/subjectConfiguration/userId", "none")
    session = source.get_bool("app", "/trackerConfiguration/sessionContext", True)
    say(f"app endpoint={endpoint} user={user} session={int(session)}")


def main(arguments: list[str]) -> int:
    """Runs the program; the result is its exit status."""
    if len(arguments) != 3:
        print(f"usage: {arguments[0]} URL STORAGE_DIR", file=sys.stderr)
        return 2
    try:
        with remora.Client(arguments[2]) as client:
            source = client.bundle(arguments[1], default=DEFAULT, default_version=1, on_event=print_event)
            refresh(source)  # Opening began one; this one shares it, or asks once more.
            for one in source.namespaces():
                default, carried = " (default)" * one.is_default, " (not in this bundle)" * (not one.in_bundle)
                say(f"namespace {one.name}{default}{carried}")
            print_app(source)
            # As a controller of a tracker does at run time: it wins over every bundle, and creates no removed namespace.
            try:
                source.overrides.set(("app", "/subjectConfiguration/userId"), "me", if_exists=True)
            except remora.NotFoundError as error:
                print(error, file=sys.stderr)
            refresh(source)
            print_app(source)
    except remora.Error as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
