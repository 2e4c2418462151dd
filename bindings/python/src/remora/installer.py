# SPDX-License-Identifier: Apache-2.0
#
# Functions that need no client: an installer saves seeds for the first opening, and a program starts a connection before
# it is needed. Imported at its first use.
"""Installers, seeds, and connections ahead of time."""

from __future__ import annotations

from ._ffi import early
from ._runtime.arguments import option_ms, path, text
from ._runtime.options import client_fields, collection_fields
from .values import Record, milliseconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from datetime import datetime

    from typing_extensions import Unpack

    from ._runtime.options import ClientOptions, CollectionOptions, SourceFields
    from .bundle import BundleOptions
    from .settings import SettingsOptions


class SeedRequest(Record):
    """What an installer downloads."""

    __slots__ = ("headers", "method", "url")

    url: str
    """Where it is."""
    method: str
    """"GET" or "POST"; a POST has an empty body."""
    headers: tuple[tuple[str, str], ...]
    """Names and values of what to send, in order; a name may come twice."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.method}>"  # The rest may hold secrets.


class Seed:
    """What an installer leaves for the first opening of one source. Made by `Installer`."""

    __slots__ = ("_seed",)

    def __init__(self, seed: early.Seed) -> None:
        self._seed = seed

    def request(self, *, identifier: str | None = None) -> SeedRequest:
        """What to download, to any file and in any way. Sends nothing.

        For settings the server is told by query items what asks (`identifier`, default "seed") and the application's name,
        version and build number. Raises InvalidArgumentError, also for a collection: its seed is what `remora dump`
        writes.
        """
        name = text("identifier", identifier)
        lines = self._seed.part("HEADERS", name).split("\n")[:-1]  # A value may have other characters that end lines.
        pairs = (line.partition(":") for line in lines)
        headers = tuple((head, value.strip(" \t")) for head, _, value in pairs)
        return SeedRequest(url=self._seed.part("URL", name), method=self._seed.part("METHOD", name), headers=headers)

    def save(self, file: str | os.PathLike[str], *, fetched_at: datetime | None = None) -> None:
        """Checks what was downloaded, and puts it where the next opening finds it.

        The file is only read. `fetched_at` is when it was downloaded; default when it was last modified. On any error an
        older seed stays. Raises InvalidArgumentError, StorageError, PermissionError, TooLargeError, ParseError, FormatError;
        for a collection a TrustError, FutureError, UnavailableError or ClosedError (the process exits).
        """
        when = None if fetched_at is None else milliseconds("fetched_at", fetched_at)
        self._seed.save(path("file", file), when)


class Installer:
    """Saves seeds into the storage directory of a program that runs later.

    The options are those of `Client`; the seeds' are those that the program opens the source with.
    """

    __slots__ = ("_fields",)

    def __init__(self, storage_dir: str | os.PathLike[str], **options: Unpack[ClientOptions]) -> None:
        self._fields = client_fields(storage_dir, **options)

    def settings(self, url: str | None = None, **options: Unpack[SettingsOptions]) -> Seed:
        """A seed of settings."""
        from .settings import settings_fields

        return self._seed(settings_fields(url, **options))

    def bundle(self, url: str, **options: Unpack[BundleOptions]) -> Seed:
        """A seed of a bundle."""
        from .bundle import bundle_fields

        return self._seed(bundle_fields(url, **options))

    def collection(self, name: str, **options: Unpack[CollectionOptions]) -> Seed:
        """A seed of a collection."""
        return self._seed(collection_fields(name, **options))

    def _seed(self, source: SourceFields) -> Seed:
        return Seed(early.Seed(self._fields, source.kind, source.own))


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
    connection for the next request of any client to the same scheme, host and port with the same `proxy` and `ca_file`.
    May be called before there is a client. Which status the server answers does not matter; a failure costs nothing but
    the head start, and is a warning to the loggers of clients. The other options are those of `ClientOptions`, but
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
