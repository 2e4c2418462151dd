# SPDX-License-Identifier: Apache-2.0
"""All structures and functions of remora.h by their names there, for the tests that compare them with the header."""

from __future__ import annotations

from ctypes import Structure

from . import callbacks, options, structures
from .signatures import SIGNATURES, signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

STRUCTURES: dict[str, type[Structure]] = {
    "remora_error": structures.Error,
    "remora_attempt": callbacks.Attempt,
    "remora_result": callbacks.Result,
    "remora_progress": callbacks.Progress,
    "remora_log_entry": callbacks.LogEntry,
    "remora_http_request": callbacks.HttpRequest,
    "remora_http_response": options.HttpResponse,
    "remora_transport": options.Transport,
    "remora_clock": options.Clock,
    "remora_config": options.Config,
    "remora_value": structures.Value,
    "remora_change": callbacks.Change,
    "remora_event": callbacks.Event,
    "remora_source_options": options.SourceOptions,
    "remora_collection_options": options.CollectionOptions,
    "remora_source_info": structures.SourceInfo,
    "remora_refresh_options": options.RefreshOptions,
    "remora_sync_item": callbacks.SyncItem,
    "remora_sync_report": callbacks.SyncReport,
    "remora_snapshot_info": structures.SnapshotInfo,
    "remora_attachment_options": options.AttachmentOptions,
    "remora_override": callbacks.Override,
    "remora_bundle_options": options.BundleOptions,
    "remora_namespace": callbacks.Namespace,
    "remora_experiment": callbacks.Experiment,
    "remora_settings_options": options.SettingsOptions,
    "remora_seed_options": options.SeedOptions,
}

FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {name: signature(name) for name in SIGNATURES}
"""The result type and argument types of every function."""
