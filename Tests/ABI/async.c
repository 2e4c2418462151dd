/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "refresh": asynchronous refreshes, what they report, share and refuse. */
#include "async_scene.h"

TEST("an asynchronous refresh calls its callback exactly once, and then frees the user data") {
  completion end;
  open_behind();
  remora_request *request = start_refresh(NULL, &end);
  check_refreshed(&end, REMORA_OK, REMORA_OUTCOME_UPDATED);
  CHECK_INT(2000, live_version(source));
  CHECK(tally_await(&end.freed, 1));
  remora_request_cancel(request);
  remora_request_release(request);
  close_scene();
  CHECK_INT(1, tally_count(&end.calls));
  CHECK_INT(1, tally_count(&end.freed));
}

TEST("an asynchronous refresh calls its callback after the events of that refresh have been delivered") {
  recorder events;
  completion end;
  remora_subscription *subscription = NULL;
  open_behind();
  recorder_init(&events);
  REQUIRE_OK(remora_subscribe(source, NULL, 0, recorder_event, &events, recorder_freed, &subscription, &error));
  remora_request *request = start_refresh(NULL, &end);
  check_refreshed(&end, REMORA_OK, REMORA_OUTCOME_UPDATED);
  CHECK_INT(1, tally_count(&events.events));
  remora_request_release(request);
  remora_unsubscribe(subscription);
  close_scene();
}

TEST("an asynchronous refresh that fails passes its error to the callback") {
  completion end;
  open_behind();
  loopback_fail(server, 500, NULL);
  remora_request *request = start_refresh(NULL, &end);
  check_refreshed(&end, REMORA_ERR_HTTP, REMORA_OUTCOME_FAILED);
  remora_request_release(request);
  close_scene();
}

TEST("an asynchronous refresh can be started without a callback and without a request handle") {
  open_behind();
  CHECK_STATUS(REMORA_OK, remora_refresh_async(source, NULL, -1, NULL, NULL, NULL, NULL, &error));
  REQUIRE(loopback_await_requests(server, 1));
  REQUIRE_OK(remora_refresh(source, NULL, PATIENCE_MS, NULL, &error));
  CHECK_INT(2000, live_version(source));
  close_scene();
}

TEST("concurrent refreshes share one request") {
  enum { CALLERS = 8 };
  background_refresh blocking;
  completion ends[CALLERS];
  open_behind();
  loopback_publish(server, 2000, "[]", SAMPLE_VERSION, NEWS_AT_2000);
  loopback_hang(server, 1);
  background_start(&blocking, source);
  REQUIRE(loopback_await_requests(server, 1));
  for (int i = 0; i < CALLERS; i++) remora_request_release(start_refresh(NULL, &ends[i]));
  loopback_hang(server, 0);
  background_join(&blocking);
  CHECK_INT(REMORA_OK, blocking.status);
  for (int i = 0; i < CALLERS; i++) check_refreshed(&ends[i], REMORA_OK, REMORA_OUTCOME_UPDATED);
  CHECK_INT(1, loopback_requests(server));
  close_scene();
}

TEST("a forced refresh ignores the server's backoff") {
  completion end;
  open_behind();
  loopback_fail(server, 503, "Retry-After: 60");
  CHECK_INT(REMORA_ERR_HTTP, remora_refresh(source, NULL, PATIENCE_MS, NULL, NULL));
  CHECK_INT(REMORA_ERR_BACKOFF, remora_refresh(source, NULL, PATIENCE_MS, NULL, NULL));
  loopback_publish(server, 2000, "[]", SAMPLE_VERSION, NEWS_AT_2000);
  remora_request *request = start_refresh(REFRESH_WITH(force, 1), &end);
  check_refreshed(&end, REMORA_OK, REMORA_OUTCOME_UPDATED);
  CHECK_INT(2, loopback_requests(server));
  remora_request_release(request);
  close_scene();
}

TEST("a forced refresh does not share its request with other refreshes") {
  completion alone;
  background_refresh after;
  open_behind();
  loopback_publish(server, 2000, "[]", SAMPLE_VERSION, NEWS_AT_2000);
  loopback_hang(server, 1);
  remora_request_release(start_refresh(REFRESH_WITH(force, 1), &alone));
  REQUIRE(loopback_await_requests(server, 1));
  background_start(&after, source);
  CHECK(!tally_await_for(&after.done, 1, 200));
  loopback_hang(server, 0);
  check_refreshed(&alone, REMORA_OK, REMORA_OUTCOME_UPDATED);
  background_join(&after);
  CHECK_INT(REMORA_OUTCOME_UNCHANGED, after.outcome);
  CHECK_INT(2, loopback_requests(server));
  close_scene();
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
      remora_refresh_async(from, options, -1, completion_told, &end, completion_freed, &request, &error);
  check_refused(REMORA_ERR_INVALID_ARGUMENT, word, status, &error, "remora_refresh_async", __FILE__, line);
  CHECK(request == NULL);
  CHECK_INT(0, tally_count(&end.calls));
  CHECK_INT(1, tally_count(&end.freed));
}

TEST("an error of remora_refresh_async about an invalid argument names it, and user data is freed once") {
  open_served(sample_data);
  CHECK_ASYNC("source", NULL, NULL);
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_refresh_async(NULL, NULL, -1, NULL, NULL, NULL, NULL, NULL));
  remora_request_cancel(NULL);
  remora_request_release(NULL);
  close_scene();
}
