/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "transport and clock": a clock that the host moves. */
#include "recorder.h"
#include "transport_scene.h"

enum { HOUR_MS = 3600 * 1000 };

static void open_clock(void) {
  remora_config config = clock_config();
  open_with_config(&config);
}

static void answer_at_once(const remora_http_request *request) {
  CHECK_INT(REMORA_OK, respond(request->id, 200, CHANGESET(2000), NULL));
}

TEST("if the program supplies a clock, the time of a client advances only when the program advances that clock") {
  remora_source_info info = {.struct_size = sizeof info};
  open_clock();
  int reads = clock_reads();
  post.during = answer_at_once;
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_STATUS(REMORA_OK, remora_source_get_info(source, &info, &error));
  CHECK_INT(1750000000000, info.checked_at_ms);
  CHECK_INT(0, info.checked_age_ms);
  CHECK_INT(reads, clock_reads());
  advance_ms(HOUR_MS);
  CHECK_INT(reads + 1, clock_reads());
  CHECK_STATUS(REMORA_OK, remora_source_get_info(source, &info, &error));
  CHECK_INT(HOUR_MS, info.checked_age_ms);
  close_transport_scene();
}

/* A remora_refresh with a timeout of an hour, on a thread of its own. */
static void *refresh_for_an_hour(void *raw) {
  background_refresh *refresh = raw;
  refresh->status = remora_refresh(refresh->source, NULL, HOUR_MS, &refresh->outcome, NULL);
  tally_add(&refresh->done);
  return NULL;
}

TEST("a blocking call does not time out before the program's clock reaches the time limit") {
  background_refresh refresh = {.source = NULL};
  open_clock();
  refresh.source = source;
  tally_init(&refresh.done);
  REQUIRE(pthread_create(&refresh.thread, NULL, refresh_for_an_hour, &refresh) == 0);
  REQUIRE(tally_await(&post.sent, 1));
  advance_ms(90 * 1000);
  CHECK_INT(0, tally_count(&refresh.done));
  CHECK_INT(REMORA_OK, respond(post.id, 503, NULL, "Retry-After: 1"));
  check_posted(&refresh, REMORA_ERR_HTTP);
  close_transport_scene();
}

static void open_patient_clock(void) {
  remora_config config = clock_config();
  config.total_timeout_ms = -1;
  open_with_config(&config);
}

TEST("a blocking call times out when the program advances its clock") {
  background_refresh refresh = {.source = NULL};
  open_patient_clock();
  refresh.source = source;
  tally_init(&refresh.done);
  REQUIRE(pthread_create(&refresh.thread, NULL, refresh_for_an_hour, &refresh) == 0);
  REQUIRE(tally_await(&post.sent, 1));
  advance_ms(HOUR_MS - 1);
  CHECK_INT(0, tally_count(&refresh.done));
  advance_ms(1);
  check_posted(&refresh, REMORA_ERR_TIMEOUT);
  REQUIRE(tally_await(&post.cancelled, 1));
  close_transport_scene();
}

TEST("an asynchronous call times out when the program advances its clock") {
  completion end;
  open_patient_clock();
  completion_init(&end);
  REQUIRE_OK(remora_refresh_async(source, NULL, HOUR_MS, completion_told, &end, completion_freed, NULL, &error));
  REQUIRE(tally_await(&post.sent, 1));
  advance_ms(HOUR_MS);
  REQUIRE(tally_await(&end.calls, 1));
  CHECK_INT(REMORA_ERR_TIMEOUT, end.status);
  close_transport_scene();
}

TEST("a request fails when the program advances its clock by total_timeout_ms") {
  background_refresh refresh;
  open_clock();
  start_posted(&refresh, 1);
  advance_ms(119999);
  CHECK_INT(0, tally_count(&refresh.done));
  advance_ms(1);
  check_posted(&refresh, REMORA_ERR_NETWORK);
  close_transport_scene();
}

static void answer_with_a_pause(const remora_http_request *request) {
  CHECK_INT(REMORA_OK, respond(request->id, 503, NULL, "Retry-After: 30"));
}

TEST("the wait that a Retry-After header requests ends when the program advances its clock") {
  open_clock();
  post.during = answer_with_a_pause;
  CHECK_INT(REMORA_ERR_HTTP, remora_refresh(source, NULL, -1, NULL, NULL));
  post.during = answer_at_once;
  advance_ms(29999);
  CHECK_INT(REMORA_ERR_BACKOFF, remora_refresh(source, NULL, -1, NULL, NULL));
  advance_ms(1);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  close_transport_scene();
}

TEST("a periodic refresh starts when the program advances its clock") {
  remora_config config = clock_config();
  remora_collection_options collection = untrusted("sample", NULL);
  remora_source_options options = without_fetch();
  options.refresh_interval_ms = HOUR_MS;
  REQUIRE_OK(remora_setup(&config, &client, &error));
  post.during = answer_at_once;
  REQUIRE_OK(remora_open_collection(client, &collection, &options, &source, &error));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  int sent = tally_count(&post.sent);
  for (int hours = 1; hours <= 3; hours++) {
    advance_ms(HOUR_MS);
    REQUIRE(tally_await(&post.sent, sent + hours));
  }
  close_transport_scene();
}

static void move_inside(const remora_http_request *request) {
  advance_ms(1000);
  answer_at_once(request);
}

TEST("the program can advance its clock inside the send callback of its transport") {
  open_clock();
  post.during = move_inside;
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  close_transport_scene();
}

TEST("the program's clock can return the smallest and the largest time") {
  background_refresh refresh = {.source = NULL};
  remora_source_info info = {.struct_size = sizeof info};
  open_patient_clock();
  refresh.source = source;
  tally_init(&refresh.done);
  scene_time_is(1000, INT64_MIN);
  remora_clock_changed();
  REQUIRE(pthread_create(&refresh.thread, NULL, refresh_for_an_hour, &refresh) == 0);
  REQUIRE(tally_await(&post.sent, 1));
  scene_time_is(1000, 5000 + HOUR_MS - 1);
  remora_clock_changed();
  CHECK_INT(0, tally_count(&refresh.done));
  scene_time_is(INT64_MAX, INT64_MAX);
  remora_clock_changed();
  check_posted(&refresh, REMORA_ERR_TIMEOUT);
  CHECK_STATUS(REMORA_OK, remora_source_get_info(source, &info, &error));
  /* A refresh that is due was scheduled with the time before. */
  const int64_t times[] = {INT64_MIN, INT64_MIN + 1, INT64_MAX, 0};
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    scene_time_is(times[i], INT64_MAX);
    remora_clock_changed();
    CHECK_STATUS(REMORA_OK, remora_source_get_info(source, &info, &error));
  }
  close_transport_scene();
}

TEST("remora_clock_changed does nothing if no client uses a clock of the program") {
  remora_clock_changed();
  remora_config config = transport_config();
  open_with_config(&config);
  remora_clock_changed();
  close_transport_scene();
}

TEST("remora_setup refuses a clock without a read function, and frees the user data of clock and transport once") {
  remora_config config = clock_config();
  remora_clock clock = *config.clock;
  config.clock = &clock;
  clock.read = NULL;
  CHECK_INVALID("clock.read", remora_setup(&config, &client, &error));
  CHECK_INT(1, tally_count(&post.freed));
  close_transport_scene();
}
