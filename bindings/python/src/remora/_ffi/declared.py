# SPDX-License-Identifier: Apache-2.0
#
# All structures of remora.h by their names there, for the test that compares them with the header.
"""The structures by their names in C."""

from __future__ import annotations

from ctypes import Structure

from . import options, structures

STRUCTURES: dict[str, type[Structure]] = {
    "remora_error": structures.Error,
    "remora_attempt": structures.Attempt,
    "remora_result": structures.Result,
    "remora_progress": structures.Progress,
    "remora_log_entry": structures.LogEntry,
    "remora_config": options.Config,
    "remora_value": structures.Value,
    "remora_change": structures.Change,
    "remora_event": structures.Event,
    "remora_source_options": options.SourceOptions,
    "remora_collection_options": options.CollectionOptions,
    "remora_source_info": structures.SourceInfo,
    "remora_refresh_options": options.RefreshOptions,
    "remora_sync_item": structures.SyncItem,
    "remora_sync_report": structures.SyncReport,
    "remora_snapshot_info": structures.SnapshotInfo,
    "remora_attachment_options": options.AttachmentOptions,
    "remora_override": structures.Override,
    "remora_bundle_options": options.BundleOptions,
    "remora_namespace": structures.Namespace,
    "remora_experiment": structures.Experiment,
    "remora_settings_options": options.SettingsOptions,
    "remora_seed_options": options.SeedOptions,
}
