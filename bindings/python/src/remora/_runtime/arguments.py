# SPDX-License-Identifier: Apache-2.0
#
# What users pass, turned into what the C API takes. A wrong type is a TypeError, a wrong value a ValueError, and both
# name the argument.
"""Arguments."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping

from ..errors import not_found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from enum import IntEnum
    from typing import Any, TypeVar

    F = TypeVar("F", bound=Callable[..., Any])

_MOST_KNOWN = 16384
_MOST_KNOWN_BYTES = 256
_MOST_KEY_BYTES = 65535
_MOST_SECONDS = 1e12

known_keys: dict[str, bytes] = {}
"""Keys that were asked for, as the library takes them: finding one costs less than encoding it."""
known_pointers: dict[str | None, bytes | None] = {None: None}
"""JSON Pointers that were asked for, as the library takes them; None is the whole value."""


def key_bytes(key: object) -> bytes:
    """A key; NotFoundError for one that cannot be in any snapshot."""
    encoded = _readable("key", key)
    if not 0 < len(encoded) <= _MOST_KEY_BYTES:
        raise not_found(str(key))
    if type(key) is str and len(encoded) <= _MOST_KNOWN_BYTES:  # A subclass may say something else of itself.
        if len(known_keys) >= _MOST_KNOWN:
            known_keys.clear()
        known_keys[key] = encoded
    return encoded


def pointer_bytes(pointer: object) -> bytes | None:
    """A JSON Pointer; NotFoundError for one that leads nowhere in any snapshot."""
    if pointer is None:
        return None
    encoded = _readable("pointer", pointer)
    if type(pointer) is str and len(encoded) <= _MOST_KNOWN_BYTES:
        if len(known_pointers) >= _MOST_KNOWN:
            known_pointers.clear()
            known_pointers[None] = None
        known_pointers[pointer] = encoded
    return encoded


def location_bytes(location: object) -> bytes:
    """Where an attachment is; NotFoundError for a place that no record can name."""
    return _readable("location", location)


def _readable(what: str, value: object) -> bytes:
    """A text that C can read: U+0000 would end it early, and a lone surrogate is not UTF-8."""
    if not isinstance(value, str):
        raise TypeError(f"{what} must be str, not {type(value).__name__}")
    try:
        encoded = str.encode(value)
    except UnicodeEncodeError:
        raise not_found(value) from None
    if b"\0" in encoded:
        raise not_found(value)
    return encoded


def options_named(kind: str) -> Callable[[F], F]:
    """Makes the TypeError for an unknown option name the options that users know, not the function that takes them."""

    def decorate(function: F) -> F:
        known = function.__kwdefaults__ or {}

        def call(*arguments: object, **options: object) -> Any:
            for option in options:
                if option not in known:
                    raise TypeError(f"{kind} has no option {option!r}")
            return function(*arguments, **options)

        return call  # type: ignore[return-value]

    return decorate


def text(what: str, value: str | None) -> bytes | None:
    """An optional text, as UTF-8."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise TypeError(f"{what} must be str, not {type(value).__name__}")
    try:
        encoded = value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{what} has a character that UTF-8 does not have") from None
    if b"\0" in encoded:
        raise ValueError(f"{what} contains U+0000")
    return encoded


def texts(what: str, values: Iterable[str] | None) -> list[bytes] | None:
    """Optional texts; one string is no list of strings."""
    if values is None:
        return None
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise TypeError(f"{what} must be several str, not one {type(values).__name__}")
    return [text(what, value) or b"" for value in values]


def path(what: str, value: str | os.PathLike[str] | None) -> bytes | None:
    """An optional path; the library takes those that are UTF-8."""
    if value is None:
        return None
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{what} must be str or os.PathLike, not {type(value).__name__}")
    return text(what, os.fspath(value))


def json_object(what: str, value: Mapping[str, object] | None) -> bytes | None:
    """An optional JSON object, as text."""
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise TypeError(f"{what} must be a mapping, not {type(value).__name__}")
    return json_text(what, dict(value))


def json_text(what: str, value: object) -> bytes:
    """Any JSON value, as text. TypeError or ValueError for what is none."""
    import json  # Slow to import, and not needed to read.

    try:
        return json.dumps(value, allow_nan=False).encode()
    except TypeError as error:
        raise TypeError(f"{what} is no JSON: {error}") from None
    except ValueError as error:
        raise ValueError(f"{what} is no JSON: {error}") from None


def member(name: str, value: IntEnum | str, members: type[IntEnum]) -> int:
    """The number of a choice, which is named in lower case or a member."""
    for known in members:
        if value is known or value == known.name.lower():
            return int(known)
    if not isinstance(value, (str, members)):
        raise TypeError(f"{name} must be str or {members.__name__}, not {type(value).__name__}")
    raise ValueError(f"{name} must be " + " or ".join(f'"{known.name.lower()}"' for known in members))


def waiting_ms(timeout: float | None) -> int:
    """The limit of a waiting call in seconds, rounded up to milliseconds; None is no limit of its own."""
    if timeout is None:
        return -1
    seconds = _seconds("timeout", timeout)
    return -1 if seconds == math.inf else math.ceil(seconds * 1000)


def expected_ms(version: int | None) -> int:
    """The timestamp of a push message for the library: 0 without one."""
    if version is None:
        return 0
    if isinstance(version, bool) or not isinstance(version, int):
        raise TypeError(f"expected_version must be an int of milliseconds since 1970, not {type(version).__name__}")
    if not 0 <= version < 1 << 63:
        raise ValueError("expected_version must be a timestamp in milliseconds since 1970")
    return version


def option_ms(what: str, duration: float | None) -> int | None:
    """A duration of an option in seconds; None is the default, and infinity is off."""
    if duration is None:
        return None
    seconds = _seconds(what, duration)
    if seconds == 0:
        raise ValueError(f"{what} must be above 0; None is the default, math.inf switches it off")
    return -1 if seconds == math.inf else math.ceil(seconds * 1000)


def lifetime_ms(what: str, duration: float | None) -> int | None:
    """How many seconds something stays fresh; None is the default, 0 is not at all, and infinity for ever."""
    if duration is None:
        return None
    return math.ceil(min(_seconds(what, duration), _MOST_SECONDS) * 1000) or -1


def whole_number(what: str, value: int | None, least: int = 1) -> int | None:
    """An optional number that a 64-bit integer of the library takes."""
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{what} must be int, not {type(value).__name__}")
    if not least <= value < 1 << 63:
        raise ValueError(f"{what} must be at least {least}, and fit 63 bits")
    return value


def byte_limit(what: str, value: float | None) -> int | None:
    """An optional number of bytes; infinity is off."""
    return -1 if value == math.inf else whole_number(what, value)  # type: ignore[arg-type]


def _seconds(what: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{what} must be seconds, not {type(value).__name__}")
    if not 0 <= value or (value > _MOST_SECONDS and value != math.inf):
        raise ValueError(f"{what} must be seconds from 0 to 1e12, or math.inf")
    return value
