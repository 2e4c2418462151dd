# SPDX-License-Identifier: Apache-2.0
#
# The model of the header is whole: what other lists of the project say is in it.
"""Tests of the header's model."""

from __future__ import annotations

import re

from Bindings.c_header import ROOT, Header
from Bindings.c_layout import Layout
from Bindings.c_types import Function, Pointer, Record, Scalar


def test_the_parsed_header_contains_exactly_the_exported_functions(header: Header) -> None:
    assert sorted(header.functions) == (ROOT / "abi/symbols.txt").read_text(encoding="utf-8").split()


def test_the_header_parser_resolves_typedefs_to_their_types(header: Header) -> None:
    handle = Record("remora_source", opaque=True)
    error = Pointer(Record("remora_error"))
    snapshot = Pointer(Record("remora_snapshot", opaque=True), True)
    assert header.functions["remora_activate"] == Function(
        Scalar("int32_t"), (Pointer(handle), snapshot, Pointer(Scalar("int32_t")), error)
    )
    assert header.structures["remora_config"]["headers"] == Pointer(Pointer(Scalar("char"), True), True)
    assert header.structures["remora_config"]["on_log"] == Pointer(header.callbacks["remora_log_callback"])
    assert "remora_source" in header.handles and "remora_source" not in header.structures


def test_the_header_parser_reads_the_values_of_constants(header: Header) -> None:
    assert header.constants["REMORA_ERR_INVALID_ARGUMENT"] == -700
    assert header.constants["REMORA_STORAGE_MEMORY"] == ":memory:"


def test_the_chaos_campaign_calls_every_function_that_uses_or_closes_something(header: Header) -> None:
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "Tests/ABI/Campaigns").glob("chaos*.c")]
    called = set(re.findall(r"\bremora_\w+(?=\()", "".join(texts)))
    enumerations = "status family source_kind origin outcome cause freshness change_kind type"
    names = {"remora_status_family", *(f"remora_{name}_name" for name in enumerations.split())}
    # REMORA_INIT calls remora_init, and remora_preconnect needs a server.
    assert set(header.functions) - called == names | {"remora_version", "remora_init", "remora_preconnect"}
