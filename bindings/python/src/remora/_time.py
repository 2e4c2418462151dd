# SPDX-License-Identifier: Apache-2.0
#
# The library's milliseconds as Python's times: aware datetimes in UTC for moments, seconds for durations.
"""Times."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime


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
