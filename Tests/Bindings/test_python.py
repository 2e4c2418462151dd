# SPDX-License-Identifier: Apache-2.0
#
# remora._ffi declares what the header declares; and each kind of mistake is found, in a copy
# of the declarations that has it.
"""Tests of the Python declarations."""

from __future__ import annotations

import ctypes
from dataclasses import replace

import pytest
from remora import _ffi

from Bindings.c_header import Header
from Bindings.c_layout import Layout
from Bindings.comparison import Declarations, Signature, complaints
from Bindings.python_ffi import layouts, read_declarations, spell


@pytest.fixture
def declared() -> Declarations:
    return read_declarations(_ffi)


def test_every_declaration_of_the_header_is_declared_with_its_types(header: Header, declared: Declarations) -> None:
    assert complaints(header, declared, spell) == []


def test_structures_are_laid_out_as_in_c(c_layouts: dict[str, Layout]) -> None:
    assert layouts(_ffi.STRUCTURES) == c_layouts


def test_the_library_is_called_with_the_declared_types() -> None:
    called = {name: (one.restype, list(one.argtypes)) for name, one in _ffi.functions.items()}
    assert called == {name: (result, list(parameters)) for name, (result, parameters) in _ffi.FUNCTIONS.items()}


def test_a_missing_function_is_reported(header: Header, declared: Declarations) -> None:
    functions = {name: one for name, one in declared.functions.items() if name != "remora_refresh"}
    found = complaints(header, replace(declared, functions=functions), spell)
    assert found == ["function remora_refresh is missing"]


def test_a_function_that_the_header_does_not_declare_is_reported(header: Header, declared: Declarations) -> None:
    functions = {**declared.functions, "remora_guess": Signature("None", ())}
    found = complaints(header, replace(declared, functions=functions), spell)
    assert found == ["function remora_guess is not in the header"]


@pytest.mark.parametrize("number", range(4))
def test_a_parameter_of_another_type_is_reported(header: Header, declared: Declarations, number: int) -> None:
    signature = declared.functions["remora_refresh"]
    parameters = [*signature.parameters]
    parameters[number] = "c_short"
    functions = {**declared.functions, "remora_refresh": replace(signature, parameters=tuple(parameters))}
    (found,) = complaints(header, replace(declared, functions=functions), spell)
    assert found.startswith(f"remora_refresh: parameter {number + 1} is ") and found.endswith("declared c_short")


def test_a_result_of_another_type_is_reported(header: Header, declared: Declarations) -> None:
    signature = replace(declared.functions["remora_refresh"], result="None")
    functions = {**declared.functions, "remora_refresh": signature}
    assert complaints(header, replace(declared, functions=functions), spell) == [
        "remora_refresh: the result is c_int, declared None"
    ]


def test_a_callback_with_a_missing_parameter_is_reported(header: Header, declared: Declarations) -> None:
    signature = declared.callbacks["remora_event_callback"]
    short = replace(signature, parameters=signature.parameters[:-1])
    callbacks = {**declared.callbacks, "remora_event_callback": short}
    assert complaints(header, replace(declared, callbacks=callbacks), spell) == [
        "remora_event_callback takes 2 parameters, declared 1"
    ]


def test_a_constant_of_another_value_is_reported(header: Header, declared: Declarations) -> None:
    constants = {**declared.constants, "REMORA_ERR_BUSY": -8}
    found = complaints(header, replace(declared, constants=constants), spell)
    assert found == ["REMORA_ERR_BUSY is -7, declared -8"]


def test_a_moved_field_is_reported_and_seen_in_the_layout(
    header: Header, declared: Declarations, c_layouts: dict[str, Layout]
) -> None:
    fields = list(_ffi.STRUCTURES["remora_change"]._fields_)
    moved = [fields[0], *fields[:1:-1], fields[1]]
    mutant = type("remora_change", (ctypes.Structure,), {"_fields_": moved})
    in_order = {field[0]: declared.structures["remora_change"][field[0]] for field in moved}
    structures = {**declared.structures, "remora_change": in_order}
    (found,) = complaints(header, replace(declared, structures=structures), spell)
    assert found.startswith("remora_change: the fields are kind, origin, key,")
    assert layouts({"remora_change": mutant})["remora_change"] != c_layouts["remora_change"]
