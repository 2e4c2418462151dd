/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "subscribe": what may be called inside a callback, when
 * unsubscribe waits, and what subscribing refuses. */
#include <stdlib.h>
#include <string.h>

#include "recorder.h"
#include "scene.h"

static remora_subscription *subscription;
static recorder events;

static void open_all(void (*during)(const remora_event *event, void *context), void *context) {
  open_served(sample_data);
  loopback_publish(server, 2000, "[{\"id\":\"a\",\"last_modified\":2000,\"n\":5}]", 0, NULL);
  recorder_init(&events);
  events.during = during;
  events.context = context;
  REQUIRE_OK(remora_subscribe(source, NULL, 0, recorder_event, &events, recorder_freed, &subscription, &error));
}

static void close_all(void) {
  close_scene();
  CHECK_INT(1, tally_count(&events.freed));
}

/* What callbacks here have to say; read once their event was freed or counted. */
static struct {
  remora_status status;
  int32_t outcome;
} inside;

static void unsubscribe_here(const remora_event *event, void *context) {
  (void)event;
  (void)context;
  remora_unsubscribe(subscription);
}

TEST("unsubscribe inside the callback ends the subscription") {
  open_all(unsubscribe_here, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK(tally_await(&events.freed, 1));
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  close_all();
  CHECK_INT(1, tally_count(&events.events));
}

static void close_here(const remora_event *event, void *context) {
  (void)event;
  (void)context;
  remora_client_close(client);
}

TEST("closing the source inside a callback takes effect when the callback returns") {
  open_all(close_here, NULL);
  remora_refresh(source, NULL, PATIENCE_MS, NULL, NULL);
  CHECK(tally_await(&events.freed, 1));
  CHECK_INT(-5, remora_get_int(source, "a", "/n", -5));
  CHECK_STATUS(REMORA_ERR_CLOSED, remora_refresh(source, NULL, -1, NULL, &error));
  client = NULL;
  close_all();
  CHECK_INT(1, tally_count(&events.events));
}

/* Nothing is open any more, and this thread is still inside the callback. */
static void close_and_give_up_here(const remora_event *event, void *context) {
  (void)event;
  remora_client_close(client);
  remora_unsubscribe(subscription);
  remora_source_close(source);
  tally_add(context);
}

TEST("a callback can close the client, and then release everything else") {
  tally through;
  tally_init(&through);
  open_all(close_and_give_up_here, &through);
  remora_refresh_async(source, NULL, -1, NULL, NULL, NULL, NULL, NULL);
  CHECK(tally_await(&through, 1));
  CHECK(tally_await(&events.freed, 1));
  client = NULL;
  source = NULL;
  close_all();
}

static void refresh_here(const remora_event *event, void *context) {
  if (event->outcome != REMORA_OUTCOME_UPDATED) return;
  inside.status = remora_refresh(source, NULL, PATIENCE_MS, &inside.outcome, NULL);
  tally_add(context);
}

TEST("a callback can refresh its source, and a second event reports this refresh") {
  tally refreshed;
  tally_init(&refreshed);
  open_all(refresh_here, &refreshed);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  REQUIRE(tally_await(&refreshed, 1));
  CHECK_INT(REMORA_OK, inside.status);
  CHECK_INT(REMORA_OUTCOME_UNCHANGED, inside.outcome);
  CHECK_INT(REMORA_OUTCOME_UNCHANGED, recorder_await(&events, 2)->outcome);
  remora_unsubscribe(subscription);
  close_all();
}

static void keep_the_snapshot(const remora_event *event, void *context) {
  *(remora_snapshot **)context = remora_snapshot_retain(event->new_snapshot);
}

TEST("the snapshots of an event can be retained") {
  remora_snapshot *kept = NULL;
  int64_t number = 0;
  open_all(keep_the_snapshot, &kept);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  recorder_await(&events, 1);
  remora_unsubscribe(subscription);
  close_all();
  CHECK_STATUS(REMORA_OK, remora_snapshot_get_int(kept, "a", "/n", &number, &error));
  CHECK_INT(5, number);
  remora_snapshot_release(kept);
}

static void subscribe_here(const remora_event *event, void *context) {
  (void)event;
  remora_subscription *second = NULL;
  inside.status = remora_subscribe(source, NULL, 0, recorder_event, context, recorder_freed, &second, NULL);
  remora_unsubscribe(second);
}

TEST("a callback can start and end a second subscription") {
  recorder second;
  recorder_init(&second);
  open_all(subscribe_here, &second);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK(tally_await(&second.freed, 1));
  CHECK_INT(REMORA_OK, inside.status);
  CHECK_INT(0, tally_count(&second.events));
  remora_unsubscribe(subscription);
  close_all();
  CHECK_INT(1, tally_count(&second.freed));
}

static void *unsubscribe_apart(void *done) {
  remora_unsubscribe(subscription);
  tally_add(done);
  return NULL;
}

TEST("unsubscribe waits for the callback if it is running on another thread") {
  gate gate;
  tally done;
  pthread_t thread;
  gate_init(&gate);
  tally_init(&done);
  open_all(recorder_hold, &gate);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  REQUIRE(gate_await_arrival(&gate));
  REQUIRE(pthread_create(&thread, NULL, unsubscribe_apart, &done) == 0);
  CHECK(!tally_await_for(&done, 1, 100));
  CHECK_INT(0, tally_count(&events.freed));
  gate_open(&gate);
  CHECK(tally_await(&done, 1));
  pthread_join(thread, NULL);
  CHECK(tally_await(&events.freed, 1));
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  close_all();
  CHECK_INT(1, tally_count(&events.events));
}

TEST("neither a read nor a refresh waits until a running callback returns") {
  gate gate;
  gate_init(&gate);
  open_all(recorder_hold, &gate);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  REQUIRE(gate_await_arrival(&gate));
  CHECK_INT(5, remora_get_int(source, "a", "/n", 0));
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  gate_open(&gate);
  remora_unsubscribe(subscription);
  close_all();
}

/* A subscription that is refused: by name, without a call, freed exactly once. */
#define CHECK_SUBSCRIBE(word, from, key, flags) check_subscribe(word, from, key, flags, __LINE__)
static void check_subscribe(const char *word, remora_source *from, const char *key, remora_flags flags, int line) {
  recorder refused;
  remora_subscription *none = NULL;
  remora_error error;
  recorder_init(&refused);
  fill_error(&error);
  remora_status status = remora_subscribe(from, key, flags, recorder_event, &refused, recorder_freed, &none, &error);
  check_refused(REMORA_ERR_INVALID_ARGUMENT, word, status, &error, "remora_subscribe", __FILE__, line);
  CHECK(none == NULL);
  CHECK_INT(0, tally_count(&refused.events));
  CHECK_INT(1, tally_count(&refused.freed));
}

TEST("an error about an invalid argument of a subscription names it, and user data is freed once") {
  char *too_long = long_text(65536);
  remora_subscription *none = NULL;
  tally freed;
  tally_init(&freed);
  open_all(NULL, NULL);
  CHECK_SUBSCRIBE("source", NULL, NULL, 0);
  CHECK_SUBSCRIBE("key", source, "", 0);
  CHECK_SUBSCRIBE("key", source, "\xff", 0);
  CHECK_SUBSCRIBE("key", source, too_long, 0);
  CHECK_SUBSCRIBE("flags", source, NULL, 2);
  CHECK_SUBSCRIBE("flags", source, NULL, REMORA_SUBSCRIBE_REPLAY | 0x80000000u);
  CHECK_INVALID("callback", remora_subscribe(source, NULL, 0, NULL, &freed, tally_add, &none, &error));
  CHECK_INT(1, tally_count(&freed));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_subscribe(NULL, NULL, 0, NULL, &freed, NULL, NULL, NULL));
  remora_unsubscribe(NULL);
  remora_unsubscribe(subscription);
  close_all();
  free(too_long);
}

TEST("a subscription that is started without a handle lasts until its source is closed") {
  recorder events;
  recorder_init(&events);
  open_served(sample_data);
  REQUIRE_OK(
      remora_subscribe(source, NULL, REMORA_SUBSCRIBE_REPLAY, recorder_event, &events, recorder_freed, NULL, &error));
  CHECK_INT(REMORA_CAUSE_OPENED, recorder_await(&events, 1)->cause);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_INT(REMORA_CAUSE_REFRESHED, recorder_await(&events, 2)->cause);
  CHECK_INT(0, tally_count(&events.freed));
  remora_source_close(source);
  source = NULL;
  CHECK(tally_await(&events.freed, 1));
  close_scene();
}
