# SPDX-License-Identifier: Apache-2.0
#
# A small web application as its author would write it: settings are opened, read and
# subscribed to when the module is imported, which with --preload is before the fork. It
# knows nothing of forks. The environment says where the settings are.
"""The application that gunicorn serves."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping

import remora

client = remora.Client(os.environ["APP_STORAGE"] or ":memory:", server=os.environ["APP_SERVER"])
settings = client.collection(os.environ["APP_COLLECTION"], trust="off")
seen: list[int] = []
"""Versions of which this process was told by its subscription; a child begins with its parent's."""

if "refresh" in os.environ["APP_AT_IMPORT"]:
    settings.refresh()
if "subscribe" in os.environ["APP_AT_IMPORT"]:
    subscription = settings.subscribe(lambda event: seen.append(event.version))


def application(environ: dict[str, object], start_response: Callable[..., object]) -> Iterable[bytes]:
    """Answers with what this process sees now; /refresh asks the server before."""
    if environ["PATH_INFO"] == "/refresh":
        settings.refresh()
    record = settings.get("banner")
    answer = {
        "pid": os.getpid(),
        "n": settings.get_int("banner", "/n", -1),
        "record": record["n"] if isinstance(record, Mapping) else -1,
        "version": settings.snapshot().version,
        "told": seen[-1] if seen else 0,
    }
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps(answer).encode()]
