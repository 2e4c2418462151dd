/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "refresh": asynchronous refreshes, cancelling and joining. */
#include "suites.h"

#include <string.h>

#include "recorder.h"
#include "scene.h"

static void open_all(void) {
  open_served(sample_data);
  loopback_publish(server, 2000, "[{\"id\":\"a\",\"last_modified\":2000}]", 0, NULL);
}

static remora_request *start(const remora_refresh_options *options, completion *end) {
  remora_request *request = NULL;
  completion_init(end);
  REQUIRE_OK(remora_refresh_async(source, options, completion_told, end, completion_freed, &request, &error));
  REQUIRE(request != NULL);
  return request;
}

static void check_end(completion *end, remora_status status, int32_t outcome) {
  REQUIRE(tally_await(&end->calls, 1));
  CHECK_INT(status, end->status);
  CHECK_INT(outcome, end->outcome);
  CHECK_INT(status, end->error);
}

static void callback_comes_once(void) {
  completion end;
  open_all();
  remora_request *request = start(NULL, &end);
  check_end(&end, REMORA_OK, REMORA_OUTCOME_UPDATED);
  CHECK_INT(2000, live_version(source));
  CHECK(tally_await(&end.freed, 1));
  remora_request_cancel(request);
  remora_request_release(request);
  close_scene();
  CHECK_INT(1, tally_count(&end.calls));
  CHECK_INT(1, tally_count(&end.freed));
}

static void callback_comes_after_the_events(void) {
  recorder events;
  completion end;
  remora_subscription *subscription = NULL;
  open_all();
  recorder_init(&events);
  REQUIRE_OK(
      remora_subscribe(source, NULL, NULL, recorder_event, &events, recorder_freed, &subscription, &error));
  remora_request *request = start(NULL, &end);
  check_end(&end, REMORA_OK, REMORA_OUTCOME_UPDATED);
  CHECK_INT(1, tally_count(&events.events));
  remora_request_release(request);
  remora_unsubscribe(subscription);
  close_scene();
}

static void failure_is_told_with_its_error(void) {
  completion end;
  open_all();
  loopback_fail(server, 500, NULL);
  remora_request *request = start(NULL, &end);
  check_end(&end, REMORA_ERR_HTTP, REMORA_OUTCOME_FAILED);
  remora_request_release(request);
  close_scene();
}

static void neither_callback_nor_handle_is_needed(void) {
  open_all();
  CHECK_STATUS(REMORA_OK, remora_refresh_async(source, NULL, NULL, NULL, NULL, NULL, &error));
  REQUIRE(loopback_await_requests(server, 1));
  REQUIRE_OK(remora_refresh(source, PATIENCE_MS, NULL, &error));
  CHECK_INT(2000, live_version(source));
  close_scene();
}

static void cancel_ends_it(void) {
  completion end;
  open_all();
  loopback_hang(server, 1);
  remora_request *request = start(NULL, &end);
  REQUIRE(loopback_await_requests(server, 1));
  remora_request_cancel(request);
  REQUIRE(tally_await(&end.calls, 1));
  CHECK_INT(REMORA_ERR_CANCELLED, end.status);
  CHECK_INT(REMORA_ERR_CANCELLED, end.error);
  remora_request_cancel(request);
  remora_request_release(request);
  loopback_hang(server, 0);
  CHECK_INT(SAMPLE_VERSION, live_version(source));
  close_scene();
  CHECK_INT(1, tally_count(&end.calls));
  CHECK_INT(1, tally_count(&end.freed));
}

static void release_does_not_cancel(void) {
  completion end;
  open_all();
  loopback_hang(server, 1);
  remora_request_release(start(NULL, &end));
  REQUIRE(loopback_await_requests(server, 1));
  loopback_hang(server, 0);
  check_end(&end, REMORA_OK, REMORA_OUTCOME_UPDATED);
  close_scene();
}

static void refreshes_at_one_time_share_one_request(void) {
  enum { CALLERS = 8 };
  background_refresh blocking;
  completion ends[CALLERS];
  open_all();
  loopback_publish(server, 2000, "[]", SAMPLE_VERSION, "[{\"id\":\"a\",\"last_modified\":2000}]");
  loopback_hang(server, 1);
  background_start(&blocking, source);
  REQUIRE(loopback_await_requests(server, 1));
  for (int i = 0; i < CALLERS; i++) remora_request_release(start(NULL, &ends[i]));
  loopback_hang(server, 0);
  background_join(&blocking);
  CHECK_INT(REMORA_OK, blocking.status);
  for (int i = 0; i < CALLERS; i++) check_end(&ends[i], REMORA_OK, REMORA_OUTCOME_UPDATED);
  CHECK_INT(1, loopback_requests(server));
  close_scene();
}

static void cancelling_one_leaves_the_others(void) {
  completion one, two;
  open_all();
  loopback_hang(server, 1);
  remora_request *first = start(NULL, &one), *second = start(NULL, &two);
  REQUIRE(loopback_await_requests(server, 1));
  remora_request_cancel(first);
  REQUIRE(tally_await(&one.calls, 1));
  CHECK_INT(REMORA_ERR_CANCELLED, one.status);
  loopback_hang(server, 0);
  check_end(&two, REMORA_OK, REMORA_OUTCOME_UPDATED);
  remora_request_release(first);
  remora_request_release(second);
  close_scene();
}

static void force_ignores_the_backoff(void) {
  completion end;
  remora_refresh_options forced;
  remora_refresh_options_init(&forced, sizeof forced);
  forced.force = 1;
  open_all();
  loopback_fail(server, 503, "Retry-After: 60");
  CHECK_INT(REMORA_ERR_HTTP, remora_refresh(source, PATIENCE_MS, NULL, NULL));
  CHECK_INT(REMORA_ERR_BACKOFF, remora_refresh(source, PATIENCE_MS, NULL, NULL));
  loopback_publish(server, 2000, "[]", SAMPLE_VERSION, "[]");
  remora_request *request = start(&forced, &end);
  check_end(&end, REMORA_OK, REMORA_OUTCOME_UPDATED);
  CHECK_INT(2, loopback_requests(server));
  remora_request_release(request);
  close_scene();
}

/* The run that was cancelled is still being cleared away when the next caller comes. */
static void a_refresh_right_after_a_cancel_ends_too(void) {
  open_all();
  for (int i = 0; i < 50; i++) {
    completion first, second;
    remora_request *request = start(NULL, &first);
    remora_request_cancel(request);
    remora_request_release(request);
    remora_request_release(start(NULL, &second));
    REQUIRE(tally_await(&first.freed, 1) && tally_await(&second.freed, 1));
    CHECK_INT(REMORA_OK, second.status);
  }
  close_scene();
}

static remora_refresh_options forced_options(void) {
  remora_refresh_options forced;
  remora_refresh_options_init(&forced, sizeof forced);
  forced.force = 1;
  return forced;
}

static void cancelling_a_queued_refresh_does_not_repeat_the_running_one(void) {
  completion running, queued;
  remora_refresh_options forced = forced_options();
  open_all();
  loopback_publish(server, 2000, "[]", SAMPLE_VERSION, "[{\"id\":\"a\",\"last_modified\":2000}]");
  loopback_hang(server, 1);
  remora_request *first = start(NULL, &running);
  REQUIRE(loopback_await_requests(server, 1));
  remora_request *second = start(&forced, &queued);
  remora_request_cancel(second);
  check_end(&queued, REMORA_ERR_CANCELLED, REMORA_OUTCOME_FAILED);
  CHECK(!tally_await_for(&running.calls, 1, 200));
  loopback_hang(server, 0);
  check_end(&running, REMORA_OK, REMORA_OUTCOME_UPDATED);
  CHECK_INT(1, loopback_requests(server));
  remora_request_release(first);
  remora_request_release(second);
  close_scene();
}

static void a_forced_refresh_is_shared_with_nobody(void) {
  completion alone;
  background_refresh after;
  remora_refresh_options forced = forced_options();
  open_all();
  loopback_publish(server, 2000, "[]", SAMPLE_VERSION, "[{\"id\":\"a\",\"last_modified\":2000}]");
  loopback_hang(server, 1);
  remora_request_release(start(&forced, &alone));
  REQUIRE(loopback_await_requests(server, 1));
  background_start(&after, source);
  CHECK(!tally_await_for(&after.done, 1, 200));
  loopback_hang(server, 0);
  check_end(&alone, REMORA_OK, REMORA_OUTCOME_UPDATED);
  background_join(&after);
  CHECK_INT(REMORA_OUTCOME_UNCHANGED, after.outcome);
  CHECK_INT(2, loopback_requests(server));
  close_scene();
}

/* Another handle of the same source keeps the source, and its own refreshes. */
static void closing_the_handle_ends_its_refreshes_untold(void) {
  completion closed, kept;
  remora_request *request = NULL;
  open_all();
  remora_source *other = open_untrusted(client, "sample", NULL);
  loopback_hang(server, 1);
  completion_init(&closed);
  REQUIRE_OK(remora_refresh_async(other, NULL, completion_told, &closed, completion_freed, &request, &error));
  remora_request_release(start(NULL, &kept));
  REQUIRE(loopback_await_requests(server, 1));
  remora_source_close(other);
  CHECK_INT(1, tally_count(&closed.freed));
  remora_request_cancel(request);
  remora_request_release(request);
  loopback_hang(server, 0);
  check_end(&kept, REMORA_OK, REMORA_OUTCOME_UPDATED);
  CHECK_INT(0, tally_count(&closed.calls));

  loopback_hang(server, 1);
  remora_request_release(start(NULL, &closed));
  remora_source_close(source);
  source = NULL;
  CHECK_INT(1, tally_count(&closed.freed));
  close_scene();
  CHECK_INT(0, tally_count(&closed.calls));
}

/* An asynchronous refresh that is refused: by name, without a call, freed exactly once. */
#define CHECK_ASYNC(word, from, options) check_async(word, from, options, __LINE__)
static void check_async(const char *word, remora_source *from, const remora_refresh_options *options, int line) {
  completion end;
  remora_request *request = NULL;
  remora_error error;
  completion_init(&end);
  fill_error(&error);
  remora_status status =
      remora_refresh_async(from, options, completion_told, &end, completion_freed, &request, &error);
  check_refused(REMORA_ERR_INVALID_ARGUMENT, word, status, &error, "remora_refresh_async", __FILE__, line);
  CHECK(request == NULL);
  CHECK_INT(0, tally_count(&end.calls));
  CHECK_INT(1, tally_count(&end.freed));
}

static void bad_arguments(void) {
  remora_refresh_options odd;
  remora_request *request = NULL;
  open_all();
  CHECK_ASYNC("source", NULL, NULL);
  remora_refresh_options_init(&odd, sizeof odd);
  odd.reserved = 1;
  CHECK_ASYNC("reserved", source, &odd);
  remora_refresh_options_init(&odd, sizeof odd);
  odd.force = 2;
  CHECK_ASYNC("force", source, &odd);
  odd.struct_size = 1;
  CHECK_ASYNC("struct_size", source, &odd);
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_refresh_async(NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  CHECK_STRUCT_SIZES(remora_refresh_options, remora_refresh_options_init(options, sizeof *options),
                     remora_refresh_async(source, options, NULL, NULL, NULL, &request, &error));
  remora_request_release(request);
  CHECK_INIT_STAYS_INSIDE(remora_refresh_options, remora_refresh_options_init);
  remora_request_cancel(NULL);
  remora_request_release(NULL);
  close_scene();
}

const check_test async_tests[] = {
    {"the callback comes exactly once and the user data is freed", callback_comes_once},
    {"the callback comes after the events of the same refresh", callback_comes_after_the_events},
    {"a failure is told with its error", failure_is_told_with_its_error},
    {"neither a callback nor a handle is needed", neither_callback_nor_handle_is_needed},
    {"cancel answers CANCELLED once, and a late answer changes nothing", cancel_ends_it},
    {"releasing the handle does not cancel", release_does_not_cancel},
    {"refreshes at one time share one request", refreshes_at_one_time_share_one_request},
    {"cancelling one caller leaves the others waiting", cancelling_one_leaves_the_others},
    {"a refresh right after a cancelled one ends too", a_refresh_right_after_a_cancel_ends_too},
    {"cancelling a queued refresh does not repeat the running one",
     cancelling_a_queued_refresh_does_not_repeat_the_running_one},
    {"a forced refresh is shared with nobody", a_forced_refresh_is_shared_with_nobody},
    {"a forced refresh ignores the server's backoff", force_ignores_the_backoff},
    {"closing the handle ends its refreshes untold", closing_the_handle_ends_its_refreshes_untold},
    {"bad arguments are refused by name, the user data freed exactly once", bad_arguments},
    {NULL, NULL},
};
