#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Connects to a server before anything is set up, and reads settings over that connection:

    preconnect.py HELLO_URL SETTINGS_URL

HELLO_URL is any URL of the settings' server. Waits for Enter in between, where a host would do something else: show its
window, say. Prints the library's log, which tells what came of the connection, and how many settings there are.
"""

from __future__ import annotations

import logging
import sys

import remora

REFRESH_SECONDS = 10.0


def tell(line: str) -> None:
    """Prints a line by one write, as the log writes lines of its own meanwhile."""
    print(line + "\n", end="", flush=True)


def main(arguments: list[str]) -> int:
    """Runs the program; the result is its exit status."""
    if len(arguments) != 3:
        print(f"usage: {arguments[0]} HELLO_URL SETTINGS_URL", file=sys.stderr)
        return 2
    _, hello, url = arguments
    logging.basicConfig(level=logging.DEBUG, stream=sys.stdout, format="log: %(message)s")
    try:
        # First of all, and it waits for nothing: name lookup, TCP and TLS happen meanwhile. A failure costs nothing.
        remora.preconnect(hello, application_name="example")
        with remora.Client(None, application_name="example", logger=logging.getLogger()) as client:
            tell("press Enter")
            sys.stdin.readline()
            # The request takes the connection that is there.
            settings = client.settings(url, activation="immediate")
            settings.refresh(REFRESH_SECONDS)
            tell(f"settings keys={len(settings)}")
    except remora.Error as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
