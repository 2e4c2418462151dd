# SPDX-License-Identifier: Apache-2.0
"""Why a read returns its value."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime, timedelta, timezone

import pytest

import remora
import remora.aio
from conftest import SECONDS
from Servers.v2_collection import Collection
from Servers.v2_server import V2Server


def test_an_explanation_names_the_layers_of_a_value_and_the_one_that_wins(source: remora.Source) -> None:
    source.overrides["banner", "/n"] = 6
    found = source.explain("banner", "/n")
    assert isinstance(found, remora.Explanation)
    assert (found.key, found.pointer, found.value, found.type, found.reason) == ("banner", "/n", 6, "int", None)
    override, live = found.layers[:2]
    assert (override.layer, override.value, override.wins) == ("override", 6, True)
    assert (override.version, override.verified, override.fetched_at) == (None, None, None)
    assert (live.layer, live.value, live.wins, live.reason) == ("live", 5, False, None)
    assert (live.version, live.verified) == (source.snapshot().version, False)
    assert live.fetched_at is not None
    assert abs(datetime.now(timezone.utc) - live.fetched_at) < timedelta(minutes=10)
    assert json.loads(found.json)["value"] == 6 and "\n" not in found.json
    assert str(found).startswith("banner /n: 6\n") and "* override     6\n" in str(found)


def test_an_explanation_has_the_reason_that_there_is_no_value(source: remora.Source) -> None:
    found = source.explain("none")
    assert (found.value, found.type, found.reason, found.layers) == (None, "none", "the key does not exist", ())
    found = source.explain("banner", "/none/deep")
    assert found.type == "none" and found.reason == "the value is an object without the member none"
    assert repr(found) == "<remora.Explanation 'banner' '/none/deep' layers=[]>"


def test_an_explanation_refuses_wrong_arguments(source: remora.Source) -> None:
    with pytest.raises(remora.InvalidArgumentError, match="pointer"):
        source.explain("banner", "n")
    with pytest.raises(TypeError, match="key must be str"):
        source.explain(5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="key contains U"):
        source.explain("a\0")
    with pytest.raises(TypeError, match="did you mean 'pointer'"):
        source.explain("banner", pointr="/n")  # type: ignore[call-arg]
    source.close()
    with pytest.raises(remora.ClosedError):
        source.explain("banner")


def test_an_explanation_is_awaited_in_asyncio(server: V2Server, collection: Collection) -> None:
    async def main() -> None:
        async with remora.aio.Client.in_memory(server=server.url) as client:
            source = client.collection(collection.name, trust="off")
            await source.refresh(SECONDS)
            found = await source.explain("banner", "/text")
            assert found.value == "Hi" and found.layers[0].layer == "live"

    asyncio.run(main())
