# SPDX-License-Identifier: Apache-2.0
"""The one table of options. A class per group of options lists their names and types, and its docstring explains them.
From these, `option_fields` makes the signatures and the documentation of the functions that take options, the checks of
options, and the fields that they set in the structures of the library. Type checkers read the same classes as typed
dictionaries.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping
    from logging import Logger
    from typing import Any, Literal, Union

    from typing_extensions import TypedDict

    from ..reports import Attempt
    from ..testing import Clock, Server
    from ..values import Activation, Method, Trust

    Headers = Union[Mapping[str, str], Iterable[tuple[str, str]]]
    Default = Union[Mapping[str, Any], list[Any], str]
    """A default bundle: a mapping, a list of its elements, or the JSON text of either."""
    Schema = Union[Mapping[str, Any], bool, str]
    """A JSON Schema: a mapping, a bool, or the JSON text of either."""
else:

    class TypedDict:
        """The base class of a group of options: `types` are the types by name, and `text` explains the options."""

        types = {}
        text = ""

        def __init_subclass__(cls, total):
            cls.types = {**cls.__annotations__, **cls.types}
            cls.text = (cls.__doc__ or "").strip("\n ") + cls.text
            cls.text = f"\n    {cls.text}" if cls.text else ""


# The default of an option is None if its type includes None, False if it is a bool, and else the first literal of its
# type.


class ConnectionOptions(TypedDict, total=False):
    """
    - proxy: the URL of a proxy, in the form that libcurl accepts; default no proxy. Environment variables are not read.
    - ca_file: a PEM file of TLS root certificates; default those of libcurl.
    - client_certificate_file, client_key_file: PEM files of the certificate that identifies the client to the server,
      and of its key (default: in the same file). They are read for each new connection, so that they can be replaced.
    - user_agent: replaces the default user agent.
    - connect_timeout: the limit for connecting to a server; default 10. In all timeouts, math.inf removes the limit.
    - total_timeout: the limit for a whole request; default 120.
    """

    proxy: str | None
    ca_file: str | os.PathLike[str] | None
    client_certificate_file: str | os.PathLike[str] | None
    client_key_file: str | os.PathLike[str] | None
    user_agent: str | None
    connect_timeout: float | None
    total_timeout: float | None


class ConfigOptions(ConnectionOptions, total=False):
    """
    - application_name, application_version, application_build: sent in the default user agent.
    - server: Mozilla's "prod" (the default), "stage" or "dev", or an http or https URL.
    - bucket: the bucket of collections opened without this option; default "main".
    - headers: sent with every request to the server of a source.
    - stall_timeout: cancels a transfer that stays below 100 bytes/s for this time; default 30.
    - max_stale: data becomes STALE when its last successful refresh is longer ago than this. To notice that updates no
      longer arrive, set it to three refresh intervals, for example. Default: off. See `SourceInfo.freshness`.
    - max_body_bytes: the maximum size of a decoded response; default 16 MiB, at most 256 MiB.
    """

    application_name: str | None
    application_version: str | None
    application_build: str | None
    server: str | None
    bucket: str | None
    headers: Headers | None
    stall_timeout: float | None
    max_body_bytes: int | None
    max_stale: float | None


class ClientOptions(ConfigOptions, total=False):
    """
    - logger: receives the library's messages of the logger's level and above. None: the library logs nothing.
    - on_attempt: called with the outcome and cost of every refresh attempt, for telemetry.
    - transport, clock: a server and a clock for tests; see `remora.testing`.
    """

    logger: Logger | None
    on_attempt: Callable[[Attempt], object] | None
    transport: Server | None
    clock: Clock | None


class SourceOptions(TypedDict, total=False):
    """
    - refresh_interval: the approximate time between two refreshes in the background; at least 1. None: never.
    - persist_overrides: whether overrides are stored, and restored at the next opening with this option.
    - min_keys: a fetched version with fewer keys is refused with SchemaError, unless the refresh has the option
      `force`. None or 0: no limit.
    - min_keys_percent: a fetched version with less than this percentage (1 to 100) of the keys of the newest version is
      refused with SchemaError, unless the refresh has the option `force`. 100: the number may not shrink. None or
      0: no limit.
    - schema: a JSON Schema for each record of a collection, each element of a bundle, or the dictionary of settings.
      Fetched data that violates it is refused with SchemaError. A mapping, a bool, or the JSON text of either.
    """

    refresh_interval: float | None
    persist_overrides: bool
    min_keys: int | None
    min_keys_percent: int | None
    schema: Schema | None


class CollectionOptions(SourceOptions, total=False):
    """
    - server: "prod", "stage", "dev" or a URL; default that of the client.
    - bucket: default that of the client.
    - trust: whether the signature and its certificate chain must be valid, "required" (the default) or "off".
    - root_sha256: SHA-256 of the root certificate in which the chain must end, 64 hex digits, colons allowed; default
      Mozilla's root.
    - previous_roots: at most 8 earlier values of root_sha256. Stored data that was verified with one of them stays
      readable until the next fetch.
    - signer: the DNS name that the signer's certificate must contain; default Mozilla's signer of the bucket.
    - trusted_hosts: hosts from which certificate chains are accepted, besides the server.
    - packaged_file: the path of a file with packaged data, {"data": [records], "timestamp": N}.
    - packaged_data: packaged data as JSON text. Not together with packaged_file.
    - packaged_attachments: a folder of packaged attachments, each named by the id of its record.
    - max_future: how far a timestamp may be in the future; default a day. math.inf removes the limit.
    - fetch_at_open: whether opening starts a refresh in the background; default True with a refresh_interval, else
      False.
    - activation: when fetched data becomes live (returned by reads), "immediate" (the default), "next_setup" or
      "manual".
    """

    server: str | None
    bucket: str | None
    trust: Trust | Literal["required", "off"]
    root_sha256: str | None
    previous_roots: Iterable[str] | None
    signer: str | None
    trusted_hosts: Iterable[str] | None
    packaged_file: str | os.PathLike[str] | None
    packaged_data: bytes | str | None
    packaged_attachments: str | os.PathLike[str] | None
    max_future: float | None
    fetch_at_open: bool | None
    activation: Activation | Literal["immediate", "next_setup", "manual"]


class BundleOptions(SourceOptions, total=False):
    """
    - name: distinguishes bundles of the same url, or without url; default "".
    - method: "get" (the default) or "post". A POST has an empty body.
    - fetch_at_open: whether opening starts a refresh in the background; default True with a url.
    - accepted_schema: the start of `$schema` in accepted bundles, after http:// or https://, up to the first number of
      the version (the model); default the schema of the Snowplow trackers, model 1.
    - default: the default bundle, in use until a bundle is fetched. After that, a property that is missing in a fetched
      namespace is taken from the same namespace of the default bundle. A mapping (schema and version are optional), or
      a list of its elements, or the JSON text of either.
    - default_version: the version of the default bundle, 1 or higher; only a higher version is accepted. None or 0: the
      version in the default bundle. If it has no version, every fetched bundle is accepted.
    """

    name: str | None
    method: Method | Literal["get", "post"]
    fetch_at_open: bool | None
    accepted_schema: str | None
    default: Default | None
    default_version: int | None


class SettingsOptions(SourceOptions, total=False):
    """
    - params: names and values, such as of the user or segment, added to the query of every request. Settings with
      different parameters are different sources.
    - root_key: the member of the document that holds the dictionary; default the whole document.
    - tag: the name of an additional dictionary at the url, which is opened instead of the main one, with its own cache.
    - tag_item: the query item that names the tag; default "tag".
    - activation: when fetched values become live (returned by reads), "immediate", "next_setup" or "manual"; default
      "next_setup". With a tag always "immediate". Unless it is "manual", fetched values become live at once if the
      settings have no values.
    - fetch_at_open: whether opening starts a refresh in the background; default True.
    - memory_only: stores nothing of these settings. Not together with persist_overrides.
    - packaged_file: the path of a file with packaged values, a document as the server would send it.
    - packaged_data: packaged values as JSON text. Not together with packaged_file.
    - ttl: how long fetched values are fresh. While they are fresh, `wait` sends no request. 0: never, math.inf:
      always; default the time in the server's Cache-Control header, or an hour without this header. Reads still return
      expired values.
    - required_keys: a fetched version that lacks one of these keys is refused with SchemaError, unless the refresh has
      the option `force`.
    """

    params: Mapping[str, str] | None
    root_key: str | None
    tag: str | None
    tag_item: str | None
    activation: Activation | Literal["immediate", "next_setup", "manual"] | None
    fetch_at_open: bool | None
    memory_only: bool
    packaged_file: str | os.PathLike[str] | None
    packaged_data: bytes | str | None
    ttl: float | None
    required_keys: Iterable[str] | None


class RefreshOptions(TypedDict, total=False):
    """
    - force: sends a request although the data is fresh, the server asked for a pause, or its monitor reports no change.
    - only_if_empty: sends no request if the source has any data: packaged, stored or fetched. Not together with force.
    - expected_version: for a collection, the timestamp in a push message, in milliseconds since 1970, so that the
      server's caches cannot answer with older data.
    """

    force: bool
    only_if_empty: bool
    expected_version: int | None


class AttachmentOptions(TypedDict, total=False):
    """
    - progress: called during a download with the received and the total number of bytes, about a hundred times at most.
      The received number becomes smaller if the server restarts the transfer. An exception of this callback is reported
      to the `logger` or `sys.unraisablehook`, and the opening continues.
    - max_bytes: larger attachments raise TooLargeError, before any request; default 64 MiB. math.inf removes the limit.
    - local: sends no request: an attachment that is neither stored nor packaged raises NotFoundError.
    """

    progress: Callable[[int, int], object] | None
    max_bytes: float | None
    local: bool
