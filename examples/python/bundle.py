#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Uses a remote configuration in an application with a tracker:

    bundle.py URL STORAGE_DIR

Opens a bundle with a default and a callback. The callback prints "success" with state and namespaces where a tracker
calls onSuccess, and "event" for every other event. Then the program waits for the first refresh, overrides the user id
and refreshes again. The printed user id is still the override, while the other values are the server's. Exits with 0
even if the server cannot be reached: the default or the cached bundle is used then.
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
    """Prints a line with one call, because callbacks run on another thread."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def print_event(event: remora.Event) -> None:
    """Prints the state and namespaces with which a tracker calls onSuccess, and every other event."""
    if active := event.configuration:
        say(
            f"success state={active.state.name.lower()} namespaces={','.join(active.namespaces)} version={event.version}"
        )
    else:
        error = f" error={event.error.name}" if event.error else ""
        outcome = event.outcome.name.lower().replace("_", "-")
        say(f"event cause={event.cause.name.lower()} outcome={outcome}{error}")


def refresh(source: remora.Source) -> None:
    """Refreshes. Prints an error and continues."""
    try:
        source.refresh(REFRESH_SECONDS)
    except remora.Error as error:
        print(error, file=sys.stderr)


def print_app(source: remora.Source) -> None:
    """Prints a few values, each with a default."""
    endpoint = source.get_str("app", "/networkConfiguration/endpoint", "none")
    user = source.get_str("app", "/subjectConfiguration/userId", "none")
    session = source.get_bool("app", "/trackerConfiguration/sessionContext", True)
    say(f"app endpoint={endpoint} user={user} session={int(session)}")


def main(arguments: list[str]) -> int:
    """Runs the program and returns its exit status."""
    if len(arguments) != 3:
        print(f"usage: {arguments[0]} URL STORAGE_DIR", file=sys.stderr)
        return 2
    try:
        with remora.Client(arguments[2]) as client:
            source = client.bundle(arguments[1], default=DEFAULT, default_version=1, on_event=print_event)
            refresh(source)  # Joins the refresh that opening started, or sends a request.
            for one in source.namespaces():
                default, carried = " (default)" * one.is_default, " (not in this bundle)" * (not one.in_bundle)
                say(f"namespace {one.name}{default}{carried}")
            print_app(source)
            # Like a tracker's controller at run time. It overrides every bundle; a removed namespace does not reappear.
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
