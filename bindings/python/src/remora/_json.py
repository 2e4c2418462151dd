# SPDX-License-Identifier: Apache-2.0
#
# JSON values as Python has them, and read-only, because a snapshot never changes and its decoded values are shared.
"""Read-only JSON values."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, NoReturn, Union

    JSON = Union[None, bool, int, float, str, "Mapping[str, JSON]", "Sequence[JSON]"]
else:
    JSON = object
"""A value of a snapshot. At run time an object is a `dict` and an array a `list`, both read-only."""


def _refuse(self: object, *_: object, **__: object) -> NoReturn:
    raise TypeError("values of a snapshot are read-only; change a copy: copy.deepcopy(value)")


class Object(dict):  # type: ignore[type-arg]
    """A JSON object: a `dict` that refuses to be changed. Copies and pickles are plain."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


class Array(list):  # type: ignore[type-arg]
    """A JSON array: a `list` that refuses to be changed. Copies and pickles are plain."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)


class _Settings:
    """What the scanner asks a decoder for; these are the defaults of `json.loads`."""

    strict = True
    object_hook = object_pairs_hook = parse_constant = None
    parse_float, parse_int = float, int


def _loader() -> Callable[[str], Any]:
    """The scanner behind `json.loads`, where there is one, without the package around it.

    Importing that takes a fifth of the time that a program needs until its first setting, and what it adds are checks of
    a text that the library has written itself.
    """
    try:
        from _json import make_scanner

        scan: Any = make_scanner(_Settings())  # type: ignore[arg-type]
    except (ImportError, AttributeError, TypeError):  # Another Python than CPython, or one that asks for more settings.
        import json

        return json.loads
    return lambda text: scan(text, 0)[0]


_load = _loader()


def decode(text: bytes) -> JSON:
    """The value that a canonical JSON text of the library's describes."""
    return parse(text.decode())


def parse(text: str) -> JSON:
    """As `decode`, for a text that is decoded."""
    return _frozen(_load(text))


def _frozen(value: Any) -> JSON:
    kind = type(value)
    if kind is dict:
        return Object({key: _frozen(member) for key, member in value.items()})
    if kind is list:
        return Array([_frozen(element) for element in value])
    return value  # type: ignore[no-any-return]
