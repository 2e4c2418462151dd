#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Watches a collection until it changes, as watch.py does, in an asyncio loop:

    event_loop.py SERVER_URL ROOT_SHA256 COLLECTION STORAGE_DIR [PACKAGED_JSON]

Arguments, output and exit status are those of watch.py.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys

import remora
import remora.aio
from watch import DEADLINE_SECONDS, PAUSE_SECONDS, REFRESH_SECONDS, print_event, print_state


async def refresh(source: remora.aio.Source) -> None:
    """Refreshes. The event of a failed refresh has its error, and the next refresh may succeed."""
    with contextlib.suppress(remora.Error):
        await source.refresh(REFRESH_SECONDS)


async def refresh_repeatedly(source: remora.aio.Source) -> None:
    """Refreshes until the task is cancelled."""
    while True:
        await asyncio.sleep(PAUSE_SECONDS)
        await refresh(source)


async def watch(source: remora.aio.Source) -> None:
    """Prints events until one after the first refresh has changes."""
    async with source.events() as events:
        await refresh(source)
        print_event(await events.__anext__())
        print("ready")
        refreshing = asyncio.create_task(refresh_repeatedly(source))
        try:
            async for event in events:
                if event.outcome is not remora.Outcome.UNCHANGED:
                    print_event(event)
                if event.changes:
                    return
        finally:
            refreshing.cancel()


async def main(arguments: list[str]) -> int:
    """Runs the program and returns its exit status."""
    server, root, name, storage = arguments[1:5]
    packaged = arguments[5] if len(arguments) == 6 else None
    try:
        async with remora.aio.Client(storage, server=server) as client:
            source = client.collection(
                name,
                trust="off" if root == "off" else "required",
                root_sha256=None if root == "off" else root,
                packaged_file=packaged,
            )
            opened = source.events(replay=True)
            print_state(await opened.__anext__())
            await opened.aclose()
            await asyncio.wait_for(watch(source), DEADLINE_SECONDS)
    except asyncio.TimeoutError:
        return 1
    except remora.Error as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    if len(sys.argv) not in (5, 6):
        print(
            f"usage: {sys.argv[0]} SERVER_URL ROOT_SHA256|off COLLECTION STORAGE_DIR [PACKAGED_JSON]", file=sys.stderr
        )
        sys.exit(2)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    sys.exit(asyncio.run(main(sys.argv)))
