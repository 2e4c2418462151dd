/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "refresh": what ends an asynchronous refresh, and what does not. */
#include "async_scene.h"

TEST("a cancelled refresh calls its callback once with CANCELLED, and a late response changes nothing") {
  completion end;
  open_behind();
  loopback_hang(server, 1);
  remora_request *request = start_refresh(NULL, &end);
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

TEST("releasing the request handle of a refresh does not cancel the refresh") {
  completion end;
  open_behind();
  loopback_hang(server, 1);
  remora_request_release(start_refresh(NULL, &end));
  REQUIRE(loopback_await_requests(server, 1));
  loopback_hang(server, 0);
  check_refreshed(&end, REMORA_OK, REMORA_OUTCOME_UPDATED);
  close_scene();
}

TEST("if one caller of a shared refresh cancels, the other callers still receive the result") {
  completion one, two;
  open_behind();
  loopback_hang(server, 1);
  remora_request *first = start_refresh(NULL, &one), *second = start_refresh(NULL, &two);
  REQUIRE(loopback_await_requests(server, 1));
  remora_request_cancel(first);
  REQUIRE(tally_await(&one.calls, 1));
  CHECK_INT(REMORA_ERR_CANCELLED, one.status);
  loopback_hang(server, 0);
  check_refreshed(&two, REMORA_OK, REMORA_OUTCOME_UPDATED);
  remora_request_release(first);
  remora_request_release(second);
  close_scene();
}

/* The library still clears the cancelled refresh away when the next one starts. */
TEST("a refresh that starts right after another was cancelled completes") {
  open_behind();
  for (int i = 0; i < 50; i++) {
    completion first, second;
    remora_request *request = start_refresh(NULL, &first);
    remora_request_cancel(request);
    remora_request_release(request);
    remora_request_release(start_refresh(NULL, &second));
    REQUIRE(tally_await(&first.freed, 1) && tally_await(&second.freed, 1));
    CHECK_INT(REMORA_OK, second.status);
  }
  close_scene();
}

TEST("cancelling a forced refresh does not affect or repeat another refresh that is running") {
  completion running, queued;
  open_behind();
  loopback_publish(server, 2000, "[]", SAMPLE_VERSION, NEWS_AT_2000);
  loopback_hang(server, 1);
  remora_request *first = start_refresh(NULL, &running);
  REQUIRE(loopback_await_requests(server, 1));
  remora_request *second = start_refresh(REFRESH_WITH(force, 1), &queued);
  remora_request_cancel(second);
  check_refreshed(&queued, REMORA_ERR_CANCELLED, REMORA_OUTCOME_FAILED);
  CHECK(!tally_await_for(&running.calls, 1, 200));
  loopback_hang(server, 0);
  check_refreshed(&running, REMORA_OK, REMORA_OUTCOME_UPDATED);
  /* The forced one begins at once: its request may have been sent before it was cancelled. */
  CHECK(loopback_requests(server) <= 2);
  remora_request_release(first);
  remora_request_release(second);
  close_scene();
}

/* Another handle of the same source keeps the source, and its own refreshes. */
TEST("closing a source handle cancels its refreshes without calling their callbacks") {
  completion closed, kept;
  remora_request *request = NULL;
  open_behind();
  remora_source *other = open_untrusted(client, "sample", NULL);
  loopback_hang(server, 1);
  completion_init(&closed);
  REQUIRE_OK(remora_refresh_async(other, NULL, -1, completion_told, &closed, completion_freed, &request, &error));
  remora_request_release(start_refresh(NULL, &kept));
  REQUIRE(loopback_await_requests(server, 1));
  remora_source_close(other);
  CHECK_INT(1, tally_count(&closed.freed));
  remora_request_cancel(request);
  remora_request_release(request);
  loopback_hang(server, 0);
  check_refreshed(&kept, REMORA_OK, REMORA_OUTCOME_UPDATED);
  CHECK_INT(0, tally_count(&closed.calls));

  loopback_hang(server, 1);
  remora_request_release(start_refresh(NULL, &closed));
  remora_source_close(source);
  source = NULL;
  CHECK_INT(1, tally_count(&closed.freed));
  close_scene();
  CHECK_INT(0, tally_count(&closed.calls));
}
