# SPDX-License-Identifier: Apache-2.0
#
# A table in docs/python.md has the same names.
"""Names of options that differ between Python and C."""

from __future__ import annotations

OPTIONS = {
    "callbacks": "dispatch",
    "connect_timeout_ms": "connect_timeout",
    "default_bundle": "default",
    "fetched_at_ms": "fetched_at",
    "first_fetch": "fetch_at_open",
    "flags": "replay",
    "local_only": "local",
    "log_level": "logger",
    "max_future_ms": "max_future",
    "max_stale_ms": "max_stale",
    "on_log": "logger",
    "on_progress": "progress",
    "packaged_size": "packaged_data",
    "refresh_interval_ms": "refresh_interval",
    "request_params": "params",
    "stall_timeout_ms": "stall_timeout",
    "timeout_ms": "timeout",
    "total_timeout_ms": "total_timeout",
    "ttl_ms": "ttl",
}
"""The options of Python, by their names in C."""

PARAMETERS = {**OPTIONS, "json": "value", "context_json": "context"}
"""The options and parameters of Python, by their names in C."""
