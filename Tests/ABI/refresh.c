/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "refresh": the blocking refresh and reset. */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "scene.h"

#define RECORDS_2000 "[{\"id\":\"a\",\"last_modified\":2000,\"n\":1},{\"id\":\"b\",\"last_modified\":1500}]"
#define DIFF_3000 "[{\"id\":\"b\",\"deleted\":true},{\"id\":\"c\",\"last_modified\":3000}]"
#define RECORDS_3000 "[{\"id\":\"a\",\"last_modified\":2000,\"n\":1},{\"id\":\"c\",\"last_modified\":3000}]"

TEST("a refresh returns UPDATED, UNCHANGED or NOT_NEWER for a valid response, and merges a diff") {
  char head[512];
  open_served(NULL);
  loopback_publish(server, 2000, RECORDS_2000, 0, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_INT(1, remora_get_int(source, "a", "/n", 0));
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  loopback_last_head(server, head, sizeof head);
  CHECK(strstr(head, "_since=2000 ") != NULL || strstr(head, "_since=2000&") != NULL);
  loopback_publish(server, 3000, RECORDS_3000, 2000, DIFF_3000);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  remora_snapshot *merged = acquire(source);
  CHECK_INT(2, (int64_t)remora_snapshot_count(merged));
  remora_snapshot_release(merged);
  CHECK_INT(1, remora_get_int(source, "a", "/n", 0));
  CHECK_INT(3000, remora_get_int(source, "c", "/last_modified", 0));
  loopback_publish(server, 1000, "[]", 0, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_NOT_NEWER, source);
  CHECK_INT(3000, live_version(source));
  close_scene();
}

/* A refresh that fails, and what it must have kept. */
static void check_kept(remora_status expected) {
  int32_t actual = -1;
  CHECK_REFUSED(expected, "", remora_refresh(source, NULL, PATIENCE_MS, &actual, &error));
  CHECK_INT(-1, actual);
  CHECK_INT(SAMPLE_VERSION, live_version(source));
  CHECK_INT(7, remora_get_int(source, "limits", "/int", 0));
}

/* Counts the warnings that name a word. */
typedef struct warnings {
  const char *word;
  tally told;
} warnings;

static void count_warning(const remora_log_entry *entry, void *raw) {
  warnings *warnings = raw;
  if (entry->level == REMORA_LOG_WARNING && strstr(entry->message, warnings->word)) tally_add(&warnings->told);
}

TEST("an invalid signature in packaged data causes one warning and no error") {
  const char packaged[] =
      "{\"data\":[],\"timestamp\":5,\"metadata\":{\"signatures\":[{\"signature\":\"AAAA\",\"chain\":\"no PEM\"}]}}";
  warnings warnings = {.word = "the packaged data is not verified"};
  remora_snapshot_info info = {.struct_size = sizeof info};
  remora_config config;
  tally_init(&warnings.told);
  server = loopback_start();
  loopback_publish(server, 2000, RECORDS_2000, 0, NULL);
  REMORA_INIT(&config);
  config.storage_dir = REMORA_STORAGE_MEMORY;
  config.server = loopback_url(server);
  config.on_log = count_warning;
  config.on_log_user_data = &warnings;
  REQUIRE_OK(remora_setup(&config, &client, &error));
  remora_collection_options options = untrusted("sample", packaged);
  options.trust = REMORA_TRUST_REQUIRED;
  REQUIRE_OK(remora_open_collection(client, &options, NULL, &source, &error));
  for (int i = 0; i < 2; i++)
    CHECK_REFUSED(REMORA_ERR_SIGNATURE_MISSING, "signature", remora_refresh(source, NULL, PATIENCE_MS, NULL, &error));
  snapshot = acquire(source);
  CHECK_STATUS(REMORA_OK, remora_snapshot_get_info(snapshot, &info, &error));
  CHECK_INT(REMORA_ORIGIN_PACKAGED, info.origin);
  CHECK_INT(5, info.version);
  CHECK_INT(0, info.verified);
  remora_source_close(source);
  source = open_untrusted(client, "sample", packaged);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK(tally_await(&warnings.told, 1));
  close_scene();
  CHECK_INT(1, tally_count(&warnings.told));
}

TEST("a refresh returns REFUSED for an invalid response, and the data does not change") {
  open_served(sample_data);
  loopback_say(server, "<html>Sign in</html>");
  check_kept(REMORA_ERR_PARSE);
  loopback_say(server, "[]");
  check_kept(REMORA_ERR_FORMAT);
  loopback_say(server, "{\"metadata\":{},\"timestamp\":2000}");
  check_kept(REMORA_ERR_FORMAT);
  loopback_publish(server, INT64_C(9000000000000), "[]", 0, NULL);
  check_kept(REMORA_ERR_FUTURE);
  close_scene();
}

TEST("a refresh of a collection that requires trust returns REFUSED for an unsigned response") {
  server = loopback_start();
  client = client_in_memory(loopback_url(server));
  remora_collection_options options = untrusted("sample", sample_data);
  options.trust = REMORA_TRUST_REQUIRED;
  REQUIRE_OK(remora_open_collection(client, &options, NULL, &source, &error));
  loopback_publish(server, 2000, RECORDS_2000, 0, NULL);
  check_kept(REMORA_ERR_SIGNATURE_MISSING);
  close_scene();
}

TEST("a refresh returns FAILED for an HTTP error, with its status, and the data does not change") {
  remora_error details;
  open_served(sample_data);
  loopback_fail(server, 404, NULL);
  fill_error(&details);
  CHECK_INT(REMORA_ERR_HTTP, remora_refresh(source, NULL, PATIENCE_MS, NULL, &details));
  CHECK_INT(404, details.http_status);
  CHECK_TEXT("main/sample", details.source_name);
  loopback_fail(server, 500, NULL);
  check_kept(REMORA_ERR_HTTP);
  close_scene();
}

TEST("after a Retry-After header, a refresh returns BACKOFF and sends no request") {
  remora_error details;
  open_served(sample_data);
  loopback_fail(server, 503, "Retry-After: 60");
  fill_error(&details);
  CHECK_INT(REMORA_ERR_HTTP, remora_refresh(source, NULL, PATIENCE_MS, NULL, &details));
  CHECK_INT(503, details.http_status);
  CHECK(details.retry_after_ms > 0 && details.retry_after_ms <= 60000);
  fill_error(&details);
  CHECK_INT(REMORA_ERR_BACKOFF, remora_refresh(source, NULL, PATIENCE_MS, NULL, &details));
  CHECK(details.retry_after_ms > 0 && details.retry_after_ms <= 60000);
  CHECK_INT(1, loopback_requests(server));
  close_scene();
}

TEST("a refresh returns a network error if the server is unreachable") {
  open_local(sample_data);
  check_kept(REMORA_ERR_NETWORK);
  close_scene();
}

TEST("a refresh returns FAILED and TOO_LARGE for a response body above max_body_bytes") {
  remora_config config;
  server = loopback_start();
  REMORA_INIT(&config);
  config.storage_dir = REMORA_STORAGE_MEMORY;
  config.server = loopback_url(server);
  config.max_body_bytes = 64;
  REQUIRE_OK(remora_setup(&config, &client, &error));
  source = open_untrusted(client, "sample", sample_data);
  loopback_publish(server, 2000, RECORDS_2000, 0, NULL);
  check_kept(REMORA_ERR_TOO_LARGE);
  close_scene();
}

TEST("a refresh with time limit 0 sends no request and returns TIMEOUT") {
  int32_t outcome = -1;
  open_served(sample_data);
  loopback_publish(server, 2000, RECORDS_2000, SAMPLE_VERSION, RECORDS_2000);
  CHECK_REFUSED(REMORA_ERR_TIMEOUT, "", remora_refresh(source, NULL, 0, &outcome, &error));
  CHECK_INT(-1, outcome);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_INT(1, loopback_requests(server));
  close_scene();
}

TEST("a refresh returns TIMEOUT at its time limit if the server does not respond") {
  open_served(sample_data);
  loopback_hang(server, 1);
  int64_t before = now_ms();
  CHECK_REFUSED(REMORA_ERR_TIMEOUT, "", remora_refresh(source, NULL, 50, NULL, &error));
  CHECK(now_ms() - before >= 45 && now_ms() - before < 1050);
  CHECK_INT(SAMPLE_VERSION, live_version(source));
  close_scene();
}

TEST("after a reset, a version that is older than the deleted data is accepted") {
  open_served(sample_data);
  loopback_publish(server, 3000, RECORDS_3000, 0, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_STATUS(REMORA_OK, remora_reset(source, &error));
  CHECK_INT(SAMPLE_VERSION, live_version(source));
  CHECK_INT(7, remora_get_int(source, "limits", "/int", 0));
  loopback_publish(server, 2000, RECORDS_2000, 0, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_INT(2000, live_version(source));
  close_scene();
}

TEST("a reset cancels a running refresh") {
  background_refresh refresh;
  open_served(sample_data);
  loopback_hang(server, 1);
  background_start(&refresh, source);
  REQUIRE(loopback_await_requests(server, 1));
  CHECK_STATUS(REMORA_OK, remora_reset(source, &error));
  background_join(&refresh);
  CHECK_INT(REMORA_ERR_CANCELLED, refresh.status);
  close_scene();
}

/* 304 is the answer to an entity tag, and this source has none yet. */
TEST("a response with status 304 is an HTTP error if the request was not conditional") {
  remora_source_info info = {.struct_size = sizeof info};
  open_served(NULL);
  loopback_fail(server, 304, NULL);
  CHECK_REFUSED(REMORA_ERR_HTTP, "304", remora_refresh(source, NULL, PATIENCE_MS, NULL, &error));
  CHECK_STATUS(REMORA_OK, remora_source_get_info(source, &info, &error));
  CHECK_INT(0, info.checked_at_ms);
  close_scene();
}

/* In a child, whose connections are made anew while it may open nothing. */
static void refresh_without_descriptors(void) {
  struct rlimit normal, none;
  int next = dup(0);
  close(next);
  if (getrlimit(RLIMIT_NOFILE, &normal) != 0) _exit(1);
  none = normal;
  none.rlim_cur = (rlim_t)next;
  if (setrlimit(RLIMIT_NOFILE, &none) != 0) _exit(2);
  if (remora_refresh(source, NULL, PATIENCE_MS, NULL, NULL) == REMORA_OK) _exit(3);
  if (setrlimit(RLIMIT_NOFILE, &normal) != 0) _exit(4);
  _exit(remora_refresh(source, NULL, PATIENCE_MS, NULL, NULL) == REMORA_OK ? 0 : 5);
}

TEST("a refresh that failed for lack of file descriptors succeeds when they are available again") {
  open_served(sample_data);
  CHECK_INT(REMORA_OK, remora_refresh(source, NULL, PATIENCE_MS, NULL, NULL));
  pid_t child = fork();
  if (child == 0) refresh_without_descriptors();
  check_child(child);
  close_scene();
}

TEST("an error of a refresh about a NULL argument or a time limit below -1 names the argument") {
  int32_t outcome = -1;
  open_served(sample_data);
  CHECK_INVALID("source", remora_refresh(NULL, NULL, -1, &outcome, &error));
  CHECK_INVALID("timeout_ms", remora_refresh(source, NULL, -2, &outcome, &error));
  CHECK_INVALID("timeout_ms", remora_refresh(source, NULL, INT64_MIN, &outcome, &error));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_refresh(NULL, NULL, -2, NULL, NULL));
  CHECK_INVALID("source", remora_reset(NULL, &error));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_reset(NULL, NULL));
  CHECK_INT(0, loopback_requests(server));
  CHECK_INT(REMORA_OK, remora_refresh(source, NULL, INT64_MAX, NULL, NULL));
  CHECK_INT(REMORA_OK, remora_reset(source, NULL));
  close_scene();
}
