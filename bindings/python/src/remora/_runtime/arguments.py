# SPDX-License-Identifier: Apache-2.0
"""Converts arguments of the program to arguments of the C API. A wrong type raises TypeError, and a wrong value
ValueError; both name the argument.
"""

from __future__ import annotations

import os
from _collections_abc import Iterable, Mapping  # `collections.abc` has them too, and takes longer to import.

from .._ffi.constants import CONSTANTS
from ..errors import malformed_pointer, not_found
from ..names import OPTIONS
from .data import public_name

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
_INFINITY = float("inf")
_CO_COROUTINE = 0x80
"""The value of `inspect.CO_COROUTINE`, because `inspect` is slow to import."""

known_keys: dict[str, bytes] = {}
"""Keys of earlier reads, encoded for the library: looking one up costs less than encoding it."""
known_pointers: dict[str | None, bytes | None] = {None: None}
"""JSON Pointers of earlier reads, encoded for the library; None is the whole value."""


def key_bytes(key: object) -> bytes:
    """Encodes a key as UTF-8. Raises NotFoundError for a key that no snapshot can have."""
    encoded = _readable("key", key)
    if not 0 < len(encoded) <= _MOST_KEY_BYTES:
        raise not_found(str(key))
    if type(key) is str and len(encoded) <= _MOST_KNOWN_BYTES:  # A subclass may compare or hash differently.
        if len(known_keys) >= _MOST_KNOWN:
            known_keys.clear()
        known_keys[key] = encoded
    return encoded


def pointer_bytes(pointer: object) -> bytes | None:
    """Encodes a pointer or None. Raises InvalidArgumentError if malformed, NotFoundError if no value can have it."""
    if pointer is None:
        return None
    encoded = _readable("pointer", pointer)
    if not _is_pointer(encoded):
        raise malformed_pointer(str(pointer))
    if type(pointer) is str and len(encoded) <= _MOST_KNOWN_BYTES:
        if len(known_pointers) >= _MOST_KNOWN:
            known_pointers.clear()
            known_pointers[None] = None
        known_pointers[pointer] = encoded
    return encoded


def _is_pointer(text: bytes) -> bool:
    if text[:1] not in (b"", b"/"):
        return False
    return all(rest[:1] in (b"0", b"1") for rest in text.split(b"~")[1:])


def pointer_of(path: tuple[str | int, ...]) -> str:
    """Returns the JSON Pointer of a path of names and indexes. A single step may be a JSON Pointer itself."""
    first = path[0] if len(path) == 1 else None
    if isinstance(first, str) and first[:1] in ("", "/"):
        return first
    return "".join(map(_step, path))


def _step(step: object) -> str:
    if isinstance(step, str):
        return "/" + str.replace(str.replace(step, "~", "~0"), "/", "~1")
    if not isinstance(step, int) or isinstance(step, bool):
        raise TypeError(f"a step of a path must be str or int, not {type(step).__name__}")
    if step < 0:
        raise ValueError("an index in a path must be 0 or more")
    return f"/{int(step)}"


def location_bytes(location: object) -> bytes:
    """Encodes the location of an attachment. Raises NotFoundError for a location that no record can have."""
    return _readable("location", location)


def _readable(what: str, value: object) -> bytes:
    """Encodes a text.

    Raises NotFoundError for U+0000, which ends a C string, and for a surrogate, which is not UTF-8.
    """
    if not isinstance(value, str):
        raise TypeError(f"{what} must be str, not {type(value).__name__}")
    try:
        encoded = str.encode(value)
    except UnicodeEncodeError:
        raise not_found(value) from None
    if b"\0" in encoded:
        raise not_found(value)
    return encoded


def named_options(function: F, more: Iterable[str] = (), wrapped: object = None, of_client: Iterable[str] = ()) -> F:
    """Wraps a function so that the TypeError for a misspelt argument suggests the nearest name.

    `more` are names that the function accepts in `**options`. Tools read the signature of `wrapped`, or of the function
    if it is None. For a name in `of_client`, the error says that only a client accepts this option.
    """
    code = function.__code__
    known = (*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount], *more)

    def check(arguments: tuple[object, ...], options: dict[str, object]) -> None:
        for option in options:
            if option not in known and option in of_client:
                raise TypeError(f"{option!r} is an option of remora.Client(), not of {function.__name__}()")
            if option not in known:
                raise _unknown_option(function.__name__, known, arguments, option)

    def call(*arguments: object, **options: object) -> Any:
        check(arguments, options)
        return function(*arguments, **options)

    async def call_async(*arguments: object, **options: object) -> Any:
        check(arguments, options)
        return await function(*arguments, **options)

    made: Any = call_async if code.co_flags & _CO_COROUTINE else call
    for name in ("__module__", "__name__", "__qualname__", "__doc__"):  # As `functools.wraps`, which is slow to import.
        setattr(made, name, getattr(function, name))
    made.__wrapped__ = wrapped or function
    return made  # type: ignore[no-any-return]


def _unknown_option(name: str, known: tuple[str, ...], arguments: tuple[object, ...], option: str) -> TypeError:
    """Returns the error for an option that does not exist."""
    from difflib import get_close_matches

    options = [one for one in known if one not in ("self", "cls")]
    if len(options) < len(known):
        kind = public_name(arguments[0])
        name = kind if name == "__init__" else f"{kind}.{name}"
    else:
        name = f"remora.{name}"
    renamed = OPTIONS.get(option)
    near = [renamed] if renamed in options else get_close_matches(option, options, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(options)}"
    return TypeError(f"{name}() has no option {option!r}: {hint}")


def text(what: str, value: str | None) -> bytes | None:
    """Returns a text as UTF-8; None for None."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise TypeError(f"{what} must be str, not {type(value).__name__}")
    try:
        encoded = value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{what} has a character that UTF-8 cannot encode") from None
    if b"\0" in encoded:
        raise ValueError(f"{what} contains U+0000")
    return encoded


def texts(what: str, values: Iterable[str]) -> list[bytes]:
    """Returns texts as UTF-8. Raises TypeError for a single string."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise TypeError(f"{what} must be an iterable of str, not {type(values).__name__}")
    return [text(what, value) or b"" for value in values]


def path(what: str, value: str | os.PathLike[str] | None) -> bytes | None:
    """Returns a path as UTF-8; None for None."""
    if value is None:
        return None
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{what} must be str or os.PathLike, not {type(value).__name__}")
    return text(what, os.fspath(value))


def json_object(what: str, value: Mapping[str, object] | None) -> bytes | None:
    """Returns the JSON text of a mapping; None for None."""
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise TypeError(f"{what} must be a mapping, not {type(value).__name__}")
    return json_text(what, dict(value))


def json_text(what: str, value: object) -> bytes:
    """Returns the JSON text of a value. Raises TypeError or ValueError if the value cannot be written as JSON."""
    import json  # Slow to import, and not needed to read.

    try:
        return json.dumps(value, allow_nan=False).encode()
    except TypeError as error:
        raise TypeError(f"{what} cannot be written as JSON: {error}") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{what} cannot be written as JSON: {error}") from None


def member(name: str, value: IntEnum | str) -> int:
    """Returns the number of a choice, which is a name in lower case or a member of the enumeration."""
    if isinstance(value, str) and value.isascii() and value.islower() and value != "default":
        known_number = CONSTANTS.get(f"REMORA_{name.upper()}_{value.upper()}")
        if isinstance(known_number, int):
            return known_number
    from .. import values  # Later: `enum` is slow to import.

    members: type[IntEnum] = getattr(values, name.title())
    for known in members:
        if value is known or value == known.name.lower():
            return int(known)
    if not isinstance(value, (str, members)):
        raise TypeError(f"{name} must be str or {members.__name__}, not {type(value).__name__}")
    raise ValueError(f"{name} must be " + " or ".join(f'"{known.name.lower()}"' for known in members))


def waiting_ms(timeout: float | None) -> int:
    """Converts a timeout from seconds to milliseconds, rounded up; -1 for None and math.inf."""
    if timeout is None:
        return -1
    seconds = _seconds("timeout", timeout)
    return -1 if seconds == _INFINITY else _ceiling(seconds * 1000)


def option_ms(what: str, duration: float) -> int:
    """Converts a duration from seconds to milliseconds; math.inf becomes -1.

    Refuses 0, which would select the default.
    """
    seconds = _seconds(what, duration)
    if seconds == 0:
        raise ValueError(f"{what} must be greater than 0; None means the default, math.inf means no limit")
    return -1 if seconds == _INFINITY else _ceiling(seconds * 1000)


def lifetime_ms(what: str, duration: float) -> int:
    """Converts a lifetime from seconds to milliseconds. 0 (never fresh) becomes -1, and math.inf the longest."""
    return _ceiling(min(_seconds(what, duration), _MOST_SECONDS) * 1000) or -1


def whole_number(what: str, value: int, bits: int = 64) -> int:
    """Returns an integer. Raises ValueError if it does not fit in its field, because ctypes would cut bits off."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{what} must be int, not {type(value).__name__}")
    if not -1 << bits - 1 <= value < 1 << bits - 1:
        raise ValueError(f"{what} must fit in {bits} bits")
    return value


def small_number(what: str, value: int) -> int:
    """Returns an integer that fits in 32 bits, as `whole_number`."""
    return whole_number(what, value, 32)


def byte_limit(what: str, value: float) -> int:
    """Converts a limit in bytes for the library: math.inf becomes -1, no limit. Refuses 0, which means the default."""
    if value == _INFINITY:
        return -1
    if whole_number(what, value) < 1:  # type: ignore[arg-type]
        raise ValueError(f"{what} must be at least 1")
    return int(value)


def _ceiling(value: float) -> int:
    return -int(-value // 1)


def _seconds(what: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{what} must be a number of seconds, not {type(value).__name__}")
    if not 0 <= value or (value > _MOST_SECONDS and value != _INFINITY):
        raise ValueError(f"{what} must be a number of seconds from 0 to 1e12, or math.inf")
    return value
