# SPDX-License-Identifier: Apache-2.0
#
# Every structure and callback type of remora.h, field by field. A test compares them with the header.
"""Structures and callback types."""

from __future__ import annotations

from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_char,
    c_char_p,
    c_double,
    c_int32,
    c_int64,
    c_size_t,
    c_uint32,
    c_uint64,
    c_void_p,
)


class Error(Structure):
    """remora_error."""

    _fields_ = [
        ("status", c_int32),
        ("http_status", c_int32),
        ("retry_after_ms", c_int64),
        ("message", c_char * 496),
    ]


class Value(Structure):
    """remora_value."""

    _fields_ = [("node", c_void_p), ("region", c_void_p)]


class Change(Structure):
    """remora_change. The key is an address, because its length is beside it."""

    _fields_ = [
        ("kind", c_int32),
        ("reserved", c_int32),
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
        ("cause", c_int32),
        ("outcome", c_int32),
        ("origin", c_int32),
        ("reserved", c_int32),
        ("version", c_int64),
        ("changes", POINTER(Change)),
        ("change_count", c_size_t),
        ("old_snapshot", c_void_p),
        ("new_snapshot", c_void_p),
        ("error", POINTER(Error)),
        ("storage_error", POINTER(Error)),
        ("staged_snapshot", c_void_p),
        ("new_experiments", POINTER(Experiment)),
        ("new_experiment_count", c_size_t),
        ("source", c_void_p),
    ]


class Attempt(Structure):
    """remora_attempt."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("server", c_char_p),
        ("bucket", c_char_p),
        ("name", c_char_p),
        ("outcome", c_int32),
        ("status", c_int32),
        ("duration_ms", c_int64),
        ("bytes", c_int64),
        ("http_status", c_int32),
        ("reserved", c_int32),
        ("error", POINTER(Error)),
    ]


class SyncItem(Structure):
    """remora_sync_item."""

    _fields_ = [
        ("server", c_char_p),
        ("bucket", c_char_p),
        ("name", c_char_p),
        ("outcome", c_int32),
        ("status", c_int32),
        ("error", POINTER(Error)),
    ]


class SyncReport(Structure):
    """remora_sync_report."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("items", POINTER(SyncItem)),
        ("total", c_size_t),
        ("updated", c_size_t),
        ("unchanged", c_size_t),
        ("failed", c_size_t),
        ("status", c_int32),
        ("reserved", c_int32),
        ("error", POINTER(Error)),
        ("staged", c_size_t),
    ]


class Override(Structure):
    """remora_override. The texts are addresses, because their lengths are beside them."""

    _fields_ = [
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
        ("name", c_void_p),
        ("name_length", c_size_t),
        ("in_bundle", c_int32),
        ("is_default", c_int32),
        ("origin", c_int32),
        ("reserved", c_int32),
    ]


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


class Config(Structure):
    """remora_config."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("storage_dir", c_char_p),
        ("application_name", c_char_p),
        ("application_version", c_char_p),
        ("application_build", c_char_p),
        ("server", c_char_p),
        ("bucket", c_char_p),
        ("proxy", c_char_p),
        ("ca_file", c_char_p),
        ("headers", POINTER(c_char_p)),
        ("user_agent", c_char_p),
        ("connect_timeout_ms", c_int64),
        ("stall_timeout_ms", c_int64),
        ("total_timeout_ms", c_int64),
        ("max_body_bytes", c_int64),
        ("log_level", c_int32),
        ("callbacks", c_int32),
        ("log_callback", LogCallback),
        ("log_user_data", c_void_p),
        ("log_free_user_data", FreeUserData),
        ("attempt_callback", AttemptCallback),
        ("attempt_user_data", c_void_p),
        ("attempt_free_user_data", FreeUserData),
    ]


class PreconnectOptions(Structure):
    """remora_preconnect_options."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("url", c_char_p),
        ("application_name", c_char_p),
        ("platform", c_char_p),
        ("proxy", c_char_p),
        ("ca_file", c_char_p),
        ("user_agent", c_char_p),
        ("connect_timeout_ms", c_int64),
        ("total_timeout_ms", c_int64),
    ]


class CollectionOptions(Structure):
    """remora_collection_options."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("collection", c_char_p),
        ("server", c_char_p),
        ("bucket", c_char_p),
        ("trust", c_int32),
        ("reserved", c_int32),
        ("root_sha256", c_char_p),
        ("signer", c_char_p),
        ("trusted_hosts", POINTER(c_char_p)),
        ("packaged_file", c_char_p),
        ("packaged_data", c_char_p),
        ("packaged_size", c_size_t),
        ("max_future_ms", c_int64),
        ("on_event", EventCallback),
        ("on_event_user_data", c_void_p),
        ("on_event_free_user_data", FreeUserData),
        ("refresh_interval_ms", c_int64),
        ("previous_roots", POINTER(c_char_p)),
        ("packaged_attachments", c_char_p),
        ("persist_overrides", c_int32),
        ("reserved2", c_int32),
        ("activation", c_int32),
        ("reserved3", c_int32),
    ]


class SourceInfo(Structure):
    """remora_source_info."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("origin", c_int32),
        ("filter_failures", c_int32),
        ("version", c_int64),
        ("fetched_at_ms", c_int64),
        ("age_ms", c_int64),
        ("last_success_ms", c_int64),
        ("last_attempt_ms", c_int64),
        ("retry_after_ms", c_int64),
        ("generation", c_uint64),
        ("last_error", Error),
        ("storage_error", Error),
        ("pending", c_int32),
        ("reserved", c_int32),
    ]


class RefreshOptions(Structure):
    """remora_refresh_options."""

    _fields_ = [("struct_size", c_size_t), ("force", c_int32), ("reserved", c_int32)]


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


class AttachmentOptions(Structure):
    """remora_attachment_options."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("record", c_char_p),
        ("location", c_char_p),
        ("snapshot", c_void_p),
        ("max_bytes", c_int64),
        ("flags", c_uint32),
        ("reserved", c_int32),
        ("progress", ProgressCallback),
        ("progress_user_data", c_void_p),
        ("progress_free_user_data", FreeUserData),
    ]


class BundleOptions(Structure):
    """remora_bundle_options."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("url", c_char_p),
        ("name", c_char_p),
        ("method", c_int32),
        ("fetch_at_open", c_int32),
        ("accepted_schema", c_char_p),
        ("default_bundle", c_char_p),
        ("default_version", c_int64),
        ("on_event", EventCallback),
        ("on_event_user_data", c_void_p),
        ("on_event_free_user_data", FreeUserData),
        ("refresh_interval_ms", c_int64),
        ("persist_overrides", c_int32),
        ("reserved", c_int32),
    ]


class SettingsOptions(Structure):
    """remora_settings_options."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("url", c_char_p),
        ("request_params", POINTER(c_char_p)),
        ("root_key", c_char_p),
        ("tag", c_char_p),
        ("tag_item", c_char_p),
        ("activation", c_int32),
        ("fetch_at_open", c_int32),
        ("memory_only", c_int32),
        ("persist_overrides", c_int32),
        ("packaged_file", c_char_p),
        ("packaged_data", c_char_p),
        ("packaged_size", c_size_t),
        ("on_event", EventCallback),
        ("on_event_user_data", c_void_p),
        ("on_event_free_user_data", FreeUserData),
        ("refresh_interval_ms", c_int64),
        ("ttl_ms", c_int64),
    ]


class SeedOptions(Structure):
    """remora_seed_options."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("settings", POINTER(SettingsOptions)),
        ("bundle", POINTER(BundleOptions)),
        ("collection", POINTER(CollectionOptions)),
        ("identifier", c_char_p),
        ("fetched_at_ms", c_int64),
    ]


class SubscribeOptions(Structure):
    """remora_subscribe_options."""

    _fields_ = [("struct_size", c_size_t), ("replay_current", c_int32), ("reserved", c_int32)]


STRUCTURES: dict[str, type[Structure]] = {
    "remora_error": Error,
    "remora_attempt": Attempt,
    "remora_config": Config,
    "remora_preconnect_options": PreconnectOptions,
    "remora_value": Value,
    "remora_change": Change,
    "remora_event": Event,
    "remora_collection_options": CollectionOptions,
    "remora_source_info": SourceInfo,
    "remora_refresh_options": RefreshOptions,
    "remora_sync_item": SyncItem,
    "remora_sync_report": SyncReport,
    "remora_snapshot_info": SnapshotInfo,
    "remora_attachment_options": AttachmentOptions,
    "remora_subscribe_options": SubscribeOptions,
    "remora_override": Override,
    "remora_bundle_options": BundleOptions,
    "remora_namespace": Namespace,
    "remora_experiment": Experiment,
    "remora_settings_options": SettingsOptions,
    "remora_seed_options": SeedOptions,
}

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
