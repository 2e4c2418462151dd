/* SPDX-License-Identifier: Apache-2.0 */

/* The header's remora_attempt_callback: what refreshes came to, and cost. */
#include <stdio.h>

#include "recorder.h"
#include "scene.h"

#define LISTED "[{\"id\":\"a\",\"last_modified\":2000,\"bucket\":\"main\",\"collection\":\"sample\"}]"

/* What is kept of the attempts, newest last. */
static struct {
  tally calls;
  tally freed;
  char lines[8][128]; /* "main/sample 1 REMORA_OK 200" */
  int64_t bytes[8];
  int64_t duration[8];
  size_t struct_size;
} kept;

static void keep(const remora_attempt *attempt, void *user_data) {
  char base[128];
  int number = tally_count(&kept.calls) % 8;
  CHECK(user_data == &kept);
  snprintf(base, sizeof base, "%s/v2", loopback_url(server));
  CHECK_TEXT(base, attempt->server);
  CHECK_INT(attempt->status, attempt->error ? attempt->error->status : REMORA_OK);
  snprintf(kept.lines[number], sizeof kept.lines[number], "%s %d %s %d", attempt->source_name, attempt->outcome,
           remora_status_name(attempt->status), attempt->http_status);
  kept.bytes[number] = attempt->bytes;
  kept.duration[number] = attempt->duration_ms;
  kept.struct_size = attempt->struct_size;
  tally_add(&kept.calls);
}

static void freed(void *user_data) {
  CHECK(user_data == &kept);
  tally_add(&kept.freed);
}

static remora_config config_with(remora_attempt_callback callback) {
  remora_config config;
  tally_init(&kept.calls);
  tally_init(&kept.freed);
  REMORA_INIT(&config);
  config.storage_dir = REMORA_STORAGE_MEMORY;
  config.server = server ? loopback_url(server) : NO_SERVER;
  config.on_attempt = callback;
  config.on_attempt_user_data = &kept;
  config.on_attempt_free_user_data = freed;
  return config;
}

static void open_watched(void) {
  server = loopback_start();
  remora_config config = config_with(keep);
  REQUIRE_OK(remora_setup(&config, &client, &error));
  source = open_untrusted(client, "sample", NULL);
}

static void check_last(int count, const char *line) {
  REQUIRE(tally_await(&kept.calls, count));
  CHECK_TEXT(line, kept.lines[(count - 1) % 8]);
}

TEST("every refresh attempt is reported with its status, HTTP status and bytes") {
  open_watched();
  loopback_publish(server, 2000, LISTED, 0, NULL);
  CHECK_INT(REMORA_OK, remora_refresh(source, NULL, PATIENCE_MS, NULL, NULL));
  check_last(1, "main/sample 1 REMORA_OK 200");
  CHECK(kept.bytes[0] > (int64_t)sizeof(LISTED) && kept.duration[0] >= 0 && kept.duration[0] < PATIENCE_MS);
  CHECK(kept.struct_size >= sizeof(remora_attempt));
  CHECK_INT(REMORA_OK, remora_refresh(source, NULL, PATIENCE_MS, NULL, NULL));
  check_last(2, "main/sample 2 REMORA_OK 200");
  loopback_say(server, "<html>");
  CHECK_INT(REMORA_ERR_PARSE, remora_refresh(source, NULL, PATIENCE_MS, NULL, NULL));
  check_last(3, "main/sample 5 REMORA_ERR_PARSE 200");
  CHECK_INT(6, kept.bytes[2]);
  loopback_fail(server, 503, "Retry-After: 60");
  CHECK_INT(REMORA_ERR_HTTP, remora_refresh(source, NULL, PATIENCE_MS, NULL, NULL));
  check_last(4, "main/sample 6 REMORA_ERR_HTTP 503");
  CHECK_INT(REMORA_ERR_BACKOFF, remora_refresh(source, NULL, PATIENCE_MS, NULL, NULL));
  check_last(5, "main/sample 6 REMORA_ERR_BACKOFF 0");
  CHECK_INT(0, kept.bytes[4]);
  close_scene();
  CHECK_INT(1, tally_count(&kept.freed));
}

TEST("a sync calls on_attempt for its request for the list of changes, and for each source") {
  open_watched();
  loopback_publish(server, 2000, LISTED, 0, NULL);
  CHECK_INT(REMORA_OK, remora_sync(client, NULL, PATIENCE_MS, NULL, NULL, NULL));
  check_last(2, "main/sample 1 REMORA_OK 200");
  CHECK_TEXT("monitor/changes 1 REMORA_OK 200", kept.lines[0]);
  CHECK_INT(REMORA_OK, remora_sync(client, NULL, PATIENCE_MS, NULL, NULL, NULL));
  check_last(4, "main/sample 2 REMORA_OK 0");
  loopback_fail(server, 500, NULL);
  CHECK_INT(REMORA_ERR_HTTP, remora_sync(client, NULL, PATIENCE_MS, NULL, NULL, NULL));
  check_last(5, "monitor/changes 6 REMORA_ERR_HTTP 500");
  close_scene();
}

TEST("a refresh attempt is reported after the events and before the callback of the refresh") {
  recorder events;
  completion end;
  remora_subscription *subscription = NULL;
  open_watched();
  recorder_init(&events);
  completion_init(&end);
  loopback_publish(server, 2000, LISTED, 0, NULL);
  REQUIRE_OK(remora_subscribe(source, NULL, 0, recorder_event, &events, recorder_freed, &subscription, &error));
  REQUIRE_OK(remora_refresh_async(source, NULL, -1, completion_told, &end, completion_freed, NULL, &error));
  REQUIRE(tally_await(&end.calls, 1));
  CHECK_INT(1, tally_count(&events.events));
  CHECK_INT(1, tally_count(&kept.calls));
  remora_unsubscribe(subscription);
  close_scene();
}

TEST("the user data of on_attempt is freed once, even if on_attempt is NULL or setup fails") {
  remora_config config = config_with(NULL);
  REQUIRE_OK(remora_setup(&config, &client, &error));
  remora_client_close(client);
  client = NULL;
  CHECK_INT(1, tally_count(&kept.freed));
  config = config_with(keep);
  config.server = "no server";
  CHECK_INVALID("server", remora_setup(&config, &client, &error));
  CHECK_INT(1, tally_count(&kept.freed));
}
