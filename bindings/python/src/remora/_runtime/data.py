# SPDX-License-Identifier: Apache-2.0
"""Read-only data in Python's types: JSON values, and records of named attributes. The slow modules of Python (`enum`,
`typing`, `json`, `dataclasses`) are not imported here: importing one of them takes about as long as a program needs
until its first setting.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, NoReturn, Union
    from typing import overload as overload

    JSON = Union[None, bool, int, float, str, "Mapping[str, JSON]", "Sequence[JSON]"]
    """A value of a snapshot. At run time an object is a `dict` and an array a `list`, both read-only."""
else:
    JSON = object

if not TYPE_CHECKING:

    def overload(function):
        """Marks a signature for type checkers."""
        return function


# JSON values, read-only because a snapshot never changes and its decoded values are shared.


def _refuse(self: object, *_: object, **__: object) -> NoReturn:
    raise TypeError("values of a snapshot are read-only; change a copy: copy.deepcopy(value)")


class Object(dict):  # type: ignore[type-arg]
    """A JSON object: a read-only `dict`. Copies and pickles are ordinary dicts."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


class Array(list):  # type: ignore[type-arg]
    """A JSON array: a read-only `list`. Copies and pickles are ordinary lists."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)


class _ScannerSettings:
    """The attributes of a decoder that the scanner reads, with the defaults of `json.loads`."""

    strict = True
    object_hook = object_pairs_hook = parse_constant = None
    parse_float, parse_int = float, int


def _loader() -> Callable[[str], Any]:
    """Returns the C scanner behind `json.loads` without importing `json`, or `json.loads` if it has no such scanner.

    Importing `json` takes a fifth of the time that a program needs until its first setting.
    """
    try:
        from _json import make_scanner

        scan: Any = make_scanner(_ScannerSettings())  # type: ignore[arg-type]
    except (ImportError, AttributeError, TypeError):  # Not CPython, or a version that needs more settings.
        import json

        return json.loads
    return lambda text: scan(text, 0)[0]


_load: Callable[[str], Any] | None = None
"""The scanner, from the first decoded text on."""


def decode_json(text: bytes) -> JSON:
    """Decodes a JSON text of the library to read-only values."""
    return parse_json(text.decode())


def parse_json(text: str) -> JSON:
    """Decodes a JSON text that is a str, as `decode_json` decodes bytes."""
    global _load
    if _load is None:
        _load = _loader()
    return _frozen(_load(text))


def _frozen(value: Any) -> JSON:
    kind = type(value)
    if kind is dict:
        return Object({key: _frozen(member) for key, member in value.items()})
    if kind is list:
        return Array([_frozen(element) for element in value])
    return value  # type: ignore[no-any-return]


class Record:
    """The base class of reports: an object with read-only attributes, which the annotations of a subclass name.

    A frozen dataclass would do the same, but importing `dataclasses` is slow.
    """

    __slots__: tuple[str, ...] = ()

    def __init__(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is read-only")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is read-only")

    def __copy__(self) -> Record:
        return self

    def __deepcopy__(self, _: object) -> Record:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be pickled")

    def __repr__(self) -> str:
        names = (name for kind in type(self).__mro__ for name in getattr(kind, "__slots__", ()))
        shown = (name for name in names if not name.startswith("_"))
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"


def public_name(one: object) -> str:
    """Returns the public name of a class, or of the class of an object, such as `remora.Client`."""
    kind = one if isinstance(one, type) else type(one)
    package = kind.__module__.rpartition(".")[0] if kind.__module__.startswith("remora.") else kind.__module__
    return f"{package.replace('._runtime', '')}.{kind.__name__}"
