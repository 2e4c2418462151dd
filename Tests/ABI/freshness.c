/* SPDX-License-Identifier: Apache-2.0 */

/* Whether the last successful refresh is recent enough: max_stale_ms of remora_config, in infos and events. */
#include <stddef.h>

#include "recorder.h"
#include "transport_scene.h"

enum { MAX_STALE_MS = 90 * 1000 };

static recorder events;

static void answer_at_once(const remora_http_request *request) {
  CHECK_INT(REMORA_OK, respond(request->id, 200, CHANGESET(2000), NULL));
}

static void fail_at_once(const remora_http_request *request) {
  CHECK_INT(REMORA_OK, respond(request->id, 503, NULL, NULL));
}

/* Opens a source with a recorder, without a fetch. */
static void open_with_limit(int64_t max_stale_ms) {
  remora_config config = clock_config();
  remora_collection_options collection = untrusted("sample", NULL);
  recorder_init(&events);
  remora_source_options options = recorded(&events);
  config.max_stale_ms = max_stale_ms;
  REQUIRE_OK(remora_setup(&config, &client, &error));
  REQUIRE_OK(remora_open_collection(client, &collection, &options, &source, &error));
}

static void check_freshness(remora_freshness expected) {
  remora_source_info info = {.struct_size = sizeof info, .reserved = 1};
  REQUIRE_OK(remora_source_get_info(source, &info, &error));
  CHECK_TEXT(remora_freshness_name(expected), remora_freshness_name(info.freshness));
  CHECK_INT(0, info.reserved);
}

static void check_event(int count, remora_cause cause, remora_freshness old, remora_freshness now) {
  const seen_event *seen = recorder_await(&events, count);
  CHECK_TEXT(remora_cause_name(cause), remora_cause_name(seen->cause));
  CHECK_TEXT(remora_freshness_name(old), remora_freshness_name(seen->old_freshness));
  CHECK_TEXT(remora_freshness_name(now), remora_freshness_name(seen->new_freshness));
}

TEST("data becomes stale by time alone, which an event reports, and fresh again by a refresh") {
  open_with_limit(MAX_STALE_MS);
  check_freshness(REMORA_FRESHNESS_NEVER);
  post.during = answer_at_once;
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  check_event(2, REMORA_CAUSE_REFRESHED, REMORA_FRESHNESS_FRESH, REMORA_FRESHNESS_FRESH);
  check_event(3, REMORA_CAUSE_FRESHNESS, REMORA_FRESHNESS_NEVER, REMORA_FRESHNESS_FRESH);
  advance_ms(MAX_STALE_MS);
  check_freshness(REMORA_FRESHNESS_FRESH);
  advance_ms(1);
  check_freshness(REMORA_FRESHNESS_STALE);
  check_event(4, REMORA_CAUSE_FRESHNESS, REMORA_FRESHNESS_FRESH, REMORA_FRESHNESS_STALE);
  post.during = fail_at_once;
  CHECK_INT(REMORA_ERR_HTTP, remora_refresh(source, NULL, -1, NULL, NULL));
  check_event(5, REMORA_CAUSE_REFRESHED, REMORA_FRESHNESS_STALE, REMORA_FRESHNESS_STALE);
  post.during = answer_at_once;
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  check_event(7, REMORA_CAUSE_FRESHNESS, REMORA_FRESHNESS_STALE, REMORA_FRESHNESS_FRESH);
  check_freshness(REMORA_FRESHNESS_FRESH);
  close_transport_scene();
}

TEST("without max_stale_ms there is no freshness, whatever the time") {
  open_with_limit(-1);
  post.during = answer_at_once;
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  check_event(2, REMORA_CAUSE_REFRESHED, REMORA_FRESHNESS_NONE, REMORA_FRESHNESS_NONE);
  advance_ms(INT64_C(400) * 24 * 3600 * 1000);
  check_freshness(REMORA_FRESHNESS_NONE);
  close_transport_scene();
  CHECK_INT(2, tally_count(&events.events));
}
