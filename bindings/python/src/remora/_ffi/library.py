# SPDX-License-Identifier: Apache-2.0
"""Finds libremora, checks its version, and binds its functions at their first use. If the library is missing or does
not fit, raises an ImportError that names the searched places.
"""

from __future__ import annotations

import ctypes
import os
from _ctypes import dlsym

from .constants import number
from .signatures import SIGNATURES, signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

VARIABLE = "REMORA_LIBRARY"
FILE_NAME = "libremora.so.0"
REMEDY = f"install the wheel or the library of Remora, or set {VARIABLE} to the file of the library"

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _load() -> tuple[str, ctypes.CDLL]:
    """Loads the library from the first place that has it. Returns the file name for the loader, and the library."""
    named = os.environ.get(VARIABLE)
    beside = os.path.join(_PACKAGE, FILE_NAME)
    if named:
        places = [named]
        hint = f"{VARIABLE} names this file"
    else:
        places = [beside, FILE_NAME] if os.path.exists(beside) else [FILE_NAME]
        hint = f"{VARIABLE} is not set, and {beside} does not exist" if len(places) == 1 else f"{VARIABLE} is not set"
    failures: list[str] = []
    for place in places:
        try:
            library = ctypes.CDLL(place)
        except (OSError, UnicodeError) as error:
            failures.append(f"{place}: {error}")
        else:
            return place, library
    raise ImportError(f"remora cannot load its library {FILE_NAME} ({hint}): {'; '.join(failures)}; {REMEDY}")


def folders() -> list[str]:
    """Returns the folder of the package, and that of the library if its path is known."""
    found = [_PACKAGE, os.path.dirname(os.path.abspath(_place))] if os.path.dirname(_place) else [_PACKAGE]
    return list(dict.fromkeys(found))


def _check_version(library: ctypes.CDLL, place: str) -> None:
    major, minor = number("REMORA_VERSION_MAJOR"), number("REMORA_VERSION_MINOR")
    try:
        version = library.remora_version
    except AttributeError:
        raise ImportError(f"remora cannot use {place}: it has no function remora_version") from None
    version.restype = ctypes.c_char_p
    found = (version() or b"").decode("utf-8", "replace")
    numbers = [int(part) if part.isdecimal() else -1 for part in found.split(".")]
    # Within a major version the ABI only grows.
    if numbers[0] != major or len(numbers) < 2 or numbers[1] < minor:
        raise ImportError(f"remora needs version {major}.{minor} of its library, and {place} is version {found}")


def _check_functions(library: ctypes.CDLL, place: str) -> None:
    for name in SIGNATURES:
        try:
            dlsym(library._handle, name)
        except OSError:
            raise ImportError(f"remora cannot use {place}: it has no function {name}") from None


_place, _library = _load()
_check_version(_library, _place)
_check_functions(_library, _place)
_reader = ctypes.PyDLL(_place, handle=_library._handle)


class _Functions(dict[str, "Any"]):
    """The functions of the library by name. Each is bound at its first use, because binding all of them is slow."""

    def __init__(self, bind: Callable[[str], Any]) -> None:
        self._bind = bind

    def __missing__(self, name: str) -> Any:
        function = self[name] = self._bind(name)
        return function

    def items(self) -> Any:
        """Binds all functions, and returns names and functions."""
        for name in SIGNATURES:
            self[name]
        return super().items()


def _typed(library: ctypes.CDLL, name: str) -> Any:
    function = library[name]
    function.restype, function.argtypes = signature(name)
    return function


def _untyped(name: str) -> Any:
    function = _reader[name]
    function.restype = signature(name)[0]
    return function


functions = _Functions(lambda name: _typed(_library, name))
"""Functions that release the interpreter's lock while they run."""

reading = _Functions(lambda name: _typed(_reader, name))
"""Functions that keep the interpreter's lock while they run: for reads, which never wait and never call Python."""

unchecked = _Functions(_untyped)
"""The functions of `reading` without argument types: a third faster. Only for arguments whose types are certain.

An `int` is passed as a C int, `bytes` as a pointer, `None` as NULL, a ctypes object unchanged.
"""
