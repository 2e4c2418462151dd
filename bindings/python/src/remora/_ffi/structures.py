# SPDX-License-Identifier: Apache-2.0
"""The structures of remora.h that calls fill, field by field. A test compares them with the header. Those that
callbacks receive are in `callbacks`, because most programs need none of them.
"""

from __future__ import annotations

from ctypes import Structure, c_char, c_char_p, c_int32, c_int64, c_size_t, c_uint64, c_void_p


class Error(Structure):
    """remora_error."""

    _fields_ = [
        ("status", c_int32),
        ("http_status", c_int32),
        ("retry_after_ms", c_int64),
        ("system_code", c_int32),
        ("reserved", c_int32 * 19),
        ("parameter", c_char * 48),
        ("source_name", c_char * 112),
        ("message", c_char * 384),
    ]


class Value(Structure):
    """remora_value."""

    _fields_ = [("node", c_void_p), ("region", c_void_p)]


class SourceInfo(Structure):
    """remora_source_info."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("server", c_char_p),
        ("kind", c_int32),
        ("origin", c_int32),
        ("has_staged", c_int32),
        ("filter_failures", c_int32),
        ("version", c_int64),
        ("fetched_at_ms", c_int64),
        ("checked_at_ms", c_int64),
        ("checked_age_ms", c_int64),
        ("attempted_at_ms", c_int64),
        ("retry_after_ms", c_int64),
        ("generation", c_uint64),
        ("last_error", Error),
        ("storage_error", Error),
        ("freshness", c_int32),
        ("reserved", c_int32),
        ("rejected_version", c_int64),
    ]


class SnapshotInfo(Structure):
    """remora_snapshot_info."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("origin", c_int32),
        ("verified", c_int32),
        ("version", c_int64),
        ("fetched_at_ms", c_int64),
        ("count", c_size_t),
    ]
