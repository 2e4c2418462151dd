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


def test_the_python_binding_declares_everything_in_the_c_header_with_the_same_types(
    header: Header, declared: Declarations
) -> None:
    assert complaints(header, declared, spell) == []


def test_the_ctypes_structures_have_the_same_layout_as_in_c(c_layouts: dict[str, Layout]) -> None:
    assert layouts(_ffi.STRUCTURES) == c_layouts


def test_the_loaded_c_functions_have_the_declared_parameter_and_result_types() -> None:
    called = {name: (one.restype, list(one.argtypes)) for name, one in _ffi.functions.items()}
    assert called == {name: (result, list(parameters)) for name, (result, parameters) in _ffi.FUNCTIONS.items()}


def test_the_check_of_the_python_declarations_reports_a_c_function_that_is_not_declared(
    header: Header, declared: Declarations
) -> None:
    functions = {name: one for name, one in declared.functions.items() if name != "remora_refresh"}
    found = complaints(header, replace(declared, functions=functions), spell)
    assert found == ["function remora_refresh is missing"]


def test_the_check_of_the_python_declarations_reports_a_declared_function_that_is_not_in_the_c_header(
    header: Header, declared: Declarations
) -> None:
    functions = {**declared.functions, "remora_guess": Signature("None", ())}
    found = complaints(header, replace(declared, functions=functions), spell)
    assert found == ["function remora_guess is not in the header"]


@pytest.mark.parametrize("number", range(4))
def test_the_check_of_the_python_declarations_reports_a_parameter_whose_type_differs_from_the_c_header(
    header: Header, declared: Declarations, number: int
) -> None:
    signature = declared.functions["remora_refresh"]
    parameters = [*signature.parameters]
    parameters[number] = "c_short"
    functions = {**declared.functions, "remora_refresh": replace(signature, parameters=tuple(parameters))}
    (found,) = complaints(header, replace(declared, functions=functions), spell)
    assert found.startswith(f"remora_refresh: parameter {number + 1} is ") and found.endswith("declared c_short")


def test_the_check_of_the_python_declarations_reports_a_result_whose_type_differs_from_the_c_header(
    header: Header, declared: Declarations
) -> None:
    signature = replace(declared.functions["remora_refresh"], result="None")
    functions = {**declared.functions, "remora_refresh": signature}
    assert complaints(header, replace(declared, functions=functions), spell) == [
        "remora_refresh: the result is c_int, declared None"
    ]


def test_the_check_of_the_python_declarations_reports_a_callback_type_with_fewer_parameters_than_in_the_c_header(
    header: Header, declared: Declarations
) -> None:
    signature = declared.callbacks["remora_event_callback"]
    short = replace(signature, parameters=signature.parameters[:-1])
    callbacks = {**declared.callbacks, "remora_event_callback": short}
    assert complaints(header, replace(declared, callbacks=callbacks), spell) == [
        "remora_event_callback takes 2 parameters, declared 1"
    ]


def test_the_check_of_the_python_declarations_reports_a_constant_whose_value_differs_from_the_c_header(
    header: Header, declared: Declarations
) -> None:
    constants = {**declared.constants, "REMORA_ERR_BUSY": -8}
    found = complaints(header, replace(declared, constants=constants), spell)
    assert found == ["REMORA_ERR_BUSY is -706, declared -8"]


def test_the_check_of_the_python_declarations_reports_a_structure_whose_fields_are_in_another_order_than_in_c(
    header: Header, declared: Declarations, c_layouts: dict[str, Layout]
) -> None:
    fields = list(_ffi.STRUCTURES["remora_change"]._fields_)
    moved = [fields[0], *fields[:1:-1], fields[1]]
    mutant = type("remora_change", (ctypes.Structure,), {"_fields_": moved})
    in_order = {field[0]: declared.structures["remora_change"][field[0]] for field in moved}
    structures = {**declared.structures, "remora_change": in_order}
    (found,) = complaints(header, replace(declared, structures=structures), spell)
    assert found.startswith("remora_change: the fields are struct_size, kind, origin, key,")
    assert layouts({"remora_change": mutant})["remora_change"] != c_layouts["remora_change"]
