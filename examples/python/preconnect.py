#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Connects to a server before anything is set up, and reads settings over that connection:

    preconnect.py HELLO_URL SETTINGS_URL

HELLO_URL is any URL of the settings' server. Between the two steps it waits for Enter; a host would show its window,
for example. Prints the library's log, which reports the result of the connection, and the number of settings.
"""

from __future__ import annotations

import logging
import sys

import remora

REFRESH_SECONDS = 10.0


def print_line(line: str) -> None:
    """Prints a line with one write, because the log prints on other threads."""
    print(line + "\n", end="", flush=True)


def main(arguments: list[str]) -> int:
    """Runs the program and returns its exit status."""
    if len(arguments) != 3:
        print(f"usage: {arguments[0]} HELLO_URL SETTINGS_URL", file=sys.stderr)
        return 2
    _, hello, url = arguments
    logging.basicConfig(level=logging.DEBUG, stream=sys.stdout, format="log: %(message)s")
    try:
        # Call this first. It does not block: name lookup, TCP and TLS run in the background. A failure has no effect.
        remora.preconnect(hello, application_name="example")
        with remora.Client.in_memory(application_name="example", logger=logging.getLogger()) as client:
            print_line("press Enter")
            sys.stdin.readline()
            # The request reuses the open connection.
            settings = client.settings(url, activation="immediate")
            settings.refresh(REFRESH_SECONDS)
            print_line(f"settings keys={len(settings)}")
    except remora.Error as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
