# SPDX-License-Identifier: Apache-2.0
"""The requirements of the OpenFeature specification for providers: evaluation and metadata. Each test is named by its
requirement.
"""

from __future__ import annotations

import asyncio
import functools
from typing import Any

import pytest

import remora
from conftest import FLAGS, URL
from openfeature import api
from openfeature.client import OpenFeatureClient
from openfeature.evaluation_context import EvaluationContext
from openfeature.exception import ErrorCode
from openfeature.flag_evaluation import Reason
from openfeature.hook import Hook, HookContext
from openfeature.provider import ProviderStatus
from remora_openfeature import RemoraProvider

NESTED: Any = functools.reduce(lambda inner, _: [inner], range(100_000), 0)  # type: ignore[arg-type, return-value]
"""A value that is nested too deep for the module `json`."""


def test_requirement_2_1_1_the_provider_has_metadata_with_a_name(settings: remora.Settings) -> None:
    assert RemoraProvider(settings).get_metadata().name == "remora"


@pytest.mark.parametrize(
    ("type_name", "key", "default", "expected"),
    [
        ("boolean", "on", False, True),
        ("string", "color", "blue", "red"),
        ("integer", "limit", 1, 5),
        ("integer", "whole", 1, 2),
        ("float", "ratio", 0.5, 0.75),
        ("float", "limit", 0.5, 5.0),
        ("object", "list", [], [1, 2]),
        ("object", "menu", {}, None),
    ],
)
def test_requirements_2_2_1_and_2_2_3_values_of_each_type_are_resolved(
    client: OpenFeatureClient, type_name: str, key: str, default: Any, expected: Any
) -> None:
    details = getattr(client, f"get_{type_name}_details")(key, default)
    if expected is None:  # The variants of the flag are booleans.
        assert details.error_code is ErrorCode.TYPE_MISMATCH
    else:
        assert details.value == expected and details.error_code is None
        assert isinstance(details.value, type(expected))


def test_requirement_2_2_1_the_evaluation_context_is_optional(client: OpenFeatureClient, settings: Any) -> None:
    provider = RemoraProvider(settings)
    provider.initialize(EvaluationContext())
    assert provider.resolve_boolean_details("on", False).value is True
    assert provider.resolve_integer_details("price", 0).error_code is ErrorCode.TARGETING_KEY_MISSING
    provider.shutdown()


def test_requirement_2_2_4_the_variant_names_the_selected_value(client: OpenFeatureClient) -> None:
    details = client.get_boolean_details("menu", True)
    assert (details.value, details.variant) == (False, "old")
    assert client.get_boolean_details("on", False).variant is None


@pytest.mark.parametrize(
    ("key", "context", "reason", "variant", "value"),
    [
        ("menu", EvaluationContext(), Reason.STATIC, "old", False),
        ("price", EvaluationContext("you", {"country": "AT"}), Reason.TARGETING_MATCH, "low", 10),
        ("price", EvaluationContext("me", {"country": "DE"}), Reason.TARGETING_MATCH, "low", 10),
        ("price", EvaluationContext("you", {"country": "DE"}), Reason.DEFAULT, "high", 20),
        ("no-default", EvaluationContext(None, {"plan": "pro"}), Reason.TARGETING_MATCH, "a", "x"),
        ("no-default", EvaluationContext(None, {"plan": "free"}), Reason.DEFAULT, None, "mine"),
    ],
)
def test_requirement_2_2_5_the_reason_states_how_the_value_was_selected(
    client: OpenFeatureClient, key: str, context: EvaluationContext, reason: Reason, variant: str | None, value: Any
) -> None:
    kind, default = {bool: ("boolean", True), int: ("integer", 1), str: ("string", "mine")}[type(value)]
    details = getattr(client, f"get_{kind}_details")(key, default, context)
    assert (details.value, details.variant, details.reason) == (value, variant, reason)


def test_requirement_2_2_6_a_successful_resolution_has_no_error_code(client: OpenFeatureClient) -> None:
    details = client.get_string_details("color", "")
    assert details.error_code is None and details.error_message is None


@pytest.mark.parametrize(
    ("key", "context", "code", "message"),
    [
        ("missing", {}, ErrorCode.FLAG_NOT_FOUND, "the source has no value for missing"),
        ("nothing", {}, ErrorCode.FLAG_NOT_FOUND, "the source has no value for nothing"),
        ("color", {}, ErrorCode.TYPE_MISMATCH, "the value is a string, not an integer"),
        ("ratio", {}, ErrorCode.TYPE_MISMATCH, "the value is a number, not an integer"),
        ("on", {}, ErrorCode.TYPE_MISMATCH, "the value is a boolean, not an integer"),
        (
            "bad-rule",
            {},
            ErrorCode.PARSE_ERROR,
            "rule 0: expression cannot be evaluated: the expression ends too early",
        ),
        ("bad-variant", {}, ErrorCode.PARSE_ERROR, "\"variants\" has no member 'b'"),
        ("bad-rules", {}, ErrorCode.PARSE_ERROR, '"rules" is not an array'),
        ("bad-shape", {}, ErrorCode.PARSE_ERROR, 'rule 0 is not an object with the strings "if" and "variant"'),
        ("price", {}, ErrorCode.TARGETING_KEY_MISSING, "rule 1 needs a targeting key"),
        ("price", {"locale": 5}, ErrorCode.INVALID_CONTEXT, "context cannot be used"),
        ("price", {"x": object()}, ErrorCode.INVALID_CONTEXT, "cannot be written as JSON"),
        ("price", {"x": NESTED}, ErrorCode.INVALID_CONTEXT, "cannot be written as JSON"),
    ],
)
def test_requirement_2_2_7_an_error_has_a_code_and_a_message_and_the_value_is_the_default(
    client: OpenFeatureClient, key: str, context: Any, code: ErrorCode, message: str
) -> None:
    details = client.get_integer_details(key, 77, EvaluationContext(None, context))
    assert (details.value, details.reason, details.error_code) == (77, Reason.ERROR, code)
    assert message in (details.error_message or "")


def test_requirement_2_2_9_flag_metadata_has_the_version_and_the_origin_of_the_data(
    remora_client: remora.Client, server: Any
) -> None:
    server.publish("flags", {"menu": {"value": True, "metadata": {"owner": "ui"}}}, timestamp=7000)
    api.set_provider_and_wait(RemoraProvider(remora_client.collection("flags", trust="off")))
    details = api.get_client().get_boolean_details("menu", False)
    assert details.value is True
    assert details.flag_metadata == {"version": 7000, "origin": "fetched", "verified": False, "owner": "ui"}


@pytest.mark.parametrize("key", ["record", "variants"])
def test_metadata_of_the_server_cannot_replace_the_version_the_origin_and_the_verification(
    remora_client: remora.Client, server: Any, key: str
) -> None:
    metadata = {"version": 9, "origin": "override", "verified": True, "owner": "ui"}
    flag = {"variants": {"a": True}, "default": "a", "metadata": metadata}
    records = {"record": {"value": True, "metadata": metadata}, "variants": flag}
    server.publish("flags", records, timestamp=7000)
    api.set_provider_and_wait(RemoraProvider(remora_client.collection("flags", trust="off")))
    details = api.get_client().get_boolean_details(key, False)
    assert details.value is True
    assert details.flag_metadata == {"version": 7000, "origin": "fetched", "verified": False, "owner": "ui"}


def test_requirement_2_2_10_flag_metadata_contains_only_booleans_numbers_and_strings(
    client: OpenFeatureClient,
) -> None:
    metadata = client.get_boolean_details("menu", True).flag_metadata
    assert metadata["owner"] == "ui" and "ignored" not in metadata
    assert all(isinstance(value, (bool, int, float, str)) for value in metadata.values())


def test_requirement_2_3_1_the_provider_may_have_hooks_and_hooks_of_the_program_see_its_errors(
    client: OpenFeatureClient, settings: remora.Settings
) -> None:
    assert RemoraProvider(settings).get_provider_hooks() == []
    seen: list[Exception] = []

    class Seen(Hook):
        def error(self, hook_context: HookContext, exception: Exception, hints: Any) -> None:
            seen.append(exception)

    client.add_hooks([Seen()])
    client.get_boolean_value("missing", False)
    assert [getattr(error, "error_code", None) for error in seen] == [ErrorCode.FLAG_NOT_FOUND]


def test_requirement_2_4_1_the_provider_initializes_itself_with_the_data_of_its_source(
    client: OpenFeatureClient, server: Any
) -> None:
    assert client.get_provider_status() is ProviderStatus.READY
    assert len(server.requests) == 1
    assert client.get_boolean_value("on", False) is True
    assert len(server.requests) == 1


def test_requirement_2_4_2_a_failed_initialization_is_an_error(remora_client: remora.Client, server: Any) -> None:
    server.down()
    provider = RemoraProvider(remora_client.settings(URL, fetch_at_open=False), timeout=5)
    with pytest.raises(Exception, match="the source has no data: .*test server is down") as failed:
        api.set_provider_and_wait(provider)
    assert failed.value.error_code is ErrorCode.PROVIDER_NOT_READY  # type: ignore[attr-defined]
    assert api.get_client().get_provider_status() is ProviderStatus.ERROR
    details = api.get_client().get_boolean_details("on", False)
    assert (details.value, details.error_code) == (False, ErrorCode.PROVIDER_NOT_READY)


def test_requirement_2_5_1_shutdown_releases_the_subscription_and_keeps_the_source_open(
    settings: remora.Settings,
) -> None:
    provider = RemoraProvider(settings)
    provider.initialize(EvaluationContext())
    provider.shutdown()
    assert settings["on"] is True
    provider.shutdown()


def test_requirement_2_5_2_the_provider_is_uninitialized_after_shutdown(settings: remora.Settings) -> None:
    provider = RemoraProvider(settings)
    assert provider.resolve_boolean_details("on", False).error_code is ErrorCode.PROVIDER_NOT_READY
    provider.initialize(EvaluationContext())
    assert provider.resolve_boolean_details("on", False).value is True
    provider.shutdown()
    assert provider.resolve_boolean_details("on", False).error_code is ErrorCode.PROVIDER_NOT_READY
    provider.initialize(EvaluationContext())
    assert provider.resolve_boolean_details("on", False).value is True
    provider.shutdown()


def test_requirement_1_4_6_evaluations_in_asyncio_have_the_same_results(client: OpenFeatureClient) -> None:
    async def values() -> tuple[bool, str]:
        return await client.get_boolean_value_async("on", False), await client.get_string_value_async("color", "")

    assert asyncio.run(values()) == (True, "red")


def test_requirement_1_4_10_an_evaluation_never_raises(client: OpenFeatureClient) -> None:
    for key in [*FLAGS, "missing", "", "a\0b", "\udcff"]:
        for kind, default in (("boolean", True), ("string", ""), ("integer", 1), ("float", 1.0), ("object", {})):
            getattr(client, f"get_{kind}_value")(key, default, EvaluationContext("me", {"a": [1]}))


def test_requirement_3_1_2_attributes_of_all_types_reach_the_rules(server: Any, remora_client: remora.Client) -> None:
    from datetime import datetime, timezone

    conditions = {
        "boolean": "env.flag",
        "string": "env.name == 'x'",
        "number": "env.n > 2",
        "structure": "env.nested.list|length == 2 && env.nested.deep.a == 'b'",
        "datetime": "env.time|date == 1000",
        "targeting-key": "env.targetingKey == 'me'",
        "app": "env.version|versionCompare('2.0') >= 0",
    }
    server.publish_document(
        URL,
        {key: {"variants": {"a": True}, "rules": [{"if": rule, "variant": "a"}]} for key, rule in conditions.items()},
    )
    api.set_provider_and_wait(RemoraProvider(remora_client.settings(URL, activation="immediate")))
    context = EvaluationContext(
        "me",
        {
            "flag": True,
            "name": "x",
            "n": 3,
            "nested": {"list": [1, 2], "deep": {"a": "b"}},
            "time": datetime.fromtimestamp(1, timezone.utc),
            "app_version": "2.1",
        },
    )
    for key in conditions:
        assert api.get_client().get_boolean_details(key, False, context).reason == Reason.TARGETING_MATCH, key
