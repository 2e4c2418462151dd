# SPDX-License-Identifier: Apache-2.0
#
# The canonical text of doubles, which signatures cover, beside canonicaljson-rs from PyPI, with which Remote Settings
# servers sign. Random doubles, the same in every run.
"""100,000 doubles of several distributions, in the library and in the reference."""

from __future__ import annotations

import json
import math
import random
import struct
from collections.abc import Callable
from pathlib import Path

import canonicaljson
import pytest

from EndToEnd.hosts import Hosts

COUNT = 16_700


def any_bits(source: random.Random) -> float:
    number = math.nan
    while not math.isfinite(number):
        (number,) = struct.unpack("<d", source.randbytes(8))
    return number


DISTRIBUTIONS: dict[str, Callable[[random.Random], float]] = {
    "any bits": any_bits,
    "uniform up to 1e15": lambda source: source.uniform(0, 1e15),
    "quarters of large integers": lambda source: source.randrange(-(2**53), 2**53) / 4,
    "eighths of large integers": lambda source: source.randrange(2**40, 2**53) / 8,
    "integers beyond 2^53": lambda source: float(source.randrange(2**53, 2 ** source.randrange(54, 80))),
    "few digits": lambda source: float(f"{source.randrange(10**6)}e{source.randrange(-30, 30)}"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_the_canonical_text_of_each_double_equals_that_of_the_reference(
    hosts: Hosts, tmp_path: Path, name: str
) -> None:
    source = random.Random(name)
    doubles = [DISTRIBUTIONS[name](source) for _ in range(COUNT)]
    packaged = tmp_path / "packaged.json"
    record = {"id": "a", "last_modified": 1, "doubles": doubles}
    packaged.write_text(json.dumps({"data": [record], "timestamp": 1}))
    host = hosts.setup(storage=":memory:", server="prod")
    host.succeed("open", "collection", "doubles", packaged_file=packaged)
    text = host.succeed("snapshot", unfiltered=True)["text"]
    (found,) = json.loads(text, parse_float=str).values()
    expected = [canonicaljson.dumps(double) for double in doubles]
    assert len(set(expected)) > COUNT / 2
    assert [pair for pair in zip(found["doubles"], expected, strict=True) if pair[0] != pair[1]] == []
