# SPDX-License-Identifier: Apache-2.0
"""Tests of the parser of the header."""

from __future__ import annotations

import comments
import header
import pytest

from Site.conftest import HEADER, ROOT

PARSED = header.read(ROOT / "include" / "remora.h")
BY_NAME = {symbol.name: symbol for symbol in PARSED.symbols}


def test_each_exported_function_is_found_with_a_comment() -> None:
    exported = set((ROOT / "abi" / "symbols.txt").read_text(encoding="utf-8").split())
    found = {name for name, symbol in BY_NAME.items() if symbol.kind == "function"}
    assert found == exported
    assert [name for name in found if not (BY_NAME[name].comment or BY_NAME[BY_NAME[name].shares_with].comment)] == []


def test_each_section_of_the_header_is_found() -> None:
    text = (ROOT / "include" / "remora.h").read_text(encoding="utf-8")
    assert len(PARSED.sections) == text.count(" --- */")


def test_a_function_below_a_comment_shares_it_until_a_blank_line() -> None:
    assert BY_NAME["remora_override_set_string"].shares_with == "remora_override_set_bool"
    assert BY_NAME["remora_get_int"].shares_with == ""


def test_fields_have_names_types_and_comments() -> None:
    fields = {one.name: one for one in BY_NAME["remora_error"].fields}
    assert fields["message"].type == "char [384]"
    assert fields["retry_after_ms"].comment == "Time to wait before a retry, in milliseconds; 0 if unknown."
    free = {one.name: one for one in BY_NAME["remora_transport"].fields}["free_user_data"]
    assert free.type == "void (*)(void *)" and free.comment.startswith("Called once")


def test_a_comment_is_split_into_text_parameters_and_fields() -> None:
    refresh = comments.parse(BY_NAME["remora_refresh"].comment)
    labels = dict(refresh.labels)
    assert [name for name, _ in refresh.parameters] == ["source", "out_outcome"]
    assert labels["Returns"] == "REMORA_OK."
    assert labels["Errors"].startswith("REMORA_ERR_TIMEOUT; network, document, trust or freshness errors")
    assert labels["Blocking"] == "At most timeout_ms."
    result = comments.parse(BY_NAME["remora_result_callback"].comment)
    assert dict(result.labels)["Thread"] == "As remora_event_callback."
    assert isinstance(result.blocks[-1], comments.Code)


@pytest.mark.parametrize(
    ("declaration", "name"),
    [
        ("int remora_lost(int number);", "remora_lost"),
        ("typedef int remora_lost;", "remora_lost"),
        (
            "/** A pair. */\ntypedef struct remora_pair {\n  int left; /**< The left. */\n  int right;\n} remora_pair;",
            "right",
        ),
        ("#define REMORA_LOST 1", "REMORA_LOST"),
    ],
)
def test_a_symbol_without_a_comment_is_named(declaration: str, name: str) -> None:
    assert len(header.parse(HEADER).symbols) == 2
    text = HEADER.replace("#ifdef __cplusplus", f"\n{declaration}\n#ifdef __cplusplus")
    with pytest.raises(header.MissingComment, match=rf"include/remora.h: \S*\b{name}$"):
        header.parse(text)
