# SPDX-License-Identifier: Apache-2.0
#
# remora-sys declares what the header declares; and each kind of mistake is found, in a copy
# of its source that has it.
"""Tests of the Rust declarations."""

from __future__ import annotations

import re

import pytest

from Bindings.c_header import Header
from Bindings.comparison import complaints
from Bindings.rust_sys import read_declarations, read_sources, spell

SOURCE = read_sources()


def complaints_of(header: Header, pattern: str, replacement: str) -> list[str]:
    """What is found in a copy of the source with one place changed."""
    mutant, count = re.subn(pattern, replacement, SOURCE, count=1, flags=re.DOTALL)
    assert count == 1, f"nothing in the source is like {pattern}"
    return complaints(header, read_declarations(mutant), spell)


def test_the_rust_binding_declares_everything_in_the_c_header_with_the_same_types(header: Header) -> None:
    assert complaints(header, read_declarations(SOURCE), spell) == []


def test_the_check_of_the_rust_declarations_reports_a_c_function_that_is_not_declared(header: Header) -> None:
    found = complaints_of(header, r"pub fn remora_refresh\(.*?;", "")
    assert found == ["function remora_refresh is missing"]


def test_the_check_of_the_rust_declarations_reports_a_declared_function_that_is_not_in_the_c_header(
    header: Header,
) -> None:
    found = complaints_of(header, r"pub fn remora_refresh\(", r"pub fn remora_guess();\n\g<0>")
    assert found == ["function remora_guess is not in the header"]


def test_the_check_of_the_rust_declarations_reports_a_parameter_whose_type_differs_from_the_c_header(
    header: Header,
) -> None:
    found = complaints_of(header, r"(fn remora_refresh\([^;]*?: )i64", r"\1i32")
    assert found == ["remora_refresh: parameter 3 is i64, declared i32"]


def test_the_check_of_the_rust_declarations_reports_a_mutable_pointer_where_the_c_header_has_const(
    header: Header,
) -> None:
    found = complaints_of(header, r"(fn remora_snapshot_count\([^;]*?: \*)const", r"\1mut")
    assert found == ["remora_snapshot_count: parameter 1 is *const remora_snapshot, declared *mut remora_snapshot"]


def test_the_check_of_the_rust_declarations_reports_a_constant_whose_value_differs_from_the_c_header(
    header: Header,
) -> None:
    found = complaints_of(header, r"(pub const REMORA_ERR_BUSY\s*:[^=]*= )-706", r"\1-8")
    assert found == ["REMORA_ERR_BUSY is -706, declared -8"]


def test_the_check_of_the_rust_declarations_reports_a_structure_whose_fields_are_in_another_order_than_in_c(
    header: Header,
) -> None:
    field = r"pub {}\s*:\s*i32,\s*"
    before, after = field.format("cause"), field.format("outcome")
    (found,) = complaints_of(header, rf"({before}(?:///[^\n]*\s*)?)({after})", r"\2\1")
    assert found.startswith("remora_event: the fields are struct_size, source, source_name, kind, cause, outcome,")


def test_the_check_of_the_rust_declarations_refuses_a_structure_without_repr_c() -> None:
    with pytest.raises(ValueError, match="remora_error is not repr"):
        read_declarations(re.sub(r"#\[repr\(C\)\]((?:\s*#\[[^\n]*)*\s*pub struct remora_error\b)", r"\1", SOURCE))
