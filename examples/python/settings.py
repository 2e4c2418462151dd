#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads remote settings as an application does, in which a session keeps its values:

    settings.py URL STORAGE_DIR

Opens them with what the server is to know of user and application, and prints what is live: what the run before fetched,
or else the defaults of this program. Asks for the settings of a tag, for two seconds at most. Then waits for what opening
began to fetch, makes it live, and prints it. Exits with 0, also when the server cannot be reached.

It runs in asyncio; without, write `remora.Client` and leave out every `await`.
"""

from __future__ import annotations

import asyncio
import sys

import remora
import remora.aio

EXPECTATION_SECONDS = 2.0
REFRESH_SECONDS = 10.0


def print_settings(settings: remora.aio.Settings) -> None:
    """Each value with what holds when the server does not say, or says something of another type."""
    origin = settings.info().origin.name.lower()
    limit = settings.get_int("limit", default=10)
    dark = settings.get_bool("dark", default=False)
    ratio = settings.get_float("ratio", default=1.0)
    title = settings.get_str("title", default="Welcome")
    help = settings.get_url("help", default="https://example.org/help")
    print(f"settings origin={origin} limit={limit} dark={dark:d} ratio={ratio:.2f} title={title} help={help}")


async def run(url: str, storage: str) -> None:
    """The program."""
    async with remora.aio.Client(storage) as client:
        settings = client.settings(url, params={"user": "u1", "version": "2.0"})
        print_settings(settings)
        # A tag has a dictionary of its own, which is live at once: the fresh value if it comes in time, else the one that
        # was there before, else the default. At the end of the time nobody waits for the answer any more.
        brush = await settings.get("brush", tag="editor", timeout=EXPECTATION_SECONDS, default=3)
        print(f"editor brush={brush}")
        try:
            # Opening began a refresh; this one shares it, or asks once more. What it brings is staged: it would be live
            # from the next run on, and for the rest of this one in any case after `await settings.stop_listening()`.
            await settings.refresh(REFRESH_SECONDS)
        except remora.Error as error:
            print(error, file=sys.stderr)
        print("activate", (await settings.activate()).name.lower())
        print_settings(settings)


def main(arguments: list[str]) -> int:
    """Runs the program; the result is its exit status."""
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
