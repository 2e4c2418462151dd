# SPDX-License-Identifier: Apache-2.0
#
# What the library reports: the structures of remora.h that it fills, field by field. A test compares them with the header.
"""Structures that the library fills."""

from __future__ import annotations

from ctypes import POINTER, Structure, c_char, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint64, c_void_p


class Error(Structure):
    """remora_error."""

    _fields_ = [
        ("status", c_int32),
        ("http_status", c_int32),
        ("retry_after_ms", c_int64),
        ("source_name", c_char * 112),
        ("message", c_char * 384),
    ]


class Value(Structure):
    """remora_value."""

    _fields_ = [("node", c_void_p), ("region", c_void_p)]


class Change(Structure):
    """remora_change. The key is an address, because its length is beside it."""

    _fields_ = [
        ("kind", c_int32),
        ("origin", c_int32),
        ("key", c_void_p),
        ("key_length", c_size_t),
        ("old_value", Value),
        ("new_value", Value),
    ]


class Experiment(Structure):
    """remora_experiment. The texts are addresses, because their lengths are beside them."""

    _fields_ = [
        ("name", c_void_p),
        ("name_length", c_size_t),
        ("variant", c_void_p),
        ("variant_length", c_size_t),
        ("trackable", c_double),
        ("settings", Value),
    ]


class Event(Structure):
    """remora_event."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("source", c_void_p),
        ("source_name", c_char_p),
        ("kind", c_int32),
        ("cause", c_int32),
        ("outcome", c_int32),
        ("origin", c_int32),
        ("version", c_int64),
        ("changes", POINTER(Change)),
        ("change_count", c_size_t),
        ("old_snapshot", c_void_p),
        ("new_snapshot", c_void_p),
        ("staged_snapshot", c_void_p),
        ("new_experiments", POINTER(Experiment)),
        ("new_experiment_count", c_size_t),
        ("error", POINTER(Error)),
        ("storage_error", POINTER(Error)),
    ]


class Result(Structure):
    """remora_result."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("source", c_void_p),
        ("status", c_int32),
        ("outcome", c_int32),
        ("snapshot", c_void_p),
        ("attachment", c_void_p),
        ("error", POINTER(Error)),
    ]


class Progress(Structure):
    """remora_progress."""

    _fields_ = [("struct_size", c_size_t), ("received", c_int64), ("total", c_int64)]


class LogEntry(Structure):
    """remora_log_entry."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("level", c_int32),
        ("kind", c_int32),
        ("source_name", c_char_p),
        ("message", c_char_p),
    ]


class Attempt(Structure):
    """remora_attempt."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("source_name", c_char_p),
        ("server", c_char_p),
        ("kind", c_int32),
        ("outcome", c_int32),
        ("status", c_int32),
        ("http_status", c_int32),
        ("duration_ms", c_int64),
        ("bytes", c_int64),
        ("error", POINTER(Error)),
    ]


class SyncItem(Structure):
    """remora_sync_item."""

    _fields_ = [
        ("source_name", c_char_p),
        ("server", c_char_p),
        ("kind", c_int32),
        ("outcome", c_int32),
        ("error", POINTER(Error)),
    ]


class SyncReport(Structure):
    """remora_sync_report."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("items", POINTER(SyncItem)),
        ("item_count", c_size_t),
        ("updated", c_size_t),
        ("unchanged", c_size_t),
        ("staged", c_size_t),
        ("failed", c_size_t),
        ("error", POINTER(Error)),
    ]


class Override(Structure):
    """remora_override. The texts are addresses, because their lengths are beside them."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("key", c_void_p),
        ("key_length", c_size_t),
        ("pointer", c_void_p),
        ("pointer_length", c_size_t),
        ("json", c_void_p),
        ("json_length", c_size_t),
    ]


class Namespace(Structure):
    """remora_namespace. The name is an address, because its length is beside it."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_void_p),
        ("name_length", c_size_t),
        ("in_bundle", c_int32),
        ("is_default", c_int32),
        ("origin", c_int32),
        ("has_override", c_int32),
    ]


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
