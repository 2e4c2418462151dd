/* SPDX-License-Identifier: Apache-2.0
 *
 * Remora's structures as JSON: what pytest reads. Constants appear by name, so that a
 * failing test says "refused" and not 5. */
#ifndef DRIVER_FORMAT_H
#define DRIVER_FORMAT_H

#include "driver_text.h"
#include "remora.h"

static inline const char *change_name(int32_t kind) {
  static const char *const names[] = {"none", "created", "updated", "deleted"};
  return kind >= 0 && (size_t)kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

/* Status first, and the rest of the error when there is one. */
static inline void format_result(struct text *text, remora_status status, const remora_error *error) {
  text_member_string(text, "status", remora_status_name(status));
  if (status != REMORA_OK) {
    text_member_string(text, "message", error->message);
    text_member_int(text, "http_status", error->http_status);
    text_member_int(text, "retry_after_ms", error->retry_after_ms);
  }
}

static inline void format_error(struct text *text, const char *name, const remora_error *error) {
  text_add_name(text, name);
  if (error == NULL || error->status == REMORA_OK) {
    text_add(text, "null");
    return;
  }
  text_add(text, "{");
  format_result(text, error->status, error);
  text_add(text, "}");
}

static inline void format_value(struct text *text, const char *name, remora_value value) {
  size_t length = 0;
  text_add_name(text, name);
  if (remora_value_get_json(value, NULL, 0, &length, NULL) != REMORA_OK) {
    text_add(text, "null");
    return;
  }
  remora_value_get_json(value, text_reserve(text, length), length + 1, &length, NULL);
  text->length += length;
}

/* The whole snapshot, or one value of it when key is given. */
static inline remora_status format_snapshot_json(struct text *text, const remora_snapshot *snapshot, const char *key,
                                                 const char *pointer, remora_error *error) {
  size_t length = 0;
  remora_status status = remora_snapshot_get_json(snapshot, key, pointer, NULL, 0, &length, error);
  if (status == REMORA_OK) {
    text_add_name(text, "json");
    status = remora_snapshot_get_json(snapshot, key, pointer, text_reserve(text, length), length + 1, &length, error);
    text->length += length;
  }
  return status;
}

static inline void format_snapshot_info(struct text *text, const remora_snapshot *snapshot) {
  remora_snapshot_info info = {sizeof info, 0, 0, 0, 0, 0};
  if (remora_snapshot_get_info(snapshot, &info, NULL) == REMORA_OK) {
    text_member_string(text, "origin", remora_origin_name(info.origin));
    text_member_int(text, "verified", info.verified);
    text_member_int(text, "version", info.version);
    text_member_int(text, "fetched_at_ms", info.fetched_at_ms);
    text_member_int(text, "count", (int64_t)info.count);
  }
}

/* What a wait gave: the whole snapshot; nothing without one. */
static inline void format_snapshot(struct text *text, const remora_snapshot *snapshot) {
  format_snapshot_info(text, snapshot);
  format_snapshot_json(text, snapshot, NULL, NULL, NULL);
}

static inline void format_source_info(struct text *text, const remora_source_info *info) {
  text_member_string(text, "origin", remora_origin_name(info->origin));
  text_member_int(text, "version", info->version);
  text_member_int(text, "fetched_at_ms", info->fetched_at_ms);
  text_member_int(text, "checked_at_ms", info->checked_at_ms);
  text_member_int(text, "checked_age_ms", info->checked_age_ms);
  text_member_int(text, "attempted_at_ms", info->attempted_at_ms);
  text_member_int(text, "backoff_ms", info->retry_after_ms);
  text_member_int(text, "filter_failures", info->filter_failures);
  text_member_int(text, "generation", (int64_t)info->generation);
  text_member_int(text, "has_staged", info->has_staged);
  format_error(text, "last_error", &info->last_error);
  format_error(text, "storage_error", &info->storage_error);
}

static inline void format_experiment(struct text *text, const remora_experiment *experiment) {
  text_add(text, "{");
  text_add_name(text, "name");
  text_add_string(text, experiment->name, experiment->name_length);
  text_add_name(text, "variant");
  text_add_string(text, experiment->variant, experiment->variant_length);
  text_member_int(text, "trackable", (int64_t)experiment->trackable);
  format_value(text, "settings", experiment->settings);
  text_add(text, "}");
}

static inline void format_event(struct text *text, const remora_event *event) {
  text_member_string(text, "cause", remora_cause_name(event->cause));
  text_member_string(text, "outcome", remora_outcome_name(event->outcome));
  text_member_string(text, "origin", remora_origin_name(event->origin));
  text_member_int(text, "version", event->version);
  text_member_int(text, "old_count", (int64_t)remora_snapshot_count(event->old_snapshot));
  text_member_int(text, "new_count", (int64_t)remora_snapshot_count(event->new_snapshot));
  if (event->staged_snapshot != NULL) {
    remora_snapshot_info info = {sizeof info, 0, 0, 0, 0, 0};
    remora_snapshot_get_info(event->staged_snapshot, &info, NULL);
    text_member_int(text, "staged_version", info.version);
  }
  format_error(text, "error", event->error);
  format_error(text, "storage_error", event->storage_error);
  text_add_name(text, "new_experiments");
  text_add(text, "[");
  for (size_t i = 0; i < event->new_experiment_count; i++) {
    if (i > 0) text_add(text, ",");
    format_experiment(text, &event->new_experiments[i]);
  }
  text_add(text, "]");
  text_add_name(text, "changes");
  text_add(text, "[");
  for (size_t i = 0; i < event->change_count; i++) {
    const remora_change *change = &event->changes[i];
    text_add(text, i == 0 ? "{" : ",{");
    text_member_string(text, "kind", change_name(change->kind));
    text_add_name(text, "key");
    text_add_string(text, change->key, change->key_length);
    format_value(text, "old", change->old_value);
    format_value(text, "new", change->new_value);
    text_add(text, "}");
  }
  text_add(text, "]");
}

#endif
