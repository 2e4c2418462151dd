# SPDX-License-Identifier: Apache-2.0
#
# The library's numbers, JSON texts and moments in Python's types, and the base class of its reports. The slow modules of
# Python (`typing`, `json`, `datetime`, `dataclasses`) are not imported here: importing one of them takes about as long as
# a program needs until its first setting.
"""Values: enumerations, read-only JSON, moments, and read-only records."""

from __future__ import annotations

from enum import IntEnum

from ._ffi.constants import number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from typing import Any, NoReturn, Union
    from typing import overload as overload

    JSON = Union[None, bool, int, float, str, "Mapping[str, JSON]", "Sequence[JSON]"]
else:
    JSON = object
"""A value of a snapshot. At run time an object is a `dict` and an array a `list`, both read-only."""

if not TYPE_CHECKING:

    def overload(function):
        """Marks a signature for type checkers."""
        return function


# Enumerations


class _Named(IntEnum):
    """A number that is printed as its name."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        return format(int(self), spec) if spec else self.name


class _Open(_Named):
    """Numbers that may grow: one that this package does not know becomes a member, named UNKNOWN_ and the number."""

    @classmethod
    def _missing_(cls, value: object) -> _Open | None:
        if not isinstance(value, int):
            return None
        member = int.__new__(cls, value)
        member._name_ = f"UNKNOWN_{value}"
        member._value_ = value
        return cls._value2member_map_.setdefault(value, member)  # type: ignore[return-value]

    def __reduce_ex__(self, protocol: object) -> tuple[Any, ...]:
        # By the number: the enum of some versions of Python looks for the name, which an unknown number has not got.
        return type(self), (int(self),)


class SourceKind(_Open):
    """The kinds of sources."""

    COLLECTION = number("REMORA_KIND_COLLECTION")
    BUNDLE = number("REMORA_KIND_BUNDLE")
    SETTINGS = number("REMORA_KIND_SETTINGS")


class Origin(_Open):
    """The origin of a live value."""

    NONE = number("REMORA_ORIGIN_NONE")
    DEFAULT = number("REMORA_ORIGIN_DEFAULT")
    PACKAGED = number("REMORA_ORIGIN_PACKAGED")
    CACHED = number("REMORA_ORIGIN_CACHED")
    FETCHED = number("REMORA_ORIGIN_FETCHED")
    OVERRIDE = number("REMORA_ORIGIN_OVERRIDE")


class Outcome(_Open):
    """The outcome of a refresh."""

    NONE = number("REMORA_OUTCOME_NONE")
    UPDATED = number("REMORA_OUTCOME_UPDATED")
    UNCHANGED = number("REMORA_OUTCOME_UNCHANGED")
    NOT_NEWER = number("REMORA_OUTCOME_NOT_NEWER")
    STAGED = number("REMORA_OUTCOME_STAGED")
    REFUSED = number("REMORA_OUTCOME_REFUSED")
    FAILED = number("REMORA_OUTCOME_FAILED")


class Cause(_Open):
    """The cause of an event."""

    OPENED = number("REMORA_CAUSE_OPENED")
    REFRESHED = number("REMORA_CAUSE_REFRESHED")
    ADOPTED = number("REMORA_CAUSE_ADOPTED")
    RESET = number("REMORA_CAUSE_RESET")
    CONTEXT = number("REMORA_CAUSE_CONTEXT")
    OVERRIDE = number("REMORA_CAUSE_OVERRIDE")
    ACTIVATED = number("REMORA_CAUSE_ACTIVATED")


class ChangeKind(_Open):
    """The kind of a change of a key."""

    CREATED = number("REMORA_CHANGE_CREATED")
    UPDATED = number("REMORA_CHANGE_UPDATED")
    DELETED = number("REMORA_CHANGE_DELETED")


class Trust(_Named):
    """Whether the data of a collection must be signed."""

    REQUIRED = number("REMORA_TRUST_REQUIRED")
    OFF = number("REMORA_TRUST_OFF")


class Method(_Named):
    """The HTTP method that a bundle is requested with."""

    GET = number("REMORA_METHOD_GET")
    POST = number("REMORA_METHOD_POST")


class Activation(_Named):
    """When fetched data becomes live."""

    IMMEDIATE = number("REMORA_ACTIVATION_IMMEDIATE")
    NEXT_SETUP = number("REMORA_ACTIVATION_NEXT_SETUP")
    MANUAL = number("REMORA_ACTIVATION_MANUAL")


# JSON values, read-only because a snapshot never changes and its decoded values are shared.


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


class _ScannerSettings:
    """The settings that the scanner reads from a decoder; these are the defaults of `json.loads`."""

    strict = True
    object_hook = object_pairs_hook = parse_constant = None
    parse_float, parse_int = float, int


def _loader() -> Callable[[str], Any]:
    """The scanner behind `json.loads`, where there is one, without the package around it.

    Importing that takes a fifth of the time that a program needs until its first setting, and what it adds are checks
    of a text that the library has written itself.
    """
    try:
        from _json import make_scanner

        scan: Any = make_scanner(_ScannerSettings())  # type: ignore[arg-type]
    except (ImportError, AttributeError, TypeError):  # Another Python than CPython, or one that asks for more settings.
        import json

        return json.loads
    return lambda text: scan(text, 0)[0]


_load = _loader()


def decode_json(text: bytes) -> JSON:
    """The value that a canonical JSON text of the library's describes."""
    return parse_json(text.decode())


def parse_json(text: str) -> JSON:
    """As `decode_json`, for a text that is decoded."""
    return _frozen(_load(text))


def _frozen(value: Any) -> JSON:
    kind = type(value)
    if kind is dict:
        return Object({key: _frozen(member) for key, member in value.items()})
    if kind is list:
        return Array([_frozen(element) for element in value])
    return value  # type: ignore[no-any-return]


# Times: aware datetimes in UTC for moments, seconds for durations.


def moment(ms: int) -> datetime | None:
    """A moment in UTC; None when it never was."""
    if ms <= 0:
        return None
    # Here, because importing it takes longer than opening a client, and few ask for a time.
    from datetime import datetime, timedelta, timezone

    return datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=ms)


def milliseconds(what: str, value: datetime) -> int:
    """A moment after 1970, which must say its zone."""
    from datetime import datetime, timedelta, timezone

    if not isinstance(value, datetime):
        raise TypeError(f"{what} must be a datetime, not {type(value).__name__}")
    if value.tzinfo is None:
        raise ValueError(f"{what} must have a time zone")
    ms = (value - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(milliseconds=1)
    if ms <= 0:
        raise ValueError(f"{what} must be after 1970")
    return ms


def seconds(ms: int) -> float | None:
    """A duration; None when it is negative, which the library uses for "never"."""
    return ms / 1000 if ms >= 0 else None


class Record:
    """Attributes that are set once; the annotations of a subclass say which. The base class of reports.

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
    """The name by which users import the class of an object: `remora.Client`, not the module that defines it."""
    kind = type(one)
    package = kind.__module__.rpartition(".")[0] if kind.__module__.startswith("remora.") else kind.__module__
    return f"{package.replace('._runtime', '')}.{kind.__name__}"
