/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "activation": what the option of that name does to events, info and syncs, and what is
 * refused. */
#include <unistd.h>

#include "activation_scene.h"

TEST("with manual activation, reads return the old data until the program activates the fetched data") {
  open_with(REMORA_ACTIVATION_MANUAL, NULL);
  CHECK_INT(-1, source_events.seen[0].staged_version);
  CHECK_INT(0, has_staged());
  check_activated(REMORA_OUTCOME_UNCHANGED);
  CHECK_REFRESH(REMORA_OUTCOME_STAGED, source);
  const seen_event *staged = recorder_await(&source_events, 2);
  CHECK_INT(REMORA_CAUSE_REFRESHED, staged->cause);
  CHECK_INT(REMORA_OUTCOME_STAGED, staged->outcome);
  CHECK_INT(1000, staged->version);
  CHECK_INT(1000, staged->old_version);
  CHECK_INT(1000, staged->new_version);
  CHECK_INT(2000, staged->staged_version);
  CHECK_INT(0, (int64_t)staged->change_count);
  CHECK_INT(REMORA_OK, staged->error);
  CHECK_INT(1, has_staged());
  CHECK_INT(1000, live_version(source));
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  CHECK_INT(2000, recorder_await(&source_events, 3)->staged_version);
  check_activated(REMORA_OUTCOME_UPDATED);
  const seen_event *activated = recorder_await(&source_events, 4);
  CHECK_INT(REMORA_CAUSE_ACTIVATED, activated->cause);
  CHECK_INT(REMORA_OUTCOME_NONE, activated->outcome);
  CHECK_INT(REMORA_ORIGIN_FETCHED, activated->origin);
  CHECK_INT(1000, activated->old_version);
  CHECK_INT(2000, activated->new_version);
  CHECK_INT(-1, activated->staged_version);
  CHECK_TEXT("-a +b", activated->changes);
  CHECK_INT(0, has_staged());
  CHECK_INT(2000, live_version(source));
  CHECK_INT(REMORA_OK, remora_activate(source, NULL, NULL, NULL));
  close_scene();
}

static void activate_inside(const remora_event *event, void *context) {
  int32_t outcome = -1;
  if (event->outcome != REMORA_OUTCOME_STAGED) return;
  REQUIRE_OK(remora_activate(source, NULL, &outcome, &error));
  CHECK_INT(REMORA_OUTCOME_UPDATED, outcome);
  remora_snapshot *kept = remora_snapshot_retain(event->staged_snapshot);
  CHECK_INT(1, (int64_t)remora_snapshot_count(kept));
  remora_snapshot_release(kept);
  tally_add(context);
}

TEST("a callback can activate the fetched data that its event reports") {
  tally activated;
  tally_init(&activated);
  open_with(REMORA_ACTIVATION_NEXT_SETUP, NULL);
  recorder_do(&source_events, activate_inside, &activated);
  CHECK_REFRESH(REMORA_OUTCOME_STAGED, source);
  REQUIRE(tally_await(&activated, 1));
  CHECK_INT(REMORA_CAUSE_ACTIVATED, recorder_await(&source_events, 3)->cause);
  CHECK_INT(2000, live_version(source));
  close_scene();
}

TEST("the next client reads fetched data that was not activated, unless activation is manual") {
  char directory[64];
  temporary_directory(directory);
  open_with(REMORA_ACTIVATION_NEXT_SETUP, directory);
  CHECK_REFRESH(REMORA_OUTCOME_STAGED, source);
  close_client();
  open_with(REMORA_ACTIVATION_MANUAL, directory);
  CHECK_INT(1, has_staged());
  CHECK_INT(2000, source_events.seen[0].staged_version);
  CHECK_INT(1000, live_version(source));
  close_client();
  open_with(REMORA_ACTIVATION_NEXT_SETUP, directory);
  CHECK_INT(0, has_staged());
  CHECK_INT(2000, live_version(source));
  CHECK_INT(REMORA_ORIGIN_CACHED, source_events.seen[0].origin);
  loopback_publish(server, 3000, B_AT_3000, 0, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_STAGED, source);
  check_activated(REMORA_OUTCOME_UPDATED);
  close_client();
  open_with(REMORA_ACTIVATION_MANUAL, directory);
  CHECK_INT(3000, live_version(source));
  close_scene();
  remove_directory(directory);
}

TEST("if activation is DEFAULT or IMMEDIATE, reads return the records of a collection as soon as it is fetched") {
  const int32_t values[] = {REMORA_ACTIVATION_DEFAULT, REMORA_ACTIVATION_IMMEDIATE};
  for (int i = 0; i < 2; i++) {
    open_with(values[i], NULL);
    CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
    CHECK_INT(0, has_staged());
    check_activated(REMORA_OUTCOME_UNCHANGED);
    close_client();
  }
  close_scene();
}

TEST("a source that is opened again while it is open keeps the activation mode of its first opening") {
  remora_collection_options collection = untrusted("sample", NULL);
  remora_source *second = NULL;
  open_with(REMORA_ACTIVATION_MANUAL, NULL);
  REQUIRE_OK(remora_open_collection(client, &collection, NULL, &second, &error));
  CHECK_REFRESH(REMORA_OUTCOME_STAGED, second);
  remora_source_close(second);
  CHECK_INT(1, has_staged());
  close_scene();
}

TEST("with manual activation, remora_await returns the old data although it has fetched new data") {
  remora_snapshot_info info = {.struct_size = sizeof info};
  open_with(REMORA_ACTIVATION_MANUAL, NULL);
  REQUIRE_OK(remora_await(source, NULL, PATIENCE_MS, &snapshot, &error));
  REQUIRE_OK(remora_snapshot_get_info(snapshot, &info, &error));
  CHECK_INT(1000, info.version);
  CHECK_INT(1, has_staged());
  close_scene();
}

static void keep_counts(const remora_sync_report *report, void *counts) {
  size_t *out = counts;
  CHECK(report->struct_size >= sizeof *report && report->items[0]->struct_size >= sizeof *report->items[0]);
  out[0] = report->item_count;
  out[1] = report->updated;
  out[2] = report->unchanged;
  out[3] = report->staged;
  out[4] = report->failed;
  CHECK_INT(report->item_count == 1 && report->staged == 1 ? REMORA_OUTCOME_STAGED : REMORA_OUTCOME_UNCHANGED,
            report->items[0]->outcome);
  CHECK(report->items[0]->error == NULL && report->error == NULL);
}

TEST("a sync reports fetched data that is not activated yet, and does not request that data again") {
  size_t counts[5];
  open_with(REMORA_ACTIVATION_MANUAL, NULL);
  REQUIRE_OK(remora_sync(client, NULL, PATIENCE_MS, keep_counts, counts, &error));
  CHECK(counts[0] == 1 && counts[1] == 0 && counts[2] == 0 && counts[3] == 1 && counts[4] == 0);
  int requests = loopback_requests(server);
  REQUIRE_OK(remora_sync(client, NULL, PATIENCE_MS, keep_counts, counts, &error));
  CHECK(counts[2] == 1 && counts[3] == 0);
  /* The monitor alone: what it lists is staged already. */
  CHECK_INT(requests + 1, loopback_requests(server));
  close_scene();
}

TEST("a reset deletes fetched data that is not activated yet") {
  open_with(REMORA_ACTIVATION_MANUAL, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_STAGED, source);
  REQUIRE_OK(remora_reset(source, &error));
  CHECK_INT(0, has_staged());
  check_activated(REMORA_OUTCOME_UNCHANGED);
  CHECK_REFRESH(REMORA_OUTCOME_STAGED, source);
  close_scene();
}

TEST("activation in a forked child does not affect its parent") {
  open_with(REMORA_ACTIVATION_MANUAL, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_STAGED, source);
  pid_t child = fork();
  if (child == 0) {
    int32_t outcome = -1;
    if (remora_activate(source, NULL, &outcome, NULL) != REMORA_OK || outcome != REMORA_OUTCOME_UPDATED) _exit(10);
    if (live_version(source) != 2000) _exit(11);
    _exit(remora_freeze(source, NULL) == REMORA_OK ? 0 : 12);
  }
  check_child(child);
  CHECK_INT(1000, live_version(source));
  CHECK_INT(1, has_staged());
  close_scene();
}

TEST("an error about an invalid argument or option for activation names the argument or option") {
  const int32_t activations[] = {-1, 4, INT32_MAX, INT32_MIN};
  int32_t outcome = -1;
  remora_source *refused = NULL;
  open_local(NULL);
  CHECK_PARAMETER("source", remora_activate(NULL, NULL, &outcome, &error));
  CHECK_PARAMETER("source", remora_freeze(NULL, &error));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_activate(NULL, NULL, NULL, NULL));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_freeze(NULL, NULL));
  remora_collection_options collection = untrusted("refused", NULL);
  for (size_t i = 0; i < sizeof activations / sizeof *activations; i++) {
    collection.activation = activations[i];
    CHECK_INVALID("activation", remora_open_collection(client, &collection, NULL, &refused, &error));
  }
  CHECK(refused == NULL);
  remora_client_close(client);
  client = NULL;
  CHECK_STATUS(REMORA_ERR_CLOSED, remora_activate(source, NULL, &outcome, &error));
  CHECK_INT(-1, outcome);
  CHECK_STATUS(REMORA_ERR_CLOSED, remora_freeze(source, &error));
  close_scene();
}

TEST("after remora_freeze, no event is delivered, and fetched data can be read only by the next client") {
  completion completed;
  recorder later;
  remora_subscription *subscription = NULL;
  char directory[64];
  temporary_directory(directory);
  completion_init(&completed);
  recorder_init(&later);
  open_with(0, directory);
  REQUIRE_OK(remora_freeze(source, &error));
  REQUIRE_OK(remora_freeze(source, &error));
  REQUIRE_OK(remora_refresh_async(source, NULL, -1, completion_told, &completed, completion_freed, NULL, &error));
  REQUIRE(tally_await(&completed.calls, 1));
  CHECK_INT(REMORA_OUTCOME_STAGED, completed.outcome);
  CHECK_INT(REMORA_OK, completed.status);
  CHECK_INT(1000, live_version(source));
  remora_flags options = REMORA_SUBSCRIBE_REPLAY;
  REQUIRE_OK(remora_subscribe(source, NULL, options, recorder_event, &later, recorder_freed, &subscription, &error));
  CHECK_INT(2000, recorder_await(&later, 1)->staged_version);
  remora_unsubscribe(subscription);
  CHECK_INT(1, tally_count(&source_events.events));
  close_client();
  open_with(0, directory);
  CHECK_INT(2000, live_version(source));
  close_scene();
  remove_directory(directory);
}

static void stop_inside(const remora_event *event, void *context) {
  if (event->outcome != REMORA_OUTCOME_UPDATED) return;
  REQUIRE_OK(remora_freeze(source, &error));
  tally_add(context);
}

TEST("remora_freeze can be called inside a callback") {
  tally stopped;
  tally_init(&stopped);
  open_with(0, NULL);
  recorder_do(&source_events, stop_inside, &stopped);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  REQUIRE(tally_await(&stopped, 1));
  loopback_publish(server, 3000, B_AT_3000, 0, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_STAGED, source);
  CHECK_INT(2, tally_count(&source_events.events));
  close_scene();
}
