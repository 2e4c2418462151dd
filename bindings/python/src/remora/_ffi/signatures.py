# SPDX-License-Identifier: Apache-2.0
#
# Every function of remora.h with its types. A test compares them with the header.
"""Functions."""

from __future__ import annotations

from ctypes import POINTER, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint32, c_void_p

from .callbacks import (
    ChangeVisitor,
    EventCallback,
    ExperimentVisitor,
    FreeUserData,
    NamespaceVisitor,
    OverrideVisitor,
    ResultCallback,
    SourceVisitor,
    SyncCallback,
)
from .options import (
    AttachmentOptions,
    BundleOptions,
    CollectionOptions,
    Config,
    RefreshOptions,
    SeedOptions,
    SettingsOptions,
    SourceOptions,
)
from .structures import Error, Experiment, SnapshotInfo, SourceInfo, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {}
"""The result and the argument types of every function, by its name."""


def declare(name: str, restype: Any, argtypes: list[Any]) -> None:
    """Enters one function into the table."""
    FUNCTIONS[name] = (restype, argtypes)


# version, status
declare("remora_init", None, [c_void_p, c_size_t])
declare("remora_version", c_char_p, [])
declare("remora_status_name", c_char_p, [c_int32])
declare("remora_status_family", c_int32, [c_int32])
declare("remora_origin_name", c_char_p, [c_int32])
declare("remora_outcome_name", c_char_p, [c_int32])
declare("remora_cause_name", c_char_p, [c_int32])

# lifecycle
declare("remora_setup", c_int32, [POINTER(Config), POINTER(c_void_p), POINTER(Error)])
declare("remora_client_close", None, [c_void_p])

# before setup
declare("remora_preconnect", c_int32, [POINTER(Config), c_char_p, c_char_p, POINTER(Error)])

# sources
declare(
    "remora_open_collection",
    c_int32,
    [c_void_p, POINTER(CollectionOptions), POINTER(SourceOptions), POINTER(c_void_p), POINTER(Error)],
)
declare("remora_source_close", None, [c_void_p])
declare("remora_source_get_info", c_int32, [c_void_p, POINTER(SourceInfo), POINTER(Error)])
declare("remora_source_foreach", c_int32, [c_void_p, SourceVisitor, c_void_p, POINTER(Error)])
declare("remora_source_get_revision", c_int32, [c_void_p, POINTER(POINTER(c_int64)), POINTER(Error)])

# bundles
declare(
    "remora_open_bundle",
    c_int32,
    [c_void_p, POINTER(BundleOptions), POINTER(SourceOptions), POINTER(c_void_p), POINTER(Error)],
)
declare("remora_namespace_foreach", c_int32, [c_void_p, c_void_p, NamespaceVisitor, c_void_p, POINTER(Error)])

# settings
declare(
    "remora_open_settings",
    c_int32,
    [c_void_p, POINTER(SettingsOptions), POINTER(SourceOptions), POINTER(c_void_p), POINTER(Error)],
)
declare("remora_experiment_find", c_int32, [c_void_p, c_char_p, POINTER(Experiment), POINTER(Error)])
declare("remora_experiment_foreach", c_int32, [c_void_p, ExperimentVisitor, c_void_p, POINTER(Error)])

# context
declare("remora_set_context", c_int32, [c_void_p, c_char_p, POINTER(Error)])

# refresh
declare("remora_refresh", c_int32, [c_void_p, POINTER(RefreshOptions), c_int64, POINTER(c_int32), POINTER(Error)])
declare("remora_await", c_int32, [c_void_p, POINTER(RefreshOptions), c_int64, POINTER(c_void_p), POINTER(Error)])
for _name in ("remora_refresh_async", "remora_await_async"):
    declare(
        _name,
        c_int32,
        [
            c_void_p,
            POINTER(RefreshOptions),
            c_int64,
            ResultCallback,
            c_void_p,
            FreeUserData,
            POINTER(c_void_p),
            POINTER(Error),
        ],
    )
declare("remora_request_cancel", None, [c_void_p])
declare("remora_request_release", None, [c_void_p])
declare("remora_reset", c_int32, [c_void_p, POINTER(Error)])

# activation
declare("remora_activate", c_int32, [c_void_p, POINTER(c_int32), POINTER(Error)])
declare("remora_stop_listening", c_int32, [c_void_p, POINTER(Error)])

# sync
declare("remora_sync", c_int32, [c_void_p, POINTER(RefreshOptions), c_int64, SyncCallback, c_void_p, POINTER(Error)])
declare(
    "remora_sync_async",
    c_int32,
    [
        c_void_p,
        POINTER(RefreshOptions),
        c_int64,
        SyncCallback,
        c_void_p,
        FreeUserData,
        POINTER(c_void_p),
        POINTER(Error),
    ],
)

# get by key
declare("remora_get_bool", c_int32, [c_void_p, c_char_p, c_char_p, c_int32])
declare("remora_get_int", c_int64, [c_void_p, c_char_p, c_char_p, c_int64])
declare("remora_get_double", c_double, [c_void_p, c_char_p, c_char_p, c_double])
declare("remora_get_string", c_size_t, [c_void_p, c_char_p, c_char_p, c_char_p, c_size_t, c_char_p])
declare("remora_get_url", c_size_t, [c_void_p, c_char_p, c_char_p, c_char_p, c_size_t, c_char_p])
declare("remora_get_json", c_size_t, [c_void_p, c_char_p, c_char_p, c_char_p, c_size_t, c_char_p])

# bound keys
declare("remora_key_bind", c_int32, [c_void_p, c_char_p, c_char_p, POINTER(c_void_p), POINTER(Error)])
declare("remora_key_release", None, [c_void_p])
declare("remora_key_get_bool", c_int32, [c_void_p, c_int32])
declare("remora_key_get_int", c_int64, [c_void_p, c_int64])
declare("remora_key_get_double", c_double, [c_void_p, c_double])
declare("remora_key_get_string", c_size_t, [c_void_p, c_char_p, c_size_t, c_char_p])
declare("remora_key_get_change_count", c_int64, [c_void_p])

# snapshots
declare("remora_snapshot_acquire", c_int32, [c_void_p, c_uint32, POINTER(c_void_p), POINTER(Error)])
declare("remora_snapshot_retain", c_void_p, [c_void_p])
declare("remora_snapshot_release", None, [c_void_p])
declare("remora_snapshot_get_info", c_int32, [c_void_p, POINTER(SnapshotInfo), POINTER(Error)])
declare("remora_snapshot_count", c_size_t, [c_void_p])
declare("remora_snapshot_get", c_int32, [c_void_p, c_char_p, c_char_p, POINTER(Value), POINTER(Error)])
declare(
    "remora_snapshot_get_n",
    c_int32,
    [c_void_p, c_char_p, c_size_t, c_char_p, c_size_t, POINTER(Value), POINTER(Error)],
)
declare(
    "remora_snapshot_item",
    c_int32,
    [c_void_p, c_size_t, POINTER(c_char_p), POINTER(c_size_t), POINTER(Value), POINTER(Error)],
)
declare("remora_snapshot_get_bool", c_int32, [c_void_p, c_char_p, c_char_p, POINTER(c_int32), POINTER(Error)])
declare("remora_snapshot_get_int", c_int32, [c_void_p, c_char_p, c_char_p, POINTER(c_int64), POINTER(Error)])
declare("remora_snapshot_get_double", c_int32, [c_void_p, c_char_p, c_char_p, POINTER(c_double), POINTER(Error)])
declare(
    "remora_snapshot_get_string",
    c_int32,
    [c_void_p, c_char_p, c_char_p, POINTER(c_char_p), POINTER(c_size_t), POINTER(Error)],
)
declare(
    "remora_snapshot_get_url",
    c_int32,
    [c_void_p, c_char_p, c_char_p, POINTER(c_char_p), POINTER(c_size_t), POINTER(Error)],
)
declare(
    "remora_snapshot_get_json",
    c_int32,
    [c_void_p, c_char_p, c_char_p, c_char_p, c_size_t, POINTER(c_size_t), POINTER(Error)],
)
declare("remora_snapshot_get_origin", c_int32, [c_void_p, c_char_p, POINTER(c_int32), POINTER(Error)])
declare("remora_snapshot_diff", c_int32, [c_void_p, c_void_p, ChangeVisitor, c_void_p, POINTER(Error)])

# values
declare("remora_value_type", c_int32, [Value])
declare("remora_value_get_bool", c_int32, [Value, POINTER(c_int32), POINTER(Error)])
declare("remora_value_get_int", c_int32, [Value, POINTER(c_int64), POINTER(Error)])
declare("remora_value_get_double", c_int32, [Value, POINTER(c_double), POINTER(Error)])
declare("remora_value_get_string", c_int32, [Value, POINTER(c_char_p), POINTER(c_size_t), POINTER(Error)])
declare("remora_value_get_url", c_int32, [Value, POINTER(c_char_p), POINTER(c_size_t), POINTER(Error)])
declare("remora_value_get_json", c_int32, [Value, c_char_p, c_size_t, POINTER(c_size_t), POINTER(Error)])
declare("remora_value_count", c_size_t, [Value])
declare("remora_value_member", c_int32, [Value, c_char_p, POINTER(Value), POINTER(Error)])
declare(
    "remora_value_item",
    c_int32,
    [Value, c_size_t, POINTER(c_char_p), POINTER(c_size_t), POINTER(Value), POINTER(Error)],
)
declare("remora_value_resolve", c_int32, [Value, c_char_p, POINTER(Value), POINTER(Error)])

# attachments
declare("remora_value_record_fields", c_int32, [Value, c_char_p, c_size_t, POINTER(c_size_t), POINTER(Error)])
declare(
    "remora_attachment_open",
    c_int32,
    [c_void_p, c_char_p, POINTER(AttachmentOptions), c_int64, POINTER(c_void_p), POINTER(Error)],
)
declare(
    "remora_attachment_open_async",
    c_int32,
    [
        c_void_p,
        c_char_p,
        POINTER(AttachmentOptions),
        c_int64,
        ResultCallback,
        c_void_p,
        FreeUserData,
        POINTER(c_void_p),
        POINTER(Error),
    ],
)
declare("remora_attachment_retain", c_void_p, [c_void_p])
declare("remora_attachment_data", c_void_p, [c_void_p])
declare("remora_attachment_size", c_size_t, [c_void_p])
declare("remora_attachment_path", c_char_p, [c_void_p])
declare("remora_attachment_release", None, [c_void_p])

# subscribe
declare(
    "remora_subscribe",
    c_int32,
    [
        c_void_p,
        c_char_p,
        c_uint32,
        EventCallback,
        c_void_p,
        FreeUserData,
        POINTER(c_void_p),
        POINTER(Error),
    ],
)
declare("remora_unsubscribe", None, [c_void_p])

# overrides
declare("remora_override_set", c_int32, [c_void_p, c_char_p, c_char_p, c_char_p, c_uint32, POINTER(Error)])
declare("remora_override_clear", c_int32, [c_void_p, c_char_p, c_char_p, POINTER(Error)])
declare("remora_override_clear_all", c_int32, [c_void_p, POINTER(Error)])
declare("remora_override_foreach", c_int32, [c_void_p, OverrideVisitor, c_void_p, POINTER(Error)])

# seeding
declare(
    "remora_seed_request",
    c_int32,
    [POINTER(Config), POINTER(SeedOptions), c_int32, c_char_p, c_size_t, POINTER(c_size_t), POINTER(Error)],
)
declare("remora_seed_save", c_int32, [POINTER(Config), POINTER(SeedOptions), c_char_p, POINTER(Error)])

# host loop
declare("remora_client_get_fd", c_int32, [c_void_p, POINTER(c_int32), POINTER(Error)])
declare("remora_dispatch", c_int32, [c_void_p, POINTER(c_size_t), POINTER(Error)])
