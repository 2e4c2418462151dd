# SPDX-License-Identifier: Apache-2.0
"""Checks options, and converts them to the fields of the library's structures.

Adds them to signatures and documentation.
"""

from __future__ import annotations

import sys
from _collections_abc import Iterable, Mapping  # `collections.abc` has them too, and takes longer to import.

from .._ffi import handles
from .._ffi.constants import number
from ..errors import invalid_argument
from ..names import OPTIONS
from .arguments import (
    byte_limit,
    json_text,
    lifetime_ms,
    member,
    named_options,
    option_ms,
    path,
    small_number,
    text,
    texts,
    whole_number,
)
from .options import ClientOptions, CollectionOptions, ConfigOptions, RefreshOptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from typing import Any, TypeVar

    from .._ffi.calling import Field
    from .options import Default, Headers, Schema

    F = TypeVar("F", bound=Callable[..., Any])

OPENING = ("fetch_at_open", "refresh_interval", "persist_overrides", "min_keys", "min_keys_percent", "schema")
"""The options that are fields of remora_source_options."""


class SourceFields:
    """The fields of a source's own structure, and those of remora_source_options."""

    __slots__ = ("kind", "opening", "own")

    def __init__(self, kind: str, own: dict[str, Field], opening: dict[str, Field]) -> None:
        self.kind = kind
        self.own = own
        self.opening = opening


def fields_of(table: Any, options: Any) -> dict[str, Field]:
    """Checks options, and returns them as fields of the library's structure. Its other fields keep their default."""
    fields: dict[str, Field] = {}
    for name, value in options.items():
        kind = table.types[name]
        if value is not None or not kind.endswith("None"):
            convert: Any = _BY_NAME.get(name) or _BY_TYPE[kind.partition(" | None")[0]]
            fields[IN_C.get(name, name)] = convert(name, value)
    return fields


def manner(options: RefreshOptions) -> Any:
    """Returns the library's structure with the options of a refresh, a wait or a sync."""
    return handles.manner(fields_of(RefreshOptions, options))


def config_fields(storage_dir: str | os.PathLike[str], options: ConfigOptions) -> dict[str, Field]:
    """Returns the fields of remora_config."""
    return {"storage_dir": path("storage_dir", storage_dir), **fields_of(ConfigOptions, options)}


def source_fields(kind: str, identity: dict[str, Field], table: Any, options: Any) -> SourceFields:
    """Returns the fields of the structures that open a source; `identity` has the field of its name or URL."""
    own = {**identity, **fields_of(table, {name: options[name] for name in options if name not in OPENING})}
    opening = fields_of(table, {name: options[name] for name in options if name in OPENING})
    if isinstance(data := own.get("packaged_data"), bytes):
        own["packaged_size"] = len(data)
    return SourceFields(kind, own, opening)


def collection_fields(name: str, options: CollectionOptions) -> SourceFields:
    if not isinstance(name, str):
        raise TypeError(f"name must be str, not {type(name).__name__}")
    return source_fields("collection", {"name": text("name", name)}, CollectionOptions, options)


def _flag(name: str, value: bool) -> int:
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be bool, not {type(value).__name__}")
    return int(value)


def _first_fetch(name: str, value: bool) -> int:
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be bool or None, not {type(value).__name__}")
    return number("REMORA_FIRST_FETCH_AT_OPEN" if value else "REMORA_FIRST_FETCH_ON_REQUEST")


def _interval(name: str, value: float) -> int:
    interval = option_ms(name, value)
    if 0 < interval < 1000:  # The library's message would have milliseconds.
        raise invalid_argument(f"{name} is {value} seconds, but must be at least 1 second")
    return interval


def header_lines(name: str, headers: Headers) -> list[bytes]:
    """Returns the lines "Name: value" of headers."""
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    if isinstance(headers, (str, bytes)) or not isinstance(pairs, Iterable):
        raise TypeError(f"{name} must be a mapping or pairs, not {type(headers).__name__}")
    return [_header(name, pair) for pair in pairs]


def _header(option: str, pair: tuple[str, str]) -> bytes:
    if not isinstance(pair, tuple) or [type(part) for part in pair] != [str, str]:
        raise TypeError(f"{option} must be pairs of a name and a value, both str")
    name, value = (text(option, part) or b"" for part in pair)
    if b":" in name:  # To the library, the name would end there.
        raise ValueError(f"the header name {pair[0]!r} has a colon")
    return b"%s: %s" % (name, value)


def _packaged(name: str, data: bytes | str) -> bytes | None:
    if not isinstance(data, (bytes, str)):
        raise TypeError(f"{name} must be bytes or str, not {type(data).__name__}")
    if not data:  # The library's message would name the size.
        raise invalid_argument(f"{name} is empty")
    return text(name, data) if isinstance(data, str) else data


def _params(name: str, params: Mapping[str, str]) -> list[bytes]:
    """Returns a list: name, value, name, value, …"""
    if not isinstance(params, Mapping):
        raise TypeError(f"{name} must be a mapping, not {type(params).__name__}")
    flat = [part for pair in params.items() for part in pair]
    for part in flat:
        if not isinstance(part, str):
            raise TypeError(f"{name} must contain only str, not {type(part).__name__}")
    return [text(name, part) or b"" for part in flat]


def _default(name: str, value: Default) -> bytes | None:
    if isinstance(value, str):
        return text(name, value)
    if not isinstance(value, (Mapping, list)):
        raise TypeError(f"{name} must be a mapping, a list or JSON text, not {type(value).__name__}")
    return json_text(name, dict(value) if isinstance(value, Mapping) else value)


def _schema(name: str, value: Schema) -> bytes | None:
    if isinstance(value, str):
        return text(name, value)
    if not isinstance(value, (Mapping, bool)):
        raise TypeError(f"{name} must be a mapping, a bool or JSON text, not {type(value).__name__}")
    return json_text(name, dict(value) if isinstance(value, Mapping) else value)


IN_C = {option: name for name, option in OPTIONS.items() if name != "packaged_size"}
"""The names of options in the library's structures, where they differ."""
_BY_TYPE = {
    "bool": _flag, "bytes | str": _packaged, "float": option_ms, "Headers": header_lines, "int": whole_number,
    "Iterable[str]": texts, "str": text, "str | os.PathLike[str]": path,
}  # fmt: skip
"""The function that checks and converts the options of a type."""
_BY_NAME = {
    "activation": member, "default": _default, "fetch_at_open": _first_fetch,
    "max_body_bytes": byte_limit, "max_bytes": byte_limit, "method": member, "min_keys": small_number,
    "min_keys_percent": small_number, "params": _params, "refresh_interval": _interval, "schema": _schema,
    "trust": member, "ttl": lifetime_ms,
}  # fmt: skip
"""The function that checks and converts an option, if `_BY_TYPE` has another."""


# Signatures and documentation


class Choice(str):
    """A default, such as "off", which `repr` prints as a member: Trust.OFF. (`enum` is slow to import.)"""

    __slots__ = ("_shown",)

    _shown: str

    def __new__(cls, enumeration: str, name: str) -> Choice:
        made = super().__new__(cls, name)
        made._shown = f"{enumeration}.{name.upper()}"
        return made

    def __repr__(self) -> str:
        return self._shown


def default_of(kind: str) -> object:
    """Returns the default of an option of this type."""
    if kind.endswith("None"):
        return None
    return False if kind == "bool" else Choice(kind.partition(" ")[0], kind.split("'")[1])


class _Signed:
    """A function whose signature lists the options of a table in place of `**options`."""

    def __init__(self, function: Any, table: Any) -> None:
        self._function = function
        self._table = table

    def __call__(self, *arguments: object, **options: object) -> Any:
        return self._function(*arguments, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)

    @property
    def __signature__(self) -> Any:
        inspect: Any = sys.modules.get("inspect")  # Only `inspect` reads this, and it is slow to import.
        if inspect is None:
            raise AttributeError("__signature__")
        signature = inspect.signature(self._function)
        parameters = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
        for name, kind in self._table.types.items():
            keyword, default = inspect.Parameter.KEYWORD_ONLY, default_of(kind)
            parameters.append(inspect.Parameter(name, keyword, default=default, annotation=kind))
        return signature.replace(parameters=parameters)


def takes(table: Any) -> Callable[[F], F]:
    """Adds the options of a table to the signature and the documentation of a function that ends with `**options`."""

    def decorate(function: F) -> F:
        of_client: Any = ClientOptions
        made = named_options(function, table.types, _Signed(function, table), of_client.types)
        made.__doc__ = documented(made.__doc__, table)
        return made

    return decorate


def documented(text: str | None, table: Any) -> str | None:
    """Returns a docstring in which the line with the name of a table is replaced by the options of the table."""
    before, name, after = (text or "").partition(f"- others: see `{table.__name__}`.")
    if not name:
        return text
    indent = before[before.rfind("\n") :]
    return f"{before.rstrip()}{table.text.replace(chr(10) + '    ', indent)}{after}"
