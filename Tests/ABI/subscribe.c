/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "subscribe": who is told what. */
#include <stdio.h>
#include <string.h>

#include "recorder.h"
#include "scene.h"

static remora_subscription *subscribe(const char *key, int replay, recorder *events) {
  remora_subscription *subscription = NULL;
  remora_flags options = replay ? REMORA_SUBSCRIBE_REPLAY : 0;
  REQUIRE_OK(remora_subscribe(source, key, options, recorder_event, events, recorder_freed, &subscription, &error));
  REQUIRE(subscription != NULL);
  return subscription;
}

/* Publishes a version with the two keys "a" and "b", whose member n has these values. */
static void publish(int64_t version, int a, int b) {
  static char records[8][128];
  static int used;
  REQUIRE(used < 8);
  snprintf(records[used], sizeof records[used],
           "[{\"id\":\"a\",\"last_modified\":1,\"n\":%d},{\"id\":\"b\",\"last_modified\":1,\"n\":%d}]", a, b);
  loopback_publish(server, version, records[used], 0, NULL);
  used++;
}

static void check_event(const seen_event *seen, int32_t cause, int32_t outcome, int64_t from, int64_t to,
                        const char *changes) {
  CHECK_INT(cause, seen->cause);
  CHECK_INT(outcome, seen->outcome);
  CHECK_INT(from, seen->old_version);
  CHECK_INT(to, seen->new_version);
  CHECK_INT(to, seen->version);
  CHECK_TEXT(changes, seen->changes);
  CHECK_INT(REMORA_OK, seen->storage_error);
}

TEST("with the flag REPLAY, the first event of a subscription reports the current state") {
  recorder events;
  open_served(sample_data);
  recorder_init(&events);
  remora_subscription *subscription = subscribe(NULL, 1, &events);
  const seen_event *seen = recorder_await(&events, 1);
  CHECK_INT(REMORA_CAUSE_OPENED, seen->cause);
  CHECK_INT(REMORA_OUTCOME_NONE, seen->outcome);
  CHECK_INT(REMORA_ORIGIN_PACKAGED, seen->origin);
  CHECK_INT(SAMPLE_VERSION, seen->version);
  CHECK_INT(SAMPLE_VERSION, seen->new_version);
  CHECK_INT(REMORA_OK, seen->error);
  remora_unsubscribe(subscription);
  CHECK_INT(1, tally_count(&events.freed));
  CHECK_INT(1, tally_count(&events.events));
  close_scene();
}

static void keep_source(const remora_event *event, void *seen) { *(remora_source **)seen = event->source; }

TEST("an event has the source handle with which its subscriber subscribed") {
  recorder first, second;
  remora_source *seen[2] = {NULL, NULL}, *other = NULL;
  open_served(sample_data);
  recorder_init(&first);
  recorder_init(&second);
  first.during = second.during = keep_source;
  first.context = &seen[0];
  second.context = &seen[1];
  remora_subscription *subscription = subscribe("flags", 1, &first);
  remora_collection_options collection = untrusted("sample", NULL);
  remora_source_options options = recorded(&second);
  REQUIRE_OK(remora_open_collection(client, &collection, &options, &other, &error));
  recorder_await(&first, 1);
  recorder_await(&second, 1);
  remora_unsubscribe(subscription);
  remora_source_close(other);
  CHECK(seen[0] == source);
  CHECK(seen[1] == other && other != source);
  close_scene();
}

TEST("a subscriber of a source is notified of the outcome of every refresh") {
  recorder events;
  open_served(sample_data);
  recorder_init(&events);
  remora_subscription *subscription = subscribe(NULL, 0, &events);
  publish(2000, 1, 1);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  publish(500, 1, 1);
  CHECK_REFRESH(REMORA_OUTCOME_NOT_NEWER, source);
  loopback_say(server, "nonsense");
  CHECK_REFRESH(REMORA_OUTCOME_REFUSED, source);
  loopback_fail(server, 500, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_FAILED, source);
  recorder_await(&events, 5);
  check_event(&events.seen[0], REMORA_CAUSE_REFRESHED, REMORA_OUTCOME_UPDATED, SAMPLE_VERSION, 2000,
              "+a +b -flags -limits -texts -tree");
  check_event(&events.seen[1], REMORA_CAUSE_REFRESHED, REMORA_OUTCOME_UNCHANGED, 2000, 2000, "");
  check_event(&events.seen[2], REMORA_CAUSE_REFRESHED, REMORA_OUTCOME_NOT_NEWER, 2000, 2000, "");
  check_event(&events.seen[3], REMORA_CAUSE_REFRESHED, REMORA_OUTCOME_REFUSED, 2000, 2000, "");
  check_event(&events.seen[4], REMORA_CAUSE_REFRESHED, REMORA_OUTCOME_FAILED, 2000, 2000, "");
  CHECK_INT(REMORA_ORIGIN_FETCHED, events.seen[0].origin);
  CHECK_INT(REMORA_OK, events.seen[2].error);
  CHECK_INT(REMORA_ERR_PARSE, events.seen[3].error);
  CHECK_INT(REMORA_ERR_HTTP, events.seen[4].error);
  remora_unsubscribe(subscription);
  close_scene();
  CHECK_INT(5, tally_count(&events.events));
  CHECK_INT(1, tally_count(&events.freed));
}

TEST("a subscriber of a key is notified only of changes of that key") {
  recorder events, whole;
  open_served(sample_data);
  recorder_init(&events);
  recorder_init(&whole);
  remora_subscription *one = subscribe("a", 0, &events), *two = subscribe(NULL, 0, &whole);
  publish(2000, 1, 1);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  recorder_await(&whole, 1);
  publish(3000, 1, 2);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  recorder_await(&whole, 3);
  publish(4000, 2, 3);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  recorder_await(&whole, 4);
  const seen_event *last = recorder_await(&events, 2);
  CHECK_TEXT("+a", events.seen[0].changes);
  CHECK_TEXT("~a", last->changes);
  CHECK_INT(1, (int64_t)last->change_count);
  CHECK_INT(4000, last->version);
  remora_unsubscribe(one);
  remora_unsubscribe(two);
  close_scene();
  CHECK_INT(2, tally_count(&events.events));
}

/* Opens the scene with a subscriber that is held at the gate, inside its first callback. */
static remora_subscription *subscribe_and_hold(recorder *events, gate *gate) {
  open_served(sample_data);
  recorder_init(events);
  gate_init(gate);
  events->during = recorder_hold;
  events->context = gate;
  remora_subscription *subscription = subscribe(NULL, 0, events);
  publish(2000, 1, 1);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  REQUIRE(gate_await_arrival(gate));
  return subscription;
}

TEST("updates that a slow subscriber has not received yet merge into one event") {
  recorder events;
  gate gate;
  remora_subscription *subscription = subscribe_and_hold(&events, &gate);
  publish(3000, 2, 1);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  publish(4000, 2, 2);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  gate_open(&gate);
  check_event(recorder_await(&events, 2), REMORA_CAUSE_REFRESHED, REMORA_OUTCOME_UPDATED, 2000, 4000, "~a ~b");
  remora_unsubscribe(subscription);
  close_scene();
  CHECK_INT(2, tally_count(&events.events));
}

TEST("updates with different causes do not merge into one event") {
  recorder events;
  gate gate;
  remora_subscription *subscription = subscribe_and_hold(&events, &gate);
  publish(3000, 2, 1);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_STATUS(REMORA_OK, remora_override_set(source, "o", NULL, "1", 0, &error));
  CHECK_STATUS(REMORA_OK, remora_override_set(source, "o", NULL, "2", 0, &error));
  gate_open(&gate);
  check_event(recorder_await(&events, 2), REMORA_CAUSE_REFRESHED, REMORA_OUTCOME_UPDATED, 2000, 3000, "~a");
  check_event(recorder_await(&events, 3), REMORA_CAUSE_OVERRIDE, REMORA_OUTCOME_NONE, 3000, 3000, "+o");
  remora_unsubscribe(subscription);
  close_scene();
  CHECK_INT(3, tally_count(&events.events));
}

TEST("events of refreshes that change nothing do not merge") {
  recorder events;
  gate gate;
  remora_subscription *subscription = subscribe_and_hold(&events, &gate);
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  gate_open(&gate);
  CHECK_INT(REMORA_OUTCOME_UNCHANGED, recorder_await(&events, 4)->outcome);
  remora_unsubscribe(subscription);
  close_scene();
}

TEST("subscribers are notified of a reset") {
  recorder events;
  open_served(sample_data);
  recorder_init(&events);
  remora_subscription *subscription = subscribe(NULL, 0, &events);
  publish(2000, 1, 1);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_STATUS(REMORA_OK, remora_reset(source, &error));
  const seen_event *seen = recorder_await(&events, 2);
  check_event(seen, REMORA_CAUSE_RESET, REMORA_OUTCOME_NONE, 2000, SAMPLE_VERSION, "-a -b +flags +limits +texts +tree");
  CHECK_INT(REMORA_ORIGIN_PACKAGED, seen->origin);
  remora_unsubscribe(subscription);
  close_scene();
}

TEST("a client picks up data that another client with the same storage directory fetched") {
  char path[64];
  recorder events;
  temporary_directory(path);
  recorder_init(&events);
  server = loopback_start();
  client = client_in_directory(path, loopback_url(server));
  source = open_untrusted(client, "sample", sample_data);
  remora_subscription *subscription = subscribe(NULL, 0, &events);
  remora_client *fetcher = client_in_directory(path, loopback_url(server));
  remora_source *fetching = open_untrusted(fetcher, "sample", sample_data);
  publish(2000, 1, 1);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, fetching);
  const seen_event *seen = recorder_await(&events, 1);
  check_event(seen, REMORA_CAUSE_ADOPTED, REMORA_OUTCOME_NONE, SAMPLE_VERSION, 2000,
              "+a +b -flags -limits -texts -tree");
  CHECK_INT(REMORA_ORIGIN_FETCHED, seen->origin);
  CHECK_INT(2000, live_version(source));
  remora_source_close(fetching);
  remora_client_close(fetcher);
  remora_unsubscribe(subscription);
  close_scene();
  remove_directory(path);
}
