# SPDX-License-Identifier: Apache-2.0
#
# The options of sources, written out once for the clients of both packages: the classes of the sources differ.
"""Opening sources."""

from __future__ import annotations

from .arguments import named_options
from .options import ACTIVATION_IMMEDIATE, METHOD_GET, TRUST_REQUIRED, collection_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping
    from typing import Generic, Literal, TypeVar

    from .._ffi.calling import Handle
    from ..bundle import Default
    from ..events import Event, FirstReceiver
    from ..settings import Tags
    from ..values import Activation, Method, Trust
    from .options import SourceFields

    SourceType = TypeVar("SourceType")
    SettingsType = TypeVar("SettingsType")

    class Kinds(Generic[SourceType, SettingsType]):
        """The classes of the sources: of all of them, and of settings."""

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

    @named_options
    def collection(
        self,
        name: str,
        *,
        on_event: Callable[[Event], object] | None = None,
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
    ) -> SourceType:
        """Opens a collection, and makes its newest local data live, cached or packaged. Sends no request by default.

        Options; None is the default, and durations are seconds:

        - on_event: a first subscriber. It is notified of the state at open before anything is fetched, and lasts as
          long as the source is kept.
        - server: "prod", "stage", "dev" or a URL; default the client's.
        - bucket: default the client's.
        - trust: whether signature and chain must verify, "required" or "off".
        - root_sha256: SHA-256 of the root certificate that signers must chain to, 64 hex digits, colons allowed;
          default Mozilla's.
        - previous_roots: at most 8 earlier values of root_sha256. Data that was stored under them stays readable until
          the next fetch.
        - signer: DNS name that the leaf certificate must carry; default as the bucket requires.
        - trusted_hosts: further hosts from which certificate chains are accepted.
        - packaged_file: start values, a file {"data": [records], "timestamp": N}.
        - packaged_data: the same as JSON text; not both.
        - packaged_attachments: folder of packaged attachments, each named by the id of its record.
        - max_future: how far a timestamp may be ahead; default a day, math.inf is off.
        - fetch_at_open: whether opening starts a refresh in the background; default False.
        - refresh_interval: refreshes in the background, about once in this time; at least 1, None is never.
        - persist_overrides: whether overrides are stored, and hold at the next open.
        - activation: when fetched data becomes live, "immediate", "next_setup" or "manual".

        Waits for file system calls. Raises InvalidArgumentError, ClosedError; for packaged data StorageError,
        ParseError, FormatError or TooLargeError.
        """
        fields = collection_fields(
            name, server=server, bucket=bucket, trust=trust, root_sha256=root_sha256, previous_roots=previous_roots,
            signer=signer, trusted_hosts=trusted_hosts, packaged_file=packaged_file, packaged_data=packaged_data,
            packaged_attachments=packaged_attachments, max_future=max_future, fetch_at_open=fetch_at_open,
            refresh_interval=refresh_interval, persist_overrides=persist_overrides, activation=activation,
        )  # fmt: skip
        return self._source(*self._opened(fields, on_event))

    @named_options
    def bundle(
        self,
        url: str | None = None,
        *,
        on_event: Callable[[Event], object] | None = None,
        name: str | None = None,
        method: Method | Literal["get", "post"] = METHOD_GET,
        fetch_at_open: bool | None = None,
        accepted_schema: str | None = None,
        default: Default | None = None,
        default_version: int | None = None,
        refresh_interval: float | None = None,
        persist_overrides: bool = False,
    ) -> SourceType:
        """Opens a bundle, a versioned document of namespaces at a URL, and makes the cached one live, or its default.

        Then a refresh starts in the background, unless `fetch_at_open` is False. Without a URL a bundle consists of its
        default and its overrides. The keys are the namespaces; docs/bundles.md describes what they inherit.

        Options; None is the default, and durations are seconds:

        - on_event: a first subscriber, as in `collection`; not notified of the state at open if there is no data.
        - name: distinguishes bundles of the same url, or without one; default "".
        - method: "get" or "post", which has an empty body.
        - fetch_at_open: whether opening starts a refresh in the background; default True with a url.
        - accepted_schema: what `$schema` must begin with after http:// or https://, up to and including the number of
          the model; default the remote configuration of the Snowplow trackers, model 1.
        - default: live before anything is fetched, and inherited by fetched namespaces: a bundle, which needs neither
          schema nor version, or a list of its elements; or the JSON text of either.
        - default_version: the version of the default, 1 or higher; only a higher fetched version is used. None and 0
          are the version in the default, or else lower than any.
        - refresh_interval: refreshes in the background, about once in this time; at least 1, None is never.
        - persist_overrides: whether overrides are stored, and hold at the next open.

        Waits for file system calls. Raises InvalidArgumentError, ClosedError; for the default ParseError, FormatError
        or TooLargeError.
        """
        from ..bundle import bundle_fields  # Later: most programs do not use them.

        fields = bundle_fields(
            url, name=name, method=method, fetch_at_open=fetch_at_open, accepted_schema=accepted_schema,
            default=default, default_version=default_version, refresh_interval=refresh_interval,
            persist_overrides=persist_overrides,
        )  # fmt: skip
        return self._source(*self._opened(fields, on_event))

    @named_options
    def settings(
        self,
        url: str | None = None,
        *,
        on_event: Callable[[Event], object] | None = None,
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
    ) -> SettingsType:
        """Opens settings, a dictionary of keys and values at a URL, and makes the cached ones live, or the packaged ones.

        Then a refresh starts in the background, unless `fetch_at_open` is False. Its values are live from the next
        client on, or as `activation` says. The url is http or https; None is the library's default.

        Options; None is the default, and durations are seconds:

        - on_event: a first subscriber, as in `collection`.
        - params: user, segment or application, added to the query of every request. Other parameters are other
          settings.
        - root_key: the member of the document that holds the dictionary; default the whole document.
        - tag: opens the dictionary of this tag, with its own cache, instead of the main one.
        - tag_item: the query item that names the tag; default "tag".
        - activation: when fetched values become live, "immediate", "next_setup" or "manual"; default "next_setup", and
          with a tag always "immediate".
        - fetch_at_open: whether opening starts a refresh in the background; default True.
        - memory_only: whether nothing of these settings is stored.
        - packaged_file: start values, a document as the server would answer it.
        - packaged_data: the same as JSON text; not both.
        - refresh_interval: refreshes in the background, about once in this time; at least 1, None is never.
        - ttl: how long fetched values are fresh, so that waits send no request. 0 always requests, math.inf never
          again; default as the server says (Cache-Control), or else an hour. Expired values stay live.
        - persist_overrides: whether overrides are stored, and hold at the next open; not with memory_only.

        Waits for file system calls. Raises InvalidArgumentError, ClosedError; for packaged data StorageError,
        ParseError, FormatError or TooLargeError.
        """
        from ..settings import Tags, settings_fields  # Later: most programs do not use them.

        fields = settings_fields(
            url, params=params, root_key=root_key, tag=tag, tag_item=tag_item, activation=activation,
            fetch_at_open=fetch_at_open, memory_only=memory_only, packaged_file=packaged_file,
            packaged_data=packaged_data, refresh_interval=refresh_interval, ttl=ttl,
            persist_overrides=persist_overrides,
        )  # fmt: skip
        tags = Tags(
            self.settings, url, params=dict(params or {}), root_key=root_key, tag_item=tag_item,
            memory_only=memory_only, ttl=ttl, persist_overrides=persist_overrides,
        )  # fmt: skip
        return self._settings(*self._opened(fields, on_event), tags)

    def _opened(
        self, fields: SourceFields, on_event: Callable[[Event], object] | None
    ) -> tuple[Handle, FirstReceiver | None]:
        """Opens a source; returns its handle, and its first subscriber, which lives as long as the source keeps it."""
        raise NotImplementedError

    def _source(self, handle: Handle, first: FirstReceiver | None) -> SourceType:
        """Makes a source of a handle."""
        raise NotImplementedError

    def _settings(self, handle: Handle, first: FirstReceiver | None, tags: Tags) -> SettingsType:
        """Makes settings of a handle."""
        raise NotImplementedError
