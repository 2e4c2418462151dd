# SPDX-License-Identifier: Apache-2.0
#
# Calls that need no client. Imported at their first use.
"""Seeds, and connections ahead of time."""

from __future__ import annotations

from ctypes import byref, c_size_t, create_string_buffer

from .calling import call, filled
from .constants import number
from .handles import options_of
from .library import functions
from .options import POINTERS, Config, SeedOptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .calling import Field


def preconnect(client: Mapping[str, Field], url: bytes | None, platform: bytes | None) -> None:
    """Starts a connection, and does not wait."""
    call(functions["remora_preconnect"], byref(filled(Config(), client)), url, platform)


class Seed:
    """Whose seed it is, in structures that stay."""

    def __init__(self, client: Mapping[str, Field], kind: str, source: Mapping[str, Field]) -> None:
        self._config = filled(Config(), client)
        self._source = options_of(kind, source)
        self._kind = kind

    def part(self, name: str, identifier: bytes | None) -> str:
        """A part of the request: "URL", "METHOD" or "HEADERS"."""
        function, part, length = functions["remora_seed_request"], number(f"REMORA_SEED_{name}"), c_size_t()
        options = self._options({"identifier": identifier})
        call(function, byref(self._config), byref(options), part, None, 0, byref(length))
        text = create_string_buffer(length.value + 1)
        call(function, byref(self._config), byref(options), part, text, len(text), byref(length))
        return text.value.decode()

    def save(self, file: bytes | None, fetched_at_ms: int | None) -> None:
        """Saves a file."""
        options = self._options({"fetched_at_ms": fetched_at_ms})
        call(functions["remora_seed_save"], byref(self._config), byref(options), file)

    def _options(self, fields: Mapping[str, Field]) -> SeedOptions:
        options = SeedOptions()
        filled(options, fields)
        setattr(options, self._kind, POINTERS[self._kind](self._source))
        return options
