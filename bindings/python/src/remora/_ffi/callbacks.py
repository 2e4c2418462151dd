# SPDX-License-Identifier: Apache-2.0
"""The types of the functions that the library calls, and the structures that they receive. A test compares them with
the header.
"""

from __future__ import annotations

from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int32, c_int64, c_size_t, c_void_p

from .structures import Error, SourceInfo, Value


class Change(Structure):
    """remora_change. The key is an address: key_length is its length."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("kind", c_int32),
        ("origin", c_int32),
        ("key", c_void_p),
        ("key_length", c_size_t),
        ("old_value", Value),
        ("new_value", Value),
    ]


class Experiment(Structure):
    """remora_experiment. The texts are addresses: the next fields are their lengths."""

    _fields_ = [
        ("struct_size", c_size_t),
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
        ("changes", POINTER(POINTER(Change))),
        ("change_count", c_size_t),
        ("old_snapshot", c_void_p),
        ("new_snapshot", c_void_p),
        ("staged_snapshot", c_void_p),
        ("new_experiments", POINTER(POINTER(Experiment))),
        ("new_experiment_count", c_size_t),
        ("error", POINTER(Error)),
        ("storage_error", POINTER(Error)),
        ("namespaces", POINTER(c_char_p)),
        ("old_freshness", c_int32),
        ("new_freshness", c_int32),
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
        ("struct_size", c_size_t),
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
        ("items", POINTER(POINTER(SyncItem))),
        ("item_count", c_size_t),
        ("updated", c_size_t),
        ("unchanged", c_size_t),
        ("staged", c_size_t),
        ("failed", c_size_t),
        ("error", POINTER(Error)),
    ]


class Override(Structure):
    """remora_override. The texts are addresses: the next fields are their lengths."""

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
    """remora_namespace. The name is an address: name_length is its length."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_void_p),
        ("name_length", c_size_t),
        ("in_bundle", c_int32),
        ("is_default", c_int32),
        ("origin", c_int32),
        ("has_override", c_int32),
    ]


class HttpRequest(Structure):
    """remora_http_request."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("id", c_int64),
        ("method", c_char_p),
        ("url", c_char_p),
        ("headers", POINTER(c_char_p)),
    ]


LogCallback = CFUNCTYPE(None, POINTER(LogEntry), c_void_p)
AttemptCallback = CFUNCTYPE(None, POINTER(Attempt), c_void_p)
EventCallback = CFUNCTYPE(None, POINTER(Event), c_void_p)
ResultCallback = CFUNCTYPE(None, POINTER(Result), c_void_p)
SyncCallback = CFUNCTYPE(None, POINTER(SyncReport), c_void_p)
ProgressCallback = CFUNCTYPE(None, POINTER(Progress), c_void_p)
ChangeVisitor = CFUNCTYPE(c_int32, POINTER(Change), c_void_p)
OverrideVisitor = CFUNCTYPE(c_int32, POINTER(Override), c_void_p)
NamespaceVisitor = CFUNCTYPE(c_int32, POINTER(Namespace), c_void_p)
SourceVisitor = CFUNCTYPE(c_int32, POINTER(SourceInfo), c_void_p)
ExperimentVisitor = CFUNCTYPE(c_int32, POINTER(Experiment), c_void_p)
SendCallback = CFUNCTYPE(None, POINTER(HttpRequest), c_void_p)
CancelCallback = CFUNCTYPE(None, c_int64, c_void_p)
ClockCallback = CFUNCTYPE(None, POINTER(c_int64), POINTER(c_int64), c_void_p)
FreeUserData = CFUNCTYPE(None, c_void_p)

CALLBACKS: dict[str, type] = {
    "remora_log_callback": LogCallback,
    "remora_attempt_callback": AttemptCallback,
    "remora_event_callback": EventCallback,
    "remora_result_callback": ResultCallback,
    "remora_sync_callback": SyncCallback,
    "remora_progress_callback": ProgressCallback,
    "remora_change_visitor": ChangeVisitor,
    "remora_override_visitor": OverrideVisitor,
    "remora_namespace_visitor": NamespaceVisitor,
    "remora_source_visitor": SourceVisitor,
    "remora_experiment_visitor": ExperimentVisitor,
    "remora_send_callback": SendCallback,
    "remora_cancel_callback": CancelCallback,
    "remora_clock_callback": ClockCallback,
}
