# SPDX-License-Identifier: Apache-2.0
#
# JSON values as Python has them, and read-only, because a snapshot never changes and its decoded values are shared.
"""Read-only JSON values."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
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


def decode(text: bytes) -> JSON:
    """The value that a canonical JSON text describes."""
    return _frozen(json.loads(text))


def _frozen(value: Any) -> JSON:
    kind = type(value)
    if kind is dict:
        return Object({key: _frozen(member) for key, member in value.items()})
    if kind is list:
        return Array([_frozen(element) for element in value])
    return value  # type: ignore[no-any-return]
