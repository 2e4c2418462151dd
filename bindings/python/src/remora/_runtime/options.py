# SPDX-License-Identifier: Apache-2.0
#
# The options of clients and collections, from Python's types to the fields of the library's structures.
"""Options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .._ffi.constants import number
from .._ffi.constants import text as constant
from ..errors import invalid_argument
from .arguments import Choice, member, option_ms, path, text, texts, whole_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from typing import Any, Union

    from .._ffi.calling import Field
    from ..values import Activation, Trust

    Headers = Union[Mapping[str, str], Iterable[tuple[str, str]]]

TRUST_REQUIRED: Any = Choice("Trust", "REQUIRED")
ACTIVATION_IMMEDIATE: Any = Choice("Activation", "IMMEDIATE")
METHOD_GET: Any = Choice("Method", "GET")


def client_fields(
    storage_dir: str | os.PathLike[str] | None,
    *,
    application_name: str | None = None,
    application_version: str | None = None,
    application_build: str | None = None,
    server: str | None = None,
    bucket: str | None = None,
    proxy: str | None = None,
    ca_file: str | os.PathLike[str] | None = None,
    headers: Headers | None = None,
    user_agent: str | None = None,
    connect_timeout: float | None = None,
    stall_timeout: float | None = None,
    total_timeout: float | None = None,
    max_body_bytes: int | None = None,
) -> dict[str, Field]:
    """Returns the fields of remora_config; None leaves a default."""
    memory = constant("REMORA_STORAGE_MEMORY").encode()
    return {
        "storage_dir": memory if storage_dir is None else path("storage_dir", storage_dir),
        "application_name": text("application_name", application_name),
        "application_version": text("application_version", application_version),
        "application_build": text("application_build", application_build),
        "server": text("server", server),
        "bucket": text("bucket", bucket),
        "proxy": text("proxy", proxy),
        "ca_file": path("ca_file", ca_file),
        "headers": _headers(headers),
        "user_agent": text("user_agent", user_agent),
        "connect_timeout_ms": option_ms("connect_timeout", connect_timeout),
        "stall_timeout_ms": option_ms("stall_timeout", stall_timeout),
        "total_timeout_ms": option_ms("total_timeout", total_timeout),
        "max_body_bytes": whole_number("max_body_bytes", max_body_bytes),
    }


class SourceFields:
    """The fields of a source's own structure, and those of remora_source_options."""

    __slots__ = ("kind", "opening", "own")

    def __init__(self, kind: str, own: dict[str, Field], opening: dict[str, Field]) -> None:
        self.kind = kind
        self.own = own
        self.opening = opening


def opening_fields(
    fetch_at_open: bool | None, refresh_interval: float | None, persist_overrides: bool
) -> dict[str, Field]:
    """The fields of remora_source_options, which all kinds of sources share; None leaves a default."""
    if fetch_at_open is not None and not isinstance(fetch_at_open, bool):
        raise TypeError(f"fetch_at_open must be bool or None, not {type(fetch_at_open).__name__}")
    interval = option_ms("refresh_interval", refresh_interval)
    if interval is not None and 0 < interval < 1000:
        raise invalid_argument(f"refresh_interval is {refresh_interval} seconds, but must be at least 1 second")
    first = {None: "DEFAULT", True: "AT_OPEN", False: "ON_REQUEST"}[fetch_at_open]
    return {
        "first_fetch": number(f"REMORA_FIRST_FETCH_{first}"),
        "refresh_interval_ms": interval,
        "persist_overrides": int(bool(persist_overrides)),
    }


def collection_fields(
    name: str,
    *,
    server: str | None = None,
    bucket: str | None = None,
    trust: Trust | str = TRUST_REQUIRED,
    root_sha256: str | None = None,
    previous_roots: Iterable[str] | None = None,
    signer: str | None = None,
    trusted_hosts: Iterable[str] | None = None,
    packaged_file: str | os.PathLike[str] | None = None,
    packaged_data: bytes | str | None = None,
    packaged_attachments: str | os.PathLike[str] | None = None,
    max_future: float | None = None,
    fetch_at_open: bool | None = None,
    refresh_interval: float | None = None,
    persist_overrides: bool = False,
    activation: Activation | str = ACTIVATION_IMMEDIATE,
) -> SourceFields:
    """The fields of a collection; None leaves a default."""
    if not isinstance(name, str):
        raise TypeError(f"name must be str, not {type(name).__name__}")
    data = packaged_bytes(packaged_data, packaged_file)
    own: dict[str, Field] = {
        "name": text("name", name),
        "server": text("server", server),
        "bucket": text("bucket", bucket),
        "trust": member("trust", trust),
        "root_sha256": text("root_sha256", root_sha256),
        "previous_roots": texts("previous_roots", previous_roots),
        "signer": text("signer", signer),
        "trusted_hosts": texts("trusted_hosts", trusted_hosts),
        "packaged_file": path("packaged_file", packaged_file),
        "packaged_data": data,
        "packaged_size": None if data is None else len(data),
        "packaged_attachments": path("packaged_attachments", packaged_attachments),
        "max_future_ms": option_ms("max_future", max_future),
        "activation": member("activation", activation),
    }
    return SourceFields("collection", own, opening_fields(fetch_at_open, refresh_interval, persist_overrides))


def _headers(headers: Headers | None) -> list[bytes] | None:
    if headers is None:
        return None
    if isinstance(headers, (str, bytes)):
        raise TypeError(f"headers must be a mapping or pairs, not {type(headers).__name__}")
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    if not isinstance(pairs, Iterable):
        raise TypeError(f"headers must be a mapping or pairs, not {type(headers).__name__}")
    return [_header(pair) for pair in pairs]


def _header(pair: tuple[str, str]) -> bytes:
    if not isinstance(pair, tuple) or [type(part) for part in pair] != [str, str]:
        raise TypeError("headers must be pairs of a name and a value, both str")
    name, value = (text("headers", part) or b"" for part in pair)
    if b":" in name:
        raise ValueError(f"the header name {pair[0]!r} has a colon")
    return b"%s: %s" % (name, value)


def packaged_bytes(data: bytes | str | None, file: object) -> bytes | None:
    """Optional packaged data, as bytes; with a file there must be none."""
    if data is None:
        return None
    if not isinstance(data, (bytes, str)):
        raise TypeError(f"packaged_data must be bytes or str, not {type(data).__name__}")
    if file is not None:
        raise invalid_argument("packaged_data must not be given together with packaged_file")
    if not data:
        raise invalid_argument("packaged_data is empty")
    return text("packaged_data", data) if isinstance(data, str) else data
