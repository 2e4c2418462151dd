# SPDX-License-Identifier: Apache-2.0
"""A connection ahead of time."""

from __future__ import annotations

from ._arguments import option_ms, path, text
from ._ffi.preconnect import preconnect as _begin

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os


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
    _begin(
        {
            "url": text("url", url),
            "application_name": text("application_name", application_name),
            "platform": text("platform", platform),
            "proxy": text("proxy", proxy),
            "ca_file": path("ca_file", ca_file),
            "user_agent": text("user_agent", user_agent),
            "connect_timeout_ms": option_ms("connect_timeout", connect_timeout),
            "total_timeout_ms": option_ms("total_timeout", total_timeout),
        }
    )
