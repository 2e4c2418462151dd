# SPDX-License-Identifier: Apache-2.0
"""Settings."""

from __future__ import annotations

from . import structures
from .calling import Handle
from .handles import opened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .calling import Field


def open_settings(client: Handle, fields: Mapping[str, Field], receiver: int | None) -> Handle:
    """Opens settings; `receiver` is the number of their first subscriber."""
    return opened(client, structures.SettingsOptions(), "settings", fields, receiver)
