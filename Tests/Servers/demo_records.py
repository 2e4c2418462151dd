# SPDX-License-Identifier: Apache-2.0
#
# The collection that the demo and the README talk about: values of every JSON type,
# as the server has them and as they were when the program was packaged.
"""Records of the collection `demo`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .signing import Record

COLLECTION = "demo"

RECORDS: dict[str, Record] = {
    "banner": {"text": "Hello from the server", "enabled": True, "colors": ["teal", "sand"]},
    "limits": {"max_uploads": 10, "ratio": 0.75, "timeouts": {"connect_ms": 3000}},
    "regions": {"default": "eu", "names": {"eu": "Europe", "jp": "日本"}, "fallback": None},
}

_PACKAGED_TIMESTAMP = 1_700_000_000_000


def packaged_json() -> str:
    """An older state of the collection, as a program would be shipped with it."""
    banner = {**RECORDS["banner"], "text": "Hello from the package"}
    data = [
        {**fields, "id": key, "last_modified": _PACKAGED_TIMESTAMP}
        for key, fields in {"banner": banner, "limits": RECORDS["limits"]}.items()
    ]
    return json.dumps({"data": data, "timestamp": _PACKAGED_TIMESTAMP}, ensure_ascii=False, indent=2) + "\n"
