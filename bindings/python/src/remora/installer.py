# SPDX-License-Identifier: Apache-2.0
#
# Functions that need no client: an installer saves seeds for the first opening, and a program starts a connection before
# it is needed. Imported at its first use.
"""Installers, seeds, and connections ahead of time."""

from __future__ import annotations

from ._ffi import early
from ._runtime.arguments import named_options, option_ms, path, text
from ._runtime.data import Record, public_name
from ._runtime.options import ACTIVATION_IMMEDIATE, METHOD_GET, TRUST_REQUIRED, client_fields, collection_fields
from .errors import invalid_argument
from .values import milliseconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping
    from datetime import datetime
    from typing import Literal

    from ._runtime.options import Headers, SourceFields
    from .bundle import Default
    from .values import Activation, Method, Trust


class SeedRequest(Record):
    """The request of an installer's download."""

    __slots__ = ("headers", "method", "url")

    url: str
    """Its URL."""
    method: str
    """"GET" or "POST"; a POST has an empty body."""
    headers: tuple[tuple[str, str], ...]
    """Names and values of the headers to send, in order; a name may occur twice."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.method}>"  # The rest may hold secrets.


class Seed:
    """Stores data for the first opening of one source. Made by `Installer`."""

    __slots__ = ("_kind", "_seed")

    def __init__(self, kind: str, seed: early.Seed) -> None:
        self._kind = kind
        self._seed = seed

    def __repr__(self) -> str:
        return f"<{public_name(self)} {self._kind}>"  # The URL may hold secrets.

    @named_options
    def request(self, *, identifier: str | None = None) -> SeedRequest:
        """Returns the request to download the data with, to any file and in any way. Sends nothing.

        For settings its query items name the caller (`identifier`, default "seed") and the application's name, version
        and build number. Raises InvalidArgumentError, also for a collection: its seed is the output of `remora dump`.
        """
        name = text("identifier", identifier)
        if self._kind == "collection":
            raise invalid_argument("a collection has no seed request: its seed is the output of `remora dump`")
        lines = self._seed.part("HEADERS", name).split("\n")[:-1]  # A value may have other characters that end lines.
        pairs = (line.partition(":") for line in lines)
        headers = tuple((head, value.strip(" \t")) for head, _, value in pairs)
        return SeedRequest(url=self._seed.part("URL", name), method=self._seed.part("METHOD", name), headers=headers)

    @named_options
    def save(self, file: str | os.PathLike[str], *, fetched_at: datetime | None = None) -> None:
        """Checks the downloaded file, and stores its data for the next opening.

        The file is only read. `fetched_at` is the time of the download; default the file's last modification. On any
        error an older seed stays. Raises InvalidArgumentError, StorageError, PermissionError, TooLargeError,
        ParseError, FormatError; for a collection a TrustError, FutureError, UnavailableError or ClosedError (the
        process exits).
        """
        when = None if fetched_at is None else milliseconds("fetched_at", fetched_at)
        self._seed.save(path("file", file), when)


class Installer:
    """Saves seeds into the storage directory of a program that runs later.

    The options are those of `Client`, and those of its seeds are the options that the program opens the source with.
    """

    __slots__ = ("_fields", "_storage_dir")

    @named_options
    def __init__(
        self,
        storage_dir: str | os.PathLike[str],
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
    ) -> None:
        self._storage_dir = storage_dir
        self._fields = client_fields(
            storage_dir, application_name=application_name, application_version=application_version,
            application_build=application_build, server=server, bucket=bucket, proxy=proxy, ca_file=ca_file,
            headers=headers, user_agent=user_agent, connect_timeout=connect_timeout, stall_timeout=stall_timeout,
            total_timeout=total_timeout, max_body_bytes=max_body_bytes,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"<{public_name(self)} storage_dir={str(self._storage_dir)!r}>"

    @named_options
    def settings(
        self,
        url: str | None = None,
        *,
        params: Mapping[str, str] | None = None,
        root_key: str | None = None,
        tag: str | None = None,
        tag_item: str | None = None,
        activation: Activation | Literal["immediate", "next_setup", "manual"] | None = None,
        fetch_at_open: bool | None = None,
        memory_only: bool = False,
        packaged_file: str | os.PathLike[str] | None = None,
        packaged_data: bytes | str | None = None,
        refresh_interval: float | None = None,
        ttl: float | None = None,
        persist_overrides: bool = False,
    ) -> Seed:
        """Returns the seed of settings. The options are those of `Client.settings`."""
        from .settings import settings_fields

        if memory_only:
            raise invalid_argument("memory_only must be False for a seed, because a seed is stored")
        fields = settings_fields(
            url, params=params, root_key=root_key, tag=tag, tag_item=tag_item, activation=activation,
            fetch_at_open=fetch_at_open, memory_only=memory_only, packaged_file=packaged_file,
            packaged_data=packaged_data, refresh_interval=refresh_interval, ttl=ttl,
            persist_overrides=persist_overrides,
        )  # fmt: skip
        return self._seed(fields)

    @named_options
    def bundle(
        self,
        url: str,
        *,
        name: str | None = None,
        method: Method | Literal["get", "post"] = METHOD_GET,
        fetch_at_open: bool | None = None,
        accepted_schema: str | None = None,
        default: Default | None = None,
        default_version: int | None = None,
        refresh_interval: float | None = None,
        persist_overrides: bool = False,
    ) -> Seed:
        """Returns the seed of a bundle. The options are those of `Client.bundle`."""
        from .bundle import bundle_fields

        fields = bundle_fields(
            url, name=name, method=method, fetch_at_open=fetch_at_open, accepted_schema=accepted_schema,
            default=default, default_version=default_version, refresh_interval=refresh_interval,
            persist_overrides=persist_overrides,
        )  # fmt: skip
        return self._seed(fields)

    @named_options
    def collection(
        self,
        name: str,
        *,
        server: str | None = None,
        bucket: str | None = None,
        trust: Trust | Literal["required", "off"] = TRUST_REQUIRED,
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
        activation: Activation | Literal["immediate", "next_setup", "manual"] = ACTIVATION_IMMEDIATE,
    ) -> Seed:
        """Returns the seed of a collection. The options are those of `Client.collection`."""
        fields = collection_fields(
            name, server=server, bucket=bucket, trust=trust, root_sha256=root_sha256, previous_roots=previous_roots,
            signer=signer, trusted_hosts=trusted_hosts, packaged_file=packaged_file, packaged_data=packaged_data,
            packaged_attachments=packaged_attachments, max_future=max_future, fetch_at_open=fetch_at_open,
            refresh_interval=refresh_interval, persist_overrides=persist_overrides, activation=activation,
        )  # fmt: skip
        return self._seed(fields)

    def _seed(self, source: SourceFields) -> Seed:
        return Seed(source.kind, early.Seed(self._fields, source.kind, source.own))


@named_options
def preconnect(
    url: str,
    *,
    application_name: str,
    platform: str | None = None,
    proxy: str | None = None,
    ca_file: str | os.PathLike[str] | None = None,
    user_agent: str | None = None,
    connect_timeout: float | None = None,
    total_timeout: float | None = None,
) -> None:
    """Makes a connection before it is needed, while the program does something else.

    Sends one GET to a URL of the server, with the query items "app" and "platform" (default "linux"), and keeps its
    connection for the next request of any client to the same scheme, host and port with the same `proxy` and
    `ca_file`. May be called before a client exists. The status of the response does not matter; after a failure only
    the head start is lost, and the loggers of clients receive a warning. The other options are those of `Client`, but
    `total_timeout` is 30 by default.

    Does not wait; the first request of a process loads libcurl and libcrypto. Raises InvalidArgumentError,
    UnavailableError; ClosedError while the process exits.
    """
    for name, value in (("url", url), ("application_name", application_name)):
        if not isinstance(value, str):
            raise TypeError(f"{name} must be str, not {type(value).__name__}")
    early.preconnect(
        {
            "application_name": text("application_name", application_name),
            "proxy": text("proxy", proxy),
            "ca_file": path("ca_file", ca_file),
            "user_agent": text("user_agent", user_agent),
            "connect_timeout_ms": option_ms("connect_timeout", connect_timeout),
            "total_timeout_ms": option_ms("total_timeout", total_timeout),
        },
        text("url", url),
        text("platform", platform),
    )
