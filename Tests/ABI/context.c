/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "context", and the flag REMORA_SNAPSHOT_UNFILTERED: what filters hide. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder.h"
#include "scene.h"
#include "threads.h"

/* Three records: for everybody, for Germans, for beta testers. */
#define FILTERED                                                                                  \
  "[{\"id\":\"all\",\"last_modified\":1,\"n\":1},"                                                \
  "{\"id\":\"german\",\"last_modified\":1,\"n\":2,\"filter_expression\":\"env.locale == 'de'\"}," \
  "{\"id\":\"tester\",\"last_modified\":1,\"n\":3,\"filter_expression\":\"env.channel == 'beta'\"}]"

static const char filtered[] = "{\"data\":" FILTERED ",\"timestamp\":1000}";

static void check_shown(const char *expected, uint32_t flags, const char *file, int line) {
  remora_snapshot *shown = NULL;
  char ids[128] = "";
  REQUIRE_OK(remora_snapshot_acquire(source, flags, &shown, &error));
  for (size_t i = 0; i < remora_snapshot_count(shown); i++) {
    const char *key = NULL;
    REQUIRE_OK(remora_snapshot_item(shown, i, &key, NULL, NULL, &error));
    size_t length = strlen(ids);
    snprintf(ids + length, sizeof ids - length, "%s%s", i ? " " : "", key);
  }
  check_text(expected, ids, "what is shown", file, line);
  remora_snapshot_release(shown);
}

#define CHECK_SHOWN(expected) check_shown((expected), 0, __FILE__, __LINE__)
#define CHECK_ALL(expected) check_shown((expected), REMORA_SNAPSHOT_UNFILTERED, __FILE__, __LINE__)

static void set_context(const char *json) { REQUIRE_OK(remora_set_context(client, json, &error)); }

TEST("reads return only records whose filters match the context, and setting NULL removes the context") {
  open_local(filtered);
  CHECK_SHOWN("all");
  CHECK_INT(7, remora_get_int(source, "german", "/n", 7));
  set_context("{\"locale\":\"de\"}");
  CHECK_SHOWN("all german");
  CHECK_INT(2, remora_get_int(source, "german", "/n", 7));
  set_context("{\"channel\":\"beta\",\"locale\":\"de\"}");
  CHECK_SHOWN("all german tester");
  set_context(NULL);
  CHECK_SHOWN("all");
  CHECK_ALL("all german tester");
  close_scene();
}

TEST("getters, snapshots, counts and JSON text omit records whose filters do not match the context") {
  remora_snapshot_info info = {.struct_size = sizeof info};
  remora_value value;
  char text[512];
  size_t length = 0;
  open_local(filtered);
  CHECK_STATUS(REMORA_ERR_NOT_FOUND, remora_snapshot_get(snapshot, "german", NULL, &value, &error));
  REQUIRE_OK(remora_snapshot_get_info(snapshot, &info, &error));
  CHECK_INT(1, (int64_t)info.count);
  REQUIRE_OK(remora_snapshot_get_json(snapshot, NULL, NULL, text, sizeof text, &length, &error));
  CHECK_TEXT("{\"all\":{\"id\":\"all\",\"last_modified\":1,\"n\":1}}", text);
  set_context("{\"locale\":\"de\"}");
  CHECK_INT(1, (int64_t)remora_snapshot_count(snapshot));
  close_scene();
}

TEST("setting a context starts no thread, and affects sources that are opened later") {
  client = client_in_memory(NO_SERVER);
  set_context("{\"channel\":\"beta\"}");
  source = open_untrusted(client, "sample", filtered);
  CHECK_SHOWN("all tester");
  CHECK_INT(0, threads_named("remora-engine"));
  close_scene();
}

TEST("filters are evaluated on fetched data") {
  open_served(NULL);
  set_context("{\"locale\":\"de\"}");
  loopback_publish(server, 1000, FILTERED, 0, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_SHOWN("all german");
  CHECK_ALL("all german tester");
  REQUIRE_OK(remora_reset(source, &error));
  CHECK_SHOWN("");
  close_scene();
}

static remora_subscription *subscribe(recorder *events) {
  remora_subscription *subscription = NULL;
  recorder_init(events);
  REQUIRE_OK(remora_subscribe(source, NULL, 0, recorder_event, events, recorder_freed, &subscription, &error));
  return subscription;
}

TEST("if a new context shows or hides records, an event lists their keys") {
  recorder events;
  open_local(filtered);
  remora_subscription *subscription = subscribe(&events);
  set_context("{\"locale\":\"de\"}");
  const seen_event *seen = recorder_await(&events, 1);
  CHECK_INT(REMORA_CAUSE_CONTEXT, seen->cause);
  CHECK_INT(REMORA_OUTCOME_NONE, seen->outcome);
  CHECK_INT(REMORA_ORIGIN_PACKAGED, seen->origin);
  CHECK_INT(1000, seen->version);
  CHECK_TEXT("+german", seen->changes);
  set_context("{\"locale\":\"de\",\"country\":\"AT\"}");
  set_context("{\"channel\":\"beta\"}");
  CHECK_TEXT("-german +tester", recorder_await(&events, 2)->changes);
  remora_unsubscribe(subscription);
  CHECK_INT(2, tally_count(&events.events));
  close_scene();
}

TEST("an update that changes only hidden records is reported as an update without changed keys") {
  recorder events;
  open_served(filtered);
  remora_subscription *subscription = subscribe(&events);
  loopback_publish(server, 2000,
                   "[{\"id\":\"all\",\"last_modified\":1,\"n\":1},"
                   "{\"id\":\"german\",\"last_modified\":2,\"n\":9,\"filter_expression\":\"env.locale == 'de'\"}]",
                   0, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  const seen_event *seen = recorder_await(&events, 1);
  CHECK_INT(REMORA_OUTCOME_UPDATED, seen->outcome);
  CHECK_INT(0, (int64_t)seen->change_count);
  CHECK_INT(2000, seen->version);
  remora_unsubscribe(subscription);
  close_scene();
}

TEST("an invalid context is refused, and the previous context stays") {
  const char *const wrong[] = {
      "", "[]", "1", "{", "{}x", "\xff", "{\"a\":1,\"a\":2}", "{\"locale\":5}", "{\"preferences\":1}"};
  open_local(filtered);
  set_context("{\"locale\":\"de\"}");
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    CHECK_INVALID("context_json", remora_set_context(client, wrong[i], &error));
  char *deep = long_text(100000);
  memset(deep, '[', 100000);
  CHECK_INVALID("context_json", remora_set_context(client, deep, &error));
  free(deep);
  CHECK_INVALID("client", remora_set_context(NULL, "{}", &error));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_set_context(NULL, NULL, NULL));
  CHECK_SHOWN("all german");
  close_scene();
}

TEST("remora_set_headers replaces the headers of later requests, and NULL removes them") {
  const char *const token[] = {"Authorization: one", "X-Other: 1", NULL}, *const none[] = {NULL};
  const char *const *const lists[] = {token, none, token, NULL};
  char head[4096];
  open_served(filtered);
  remora_refresh(source, NULL, -1, NULL, NULL);
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    REQUIRE_OK(remora_set_headers(client, lists[i], &error));
    CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
    loopback_last_head(server, head, sizeof head);
    CHECK_INT(lists[i] == token, strstr(head, "Authorization: one\r\n") && strstr(head, "X-Other: 1\r\n"));
  }
  REQUIRE_OK(remora_set_headers(client, token, &error));
  const char *const wrong[] = {"A", "Range: bytes=0-", "A: b\r\nC: d", ": b", "\xff: b"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    CHECK_INVALID("headers", remora_set_headers(client, (const char *const[]){wrong[i], NULL}, &error));
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  loopback_last_head(server, head, sizeof head);
  CHECK(strstr(head, "Authorization: one\r\n"));
  close_scene();
}

/* Returns the result of an expression, or -1. */
static int matches(const char *expression, const char *context) {
  remora_bool result = 7;
  remora_error error;
  if (remora_filter_matches(expression, context, &result, &error) != REMORA_OK) return result == 7 ? -1 : -2;
  return result;
}

TEST("remora_filter_matches evaluates an expression like the filter of a record, without a client") {
  CHECK_INT(1, matches("env.locale == 'de'", "{\"locale\":\"de\"}"));
  CHECK_INT(0, matches("env.locale == 'de'", "{\"locale\":\"fr\"}"));
  CHECK_INT(0, matches("env.locale == 'de'", NULL));
  CHECK_INT(1, matches("env.channel == null && env.plan == null", NULL));
  CHECK_INT(1, matches(" ", NULL));
  CHECK_INT(0, matches("1", NULL));
  CHECK_INT(1, matches("unknown || true", "{}"));
}

TEST("remora_filter_matches returns an error for an expression that cannot be evaluated") {
  char *long_expression = long_text(1 << 20);
  remora_bool result = 7;
  CHECK_INVALID("expression", remora_filter_matches("env.locale ==", NULL, &result, &error));
  CHECK_INVALID("undefined is not defined", remora_filter_matches("undefined", NULL, &result, &error));
  CHECK_INVALID("expression", remora_filter_matches(long_expression, NULL, &result, &error));
  CHECK_INVALID("at most 16384 are allowed", remora_filter_matches(long_expression, NULL, &result, &error));
  CHECK_INVALID("expression", remora_filter_matches(NULL, NULL, &result, &error));
  CHECK_INVALID("expression", remora_filter_matches("\xff", NULL, &result, &error));
  CHECK_INVALID("out_matches", remora_filter_matches("true", NULL, NULL, &error));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_filter_matches(NULL, NULL, NULL, NULL));
  CHECK_INT(7, result);
  free(long_expression);
}

TEST("remora_filter_matches refuses the contexts that remora_set_context refuses") {
  const char *const wrong[] = {"", "[]", "{", "\xff", "{\"locale\":5}", "{\"preferences\":1}"};
  remora_bool result = 0;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    CHECK_INVALID("context_json", remora_filter_matches("true", wrong[i], &result, &error));
  char *large = long_text((1 << 20) + 1);
  CHECK_INVALID("context_json", remora_filter_matches("true", large, &result, &error));
  free(large);
}

TEST("remora_snapshot_acquire refuses an unknown flag") {
  remora_snapshot *out = NULL;
  open_local(filtered);
  CHECK_INVALID("flags", remora_snapshot_acquire(source, 2, &out, &error));
  CHECK_INVALID("flags", remora_snapshot_acquire(source, REMORA_SNAPSHOT_UNFILTERED | 0x80000000U, &out, &error));
  CHECK(out == NULL);
  close_scene();
}

TEST("a filter that fails hides its record, and is counted") {
  remora_source_info info = {.struct_size = sizeof info};
  open_local(
      "{\"data\":[{\"id\":\"a\",\"last_modified\":1,\"filter_expression\":\"(\"},"
      "{\"id\":\"b\",\"last_modified\":1,\"filter_expression\":\"env.n + 1 == 2\"},"
      "{\"id\":\"c\",\"last_modified\":1,\"filter_expression\":7}],\"timestamp\":1}");
  CHECK_SHOWN("c");
  REQUIRE_OK(remora_source_get_info(source, &info, &error));
  CHECK_INT(2, info.filter_failures);
  set_context("{\"n\":1}");
  CHECK_SHOWN("b c");
  REQUIRE_OK(remora_source_get_info(source, &info, &error));
  CHECK_INT(1, info.filter_failures);
  close_scene();
}

static void reset_context_inside(const remora_event *event, void *unused) {
  (void)unused;
  if (event->cause == REMORA_CAUSE_CONTEXT) set_context(NULL);
}

TEST("a callback may set the context") {
  recorder events;
  open_local(filtered);
  remora_subscription *subscription = NULL;
  recorder_init(&events);
  events.during = reset_context_inside;
  REQUIRE_OK(remora_subscribe(source, NULL, 0, recorder_event, &events, NULL, &subscription, &error));
  set_context("{\"locale\":\"de\"}");
  CHECK_TEXT("-german", recorder_await(&events, 2)->changes);
  CHECK_SHOWN("all");
  remora_unsubscribe(subscription);
  close_scene();
}

/* The deepest filters that there may be, one of each kind of nesting, on a thread with a small stack. */
static void *open_deep(void *packaged) {
  client = client_in_memory(NO_SERVER);
  source = open_untrusted(client, "deep", packaged);
  set_context("{\"a\":[[1]]}");
  return NULL;
}

TEST("a filter with the maximum nesting can be evaluated on a stack of 128 KiB") {
  if (IS_SANITIZED) check_skip("a sanitizer makes each frame larger");
  const char *const kinds[][2] = {{"(", ")"},  {"[", "]"},      {"1?", ":1"},           {"1|keys(", ")"},
                                  {"!(", ")"}, {"env.a[", "]"}, {"1||1==1+1*1^(", ")"}, {"env.a[.b||", "]"}};
  char *packaged = malloc(1 << 20);
  pthread_attr_t attributes;
  pthread_t thread;
  REQUIRE(packaged != NULL);
  size_t length = (size_t)sprintf(packaged, "{\"data\":[");
  for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
    for (int levels = 1; levels <= 70; levels++) {
      length += (size_t)sprintf(packaged + length, "%s{\"id\":\"%d-%d\",\"last_modified\":1,\"filter_expression\":\"",
                                length > 9 ? "," : "", (int)kind, levels);
      for (int i = 0; i < levels; i++) length += (size_t)sprintf(packaged + length, "%s", kinds[kind][0]);
      length += (size_t)sprintf(packaged + length, "1");
      for (int i = 0; i < levels; i++) length += (size_t)sprintf(packaged + length, "%s", kinds[kind][1]);
      length += (size_t)sprintf(packaged + length, "\"}");
    }
  }
  sprintf(packaged + length, "],\"timestamp\":1}");
  REQUIRE(pthread_attr_init(&attributes) == 0);
  REQUIRE(pthread_attr_setstacksize(&attributes, 128 * 1024) == 0);
  REQUIRE(pthread_create(&thread, &attributes, open_deep, packaged) == 0);
  REQUIRE(pthread_join(thread, NULL) == 0);
  snapshot = acquire(source);
  /* True are those of an even number of "!(", up to 64 levels; the first of these is the expression itself. */
  CHECK_INT(31, (int64_t)remora_snapshot_count(snapshot));
  free(packaged);
  close_scene();
}

TEST("after a client is closed, acquiring an unfiltered snapshot of its source fails with REMORA_ERR_CLOSED") {
  open_local(filtered);
  remora_client_close(client);
  client = NULL;
  remora_snapshot *out = NULL;
  CHECK_STATUS(REMORA_ERR_CLOSED, remora_snapshot_acquire(source, REMORA_SNAPSHOT_UNFILTERED, &out, &error));
  close_scene();
}
