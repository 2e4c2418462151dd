#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads remote settings in an application that keeps its values for a whole session:

    settings.py URL STORAGE_DIR

Opens the settings with parameters that describe the user and the application. Prints the live settings: those that the
previous run fetched, or the defaults of this program. Reads a setting of a tag, and waits for it at most two seconds.
Then waits for the refresh that started at the open, activates its result and prints it. Exits with 0 even if the server
cannot be reached.

The program uses asyncio. Without asyncio, use `remora.Client` and leave out every `await`.
"""

from __future__ import annotations

import asyncio
import sys

import remora
import remora.aio

EXPECTATION_SECONDS = 2.0
REFRESH_SECONDS = 10.0


def print_settings(settings: remora.aio.Settings) -> None:
    """Prints each value. The default is used if the server does not send the value, or sends another type."""
    origin = settings.info().origin.name.lower()
    limit = settings.get_int("limit", default=10)
    dark = settings.get_bool("dark", default=False)
    ratio = settings.get_float("ratio", default=1.0)
    title = settings.get_str("title", default="Welcome")
    help = settings.get_url("help", default="https://example.org/help")
    print(f"settings origin={origin} limit={limit} dark={dark:d} ratio={ratio:.2f} title={title} help={help}")


async def run(url: str, storage: str) -> None:
    """Prints the settings before and after a refresh, and a setting of a tag."""
    async with remora.aio.Client(storage) as client:
        settings = client.settings(url, params={"user": "u1", "version": "2.0"})
        print_settings(settings)
        # A tag has its own dictionary, whose new versions are live at once. This returns the fresh value if it arrives
        # in time, else the previous one, else the default.
        brush = await settings.get("brush", tag="editor", timeout=EXPECTATION_SECONDS, default=3)
        print(f"editor brush={brush}")
        try:
            # Opening started a refresh. This call joins it, or sends a request if it has completed. The new version is
            # staged: it becomes live at `activate`, or else in the next run.
            await settings.refresh(REFRESH_SECONDS)
        except remora.Error as error:
            print(error, file=sys.stderr)
        print("activate", (await settings.activate()).name.lower())
        print_settings(settings)


def main(arguments: list[str]) -> int:
    """Runs the program and returns its exit status."""
    if len(arguments) != 3:
        print(f"usage: {arguments[0]} URL STORAGE_DIR", file=sys.stderr)
        return 2
    try:
        asyncio.run(run(*arguments[1:]))
    except remora.Error as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
