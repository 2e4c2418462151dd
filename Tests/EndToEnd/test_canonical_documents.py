# SPDX-License-Identifier: Apache-2.0
#
# The canonical text of whole documents, which signatures cover, beside canonicaljson-rs from PyPI, with which Remote
# Settings servers sign. Random documents, the same in every run.
"""100,000 values, nested and with strings and names of all kinds, in the library and in the reference."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import canonicaljson
import pytest

from EndToEnd.hosts import Hosts

RECORDS = 100
VALUES = 100
ALPHABETS = ["abcdefgh", 'ab"\\/\b\f\n\r\t', "\x00\x01\x1f\x7f", "äß€\u2028", "😀𝄞", "xyz0123456789 -_.:{}[],"]
LENGTHS = [0, 1, 2, 7, 8, 9, 40, 255]
NUMBERS = [0, -1, 2**47 - 1, 2**47, -(2**47), -(2**47) - 1, 2**53, 2**63 - 1, -(2**63)]


def any_text(source: random.Random) -> str:
    length = source.choice(LENGTHS)
    alphabet = source.choice([*ALPHABETS, "".join(ALPHABETS)])
    return "".join(source.choices(alphabet, k=length))


def any_name(source: random.Random) -> str:
    """jansson refuses U+0000 in names."""
    return any_text(source).replace("\x00", "")


def any_value(source: random.Random, depth: int = 0) -> Any:
    kind = source.randrange(9 if depth < 3 else 6)
    match kind:
        case 0:
            return source.choice([None, True, False])
        case 1:
            return source.choice(NUMBERS)
        case 2:
            return source.randrange(-(2 ** source.randrange(1, 63)), 2 ** source.randrange(1, 63))
        case 3:
            return source.uniform(-1, 1) * 10 ** source.randrange(-30, 30)
        case 4 | 5:
            return any_text(source)
        case 6:
            return [any_value(source, depth + 1) for _ in range(source.randrange(5))]
        case _:
            return {any_name(source): any_value(source, depth + 1) for _ in range(source.randrange(6))}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_the_canonical_text_of_random_documents_equals_that_of_the_reference(
    hosts: Hosts, tmp_path: Path, seed: int
) -> None:
    source = random.Random(seed)
    records = [
        {"id": f"{any_name(source)}{number}", "last_modified": number}
        | {f"{index}{any_name(source)}": any_value(source) for index in range(VALUES)}
        for number in range(RECORDS)
    ]
    packaged = tmp_path / "packaged.json"
    packaged.write_text(json.dumps({"data": records, "timestamp": RECORDS}))
    host = hosts.setup(storage=":memory:", server="prod")
    host.succeed("open", "collection", "random", packaged_file=packaged)
    text = host.succeed("snapshot", unfiltered=True)["text"]
    assert text == canonicaljson.dumps({record["id"]: record for record in records})
