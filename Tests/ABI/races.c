/* SPDX-License-Identifier: Apache-2.0 */

/* Callbacks that are withdrawn while the delivery thread is about to run them. Eight threads withdraw them by
 * remora_unsubscribe, remora_request_cancel, remora_source_close and remora_client_close. After each of its rounds a
 * thread sometimes checks that callbacks are still delivered. */
#include "races.h"

#include <stdio.h>

#include "scene.h"

int64_t races_ms = 1200;

enum { RACERS = 8, ROUNDS_PER_CHECK = 100, SUBSCRIPTIONS = 64 };

static const char one_record[] = "{\"data\":[{\"id\":\"a\",\"last_modified\":1}],\"timestamp\":1}";

static int64_t deadline;
static int faults; /* Atomic, as the counts of ends below are: callbacks that are missing or came twice. */

static void note_fault(int is_fault) {
  if (is_fault) __atomic_add_fetch(&faults, 1, __ATOMIC_SEQ_CST);
}

static int is_over(void) { return now_ms() >= deadline || __atomic_load_n(&faults, __ATOMIC_SEQ_CST) > 0; }

static void count_end(void *ends) { __atomic_add_fetch((int *)ends, 1, __ATOMIC_SEQ_CST); }

static int count_of(int *ends) { return __atomic_load_n(ends, __ATOMIC_SEQ_CST); }

static void ignore_event(const remora_event *event, void *user_data) {
  (void)event;
  (void)user_data;
}

static void count_event(const remora_event *event, void *arrived) {
  (void)event;
  tally_add(arrived);
}

static remora_status subscribe(remora_source *from, remora_event_callback callback, void *user_data,
                               void (*free_user_data)(void *), remora_subscription **out) {
  remora_flags replay = REMORA_SUBSCRIBE_REPLAY;
  return remora_subscribe(from, NULL, replay, callback, user_data, free_user_data, out, NULL);
}

/* Whether a new subscriber is notified of the current state. */
static int is_delivering(remora_source *from) {
  tally arrived;
  remora_subscription *fresh = NULL;
  tally_init(&arrived);
  if (subscribe(from, count_event, &arrived, NULL, &fresh) != REMORA_OK) return 0;
  int is_notified = tally_await(&arrived, 1);
  remora_unsubscribe(fresh);
  return is_notified;
}

typedef struct racer {
  int number;
  pthread_t thread;
  tally ready;             /* The first round is over. */
  int ends[SUBSCRIPTIONS]; /* Of the subscriptions that race with remora_client_close. */
} racer;

static racer racers[RACERS];

static void start_racers(void *(*body)(void *)) {
  for (int i = 0; i < RACERS; i++) {
    racers[i] = (racer){.number = i};
    tally_init(&racers[i].ready);
    REQUIRE(pthread_create(&racers[i].thread, NULL, body, &racers[i]) == 0);
  }
}

static void join_racers(void) {
  for (int i = 0; i < RACERS; i++) pthread_join(racers[i].thread, NULL);
}

/* Races on the scene's source until the time is over. */
static void race(void *(*body)(void *)) {
  deadline = now_ms() + races_ms;
  start_racers(body);
  join_racers();
  CHECK_INT(0, faults);
  CHECK(is_delivering(source));
  close_scene();
}

static void *subscribe_and_unsubscribe(void *raw) {
  (void)raw;
  for (int round = 1; !is_over(); round++) {
    int ends = 0;
    remora_subscription *fleeting = NULL;
    note_fault(subscribe(source, ignore_event, &ends, count_end, &fleeting) != REMORA_OK);
    remora_unsubscribe(fleeting);
    note_fault(count_of(&ends) != 1);
    if (round % ROUNDS_PER_CHECK == 0) note_fault(!is_delivering(source));
  }
  return NULL;
}

TEST("ending subscriptions during the delivery of their first events does not stop later events") {
  open_local(one_record);
  race(subscribe_and_unsubscribe);
}

static void *open_and_close(void *raw) {
  char name[32];
  snprintf(name, sizeof name, "race-%d", ((racer *)raw)->number);
  for (int round = 1; !is_over(); round++) {
    int ends = 0;
    remora_source *fleeting = NULL;
    remora_collection_options collection = untrusted(name, one_record);
    remora_source_options options = without_fetch();
    options.on_event = ignore_event;
    options.on_event_user_data = &ends;
    options.on_event_free_user_data = count_end;
    note_fault(remora_open_collection(client, &collection, &options, &fleeting, NULL) != REMORA_OK);
    remora_source_close(fleeting);
    note_fault(count_of(&ends) != 1);
    if (round % ROUNDS_PER_CHECK == 0) note_fault(!is_delivering(source));
  }
  return NULL;
}

TEST("closing sources during the delivery of their first events does not stop events of other sources") {
  open_local(one_record);
  race(open_and_close);
}

static void count_completion(const remora_result *result, void *ends) {
  (void)result;
  note_fault(count_of(ends) != 0);
}

static void *cancel_and_close(void *raw) {
  char name[32];
  snprintf(name, sizeof name, "race-%d", ((racer *)raw)->number);
  for (int round = 1; !is_over(); round++) {
    int ends = 0;
    remora_request *request = NULL;
    remora_source *fleeting = open_untrusted(client, name, one_record);
    note_fault(remora_refresh_async(fleeting, NULL, -1, count_completion, &ends, count_end, &request, NULL) !=
               REMORA_OK);
    remora_request_cancel(request);
    remora_source_close(fleeting);
    note_fault(count_of(&ends) != 1);
    remora_request_release(request);
    if (round % ROUNDS_PER_CHECK == 0) note_fault(!is_delivering(source));
  }
  return NULL;
}

TEST("closing sources while their refreshes are cancelled does not stop events of other sources") {
  open_local(one_record);
  race(cancel_and_close);
}

static void *subscribe_until_closed(void *raw) {
  racer *self = raw;
  remora_status status = REMORA_OK;
  for (int i = 0; i < SUBSCRIPTIONS && status == REMORA_OK; i++) {
    remora_subscription *fleeting = NULL;
    status = subscribe(source, ignore_event, &self->ends[i], count_end, &fleeting);
    remora_unsubscribe(fleeting);
    tally_add(&self->ready);
    note_fault(status != REMORA_OK && (status != REMORA_ERR_CLOSED || count_of(&self->ends[i]) != 1));
  }
  return NULL;
}

TEST("closing a client while subscribers are added frees all user data once") {
  deadline = now_ms() + races_ms;
  do {
    open_local(one_record);
    start_racers(subscribe_until_closed);
    for (int i = 0; i < RACERS; i++) REQUIRE(tally_await(&racers[i].ready, 1));
    remora_snapshot_release(snapshot);
    remora_client_close(client);
    join_racers();
    remora_source_close(source);
    for (int i = 0; i < RACERS; i++)
      for (int j = 0; j < tally_count(&racers[i].ready); j++) note_fault(count_of(&racers[i].ends[j]) != 1);
  } while (!is_over());
  CHECK_INT(0, faults);
}
