# SPDX-License-Identifier: Apache-2.0
"""Every function of remora.h with its types. A test compares them with the header. The types are written as text:
making all types at once takes longer than a program needs until its first setting, so the types of a function are made
when the function is bound.
"""

from __future__ import annotations

import ctypes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SIGNATURES: dict[str, str] = {
    # version, status
    "remora_init": "None c_void_p c_size_t",
    "remora_version": "c_char_p",
    "remora_status_name": "c_char_p c_int32",
    "remora_status_family": "c_int32 c_int32",
    "remora_family_name": "c_char_p c_int32",
    "remora_source_kind_name": "c_char_p c_int32",
    "remora_origin_name": "c_char_p c_int32",
    "remora_outcome_name": "c_char_p c_int32",
    "remora_freshness_name": "c_char_p c_int32",
    "remora_cause_name": "c_char_p c_int32",
    "remora_change_kind_name": "c_char_p c_int32",
    "remora_type_name": "c_char_p c_int32",
    # transport and clock
    "remora_respond": "c_int32 c_int64 HttpResponse* Error*",
    "remora_clock_changed": "None",
    # lifecycle
    "remora_setup": "c_int32 Config* c_void_p* Error*",
    "remora_client_close": "None c_void_p",
    # before setup
    "remora_preconnect": "c_int32 Config* c_char_p c_char_p Error*",
    # sources
    "remora_open_collection": "c_int32 c_void_p CollectionOptions* SourceOptions* c_void_p* Error*",
    "remora_source_close": "None c_void_p",
    "remora_source_get_info": "c_int32 c_void_p SourceInfo* Error*",
    "remora_source_foreach": "c_int32 c_void_p SourceVisitor c_void_p Error*",
    "remora_source_get_change_count": "c_int64 c_void_p",
    "remora_source_get_revision": "c_int32 c_void_p c_int64** Error*",
    # bundles
    "remora_open_bundle": "c_int32 c_void_p BundleOptions* SourceOptions* c_void_p* Error*",
    "remora_namespace_foreach": "c_int32 c_void_p c_void_p NamespaceVisitor c_void_p Error*",
    # settings
    "remora_open_settings": "c_int32 c_void_p SettingsOptions* SourceOptions* c_void_p* Error*",
    "remora_open_tag": "c_int32 c_void_p c_char_p c_int64 c_void_p* Error*",
    "remora_experiment_find": "c_int32 c_void_p c_char_p Experiment* Error*",
    "remora_experiment_foreach": "c_int32 c_void_p ExperimentVisitor c_void_p Error*",
    "remora_set_headers": "c_int32 c_void_p c_char_p* Error*",
    # context
    "remora_set_context": "c_int32 c_void_p c_char_p Error*",
    "remora_filter_matches": "c_int32 c_char_p c_char_p c_int32* Error*",
    # refresh
    "remora_refresh": "c_int32 c_void_p RefreshOptions* c_int64 c_int32* Error*",
    "remora_await": "c_int32 c_void_p RefreshOptions* c_int64 c_void_p* Error*",
    "remora_refresh_async": (
        "c_int32 c_void_p RefreshOptions* c_int64 ResultCallback c_void_p FreeUserData c_void_p* Error*"
    ),
    "remora_await_async": (
        "c_int32 c_void_p RefreshOptions* c_int64 ResultCallback c_void_p FreeUserData c_void_p* Error*"
    ),
    "remora_request_cancel": "None c_void_p",
    "remora_request_release": "None c_void_p",
    "remora_reset": "c_int32 c_void_p Error*",
    # activation
    "remora_activate": "c_int32 c_void_p c_void_p c_int32* Error*",
    "remora_reject": "c_int32 c_void_p c_void_p c_char_p Error*",
    "remora_freeze": "c_int32 c_void_p Error*",
    # sync
    "remora_sync": "c_int32 c_void_p RefreshOptions* c_int64 SyncCallback c_void_p Error*",
    "remora_sync_async": "c_int32 c_void_p RefreshOptions* c_int64 SyncCallback c_void_p FreeUserData c_void_p* Error*",
    # get by key
    "remora_get_bool": "c_int32 c_void_p c_char_p c_char_p c_int32",
    "remora_get_int": "c_int64 c_void_p c_char_p c_char_p c_int64",
    "remora_get_double": "c_double c_void_p c_char_p c_char_p c_double",
    "remora_get_string": "c_size_t c_void_p c_char_p c_char_p c_char_p c_size_t c_char_p",
    "remora_get_url": "c_size_t c_void_p c_char_p c_char_p c_char_p c_size_t c_char_p",
    "remora_get_json": "c_size_t c_void_p c_char_p c_char_p c_char_p c_size_t c_char_p",
    # bound keys
    "remora_key_bind": "c_int32 c_void_p c_char_p c_char_p c_void_p* Error*",
    "remora_key_release": "None c_void_p",
    "remora_key_get_bool": "c_int32 c_void_p c_int32",
    "remora_key_get_int": "c_int64 c_void_p c_int64",
    "remora_key_get_double": "c_double c_void_p c_double",
    "remora_key_get_string": "c_size_t c_void_p c_char_p c_size_t c_char_p",
    "remora_key_get_url": "c_size_t c_void_p c_char_p c_size_t c_char_p",
    "remora_key_get_json": "c_size_t c_void_p c_char_p c_size_t c_char_p",
    "remora_key_get_change_count": "c_int64 c_void_p",
    # snapshots
    "remora_snapshot_acquire": "c_int32 c_void_p c_uint32 c_void_p* Error*",
    "remora_snapshot_retain": "c_void_p c_void_p",
    "remora_snapshot_release": "None c_void_p",
    "remora_snapshot_get_info": "c_int32 c_void_p SnapshotInfo* Error*",
    "remora_snapshot_count": "c_size_t c_void_p",
    "remora_snapshot_get": "c_int32 c_void_p c_char_p c_char_p Value* Error*",
    "remora_snapshot_get_n": "c_int32 c_void_p c_char_p c_size_t c_char_p c_size_t Value* Error*",
    "remora_snapshot_item": "c_int32 c_void_p c_size_t c_char_p* c_size_t* Value* Error*",
    "remora_snapshot_get_bool": "c_int32 c_void_p c_char_p c_char_p c_int32* Error*",
    "remora_snapshot_get_int": "c_int32 c_void_p c_char_p c_char_p c_int64* Error*",
    "remora_snapshot_get_double": "c_int32 c_void_p c_char_p c_char_p c_double* Error*",
    "remora_snapshot_get_string": "c_int32 c_void_p c_char_p c_char_p c_char_p* c_size_t* Error*",
    "remora_snapshot_get_url": "c_int32 c_void_p c_char_p c_char_p c_char_p* c_size_t* Error*",
    "remora_snapshot_get_json": "c_int32 c_void_p c_char_p c_char_p c_char_p c_size_t c_size_t* Error*",
    "remora_snapshot_get_origin": "c_int32 c_void_p c_char_p c_int32* Error*",
    "remora_snapshot_diff": "c_int32 c_void_p c_void_p ChangeVisitor c_void_p Error*",
    # values
    "remora_value_type": "c_int32 Value",
    "remora_value_get_bool": "c_int32 Value c_int32* Error*",
    "remora_value_get_int": "c_int32 Value c_int64* Error*",
    "remora_value_get_double": "c_int32 Value c_double* Error*",
    "remora_value_get_string": "c_int32 Value c_char_p* c_size_t* Error*",
    "remora_value_get_url": "c_int32 Value c_char_p* c_size_t* Error*",
    "remora_value_get_json": "c_int32 Value c_char_p c_size_t c_size_t* Error*",
    "remora_value_count": "c_size_t Value",
    "remora_value_member": "c_int32 Value c_char_p Value* Error*",
    "remora_value_item": "c_int32 Value c_size_t c_char_p* c_size_t* Value* Error*",
    "remora_value_resolve": "c_int32 Value c_char_p Value* Error*",
    # attachments
    "remora_value_record_fields": "c_int32 Value c_char_p c_size_t c_size_t* Error*",
    "remora_attachment_open": "c_int32 c_void_p c_char_p AttachmentOptions* c_int64 c_void_p* Error*",
    "remora_attachment_open_async": (
        "c_int32 c_void_p c_char_p AttachmentOptions* c_int64 ResultCallback c_void_p FreeUserData c_void_p* Error*"
    ),
    "remora_attachment_retain": "c_void_p c_void_p",
    "remora_attachment_data": "c_void_p c_void_p",
    "remora_attachment_size": "c_size_t c_void_p",
    "remora_attachment_path": "c_char_p c_void_p",
    "remora_attachment_release": "None c_void_p",
    # subscribe
    "remora_subscribe": "c_int32 c_void_p c_char_p c_uint32 EventCallback c_void_p FreeUserData c_void_p* Error*",
    "remora_unsubscribe": "None c_void_p",
    # overrides
    "remora_override_set": "c_int32 c_void_p c_char_p c_char_p c_char_p c_uint32 Error*",
    "remora_override_set_bool": "c_int32 c_void_p c_char_p c_char_p c_int32 c_uint32 Error*",
    "remora_override_set_int": "c_int32 c_void_p c_char_p c_char_p c_int64 c_uint32 Error*",
    "remora_override_set_double": "c_int32 c_void_p c_char_p c_char_p c_double c_uint32 Error*",
    "remora_override_set_string": "c_int32 c_void_p c_char_p c_char_p c_char_p c_uint32 Error*",
    "remora_override_clear": "c_int32 c_void_p c_char_p c_char_p Error*",
    "remora_override_clear_all": "c_int32 c_void_p Error*",
    "remora_override_foreach": "c_int32 c_void_p OverrideVisitor c_void_p Error*",
    # explain
    "remora_explain": "c_int32 c_void_p c_char_p c_char_p c_uint32 c_char_p c_size_t c_size_t* Error*",
    # seeding
    "remora_seed_request": "c_int32 Config* SeedOptions* SendCallback c_void_p Error*",
    "remora_seed_save": "c_int32 Config* SeedOptions* c_char_p Error*",
    # host loop
    "remora_client_get_fd": "c_int32 c_void_p c_int32* Error*",
    "remora_dispatch": "c_int32 c_void_p c_size_t* Error*",
}
"""The types of the result and of each argument. A star is a pointer."""

_types: dict[str, Any] = {"None": None}
"""The types by their names in `SIGNATURES`. If another interpreter of the process imports ctypes, ctypes may forget a
pointer type and create another one, which these functions refuse. So each type is created only once here."""


def signature(name: str) -> tuple[Any, list[Any]]:
    """Returns the result type and the argument types of a function."""
    result, *arguments = map(type_of, SIGNATURES[name].split())
    return result, arguments


def type_of(word: str) -> Any:
    """Returns the type with a name in `SIGNATURES`."""
    if word not in _types:
        _types[word] = ctypes.POINTER(type_of(word[:-1])) if word.endswith("*") else _named(word)
    return _types[word]


def _named(word: str) -> Any:
    from . import structures

    found = getattr(ctypes, word, None) or getattr(structures, word, None)
    if found is None:
        from . import callbacks, options

        found = getattr(options, word, None) or getattr(callbacks, word)
    return found
