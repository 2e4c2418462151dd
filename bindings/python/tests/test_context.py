# SPDX-License-Identifier: Apache-2.0
"""What filters know of the application, and what they hide."""

from __future__ import annotations

import functools
import math
import queue
from typing import Any

import pytest

import remora
import remora.aio
from conftest import BANNER, SECONDS
from Servers.v2_collection import Collection

RECORDS: dict[str, dict[str, Any]] = {
    "banner": BANNER,
    "all": {"n": 1},
    "german": {"n": 2, "filter_expression": "env.locale == 'de'"},
    "broken": {"n": 3, "filter_expression": "env.locale =="},
}

NESTED = functools.reduce(lambda inner, _: [inner], range(100_000), 0)  # type: ignore[arg-type, return-value]
"""A value that is nested too deep for the module `json`."""


@pytest.fixture
def filtered(source: remora.Source, collection: Collection) -> remora.Source:
    """A source with a record for everybody, one for a locale, and one whose filter fails."""
    collection.publish(RECORDS)
    source.refresh(30)
    return source


def test_a_record_is_visible_only_in_a_context_that_its_filter_matches(
    client: remora.Client, filtered: remora.Source
) -> None:
    assert list(filtered) == ["all", "banner"]
    client.set_context({"locale": "de"})
    assert list(filtered) == ["all", "banner", "german"] and filtered["german"]["n"] == 2  # type: ignore[call-overload, index]
    client.set_context(None)
    assert list(filtered) == ["all", "banner"] and filtered.get_int("german", "/n", default=-1) == -1


def test_subscribers_are_notified_of_keys_that_a_new_context_shows_or_hides(
    client: remora.Client, filtered: remora.Source
) -> None:
    seen: queue.Queue[Any] = queue.Queue()
    with filtered.subscribe(seen.put):
        for locale, kind in (("de", remora.ChangeKind.CREATED), ("fr", remora.ChangeKind.DELETED)):
            client.set_context({"locale": locale})
            event = seen.get(timeout=SECONDS)
            (change,) = event.changes
            assert (event.cause, change.kind, change.key) == (remora.Cause.CONTEXT, kind, "german")


def test_an_unfiltered_snapshot_contains_the_records_that_filters_hide(filtered: remora.Source) -> None:
    assert set(filtered.snapshot(unfiltered=True)) == set(RECORDS)
    assert set(filtered.snapshot()) == {"all", "banner"}
    assert filtered.info().filter_failures == 1


@pytest.mark.parametrize("wrong", ["{}", 5, [("locale", "de")], b"{}"])
def test_a_context_that_is_not_a_mapping_is_refused(client: remora.Client, wrong: Any) -> None:
    with pytest.raises(TypeError, match="context"):
        client.set_context(wrong)


@pytest.mark.parametrize("wrong", [{"n": math.nan}, {"n": object()}, {"locale": 5}, {"preferences": "x"}])
def test_an_invalid_context_is_refused_and_the_previous_context_stays(
    client: remora.Client, filtered: remora.Source, wrong: Any
) -> None:
    client.set_context({"locale": "de"})
    with pytest.raises((TypeError, ValueError)):
        client.set_context(wrong)
    assert "german" in filtered


def test_a_closed_client_accepts_no_context(client: remora.Client) -> None:
    client.close()
    with pytest.raises(remora.ClosedError):
        client.set_context({})


def test_a_context_is_set_in_asyncio(play: Any, collection: Collection) -> None:
    async def scene(client: remora.aio.Client, source: remora.aio.Source) -> None:
        collection.publish(RECORDS)
        await source.refresh(30)
        await client.set_context({"locale": "de"})
        assert list(source) == ["all", "banner", "german"]

    play(scene)


@pytest.mark.parametrize(
    ("expression", "context", "expected"),
    [
        ("env.plan == 'pro'", {"plan": "pro"}, True),
        ("env.plan == 'pro'", '{"plan": "pro"}', True),
        ("env.plan == 'pro'", None, False),
        ("env.plan", {"plan": "pro"}, False),
        ("", None, True),
    ],
)
def test_an_expression_is_evaluated_in_a_context_of_its_own(expression: str, context: Any, expected: bool) -> None:
    assert remora.filter_matches(expression, context) is expected


@pytest.mark.parametrize(
    ("expression", "context", "error", "message"),
    [
        ("plan", None, remora.InvalidArgumentError, "expression cannot be evaluated: plan is not defined"),
        ("x" * (1 << 20), None, remora.InvalidArgumentError, "expression .* at most 16384"),
        ("true", "[]", remora.InvalidArgumentError, "context cannot be used"),
        ("true", {"locale": 5}, remora.InvalidArgumentError, "context cannot be used"),
        ("true", [], TypeError, "context must be a mapping"),
        ("true", {"n": object()}, TypeError, "context cannot be written as JSON"),
        ("true", {"n": NESTED}, ValueError, "context cannot be written as JSON"),
        ("a\0", None, ValueError, "expression contains"),
        (None, None, TypeError, "expression must be str"),
        (5, None, TypeError, "expression must be str"),
    ],
)
def test_an_expression_or_a_context_that_cannot_be_used_is_an_error(
    expression: Any, context: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        remora.filter_matches(expression, context)
