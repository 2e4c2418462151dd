# SPDX-License-Identifier: Apache-2.0
"""The structures of options of remora.h. A test compares them with the header."""

from __future__ import annotations

from ctypes import POINTER, Structure, c_char_p, c_int32, c_int64, c_size_t, c_void_p

from .callbacks import (
    AttemptCallback,
    CancelCallback,
    ClockCallback,
    EventCallback,
    FreeUserData,
    LogCallback,
    ProgressCallback,
    SendCallback,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Transport(Structure):
    """remora_transport."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("send", SendCallback),
        ("cancel", CancelCallback),
        ("user_data", c_void_p),
        ("free_user_data", FreeUserData),
    ]


class HttpResponse(Structure):
    """remora_http_response."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("failure", c_int32),
        ("http_status", c_int32),
        ("message", c_char_p),
        ("headers", POINTER(c_char_p)),
        ("body", c_void_p),
        ("body_size", c_size_t),
    ]


class Clock(Structure):
    """remora_clock."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("read", ClockCallback),
        ("user_data", c_void_p),
        ("free_user_data", FreeUserData),
    ]


TransportPointer = POINTER(Transport)
ClockPointer = POINTER(Clock)


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
        ("on_log", LogCallback),
        ("on_log_user_data", c_void_p),
        ("on_log_free_user_data", FreeUserData),
        ("on_attempt", AttemptCallback),
        ("on_attempt_user_data", c_void_p),
        ("on_attempt_free_user_data", FreeUserData),
        ("transport", TransportPointer),
        ("clock", ClockPointer),
        ("client_certificate_file", c_char_p),
        ("client_key_file", c_char_p),
        ("max_stale_ms", c_int64),
    ]


class SourceOptions(Structure):
    """remora_source_options."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("first_fetch", c_int32),
        ("persist_overrides", c_int32),
        ("refresh_interval_ms", c_int64),
        ("on_event", EventCallback),
        ("on_event_user_data", c_void_p),
        ("on_event_free_user_data", FreeUserData),
        ("min_keys", c_int32),
        ("min_keys_percent", c_int32),
        ("schema", c_char_p),
    ]


class CollectionOptions(Structure):
    """remora_collection_options."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("bucket", c_char_p),
        ("server", c_char_p),
        ("root_sha256", c_char_p),
        ("signer", c_char_p),
        ("trust", c_int32),
        ("activation", c_int32),
        ("previous_roots", POINTER(c_char_p)),
        ("trusted_hosts", POINTER(c_char_p)),
        ("max_future_ms", c_int64),
        ("packaged_file", c_char_p),
        ("packaged_data", c_char_p),
        ("packaged_size", c_size_t),
        ("packaged_attachments", c_char_p),
    ]


class BundleOptions(Structure):
    """remora_bundle_options."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("url", c_char_p),
        ("name", c_char_p),
        ("accepted_schema", c_char_p),
        ("method", c_int32),
        ("activation", c_int32),
        ("default_bundle", c_char_p),
        ("default_version", c_int64),
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
        ("memory_only", c_int32),
        ("ttl_ms", c_int64),
        ("packaged_file", c_char_p),
        ("packaged_data", c_char_p),
        ("packaged_size", c_size_t),
        ("required_keys", POINTER(c_char_p)),
    ]


CollectionOptionsPointer = POINTER(CollectionOptions)
BundleOptionsPointer = POINTER(BundleOptions)
SettingsOptionsPointer = POINTER(SettingsOptions)


class SeedOptions(Structure):
    """remora_seed_options."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("collection", CollectionOptionsPointer),
        ("bundle", BundleOptionsPointer),
        ("settings", SettingsOptionsPointer),
        ("identifier", c_char_p),
        ("fetched_at_ms", c_int64),
    ]


class RefreshOptions(Structure):
    """remora_refresh_options."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("force", c_int32),
        ("only_if_empty", c_int32),
        ("expected_version", c_int64),
    ]


class AttachmentOptions(Structure):
    """remora_attachment_options."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("snapshot", c_void_p),
        ("max_bytes", c_int64),
        ("by_location", c_int32),
        ("local_only", c_int32),
        ("on_progress", ProgressCallback),
        ("on_progress_user_data", c_void_p),
        ("on_progress_free_user_data", FreeUserData),
    ]


OPTIONS: dict[str, type[Structure]] = {
    "collection": CollectionOptions,
    "bundle": BundleOptions,
    "settings": SettingsOptions,
}
"""The structure of options of each kind of source."""
POINTERS: dict[str, Any] = {
    "collection": CollectionOptionsPointer,
    "bundle": BundleOptionsPointer,
    "settings": SettingsOptionsPointer,
}
"""The type of a pointer to the structure of each kind."""
