# SPDX-License-Identifier: Apache-2.0
#
# What this package imports at its first use. A thread that does not exist in a forked child may have been inside such an
# import: the child would wait for its lock permanently, or find half a module. So a fork imports all of it before.
"""Imports before a fork."""

from __future__ import annotations

import sys

_MODULES = (
    "datetime",
    "importlib",
    "json",
    "traceback",
    "types",
    "remora._attachment",
    "remora._bundle",
    "remora._collection_record",
    "remora._experiments",
    "remora._ffi.bundles",
    "remora._ffi.settings",
    "remora._installer",
    "remora._open_attachment",
    "remora._opening",
    "remora._opening_waits",
    "remora._preconnect",
    "remora._settings",
    "remora._settings_source",
    "remora._tags",
)


def import_all() -> None:
    """Imports what is not imported yet, and waits for threads that are importing it; does nothing without other threads."""
    if len(sys._current_frames()) < 2:
        return
    for name in _MODULES:
        __import__(name)
