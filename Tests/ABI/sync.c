/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "sync". The scripted server answers its monitor like any collection,
 * so that records with a bucket and a collection are the monitor's list too. */
#define _GNU_SOURCE /* RUSAGE_THREAD */
#include <string.h>
#include <sys/resource.h>

#include "sync_scene.h"

TEST("a sync requests the server's list of collections, and then only the changed collections") {
  char head[512];
  open_two();
  CHECK_STATUS(REMORA_OK, sync_now(&error));
  check_counts(2, 0, 0);
  CHECK_TEXT("main/sample 1 REMORA_OK; main/other 1 REMORA_OK; ", kept.items);
  CHECK(kept.struct_size >= sizeof(remora_sync_report));
  CHECK_INT(3, loopback_requests(server));
  CHECK_STATUS(REMORA_OK, sync_now(&error));
  check_counts(0, 2, 0);
  CHECK_INT(4, loopback_requests(server));
  loopback_publish(server, 3000, ONE_AT_3000, 2000, "[" LISTED("sample", 3000) "]");
  CHECK_STATUS(REMORA_OK, sync_now(&error));
  check_counts(1, 1, 0);
  CHECK_INT(6, loopback_requests(server));
  loopback_last_head(server, head, sizeof head);
  CHECK(strstr(head, "/collections/sample/changeset?_expected=3000&_since=2000") != NULL);
  CHECK_INT(3000, live_version(source));
  CHECK_INT(2000, live_version(second));
  CHECK_INT(3, tally_count(&kept.calls));
  close_two();
}

TEST("a sync sends the option expected_version with its request for the server's list of collections") {
  open_two();
  CHECK_STATUS(REMORA_OK, sync_now(&error));
  CHECK_STATUS(REMORA_OK, remora_sync(client, REFRESH_WITH(expected_version, 4321), PATIENCE_MS, keep, &kept, &error));
  CHECK(was_asked("/collections/changes/changeset?_expected=4321 "));
  check_counts(0, 2, 0);
  REQUIRE_OK(remora_sync_async(client, REFRESH_WITH(expected_version, 5432), -1, keep, &kept, freed, NULL, &error));
  CHECK(await_reports(1));
  CHECK(was_asked("/collections/changes/changeset?_expected=5432 "));
  CHECK_STATUS(REMORA_OK, remora_sync(client, REFRESH_WITH(expected_version, 0), PATIENCE_MS, keep, &kept, &error));
  CHECK(was_asked("/collections/changes/changeset?_expected=0 "));
  close_two();
}

TEST("if one source fails, a sync fetches the others, and returns the status of the failed source") {
  remora_error details;
  remora_source *strict = NULL;
  open_two();
  remora_collection_options signed_one = untrusted("strict", NULL);
  signed_one.trust = REMORA_TRUST_REQUIRED;
  REQUIRE_OK(remora_open_collection(client, &signed_one, NULL, &strict, &error));
  remora_source *last = open_untrusted(client, "last", NULL);
  fill_error(&details);
  CHECK_INT(REMORA_ERR_SIGNATURE_MISSING, sync_now(&details));
  check_counts(3, 0, 1);
  CHECK_TEXT(
      "main/sample 1 REMORA_OK; main/other 1 REMORA_OK; main/strict 5 REMORA_ERR_SIGNATURE_MISSING; "
      "main/last 1 REMORA_OK; ",
      kept.items);
  CHECK_INT(REMORA_ERR_SIGNATURE_MISSING, kept.error);
  CHECK(strstr(details.message, "1 of 4 sources failed: main/strict: ") == details.message);
  CHECK_TEXT(details.message, kept.message);
  remora_source_close(last);
  remora_source_close(strict);
  close_two();
}

TEST("if the request for the list of collections fails with Retry-After, all sources and the next sync fail") {
  remora_error details;
  open_two();
  loopback_fail(server, 503, "Retry-After: 60");
  fill_error(&details);
  CHECK_INT(REMORA_ERR_HTTP, sync_now(&details));
  CHECK_INT(503, details.http_status);
  check_counts(0, 0, 2);
  CHECK_INT(REMORA_ERR_BACKOFF, sync_now(&details));
  CHECK(details.retry_after_ms > 0 && details.retry_after_ms <= 60000);
  CHECK_INT(1, loopback_requests(server));
  close_two();
}

TEST("a sync of a client without sources succeeds, and its report is empty") {
  tally_init(&kept.calls);
  client = client_in_memory(NO_SERVER);
  CHECK_STATUS(REMORA_OK, sync_now(&error));
  check_counts(0, 0, 0);
  CHECK_INT(1, tally_count(&kept.calls));
  close_scene();
}

TEST("a sync fails at its time limit, and with time limit 0 it sends no request") {
  open_two();
  CHECK_REFUSED(REMORA_ERR_TIMEOUT, "2 of 2", remora_sync(client, NULL, 0, keep, &kept, &error));
  check_counts(0, 0, 2);
  CHECK_INT(0, loopback_requests(server));
  loopback_hang(server, 1);
  int64_t before = now_ms();
  CHECK_REFUSED(REMORA_ERR_TIMEOUT, "main/sample", remora_sync(client, NULL, 50, keep, &kept, &error));
  CHECK(now_ms() - before >= 45 && now_ms() - before < 1050);
  check_counts(0, 0, 2);
  loopback_hang(server, 0);
  CHECK_STATUS(REMORA_OK, remora_sync(client, NULL, -1, NULL, NULL, &error));
  CHECK_INT(2000, live_version(second));
  close_two();
}

static void refresh_the_first(void) { CHECK_INT(REMORA_OK, remora_refresh(source, NULL, PATIENCE_MS, NULL, NULL)); }

TEST("the callback of a sync can call other functions") {
  open_two();
  kept.during = refresh_the_first;
  CHECK_STATUS(REMORA_OK, sync_now(&error));
  CHECK_INT(4, loopback_requests(server));
  close_two();
}

TEST("an asynchronous sync calls its callback once") {
  open_two();
  remora_request *request = start();
  CHECK(await_reports(1));
  check_counts(2, 0, 0);
  CHECK_INT(REMORA_OK, kept.error);
  remora_request_cancel(request);
  remora_request_release(request);
  kept.during = refresh_the_first;
  remora_request_release(start());
  CHECK(await_reports(2));
  check_counts(0, 2, 0);
  close_two();
  CHECK_INT(2, tally_count(&kept.calls));
  CHECK_INT(2, tally_count(&kept.freed));
}

TEST("a cancelled sync reports CANCELLED for the sources that were not fetched yet") {
  open_two();
  loopback_hang(server, 1);
  remora_request *request = start();
  REQUIRE(loopback_await_requests(server, 1));
  remora_request_cancel(request);
  CHECK(await_reports(1));
  check_counts(0, 0, 2);
  CHECK_INT(REMORA_ERR_CANCELLED, kept.error);
  remora_request_release(request);
  loopback_hang(server, 0);
  close_two();
}

TEST("closing the client frees the user data of a running sync without calling its callback") {
  open_two();
  loopback_hang(server, 1);
  remora_request *request = start();
  REQUIRE(loopback_await_requests(server, 1));
  remora_client_close(client);
  client = NULL;
  CHECK_INT(0, tally_count(&kept.calls));
  CHECK_INT(1, tally_count(&kept.freed));
  remora_request_cancel(request);
  remora_request_release(request);
  close_two();
}

/* How often this thread gave up the processor to wait for something. */
static long waits_of_this_thread(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

TEST("in 100,000 attempts, no read or snapshot waits while a sync is waiting for its server") {
  open_two();
  CHECK_STATUS(REMORA_OK, remora_refresh(source, NULL, PATIENCE_MS, NULL, &error));
  loopback_hang(server, 1);
  remora_request *request = start();
  REQUIRE(loopback_await_requests(server, 2));
  long before = waits_of_this_thread();
  int found = 0;
  for (int i = 0; i < 100000; i++) {
    remora_snapshot *snapshot = NULL;
    found += remora_get_int(source, "sample", "/last_modified", -1) == 2000;
    remora_snapshot_acquire(source, 0, &snapshot, NULL);
    remora_snapshot_release(snapshot);
  }
  CHECK_INT(100000, found);
  /* The kernel may let any thread wait for a page; a lock that is held meanwhile would cost thousands, or the test.
   * A sanitizer has locks of its own. */
  if (!IS_SANITIZED) CHECK(waits_of_this_thread() - before < 10);
  CHECK_INT(0, tally_count(&kept.calls));
  loopback_hang(server, 0);
  remora_request_cancel(request);
  remora_request_release(request);
  close_two();
}

TEST("an asynchronous sync can be started without a callback and without a request handle") {
  open_two();
  CHECK_STATUS(REMORA_OK, remora_sync_async(client, NULL, -1, NULL, &kept, freed, NULL, &error));
  CHECK(tally_await(&kept.freed, 1));
  CHECK_INT(2000, live_version(second));
  close_two();
}

TEST("an error of a sync about a NULL argument or a time limit below -1 names the argument") {
  open_two();
  CHECK_INVALID("client", remora_sync(NULL, NULL, -1, keep, &kept, &error));
  CHECK_INVALID("timeout_ms", remora_sync(client, NULL, -2, keep, &kept, &error));
  CHECK_INVALID("client", remora_sync_async(NULL, NULL, -1, keep, &kept, freed, NULL, &error));
  CHECK_INT(1, tally_count(&kept.freed));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_sync(NULL, NULL, -1, NULL, NULL, NULL));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_sync_async(NULL, NULL, -1, NULL, NULL, NULL, NULL, NULL));
  CHECK_INT(0, tally_count(&kept.calls));
  CHECK_INT(0, loopback_requests(server));
  close_two();
}
