# SPDX-License-Identifier: Apache-2.0
#
# A function that can fail receives the error structure as its last argument. A failure becomes an exception.
"""Calls of functions that can fail."""

from __future__ import annotations

from ctypes import Structure, byref, c_char_p, c_void_p, sizeof

from ..errors import Error, error_from
from .library import functions
from .structures import Error as ErrorStructure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Union

    Field = Union[bytes, int, list[bytes], None]


class Handle(c_void_p):
    """A handle of the library. Subclasses release it with their last reference."""


def call(function: Any, *arguments: Any) -> None:
    """Calls a function with its arguments and an error structure. Raises the error that it reports."""
    error = ErrorStructure()
    status = function(*arguments, byref(error))
    if status:
        raise _described(error)


def made(function: Any, *arguments: Any) -> Handle:
    """Calls a function whose last output is a handle, as `call`, and returns the handle."""
    handle = Handle()
    call(function, *arguments, byref(handle))
    return handle


def error_in(error: ErrorStructure) -> Error | None:
    """Converts a remora_error to an exception. Returns None if its status is REMORA_OK."""
    if not error.status:
        return None
    return _described(error)


def error_at(pointer: Any) -> Error | None:
    """Converts the remora_error at an address, as `error_in`. Returns None for NULL."""
    return error_in(pointer.contents) if pointer else None


def texts_at(pointer: Any) -> list[bytes]:
    """Returns the texts of an array that ends with NULL."""
    texts: list[bytes] = []
    while pointer[len(texts)] is not None:
        texts.append(pointer[len(texts)])
    return texts


def filled(structure: Structure, fields: Mapping[str, Field]) -> Structure:
    """Fills a structure with the library's defaults and with the fields that are not None. Returns the structure."""
    functions["remora_init"](byref(structure), sizeof(structure))
    for name, value in fields.items():
        if isinstance(value, list):
            setattr(structure, name, (c_char_p * (len(value) + 1))(*value, None))
        elif value is not None:
            setattr(structure, name, value)
    return structure


def _described(error: ErrorStructure) -> Error:
    texts: list[bytes] = [error.message, error.source_name, error.parameter]
    message, name, parameter = (text.decode("utf-8", "replace") for text in texts)
    return error_from(
        error.status, message, error.http_status, error.retry_after_ms, name, parameter, error.system_code
    )
