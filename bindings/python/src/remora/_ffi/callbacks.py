# SPDX-License-Identifier: Apache-2.0
#
# The types of the functions that the library calls. A test compares them with the header.
"""Callback types."""

from __future__ import annotations

from ctypes import CFUNCTYPE, POINTER, c_int32, c_void_p

from .structures import (
    Attempt,
    Change,
    Event,
    Experiment,
    LogEntry,
    Namespace,
    Override,
    Progress,
    Result,
    SourceInfo,
    SyncReport,
)

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
}
