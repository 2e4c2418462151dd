/* SPDX-License-Identifier: Apache-2.0 */

/* Many waits at one time for one source: by callback and by blocked thread, they share one request and one answer. */
#include <pthread.h>
#include <stdlib.h>

#include "fixture.h"
#include "scene.h"

enum { WAITERS = 1000, THREADS = 4, CANCELLED = 250, HASTY = 100 };

/* Settings of a client in memory, without data; what they have once is fresh for so long. */
static void open_settings(int64_t ttl_ms) {
  remora_settings_options settings;
  remora_source_options options = without_fetch();
  REMORA_INIT(&settings);
  server = loopback_start();
  client = client_in_memory(NO_SERVER);
  settings.url = loopback_url(server);
  settings.tag = "many";
  settings.ttl_ms = ttl_ms;
  REQUIRE_OK(remora_open_settings(client, &settings, &options, &source, &error));
  loopback_say(server, "{\"a\":2}");
}

/* Settings that have a=1, and ask at every wait. */
static void open_fetched(void) {
  open_settings(-1);
  loopback_say(server, "{\"a\":1}");
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  loopback_say(server, "{\"a\":2}");
}

/* What the callbacks of many waits were told, all together. */
typedef struct crowd {
  tally fresh;     /* REMORA_OK and a=2 */
  tally fallback;  /* REMORA_ERR_TIMEOUT and a=1 */
  tally cancelled; /* REMORA_ERR_CANCELLED */
  tally other;
  tally freed;
} crowd;

static crowd waiters;

static void crowd_init(void) {
  tally *const all[] = {&waiters.fresh, &waiters.fallback, &waiters.cancelled, &waiters.other, &waiters.freed};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) tally_init(all[i]);
}

static int64_t number_in(const remora_snapshot *given) {
  int64_t number = -1;
  if (given) remora_snapshot_get_int(given, "a", NULL, &number, NULL);
  return number;
}

static void told(const remora_result *result, void *user_data) {
  (void)user_data;
  if (result->status == REMORA_OK && number_in(result->snapshot) == 2) {
    tally_add(&waiters.fresh);
  } else if (result->status == REMORA_ERR_TIMEOUT && !result->snapshot) {
    tally_add(&waiters.fallback);
  } else if (result->status == REMORA_ERR_CANCELLED) {
    tally_add(&waiters.cancelled);
  } else {
    tally_add(&waiters.other);
  }
}

static remora_request *start_waiting(int64_t timeout_ms) {
  remora_request *request = NULL;
  REQUIRE_OK(remora_await_async(source, NULL, timeout_ms, told, &waiters.freed, tally_add, &request, &error));
  return request;
}

static tally blocked_started;

static void *wait_blocked(void *out_number) {
  remora_snapshot *given = NULL;
  tally_add(&blocked_started);
  remora_status status = remora_await(source, NULL, -1, &given, NULL);
  *(int64_t *)out_number = status == REMORA_OK ? number_in(given) : status;
  remora_snapshot_release(given);
  return NULL;
}

TEST("a thousand concurrent calls of await, blocking and asynchronous, share one request") {
  pthread_t threads[THREADS];
  int64_t numbers[THREADS];
  /* A thread that begins to wait after the answer came finds it fresh: it makes no request either. */
  open_settings(60000);
  crowd_init();
  tally_init(&blocked_started);
  loopback_hang(server, 1);
  remora_request_release(start_waiting(-1));
  REQUIRE(loopback_await_requests(server, 1));
  for (int i = 0; i < THREADS; i++) REQUIRE(pthread_create(&threads[i], NULL, wait_blocked, &numbers[i]) == 0);
  REQUIRE(tally_await(&blocked_started, THREADS));
  for (int i = 1; i < WAITERS; i++) remora_request_release(start_waiting(i % 2 ? -1 : PATIENCE_MS));
  loopback_hang(server, 0);
  CHECK(tally_await(&waiters.fresh, WAITERS));
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    CHECK_INT(2, numbers[i]);
  }
  CHECK(tally_await(&waiters.freed, WAITERS));
  CHECK_INT(1, loopback_requests(server));
  close_scene();
  CHECK_INT(WAITERS, tally_count(&waiters.fresh));
  CHECK_INT(0, tally_count(&waiters.other));
}

TEST("if some of a thousand concurrent calls of await are cancelled, the others receive the result") {
  remora_request *requests[CANCELLED];
  open_fetched();
  crowd_init();
  loopback_hang(server, 1);
  for (int i = 0; i < CANCELLED; i++) requests[i] = start_waiting(-1);
  for (int i = 0; i < HASTY; i++) remora_request_release(start_waiting(50));
  for (int i = CANCELLED + HASTY; i < WAITERS; i++) remora_request_release(start_waiting(-1));
  REQUIRE(loopback_await_requests(server, 2));
  for (int i = 0; i < CANCELLED; i++) {
    remora_request_cancel(requests[i]);
    remora_request_release(requests[i]);
  }
  CHECK(tally_await(&waiters.cancelled, CANCELLED));
  CHECK(tally_await(&waiters.fallback, HASTY));
  CHECK_INT(0, tally_count(&waiters.fresh));
  loopback_hang(server, 0);
  CHECK(tally_await(&waiters.freed, WAITERS));
  CHECK_INT(WAITERS - CANCELLED - HASTY, tally_count(&waiters.fresh));
  CHECK_INT(0, tally_count(&waiters.other));
  CHECK_INT(2, loopback_requests(server));
  close_scene();
}

TEST("a thousand concurrent calls of await share one request, and all receive the error if it fails") {
  open_fetched();
  crowd_init();
  loopback_hang(server, 1);
  for (int i = 0; i < WAITERS; i++) remora_request_release(start_waiting(-1));
  REQUIRE(loopback_await_requests(server, 2));
  loopback_fail(server, 500, NULL);
  loopback_hang(server, 0);
  CHECK(tally_await(&waiters.freed, WAITERS));
  CHECK_INT(WAITERS, tally_count(&waiters.other));
  CHECK_INT(2, loopback_requests(server));
  close_scene();
}
