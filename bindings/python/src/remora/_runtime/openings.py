# SPDX-License-Identifier: Apache-2.0
"""Opens sources for the synchronous and the asyncio client, which differ only in the classes of the sources."""

from __future__ import annotations

from .option_fields import collection_fields, takes
from .options import BundleOptions, CollectionOptions, SettingsOptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Generic, TypeVar

    from typing_extensions import Unpack

    from .._ffi.calling import Handle
    from ..events import Event, FirstReceiver
    from .option_fields import SourceFields

    SourceType = TypeVar("SourceType")
    SettingsType = TypeVar("SettingsType")

    class Kinds(Generic[SourceType, SettingsType]):
        """The classes of sources and of settings that a client opens."""

else:
    SourceType = SettingsType = None

    class Kinds:
        """Generic for type checkers only, because importing `typing` is slow."""

        __slots__ = ()

        def __class_getitem__(cls, _):
            return cls


class SourceOpener(Kinds[SourceType, SettingsType]):
    """Opens the sources of a client."""

    __slots__ = ()

    @takes(CollectionOptions)
    def collection(
        self,
        name: str,
        *,
        on_event: Callable[[Event], object] | None = None,
        **options: Unpack[CollectionOptions],
    ) -> SourceType:
        """Opens a collection. Reads return the newest cached or packaged data. Sends no request by default.

        Options (None means the default, and durations are in seconds):

        - on_event: called with the events of the source while the program keeps the source. The first event reports the
          state at the opening, before anything is fetched.
        - others: see `CollectionOptions`.

        Waits for file system calls. Raises InvalidArgumentError or ClosedError, and for packaged data also
        StorageError, ParseError, FormatError or TooLargeError.
        """
        return self._source(*self._opened(collection_fields(name, options), on_event))

    @takes(BundleOptions)
    def bundle(
        self,
        url: str | None = None,
        *,
        on_event: Callable[[Event], object] | None = None,
        **options: Unpack[BundleOptions],
    ) -> SourceType:
        """Opens a bundle: a versioned document of namespaces at a URL. Reads return the cached or the default bundle.

        The format is the remote configuration of Snowplow's trackers (analytics libraries). Starts a refresh in the
        background, unless `fetch_at_open` is False. Without a URL, the bundle has only its default and its overrides.
        The keys are the namespaces; docs/bundles.md describes which properties they inherit.

        Options (None means the default, and durations are in seconds):

        - on_event: as in `collection`, but no event reports the state at open if the bundle has no data.
        - others: see `BundleOptions`.

        Waits for file system calls. Raises InvalidArgumentError or ClosedError, and for the default bundle also
        ParseError, FormatError or TooLargeError.
        """
        from ..bundle import bundle_fields  # Later: most programs do not use them.

        return self._source(*self._opened(bundle_fields(url, options), on_event))

    @takes(SettingsOptions)
    def settings(
        self,
        url: str | None = None,
        *,
        on_event: Callable[[Event], object] | None = None,
        **options: Unpack[SettingsOptions],
    ) -> SettingsType:
        """Opens settings: a dictionary of keys and values at a URL. Reads return the cached or packaged values.

        Starts a refresh in the background, unless `fetch_at_open` is False. Fetched values become live (returned by
        reads) when the settings are opened again, or at once if the settings have no values; `activation` changes this.
        The url is http or https; None is the library's default.

        Options (None means the default, and durations are in seconds):

        - on_event: as in `collection`.
        - others: see `SettingsOptions`.

        Waits for file system calls. Raises InvalidArgumentError or ClosedError, and for packaged data also
        StorageError, ParseError, FormatError or TooLargeError.
        """
        from ..settings import settings_fields  # Later: most programs do not use them.

        return self._settings(*self._opened(settings_fields(url, options), on_event))

    def _opened(
        self, fields: SourceFields, on_event: Callable[[Event], object] | None
    ) -> tuple[Handle, FirstReceiver | None]:
        """Opens a source. Returns its handle, and the receiver of `on_event`, which the source keeps."""
        raise NotImplementedError

    def _source(self, handle: Handle, first: FirstReceiver | None) -> SourceType:
        """Creates the source of a handle."""
        raise NotImplementedError

    def _settings(self, handle: Handle, first: FirstReceiver | None) -> SettingsType:
        """Creates the settings of a handle."""
        raise NotImplementedError
