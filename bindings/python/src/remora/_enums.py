# SPDX-License-Identifier: Apache-2.0
#
# The library's small numbers with names. A number of a newer library becomes a member of its own, so that it is kept.
"""Enumerations."""

from __future__ import annotations

from enum import IntEnum

from ._ffi.constants import number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Open(IntEnum):
    """Numbers that may grow: one that this package does not know is named UNKNOWN_ and the number."""

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


class Origin(_Open):
    """Where a live value comes from."""

    NONE = number("REMORA_ORIGIN_NONE")
    DEFAULT = number("REMORA_ORIGIN_DEFAULT")
    PACKAGED = number("REMORA_ORIGIN_PACKAGED")
    CACHED = number("REMORA_ORIGIN_CACHED")
    FETCHED = number("REMORA_ORIGIN_FETCHED")
    OVERRIDE = number("REMORA_ORIGIN_OVERRIDE")


class Outcome(_Open):
    """What a refresh did."""

    NONE = number("REMORA_OUTCOME_NONE")
    UPDATED = number("REMORA_OUTCOME_UPDATED")
    UNCHANGED = number("REMORA_OUTCOME_UNCHANGED")
    NOT_NEWER = number("REMORA_OUTCOME_NOT_NEWER")
    STAGED = number("REMORA_OUTCOME_STAGED")
    REFUSED = number("REMORA_OUTCOME_REFUSED")
    FAILED = number("REMORA_OUTCOME_FAILED")


class Cause(_Open):
    """Why an event comes."""

    OPENED = number("REMORA_CAUSE_OPENED")
    REFRESHED = number("REMORA_CAUSE_REFRESHED")
    ADOPTED = number("REMORA_CAUSE_ADOPTED")
    RESET = number("REMORA_CAUSE_RESET")
    CONTEXT = number("REMORA_CAUSE_CONTEXT")
    OVERRIDE = number("REMORA_CAUSE_OVERRIDE")
    ACTIVATED = number("REMORA_CAUSE_ACTIVATED")


class ChangeKind(_Open):
    """What happened to a key."""

    CREATED = number("REMORA_CHANGE_CREATED")
    UPDATED = number("REMORA_CHANGE_UPDATED")
    DELETED = number("REMORA_CHANGE_DELETED")


class Trust(IntEnum):
    """What a collection's data must show before they are used."""

    REQUIRED = number("REMORA_TRUST_REQUIRED")
    OFF = number("REMORA_TRUST_OFF")


class Method(IntEnum):
    """How a bundle is asked for."""

    GET = number("REMORA_METHOD_GET")
    POST = number("REMORA_METHOD_POST")


class Activation(IntEnum):
    """When what is fetched becomes live."""

    IMMEDIATE = number("REMORA_ACTIVATION_IMMEDIATE")
    NEXT_SETUP = number("REMORA_ACTIVATION_NEXT_SETUP")
    MANUAL = number("REMORA_ACTIVATION_MANUAL")
