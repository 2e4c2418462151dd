# SPDX-License-Identifier: Apache-2.0
"""A Python program that uses settings and simply ends, without closing anything.

usage: exiting.py WAY SERVER HANGING_SERVER STORAGE

Prints nothing and exits with 0, whatever is under way at its end. A line on standard input
says that the hanging server has a request.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from collections.abc import Callable

import remora

COLLECTION = "ending"

kept: list[object] = []
"""What a program has in its globals when it ends."""


def open_settings(server: str, storage: str, **options: object) -> remora.Source:
    """Opens the collection; the program keeps it until its end."""
    client = remora.Client(storage, server=server, **options)  # type: ignore[arg-type]
    settings = client.collection(COLLECTION, trust="off")
    kept.extend([client, settings])
    return settings


def subscribed(server: str, hanging: str, storage: str) -> None:
    """A subscription that has been told of the first values."""
    told = threading.Event()
    settings = open_settings(server, storage)
    kept.append(settings.subscribe(lambda event: told.set()))
    settings.refresh()
    told.wait()


def untold(server: str, hanging: str, storage: str) -> None:
    """A subscription whose event may be on its way."""
    settings = open_settings(server, storage)
    kept.append(settings.subscribe(kept.append))
    settings.refresh()


def asking(server: str, hanging: str, storage: str) -> None:
    """An asynchronous refresh that has just begun."""
    settings = open_settings(hanging, storage)
    kept.append(settings.subscribe(kept.append))
    kept.append(settings.refresh_async(lambda outcome, error: None))


def refreshing(server: str, hanging: str, storage: str) -> None:
    """An asynchronous refresh whose request is in flight."""
    asking(server, hanging, storage)
    sys.stdin.readline()


def thread_refreshing(server: str, hanging: str, storage: str) -> None:
    """A daemon thread that waits for its refresh, whose request is in flight."""
    settings = open_settings(hanging, storage)
    kept.append(settings.subscribe(kept.append))
    threading.Thread(target=settings.refresh, daemon=True).start()
    sys.stdin.readline()


def loop(action: Callable[[], object]) -> None:
    """A daemon thread that repeats an action, and has done it once."""
    begun = threading.Event()

    def repeat() -> None:
        while True:
            action()
            begun.set()

    threading.Thread(target=repeat, daemon=True).start()
    begun.wait()


def thread_syncing(server: str, hanging: str, storage: str) -> None:
    """A daemon thread that waits for its sync, whose request is in flight."""
    open_settings(hanging, storage)
    client = kept[0]
    assert isinstance(client, remora.Client)
    threading.Thread(target=client.sync, daemon=True).start()
    sys.stdin.readline()


def syncing(server: str, hanging: str, storage: str) -> None:
    """A daemon thread that syncs again and again."""
    open_settings(server, storage)
    client = kept[0]
    assert isinstance(client, remora.Client)
    loop(client.sync)


def listing(server: str, hanging: str, storage: str) -> None:
    """Daemon threads that list what exists, again and again."""
    settings = open_settings(server, storage)
    client, empty = kept[0], settings.snapshot()
    assert isinstance(client, remora.Client)
    settings.refresh()
    settings.overrides.set("added", 1)
    loop(client.sources)
    loop(lambda: dict(settings.overrides))
    loop(lambda: empty.diff(settings.snapshot()))


def ending(server: str, hanging: str, storage: str) -> None:
    """Daemon threads that open, subscribe and close, again and again."""
    settings = open_settings(server, storage)
    loop(lambda: settings.subscribe(kept.append).close())
    loop(lambda: settings.refresh_async(lambda outcome, error: None).cancel())


def dispatching(server: str, hanging: str, storage: str) -> None:
    """A program that dispatches by itself, and ends with a callback undelivered."""
    settings = open_settings(server, storage, dispatch="manual")
    kept.append(settings.subscribe(kept.append))
    settings.refresh()


def logging_(server: str, hanging: str, storage: str) -> None:
    """A logger that the library writes to until the end."""
    logger = logging.getLogger("remora.test")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    logger.setLevel(logging.DEBUG)
    settings = open_settings(server, storage, logger=logger)
    kept.append(settings.subscribe(kept.append))
    settings.refresh()


def aio(server: str, hanging: str, storage: str) -> None:
    """An asyncio program whose loop has ended."""
    import remora.aio

    async def main() -> None:
        client = remora.aio.Client(storage, server=server)
        settings = client.collection(COLLECTION, trust="off")
        kept.extend([client, settings, settings.subscribe(kept.append)])
        await settings.refresh()

    asyncio.run(main())


_WAYS = [subscribed, untold, asking, refreshing, thread_refreshing, thread_syncing, syncing, listing, ending]
WAYS: dict[str, Callable[[str, str, str], None]] = {way.__name__: way for way in (*_WAYS, dispatching, logging_, aio)}

if __name__ == "__main__":
    WAYS[sys.argv[1]](*sys.argv[2:5])
