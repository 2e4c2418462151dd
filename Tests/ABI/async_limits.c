/* SPDX-License-Identifier: Apache-2.0 */

/* The header's timeout_ms of asynchronous refreshes, syncs and openings of attachments. */
#include "async_scene.h"
#include "attachment_scene.h"
#include "sync_scene.h"

enum { SHORT_MS = 50 };

static void start_refresh_with(int64_t timeout_ms, completion *end) {
  completion_init(end);
  REQUIRE_OK(remora_refresh_async(source, NULL, timeout_ms, completion_told, end, completion_freed, NULL, &error));
}

TEST("an asynchronous refresh calls its callback once with TIMEOUT at its time limit") {
  completion end;
  open_behind();
  loopback_hang(server, 1);
  int64_t before = now_ms();
  start_refresh_with(SHORT_MS, &end);
  check_refreshed(&end, REMORA_ERR_TIMEOUT, REMORA_OUTCOME_FAILED);
  CHECK(now_ms() - before >= SHORT_MS - 5 && now_ms() - before < SHORT_MS + 1000);
  CHECK(tally_await(&end.freed, 1));
  loopback_hang(server, 0);
  CHECK_INT(SAMPLE_VERSION, live_version(source));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  close_scene();
  CHECK_INT(1, tally_count(&end.calls));
  CHECK_INT(1, tally_count(&end.freed));
}

TEST("if one caller of a shared refresh times out, the other callers still receive the result") {
  completion hasty, patient;
  open_behind();
  loopback_hang(server, 1);
  start_refresh_with(PATIENCE_MS, &patient);
  start_refresh_with(SHORT_MS, &hasty);
  REQUIRE(loopback_await_requests(server, 1));
  check_refreshed(&hasty, REMORA_ERR_TIMEOUT, REMORA_OUTCOME_FAILED);
  CHECK_INT(0, tally_count(&patient.calls));
  loopback_hang(server, 0);
  check_refreshed(&patient, REMORA_OK, REMORA_OUTCOME_UPDATED);
  close_scene();
}

TEST("an asynchronous refresh with time limit 0 sends no request and passes TIMEOUT to its callback") {
  completion end;
  open_behind();
  start_refresh_with(0, &end);
  REQUIRE(tally_await(&end.calls, 1));
  CHECK_INT(REMORA_ERR_TIMEOUT, end.status);
  CHECK_INT(REMORA_ERR_TIMEOUT, end.error);
  CHECK(tally_await(&end.freed, 1));
  CHECK_INT(0, loopback_requests(server));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  close_scene();
  CHECK_INT(1, tally_count(&end.calls));
}

TEST("an asynchronous refresh that has completed does not call its callback again at its time limit") {
  completion end;
  tally never;
  open_behind();
  tally_init(&never);
  start_refresh_with(500, &end);
  check_refreshed(&end, REMORA_OK, REMORA_OUTCOME_UPDATED);
  tally_await_for(&never, 1, 700);
  close_scene();
  CHECK_INT(1, tally_count(&end.calls));
}

static void start_sync_with(int64_t timeout_ms) {
  REQUIRE_OK(remora_sync_async(client, NULL, timeout_ms, keep, &kept, freed, NULL, &error));
}

TEST("at its time limit, an asynchronous sync reports TIMEOUT for sources that were not fetched yet") {
  open_two();
  loopback_hang(server, 1);
  int64_t before = now_ms();
  start_sync_with(SHORT_MS);
  REQUIRE(await_reports(1));
  CHECK(now_ms() - before >= SHORT_MS - 5 && now_ms() - before < SHORT_MS + 1000);
  check_counts(0, 0, 2);
  CHECK_INT(REMORA_ERR_TIMEOUT, kept.error);
  loopback_hang(server, 0);
  CHECK_STATUS(REMORA_OK, sync_now(&error));
  close_two();
  CHECK_INT(2, tally_count(&kept.calls));
}

TEST("an asynchronous sync with time limit 0 sends no request and reports TIMEOUT for its sources") {
  open_two();
  start_sync_with(0);
  REQUIRE(await_reports(1));
  check_counts(0, 0, 2);
  CHECK_INT(REMORA_ERR_TIMEOUT, kept.error);
  CHECK_INT(0, loopback_requests(server));
  close_two();
  CHECK_INT(1, tally_count(&kept.calls));
}

TEST("if one of two asynchronous openings of an attachment times out, the download continues for the other one") {
  open_attachments(NULL);
  remora_request *request = start_stalled(&first_opening);
  remora_attachment_options options = progress_to(&second_opening);
  int64_t before = now_ms();
  REQUIRE_OK(open_async("large", &options, SHORT_MS, &second_opening, &error));
  check_end(&second_opening, REMORA_ERR_TIMEOUT);
  CHECK(now_ms() - before >= SHORT_MS - 5 && now_ms() - before < SHORT_MS + 1000);
  CHECK_INT(0, tally_count(&first_opening.calls));
  loopback_flow(server);
  check_end(&first_opening, REMORA_OK);
  CHECK_INT(1, loopback_downloads(server));
  remora_request_release(request);
  close_scene();
  check_once(&first_opening);
  check_once(&second_opening);
}

TEST("opening an attachment asynchronously with time limit 0 sends no request") {
  remora_attachment_options options = progress_to(&first_opening);
  open_attachments(NULL);
  int requests = loopback_requests(server);
  REQUIRE_OK(open_async("large", &options, 0, &first_opening, &error));
  check_end(&first_opening, REMORA_ERR_TIMEOUT);
  CHECK_INT(requests, loopback_requests(server));
  close_scene();
  check_once(&first_opening);
}

TEST("opening a stored attachment asynchronously with time limit 0 succeeds without a request") {
  char directory[64];
  temporary_directory(directory);
  open_attachments(directory);
  remora_attachment_release(open_record("small"));
  int requests = loopback_requests(server);
  remora_attachment_options options = progress_to(&first_opening);
  REQUIRE_OK(open_async("small", &options, 0, &first_opening, &error));
  check_end(&first_opening, REMORA_OK);
  CHECK_INT(requests, loopback_requests(server));
  close_scene();
  remove_directory(directory);
}

TEST("an error about a time limit below -1 names the argument timeout_ms") {
  const int64_t limits[] = {-2, INT64_MIN};
  completion end;
  open_two();
  completion_init(&end);
  for (int i = 0; i < 2; i++) {
    CHECK_INVALID("timeout_ms",
                  remora_refresh_async(source, NULL, limits[i], completion_told, &end, completion_freed, NULL, &error));
    CHECK_INVALID("timeout_ms", remora_sync_async(client, NULL, limits[i], keep, &kept, freed, NULL, &error));
    CHECK_INT(i + 1, tally_count(&end.freed));
    CHECK_INT(i + 1, tally_count(&kept.freed));
  }
  CHECK_INT(0, tally_count(&end.calls) + tally_count(&kept.calls));
  close_two();
}
