/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "refresh": remora_await. */
#include <string.h>

#include "scene.h"

static void open_all(const char *packaged) {
  open_served(packaged);
  loopback_publish(server, 2000, "[{\"id\":\"a\",\"last_modified\":2000}]", 0, NULL);
}

/* Releases a snapshot and returns its version; -1 for none. */
static int64_t version_of(remora_snapshot *given) {
  remora_snapshot_info info = {.struct_size = sizeof info};
  remora_status status = given ? remora_snapshot_get_info(given, &info, NULL) : REMORA_ERR_NOT_FOUND;
  remora_snapshot_release(given);
  return status == REMORA_OK ? info.version : -1;
}

TEST("await returns the newly fetched snapshot if the server responds in time") {
  remora_snapshot *given = NULL;
  open_all(sample_data);
  CHECK_STATUS(REMORA_OK, remora_await(source, NULL, -1, &given, &error));
  CHECK_INT(2000, version_of(given));
  close_scene();
}

TEST("await returns the previous snapshot if the time limit expires first") {
  remora_snapshot *given = NULL;
  open_all(sample_data);
  loopback_hang(server, 1);
  int64_t before = now_ms();
  CHECK_REFUSED(REMORA_ERR_TIMEOUT, "", remora_await(source, NULL, 50, &given, &error));
  CHECK(now_ms() - before < 1050);
  CHECK_INT(SAMPLE_VERSION, version_of(given));
  close_scene();
}

TEST("await returns the previous snapshot and the error if the refresh fails") {
  remora_snapshot *given = NULL;
  open_all(sample_data);
  loopback_fail(server, 500, NULL);
  CHECK_REFUSED(REMORA_ERR_HTTP, "", remora_await(source, NULL, -1, &given, &error));
  CHECK_INT(SAMPLE_VERSION, version_of(given));
  close_scene();
}

TEST("await with a time limit of 0 returns at once, without a request") {
  remora_snapshot *given = NULL;
  open_all(sample_data);
  CHECK_STATUS(REMORA_OK, remora_await(source, NULL, 0, &given, &error));
  CHECK_INT(SAMPLE_VERSION, version_of(given));
  CHECK_INT(0, loopback_requests(server));
  close_scene();
}

TEST("await with only_if_empty sends no request if the collection was fetched before, even if it has no records") {
  remora_snapshot *given = NULL;
  open_all(NULL);
  loopback_publish(server, 2000, "[]", 0, NULL);
  CHECK_STATUS(REMORA_OK, remora_await(source, REFRESH_WITH(only_if_empty, 1), -1, &given, &error));
  CHECK_INT(0, (int64_t)remora_snapshot_count(given));
  CHECK_INT(2000, version_of(given));
  CHECK_INT(1, loopback_requests(server));
  given = NULL;
  CHECK_STATUS(REMORA_OK, remora_await(source, REFRESH_WITH(only_if_empty, 1), -1, &given, &error));
  CHECK_INT(2000, version_of(given));
  given = NULL;
  CHECK_STATUS(REMORA_OK, remora_await(source, REFRESH_WITH(only_if_empty, 1), 0, &given, &error));
  CHECK_INT(2000, version_of(given));
  CHECK_INT(1, loopback_requests(server));
  close_scene();
}

TEST("an error of await about a NULL argument or a time limit below -1 names the argument") {
  remora_snapshot *given = NULL;
  open_all(sample_data);
  CHECK_INVALID("source", remora_await(NULL, NULL, 0, &given, &error));
  CHECK(given == NULL);
  CHECK_INVALID("out_snapshot", remora_await(source, NULL, 0, NULL, &error));
  CHECK_INVALID("timeout_ms", remora_await(source, NULL, -2, &given, &error));
  CHECK(given == NULL);
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_await(NULL, NULL, 0, NULL, NULL));
  CHECK_INT(0, loopback_requests(server));
  close_scene();
}

TEST("an asynchronous await refuses invalid arguments, and frees its user data") {
  tally freed;
  tally_init(&freed);
  open_all(sample_data);
  CHECK_INVALID("source", remora_await_async(NULL, NULL, 0, NULL, &freed, tally_add, NULL, &error));
  CHECK_INVALID("timeout_ms", remora_await_async(source, NULL, -2, NULL, &freed, tally_add, NULL, &error));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_await_async(NULL, NULL, 0, NULL, &freed, tally_add, NULL, NULL));
  CHECK_INT(3, tally_count(&freed));
  CHECK_INT(0, loopback_requests(server));
  close_scene();
}

TEST("an asynchronous await without a callback fetches the data") {
  remora_request *request = NULL;
  tally freed;
  tally_init(&freed);
  open_all(sample_data);
  CHECK_STATUS(REMORA_OK, remora_await_async(source, NULL, -1, NULL, &freed, tally_add, &request, &error));
  REQUIRE(tally_await(&freed, 1));
  CHECK_INT(2000, live_version(source));
  remora_request_cancel(request);
  remora_request_release(request);
  close_scene();
}
