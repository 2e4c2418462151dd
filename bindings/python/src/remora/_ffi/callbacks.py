# SPDX-License-Identifier: Apache-2.0
#
# The types of the functions that the library calls. A test compares them with the header.
"""Callback types."""

from __future__ import annotations

from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int32, c_int64, c_void_p

from .structures import Attempt, Change, Error, Event, Experiment, Namespace, Override, SyncReport

LogCallback = CFUNCTYPE(None, c_int32, c_char_p, c_void_p)
AttemptCallback = CFUNCTYPE(None, POINTER(Attempt), c_void_p)
EventCallback = CFUNCTYPE(None, POINTER(Event), c_void_p)
RefreshCallback = CFUNCTYPE(None, c_int32, c_int32, POINTER(Error), c_void_p)
AwaitCallback = CFUNCTYPE(None, c_int32, c_void_p, POINTER(Error), c_void_p)
SyncCallback = CFUNCTYPE(None, POINTER(SyncReport), c_void_p)
ProgressCallback = CFUNCTYPE(None, c_int64, c_int64, c_void_p)
AttachmentCallback = CFUNCTYPE(None, c_int32, c_void_p, POINTER(Error), c_void_p)
ChangeCallback = CFUNCTYPE(c_int32, POINTER(Change), c_void_p)
OverrideCallback = CFUNCTYPE(c_int32, POINTER(Override), c_void_p)
NamespaceCallback = CFUNCTYPE(c_int32, POINTER(Namespace), c_void_p)
ExperimentCallback = CFUNCTYPE(c_int32, POINTER(Experiment), c_void_p)
FreeUserData = CFUNCTYPE(None, c_void_p)

CALLBACKS: dict[str, type] = {
    "remora_log_callback": LogCallback,
    "remora_attempt_callback": AttemptCallback,
    "remora_event_callback": EventCallback,
    "remora_refresh_callback": RefreshCallback,
    "remora_await_callback": AwaitCallback,
    "remora_sync_callback": SyncCallback,
    "remora_change_callback": ChangeCallback,
    "remora_progress_callback": ProgressCallback,
    "remora_attachment_callback": AttachmentCallback,
    "remora_override_callback": OverrideCallback,
    "remora_namespace_callback": NamespaceCallback,
    "remora_experiment_callback": ExperimentCallback,
}
