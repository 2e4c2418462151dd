/* SPDX-License-Identifier: Apache-2.0 */

/* Overrides beside the rest: events, filters, the next open, forks, other threads, and the end. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "override_scene.h"
#include "recorder.h"
#include "threads.h"

TEST("subscribers are notified of an override only if it changes a key") {
  recorder all, key;
  remora_subscription *subscriptions[2];
  open_local(two_records);
  recorder_init(&all);
  recorder_init(&key);
  REQUIRE_OK(remora_subscribe(source, NULL, 0, recorder_event, &all, recorder_freed, &subscriptions[0], &error));
  REQUIRE_OK(remora_subscribe(source, "b", 0, recorder_event, &key, recorder_freed, &subscriptions[1], &error));
  set_override("a", "/n", "5");
  const seen_event *seen = recorder_await(&all, 1);
  CHECK_INT(REMORA_CAUSE_OVERRIDE, seen->cause);
  CHECK_INT(REMORA_OUTCOME_NONE, seen->outcome);
  CHECK_INT(REMORA_ORIGIN_PACKAGED, seen->origin);
  CHECK_INT(1000, seen->version);
  CHECK_TEXT("~a", seen->changes);
  set_override("a", "/n", "5");
  set_override("b", "/n", "2");
  set_override("b", "/n", "3");
  CHECK_TEXT("~b", recorder_await(&all, 2)->changes);
  CHECK_TEXT("~b", recorder_await(&key, 1)->changes);
  set_override("c", "", "1");
  CHECK_TEXT("+c", recorder_await(&all, 3)->changes);
  REQUIRE_OK(remora_override_clear_all(source, &error));
  CHECK_TEXT("~a ~b -c", recorder_await(&all, 4)->changes);
  recorder_await(&key, 2);
  for (int i = 0; i < 2; i++) remora_unsubscribe(subscriptions[i]);
  CHECK_INT(4, tally_count(&all.events));
  CHECK_INT(2, tally_count(&key.events));
  close_scene();
}

static void override_inside(const remora_event *event, void *unused) {
  (void)unused;
  if (event->change_count == 1 && strcmp(event->changes[0]->key, "a") == 0) set_override("b", "/n", "7");
}

static int32_t change_inside(const remora_override *entry, void *raw) {
  (void)raw;
  set_override("from-list", "", entry->json);
  return 0;
}

TEST("a callback can set overrides") {
  recorder events;
  remora_subscription *subscription = NULL;
  open_local(two_records);
  recorder_init(&events);
  events.during = override_inside;
  REQUIRE_OK(remora_subscribe(source, NULL, 0, recorder_event, &events, NULL, &subscription, &error));
  set_override("a", "/n", "5");
  CHECK_TEXT("~b", recorder_await(&events, 2)->changes);
  REQUIRE_OK(remora_override_foreach(source, change_inside, NULL, &error));
  CHECK_LIST("a/n=5 b/n=7 from-list=7");
  remora_unsubscribe(subscription);
  close_scene();
}

TEST("the filter of a record is evaluated after overrides are applied to the record") {
  open_local("{\"data\":[{\"id\":\"a\",\"last_modified\":1,\"filter_expression\":\"false\"}],\"timestamp\":1}");
  set_override("a", "/n", "1");
  CHECK_LIVE("{}");
  set_override("a", "/filter_expression", "\"true\"");
  CHECK_INT(1, remora_get_int(source, "a", "/n", -1));
  CHECK_BASE("{\"a\":{\"filter_expression\":\"false\",\"id\":\"a\",\"last_modified\":1}}");
  set_override("a", "/filter_expression", "\"env.locale == 'de'\"");
  CHECK_LIVE("{}");
  REQUIRE_OK(remora_set_context(client, "{\"locale\":\"de\"}", &error));
  CHECK_INT(1, remora_get_int(source, "a", "/n", -1));
  close_scene();
}

/* Opens the source "sample" in a directory, with stored overrides or without. */
static void open_in(const char *directory, int32_t persist) {
  remora_collection_options collection = untrusted("sample", two_records);
  remora_source_options options;
  REMORA_INIT(&options);
  options.persist_overrides = persist;
  client = client_in_directory(directory, NO_SERVER);
  REQUIRE_OK(remora_open_collection(client, &collection, &options, &source, &error));
  snapshot = acquire(source);
}

TEST("overrides are stored only if persist_overrides is set") {
  char directory[64];
  temporary_directory(directory);
  open_in(directory, 1);
  set_override("a", "/n", "5");
  set_override("c", "", "[null]");
  close_scene();
  open_in(directory, 0);
  CHECK_LIST("");
  set_override("a", "/n", "6");
  close_scene();
  open_in(directory, 1);
  CHECK_LIST("a/n=5 c=[null]");
  CHECK_INT(5, remora_get_int(source, "a", "/n", -1));
  CHECK_INT(REMORA_ORIGIN_OVERRIDE, origin_of("c"));
  REQUIRE_OK(remora_override_clear(source, "c", "", &error));
  REQUIRE_OK(remora_reset(source, &error));
  close_scene();
  open_in(directory, 1);
  CHECK_LIST("a/n=5");
  close_scene();
  remove_directory(directory);
}

TEST("the option persist_overrides of the first opening applies to later openings of the source") {
  char directory[64];
  remora_source *second = NULL;
  remora_collection_options collection = untrusted("sample", NULL);
  temporary_directory(directory);
  open_in(directory, 1);
  REQUIRE_OK(remora_open_collection(client, &collection, NULL, &second, &error));
  REQUIRE_OK(remora_override_set(second, "a", "/n", "5", 0, &error));
  CHECK_LIST("a/n=5");
  remora_source_close(second);
  CHECK_LIST("a/n=5");
  close_scene();
  open_in(directory, 1);
  CHECK_LIST("a/n=5");
  close_scene();
  remove_directory(directory);
}

TEST("a client without a storage directory stores no overrides, without an error") {
  remora_source_info info = {.struct_size = sizeof info};
  remora_collection_options collection = untrusted("sample", NULL);
  remora_source_options options;
  REMORA_INIT(&options);
  options.persist_overrides = 1;
  client = client_in_memory(NO_SERVER);
  REQUIRE_OK(remora_open_collection(client, &collection, &options, &source, &error));
  set_override("a", "", "1");
  REQUIRE_OK(remora_source_get_info(source, &info, &error));
  CHECK_INT(REMORA_OK, info.storage_error.status);
  close_scene();
}

TEST("a forked child inherits the overrides, and changes them independently") {
  open_local(two_records);
  set_override("a", "/n", "5");
  pid_t child = fork();
  if (child == 0) {
    if (remora_get_int(source, "a", "/n", -1) != 5) _exit(10);
    if (remora_override_set(source, "a", "/n", "6", 0, NULL) != REMORA_OK) _exit(11);
    if (remora_override_set(source, "b", "/n", "6", 0, NULL) != REMORA_OK) _exit(12);
    _exit(remora_get_int(source, "a", "/n", -1) == 6 ? 0 : 13);
  }
  check_child(child);
  CHECK_LIST("a/n=5");
  CHECK_INT(5, remora_get_int(source, "a", "/n", -1));
  close_scene();
}

static int is_over;

/* Reads until the end: what an override sets is there whole or not at all. */
static void *read_on(void *torn) {
  while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
    remora_snapshot *live = acquire(source);
    int64_t x = -1, y = -2;
    if (remora_snapshot_get_int(live, "t", "/x", &x, NULL) == REMORA_OK &&
        (remora_snapshot_get_int(live, "t", "/y", &y, NULL) != REMORA_OK || x != y))
      tally_add(torn);
    if (remora_get_int(source, "b", "/n", -1) != 2) tally_add(torn);
    remora_snapshot_release(live);
  }
  return NULL;
}

TEST("concurrent readers read an override completely or not at all") {
  pthread_t readers[2];
  tally torn;
  char json[64];
  tally_init(&torn);
  open_local(two_records);
  for (int i = 0; i < 2; i++) REQUIRE(pthread_create(&readers[i], NULL, read_on, &torn) == 0);
  for (int i = 0; i < 2000; i++) {
    snprintf(json, sizeof json, "{\"x\":%d,\"y\":%d}", i, i);
    set_override("t", "", json);
    if (i % 50 == 0) REQUIRE_OK(remora_override_clear_all(source, &error));
  }
  __atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
  for (int i = 0; i < 2; i++) REQUIRE(pthread_join(readers[i], NULL) == 0);
  CHECK_INT(0, tally_count(&torn));
  close_scene();
}

TEST("setting an override starts no thread") {
  open_local(two_records);
  set_override("a", "/n", "5");
  CHECK_INT(0, threads_named("remora-engine"));
  close_scene();
}

TEST("a closed client accepts and lists no overrides, but snapshots stay readable") {
  open_local(two_records);
  set_override("a", "/n", "5");
  remora_snapshot *kept = acquire(source);
  remora_client_close(client);
  client = NULL;
  CHECK_STATUS(REMORA_ERR_CLOSED, remora_override_set(source, "a", "/n", "6", 0, &error));
  CHECK_STATUS(REMORA_ERR_CLOSED, remora_override_clear(source, "a", "/n", &error));
  CHECK_STATUS(REMORA_ERR_CLOSED, remora_override_clear_all(source, &error));
  CHECK_STATUS(REMORA_ERR_CLOSED, remora_override_foreach(source, nothing_is_listed, NULL, &error));
  int64_t number = 0;
  REQUIRE_OK(remora_snapshot_get_int(kept, "a", "/n", &number, &error));
  CHECK_INT(5, number);
  remora_snapshot_release(kept);
  close_scene();
}
