# SPDX-License-Identifier: Apache-2.0
#
# Calls that need no client. Imported at their first use.
"""Seeds and early connections."""

from __future__ import annotations

from ctypes import byref

from .callbacks import SendCallback
from .calling import call, filled, texts_at
from .handles import options_of
from .library import functions
from .options import POINTERS, Config, SeedOptions
from .registry import listening, passing
from .waiting import visits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .calling import Field

on_request = SendCallback(passing("method", "url", "headers"))


def preconnect(client: Mapping[str, Field], url: bytes | None, platform: bytes | None) -> None:
    """Opens a connection to a URL in the background."""
    call(functions["remora_preconnect"], byref(filled(Config(), client)), url, platform)


class Seed:
    """The options of a client and of a source, as the library's structures, for the calls about a seed."""

    def __init__(self, client: Mapping[str, Field], kind: str, source: Mapping[str, Field]) -> None:
        self._config = filled(Config(), client)
        self._source = options_of(kind, source)
        self._kind = kind

    def request(self, identifier: bytes | None) -> tuple[str, str, list[str]]:
        """Returns the method, the URL and the headers of the download."""
        found: list[tuple[str, str, list[str]]] = []

        def receive(method: bytes, url: bytes, headers: Any) -> None:
            found.append((method.decode(), url.decode(), [header.decode() for header in texts_at(headers)]))

        options = self._options({"identifier": identifier})
        with visits:
            listening(
                receive,
                lambda number: call(
                    functions["remora_seed_request"], byref(self._config), byref(options), on_request, number
                ),
            )
        return found[0]

    def save(self, file: bytes | None, fetched_at_ms: int | None) -> None:
        """Checks a file and saves it as the seed."""
        options = self._options({"fetched_at_ms": fetched_at_ms})
        call(functions["remora_seed_save"], byref(self._config), byref(options), file)

    def _options(self, fields: Mapping[str, Field]) -> SeedOptions:
        options = SeedOptions()
        filled(options, fields)
        setattr(options, self._kind, POINTERS[self._kind](self._source))
        return options
