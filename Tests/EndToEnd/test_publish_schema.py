# SPDX-License-Identifier: Apache-2.0
#
# `--schema` of publish and check: records that violate a JSON Schema are named, and not published.
"""Schemas of the publisher."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from EndToEnd.publishing import Publisher, contents

PORTS = {"required": ["port"], "properties": {"port": {"type": "integer", "maximum": 65535}}}
GOOD = [{"id": "a", "port": 80}]


def schema(directory: Path, value: object = PORTS) -> str:
    """Writes a schema, and returns the path of its file."""
    file = directory / "ports.json"
    file.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return str(file)


def test_a_record_that_violates_the_schema_is_named_and_nothing_is_published(
    publisher: Publisher, tmp_path: Path
) -> None:
    publisher.write("main/pool.json", GOOD)
    publisher.publish(f"--schema={schema(tmp_path)}")
    before = contents(publisher.tree)
    publisher.write("main/pool.json", [{"id": "a", "port": 70000}, {"id": "b"}])
    refused = publisher.run("--schema", schema(tmp_path))
    assert refused.status == 5
    assert "main/pool: the record a is not valid: the value at /port violates #/properties/port/maximum" in refused.err
    assert "1 other record too" in refused.err
    assert contents(publisher.tree) == before


def test_a_schema_can_be_for_one_collection(publisher: Publisher, tmp_path: Path) -> None:
    publisher.write("main/pool.json", GOOD)
    publisher.write("main/texts.json", [{"id": "greeting", "text": "hello"}])
    publisher.publish(f"--schema=main/pool={schema(tmp_path)}")
    refused = publisher.run("--schema", schema(tmp_path))
    assert "main/texts: the record greeting is not valid" in refused.err
    unknown = publisher.run("--schema", f"main/none={schema(tmp_path)}")
    assert unknown.status == 2
    assert "main/none" in unknown.err


def test_check_names_each_record_of_a_published_tree_that_violates_a_schema(
    publisher: Publisher, tmp_path: Path
) -> None:
    publisher.write("main/pool.json", [{"id": f"r{n:02}", "port": "x"} for n in range(25)])
    publisher.publish()
    assert publisher.check().status == 0
    checked = publisher.check(None, "--schema", schema(tmp_path))
    assert checked.status == 5
    assert "error: main/pool: the record r19 is not valid: the value at /port violates" in checked.out
    assert "r20" not in checked.out
    assert "error: main/pool: 5 other records too" in checked.out


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("{", "is not JSON"),
        ({"$ref": "https://example.com/schema"}, "has a $ref to another document"),
        ({"unevaluatedProperties": False}, "has the keyword unevaluatedProperties"),
    ],
)
def test_a_schema_that_cannot_be_used_is_refused_by_name(
    publisher: Publisher, tmp_path: Path, value: object, words: str
) -> None:
    publisher.write("main/pool.json", GOOD)
    refused = publisher.run("--schema", schema(tmp_path, value))
    assert refused.status == 2
    assert "--schema" in refused.err
    assert words in refused.err


def test_keywords_of_a_schema_that_have_no_effect_are_warned_of(publisher: Publisher, tmp_path: Path) -> None:
    publisher.write("main/pool.json", GOOD)
    done = publisher.run("--schema", schema(tmp_path, {"maxmum": 5}))
    assert done.status == 0
    assert "the keyword maxmum of a schema is not known" in done.err
