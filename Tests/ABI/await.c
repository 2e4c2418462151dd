/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "refresh": remora_await. */
#include <string.h>

#include "recorder.h"
#include "scene.h"
#include "settings_scene.h"

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

/* What an output must still contain after a failure. */
static remora_snapshot *const untouched = (remora_snapshot *)&untouched;

TEST("await returns REMORA_ERR_TIMEOUT and no snapshot if the time limit expires first") {
  remora_snapshot *given = untouched;
  open_all(sample_data);
  loopback_hang(server, 1);
  int64_t before = now_ms();
  CHECK_REFUSED(REMORA_ERR_TIMEOUT, "", remora_await(source, NULL, 50, &given, &error));
  CHECK(now_ms() - before < 1050);
  CHECK(given == untouched);
  CHECK_INT(SAMPLE_VERSION, live_version(source));
  close_scene();
}

TEST("await returns the error and no snapshot if the refresh fails, and the last good data stays live") {
  remora_snapshot *given = untouched;
  open_all(sample_data);
  loopback_fail(server, 500, NULL);
  CHECK_REFUSED(REMORA_ERR_HTTP, "", remora_await(source, NULL, -1, &given, &error));
  CHECK(given == untouched);
  CHECK_INT(SAMPLE_VERSION, live_version(source));
  close_scene();
}

TEST("await with a time limit of 0 sends no request, and returns REMORA_ERR_TIMEOUT unless the data is fresh") {
  remora_snapshot *given = untouched;
  open_all(sample_data);
  CHECK_REFUSED(REMORA_ERR_TIMEOUT, "", remora_await(source, NULL, 0, &given, &error));
  CHECK(given == untouched);
  CHECK_INT(0, loopback_requests(server));
  close_scene();
}

TEST("await with a time limit of 0 returns settings whose lifetime has not expired") {
  remora_snapshot *given = NULL;
  int64_t number = 0;
  server = loopback_start();
  loopback_say(server, "{\"n\":5}");
  client = client_in_memory(NO_SERVER);
  remora_settings_options settings = settings_at(loopback_url(server));
  settings.ttl_ms = 60000;
  source = open_settings(client, &settings);
  CHECK_REFUSED(REMORA_ERR_TIMEOUT, "", remora_await(source, NULL, 0, NULL, &error));
  CHECK_STATUS(REMORA_OK, remora_await(source, NULL, -1, NULL, &error));
  CHECK_INT(5, remora_get_int(source, "n", NULL, -1));
  CHECK_STATUS(REMORA_OK, remora_await(source, NULL, 0, &given, &error));
  CHECK_STATUS(REMORA_OK, remora_snapshot_get_int(given, "n", NULL, &number, &error));
  CHECK_INT(5, number);
  remora_snapshot_release(given);
  CHECK_INT(1, loopback_requests(server));
  close_scene();
}

TEST("await with force sends a request although the data is fresh") {
  server = loopback_start();
  loopback_say(server, "{\"n\":5}");
  client = client_in_memory(NO_SERVER);
  remora_settings_options settings = settings_at(loopback_url(server));
  settings.ttl_ms = 60000;
  settings.activation = REMORA_ACTIVATION_IMMEDIATE;
  source = open_settings(client, &settings);
  CHECK_STATUS(REMORA_OK, remora_await(source, NULL, -1, NULL, &error));
  loopback_say(server, "{\"n\":6}");
  CHECK_STATUS(REMORA_OK, remora_await(source, NULL, -1, NULL, &error));
  CHECK_INT(5, remora_get_int(source, "n", NULL, -1));
  CHECK_STATUS(REMORA_OK, remora_await(source, REFRESH_WITH(force, 1), -1, NULL, &error));
  CHECK_INT(6, remora_get_int(source, "n", NULL, -1));
  CHECK_INT(2, loopback_requests(server));
  CHECK_REFUSED(REMORA_ERR_TIMEOUT, "", remora_await(source, REFRESH_WITH(force, 1), 0, NULL, &error));
  close_scene();
}

TEST("await with force sends a request although the server asked for a pause") {
  open_all(sample_data);
  loopback_fail(server, 503, "Retry-After: 3600");
  CHECK_REFUSED(REMORA_ERR_HTTP, "", remora_await(source, NULL, -1, NULL, &error));
  CHECK_REFUSED(REMORA_ERR_BACKOFF, "", remora_await(source, NULL, -1, NULL, &error));
  loopback_fail(server, 0, NULL);
  CHECK_STATUS(REMORA_OK, remora_await(source, REFRESH_WITH(force, 1), -1, NULL, &error));
  CHECK_INT(2000, live_version(source));
  close_scene();
}

TEST("await sends the option expected_version of its caller") {
  open_all(NULL);
  CHECK_STATUS(REMORA_OK, remora_await(source, REFRESH_WITH(expected_version, 4321), -1, NULL, &error));
  CHECK(was_asked("_expected=4321"));
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
  remora_snapshot *given = untouched;
  open_all(sample_data);
  CHECK_PARAMETER("source", remora_await(NULL, NULL, 0, &given, &error));
  CHECK_PARAMETER("timeout_ms", remora_await(source, NULL, -2, &given, &error));
  CHECK(given == untouched);
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

TEST("an asynchronous await that fails, also with a time limit of 0, passes no snapshot to its callback") {
  completion end;
  open_all(sample_data);
  completion_init(&end);
  CHECK_STATUS(REMORA_OK, remora_await_async(source, NULL, 0, completion_told, &end, completion_freed, NULL, &error));
  REQUIRE(tally_await(&end.freed, 1));
  CHECK_INT(REMORA_ERR_TIMEOUT, end.status);
  CHECK_INT(0, loopback_requests(server));
  loopback_fail(server, 500, NULL);
  completion_init(&end);
  CHECK_STATUS(REMORA_OK, remora_await_async(source, NULL, -1, completion_told, &end, completion_freed, NULL, &error));
  REQUIRE(tally_await(&end.freed, 1));
  CHECK_INT(REMORA_ERR_HTTP, end.status);
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
