# SPDX-License-Identifier: Apache-2.0
"""Enumerations for the library's numbers, and conversions of times. Imported at the first use, because `enum` and
`datetime` are slow to import.
"""

from __future__ import annotations

from enum import IntEnum

from ._ffi.constants import number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any


class _Named(IntEnum):
    """A number that is printed as its name."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        return format(int(self), spec) if spec else self.name


class _Open(_Named):
    """An enumeration that later versions may extend.

    An unknown number becomes a member with the name UNKNOWN_ and the number.
    """

    @classmethod
    def _missing_(cls, value: object) -> _Open | None:
        if not isinstance(value, int):
            return None
        member = int.__new__(cls, value)
        member._name_ = f"UNKNOWN_{value}"
        member._value_ = value
        return cls._value2member_map_.setdefault(value, member)  # type: ignore[return-value]

    def __reduce_ex__(self, protocol: object) -> tuple[Any, ...]:
        # By the number: some versions of Python look for the name, which the enum does not have for an unknown number.
        return type(self), (int(self),)


class SourceKind(_Open):
    """The kinds of sources."""

    COLLECTION = number("REMORA_KIND_COLLECTION")
    BUNDLE = number("REMORA_KIND_BUNDLE")
    SETTINGS = number("REMORA_KIND_SETTINGS")


class Origin(_Open):
    """Where data is from. NONE: no data. DEFAULT: the default bundle. CACHED: a seed, or fetched before the client was
    created. FETCHED: fetched or confirmed by any process after that. OVERRIDE: any part of a value is overridden."""

    NONE = number("REMORA_ORIGIN_NONE")
    DEFAULT = number("REMORA_ORIGIN_DEFAULT")
    PACKAGED = number("REMORA_ORIGIN_PACKAGED")
    CACHED = number("REMORA_ORIGIN_CACHED")
    FETCHED = number("REMORA_ORIGIN_FETCHED")
    OVERRIDE = number("REMORA_ORIGIN_OVERRIDE")


class Outcome(_Open):
    """The outcome of a refresh. NOT_NEWER: the server sent an older version, which is not used. STAGED: a newer version
    is stored, and becomes live later. REFUSED: a response failed a check. FAILED: no usable response arrived. NONE: no
    request was needed, because the source has data."""

    NONE = number("REMORA_OUTCOME_NONE")
    UPDATED = number("REMORA_OUTCOME_UPDATED")
    UNCHANGED = number("REMORA_OUTCOME_UNCHANGED")
    NOT_NEWER = number("REMORA_OUTCOME_NOT_NEWER")
    STAGED = number("REMORA_OUTCOME_STAGED")
    REFUSED = number("REMORA_OUTCOME_REFUSED")
    FAILED = number("REMORA_OUTCOME_FAILED")


class Cause(_Open):
    """The cause of an event. OPENED: the state at open, or when a subscription with `replay` began. ADOPTED: a version
    that another client or process has fetched was picked up. CONTEXT: `set_context` has changed which records are
    hidden. REJECTED: `Source.reject` has removed the live or the staged version, in any process."""

    OPENED = number("REMORA_CAUSE_OPENED")
    REFRESHED = number("REMORA_CAUSE_REFRESHED")
    ADOPTED = number("REMORA_CAUSE_ADOPTED")
    RESET = number("REMORA_CAUSE_RESET")
    CONTEXT = number("REMORA_CAUSE_CONTEXT")
    OVERRIDE = number("REMORA_CAUSE_OVERRIDE")
    ACTIVATED = number("REMORA_CAUSE_ACTIVATED")
    REJECTED = number("REMORA_CAUSE_REJECTED")
    FRESHNESS = number("REMORA_CAUSE_FRESHNESS")


class Freshness(_Open):
    """Whether the last successful refresh of any process is recent enough. NONE: the client has no `max_stale`, or the
    source is a bundle without a URL. NEVER: no refresh has succeeded. STALE: the time of the last success is more than
    `max_stale` ago, or over a minute in the future, because the clock was wrong."""

    NONE = number("REMORA_FRESHNESS_NONE")
    NEVER = number("REMORA_FRESHNESS_NEVER")
    FRESH = number("REMORA_FRESHNESS_FRESH")
    STALE = number("REMORA_FRESHNESS_STALE")


class ChangeKind(_Open):
    """The kind of the change of a key."""

    CREATED = number("REMORA_CHANGE_CREATED")
    UPDATED = number("REMORA_CHANGE_UPDATED")
    DELETED = number("REMORA_CHANGE_DELETED")


class Trust(_Named):
    """Whether the data of a collection must be signed."""

    REQUIRED = number("REMORA_TRUST_REQUIRED")
    OFF = number("REMORA_TRUST_OFF")


class Method(_Named):
    """The HTTP method of the requests for a bundle."""

    GET = number("REMORA_METHOD_GET")
    POST = number("REMORA_METHOD_POST")


class Activation(_Named):
    """When fetched data becomes live. IMMEDIATE: at once. NEXT_SETUP: when the source is opened again. MANUAL: only by
    `Source.activate`."""

    IMMEDIATE = number("REMORA_ACTIVATION_IMMEDIATE")
    NEXT_SETUP = number("REMORA_ACTIVATION_NEXT_SETUP")
    MANUAL = number("REMORA_ACTIVATION_MANUAL")


# Times: aware datetimes in UTC for moments, seconds for durations.


def moment(ms: int) -> datetime | None:
    """Converts milliseconds since 1970 to a datetime in UTC; None for 0, negative numbers and years after 9999."""
    if not 0 < ms < 253_402_300_800_000:
        return None
    # Here, because importing it takes longer than opening a client, and few ask for a time.
    from datetime import datetime, timedelta, timezone

    return datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=ms)


def milliseconds(what: str, value: datetime) -> int:
    """Converts a datetime to milliseconds since 1970. Raises ValueError without a time zone, or before 1970."""
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
    """Converts milliseconds to seconds; None for a negative number, which means "never" in the library."""
    return ms / 1000 if ms >= 0 else None
