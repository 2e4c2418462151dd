/* SPDX-License-Identifier: Apache-2.0 */

/* Writes events and completions down. The writer is the one delivery thread; the tally
 * that it then counts up makes what it wrote visible to whoever waits. */
#include "recorder.h"

#include <stdio.h>
#include <string.h>

#include "check.h"

static int64_t version_of(const remora_snapshot *snapshot) {
  remora_snapshot_info info = {.struct_size = sizeof info};
  return remora_snapshot_get_info(snapshot, &info, NULL) == REMORA_OK ? info.version : -1;
}

const char *change_mark(int32_t kind) {
  switch (kind) {
    case REMORA_CHANGE_CREATED: return "+";
    case REMORA_CHANGE_UPDATED: return "~";
    case REMORA_CHANGE_DELETED: return "-";
    default: return "?";
  }
}

static void describe(const remora_event *event, char *text, size_t size) {
  size_t length = 0;
  text[0] = '\0';
  for (size_t i = 0; i < event->change_count && length < size; i++) {
    const remora_change *change = event->changes[i];
    length +=
        (size_t)snprintf(text + length, size - length, "%s%s%s", i ? " " : "", change_mark(change->kind), change->key);
  }
}

void recorder_init(recorder *recorder) {
  memset(recorder, 0, sizeof *recorder);
  tally_init(&recorder->events);
  tally_init(&recorder->freed);
}

void recorder_do(recorder *recorder, void (*during)(const remora_event *event, void *context), void *context) {
  recorder->context = context;
  __atomic_store_n(&recorder->during, during, __ATOMIC_RELEASE);
}

/* What holds for every event. */
static void check_event(const remora_event *event) {
  CHECK(event->source != NULL && strlen(event->source_name) > 0);
  CHECK(event->kind >= REMORA_KIND_COLLECTION && event->kind <= REMORA_KIND_SETTINGS);
  for (size_t i = 0; i < event->change_count; i++) {
    const remora_change *change = event->changes[i];
    CHECK(change->struct_size >= sizeof *change);
    remora_origin origin = REMORA_ORIGIN_NONE;
    remora_snapshot_get_origin(event->new_snapshot, change->key, &origin, NULL);
    CHECK_INT(origin, change->origin);
  }
}

void recorder_event(const remora_event *event, void *raw) {
  check_event(event);
  recorder *recorder = raw;
  int index = tally_count(&recorder->events);
  if (index < SEEN_MAX) {
    seen_event *seen = &recorder->seen[index];
    seen->struct_size = event->struct_size;
    seen->cause = event->cause;
    seen->outcome = event->outcome;
    seen->origin = event->origin;
    seen->version = event->version;
    seen->old_version = version_of(event->old_snapshot);
    seen->new_version = version_of(event->new_snapshot);
    seen->staged_version = version_of(event->staged_snapshot);
    seen->change_count = event->change_count;
    seen->error = event->error ? event->error->status : REMORA_OK;
    seen->storage_error = event->storage_error ? event->storage_error->status : REMORA_OK;
    seen->old_freshness = event->old_freshness;
    seen->new_freshness = event->new_freshness;
    describe(event, seen->changes, sizeof seen->changes);
  }
  tally_add(&recorder->events);
  void (*during)(const remora_event *, void *) = __atomic_load_n(&recorder->during, __ATOMIC_ACQUIRE);
  if (during) during(event, recorder->context);
}

void recorder_freed(void *raw) {
  recorder *recorder = raw;
  tally_add(&recorder->freed);
}

remora_source_options recorded(recorder *recorder) {
  remora_source_options options;
  REMORA_INIT(&options);
  options.first_fetch = REMORA_FIRST_FETCH_ON_REQUEST;
  options.on_event = recorder_event;
  options.on_event_user_data = recorder;
  options.on_event_free_user_data = recorder_freed;
  return options;
}

void recorder_hold(const remora_event *event, void *raw) {
  (void)event;
  gate_hold(raw);
}

const seen_event *recorder_await(recorder *recorder, int count) {
  REQUIRE(tally_await(&recorder->events, count));
  return &recorder->seen[count - 1];
}

void completion_init(completion *completion) {
  memset(completion, 0, sizeof *completion);
  tally_init(&completion->calls);
  tally_init(&completion->freed);
}

void completion_told(const remora_result *result, void *raw) {
  completion *completion = raw;
  CHECK(result->source != NULL && result->snapshot == NULL && result->attachment == NULL);
  completion->status = result->status;
  completion->outcome = result->outcome;
  completion->error = result->error ? result->error->status : REMORA_OK;
  tally_add(&completion->calls);
}

void completion_freed(void *raw) {
  completion *completion = raw;
  tally_add(&completion->freed);
}
