# SPDX-License-Identifier: Apache-2.0
#
# A table in docs/python.md has the same names. `__getattr__` is not used for the hints, because in Python 3.11 and older
# it slows all attribute accesses of its class.
"""Names of options and methods that differ between Python and C or Rust."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, NoReturn

OPTIONS = {
    "callbacks": "dispatch",
    "connect_timeout_ms": "connect_timeout",
    "default_bundle": "default",
    "fetched_at_ms": "fetched_at",
    "first_fetch": "fetch_at_open",
    "flags": "replay",
    "local_only": "local",
    "log_level": "logger",
    "max_future_ms": "max_future",
    "on_log": "logger",
    "on_progress": "progress",
    "packaged_size": "packaged_data",
    "refresh_interval_ms": "refresh_interval",
    "request_params": "params",
    "stall_timeout_ms": "stall_timeout",
    "timeout_ms": "timeout",
    "total_timeout_ms": "total_timeout",
    "ttl_ms": "ttl",
}
"""The options of Python, by their names in C."""

METHODS = {
    "await": "wait",
    "await_async": "wait_async",
    "get_array": "get_list",
    "get_double": "get_float",
    "get_info": "info",
    "get_object": "get_dict",
    "get_string": "get_str",
}
"""The methods of Python, by their names in C or Rust."""


def in_python(message: str) -> str:
    """Replaces names of C in a message about an invalid argument. Names in quotation marks are values, and stay."""
    if message.startswith("json "):  # The parameter of two C functions.
        message = f"value {message[5:]}"
    replaced = {"NULL": "None", **{name: option for name, option in OPTIONS.items() if "_" in name}}
    return " ".join([replaced.get(word, word) for word in message.split(" ")])


class _Hint:
    """An attribute that does not exist. Its AttributeError suggests the name in Python."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, one: object, kind: type[Any]) -> NoReturn:
        name = self._name
        raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}: did you mean {METHODS[name]!r}?")


def hinting(kind: type[Any]) -> None:
    """Makes the AttributeError for a method name of C or Rust suggest the method of the class."""
    for name, method in METHODS.items():
        if hasattr(kind, method):
            setattr(kind, name, _Hint(name))
    kind.__dir__ = _attributes  # type: ignore[assignment]


def _attributes(self: object) -> Iterable[str]:
    return [name for name in object.__dir__(self) if name not in METHODS]
