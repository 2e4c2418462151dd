# SPDX-License-Identifier: Apache-2.0
#
# Functions that need no client: an installer saves seeds (data for the first opening of a source), and a program
# connects early. Imported at its first use.
"""Installers, seeds and early connections."""

from __future__ import annotations

from ._ffi import early
from ._runtime.arguments import named_options, path, text
from ._runtime.data import Record, public_name
from ._runtime.option_fields import collection_fields, config_fields, fields_of, takes
from ._runtime.options import BundleOptions, CollectionOptions, ConfigOptions, ConnectionOptions, SettingsOptions
from .values import milliseconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from datetime import datetime

    from typing_extensions import Unpack

    from ._runtime.option_fields import SourceFields


class SeedRequest(Record):
    """The request with which an installer downloads data."""

    __slots__ = ("headers", "method", "url")

    url: str
    """The URL to download."""
    method: str
    """"GET", or "POST" with an empty body."""
    headers: tuple[tuple[str, str], ...]
    """The names and values of the headers, in the order of sending. A name may occur twice."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.method}>"  # The rest may hold secrets.


class Seed:
    """Saves data for the first opening of one source. Created by `Installer`."""

    __slots__ = ("_kind", "_seed")

    def __init__(self, kind: str, seed: early.Seed) -> None:
        self._kind = kind
        self._seed = seed

    def __repr__(self) -> str:
        return f"<{public_name(self)} {self._kind}>"  # The URL may hold secrets.

    @named_options
    def request(self, *, identifier: str | None = None) -> SeedRequest:
        """Returns the request with which the installer downloads the data to a file. Sends no request.

        For settings, the URL has query items with `identifier` (default "seed") and the name, version and build number
        of the application. Raises InvalidArgumentError, also for a collection, whose file is written by `remora dump`.
        """
        name = text("identifier", identifier)
        method, url, lines = self._seed.request(name)
        pairs = (line.partition(":") for line in lines)
        headers = tuple((head, value.strip(" \t")) for head, _, value in pairs)
        return SeedRequest(url=url, method=method, headers=headers)

    @named_options
    def save(self, file: str | os.PathLike[str], *, fetched_at: datetime | None = None) -> None:
        """Checks the downloaded file, and saves its data for the next opening of the source.

        Does not change the file. `fetched_at` is the time of the download; default the time when the file was last
        modified. After an error, an older seed stays. Raises InvalidArgumentError, StorageError, PermissionError,
        TooLargeError, ParseError or FormatError; for a collection also TrustError, FutureError or UnavailableError, and
        ClosedError while the process exits.
        """
        when = None if fetched_at is None else milliseconds("fetched_at", fetched_at)
        self._seed.save(path("file", file), when)


class Installer:
    """Saves seeds in the storage directory of a program, before the program starts for the first time.

    The options are those of `Client`. Pass to `settings`, `bundle` and `collection` the options with which the program
    opens the source.
    """

    __slots__ = ("_fields", "_storage_dir")

    @takes(ConfigOptions)
    def __init__(self, storage_dir: str | os.PathLike[str], **options: Unpack[ConfigOptions]) -> None:
        self._fields = config_fields(storage_dir, options)
        self._storage_dir = storage_dir

    def __repr__(self) -> str:
        return f"<{public_name(self)} storage_dir={str(self._storage_dir)!r}>"

    @takes(SettingsOptions)
    def settings(self, url: str | None = None, **options: Unpack[SettingsOptions]) -> Seed:
        """Creates the `Seed` of settings. Takes the options of `Client.settings`."""
        from .settings import settings_fields

        return self._seed(settings_fields(url, options))

    @takes(BundleOptions)
    def bundle(self, url: str, **options: Unpack[BundleOptions]) -> Seed:
        """Creates the `Seed` of a bundle. Takes the options of `Client.bundle`."""
        from .bundle import bundle_fields

        return self._seed(bundle_fields(url, options))

    @takes(CollectionOptions)
    def collection(self, name: str, **options: Unpack[CollectionOptions]) -> Seed:
        """Creates the `Seed` of a collection. Takes the options of `Client.collection`."""
        return self._seed(collection_fields(name, options))

    def _seed(self, source: SourceFields) -> Seed:
        return Seed(source.kind, early.Seed(self._fields, source.kind, source.own))


@takes(ConnectionOptions)
def preconnect(
    url: str, *, application_name: str, platform: str | None = None, **options: Unpack[ConnectionOptions]
) -> None:
    """Opens a connection to a server before it is needed, in the background.

    Use it at start-up, while the program does something else: the first request is then faster.
    Sends one GET to the URL, with the query items "app" and "platform" (default "linux"), and keeps the connection for
    the next request of any client to the same scheme, host and port with the same `proxy`, `ca_file` and client
    certificate. No client need exist yet. Any HTTP status of the response is accepted. A failure is only logged, as a
    warning, to the loggers of clients.

    Options (None means the default, and durations are in seconds; here `total_timeout` is 30 by default):

    - others: see `ConnectionOptions`.

    Does not wait; the first request of a process loads libcurl and libcrypto. Raises InvalidArgumentError or
    UnavailableError, and ClosedError while the process exits.
    """
    for name, value in (("url", url), ("application_name", application_name)):
        if not isinstance(value, str):
            raise TypeError(f"{name} must be str, not {type(value).__name__}")
    fields = {"application_name": text("application_name", application_name), **fields_of(ConnectionOptions, options)}
    early.preconnect(fields, text("url", url), text("platform", platform))
