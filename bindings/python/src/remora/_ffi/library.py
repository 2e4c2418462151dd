# SPDX-License-Identifier: Apache-2.0
#
# Finds libremora, checks that it is the one that this package was written for, and binds its functions.
# Whatever is wrong is an ImportError whose text says what was looked for and where.
"""The shared library."""

from __future__ import annotations

import ctypes
import os

from .constants import number
from .signatures import FUNCTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

VARIABLE = "REMORA_LIBRARY"
FILE_NAME = "libremora.so.0"

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _load() -> str:
    """The name under which the loader has the library: the first of three places that has one."""
    named = os.environ.get(VARIABLE)
    beside = os.path.join(_PACKAGE, FILE_NAME)
    if named:
        places = [named]
        hint = f"{VARIABLE} names it"
    else:
        places = [beside, FILE_NAME] if os.path.exists(beside) else [FILE_NAME]
        hint = f"{VARIABLE} is not set, and {beside} does not exist" if len(places) == 1 else f"{VARIABLE} is not set"
    failures: list[str] = []
    for place in places:
        try:
            ctypes.CDLL(place)
        except (OSError, UnicodeError) as error:
            failures.append(f"{place}: {error}")
        else:
            return place
    raise ImportError(f"remora cannot load its library {FILE_NAME} ({hint}): {'; '.join(failures)}")


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


def _bind(library: ctypes.CDLL, name: str, place: str) -> Any:
    try:
        function = library[name]
    except AttributeError:
        raise ImportError(f"remora cannot use {place}: it has no function {name}") from None
    function.restype, function.argtypes = FUNCTIONS[name]
    return function


_place = _load()
_library = ctypes.CDLL(_place)
_check_version(_library, _place)
_reader = ctypes.PyDLL(_place)

functions: dict[str, Any] = {name: _bind(_library, name, _place) for name in FUNCTIONS}
"""Every function, bound: a call releases the interpreter's lock."""


def reading(name: str) -> Any:
    """The same function, keeping the interpreter's lock: for reads, which never wait and call nothing."""
    return _bind(_reader, name, _place)


def unchecked(name: str) -> Any:
    """As `reading`, without argument types: a third faster, and only for arguments whose types are certain.

    An `int` goes in as a C int, `bytes` as a pointer, `None` as NULL, a ctypes object as itself.
    """
    function = _reader[name]
    function.restype = FUNCTIONS[name][0]
    return function
