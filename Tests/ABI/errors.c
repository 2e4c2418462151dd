/* SPDX-License-Identifier: Apache-2.0 */

/* The header's remora_error: what its members contain after a failure and after a success. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "scene.h"

/* libcurl's code for a refused connection. */
enum { CURL_COULD_NOT_CONNECT = 7, ERROR_BYTES = 640 };

/* An error whose bytes are all 0xEE. */
static remora_error stained(void) {
  remora_error error;
  memset(&error, 0xEE, sizeof error);
  return error;
}

TEST("a remora_error has 640 bytes") { CHECK_INT(ERROR_BYTES, (int64_t)sizeof(remora_error)); }

TEST("after a failure, every member of an uninitialised remora_error is written, and the reserved ones are 0") {
  remora_error error = stained();
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_refresh(NULL, NULL, 0, NULL, &error));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, error.status);
  CHECK_INT(0, error.http_status);
  CHECK_INT(0, error.retry_after_ms);
  CHECK_INT(0, error.system_code);
  for (size_t i = 0; i < sizeof error.reserved / sizeof *error.reserved; i++) CHECK_INT(0, error.reserved[i]);
  CHECK_TEXT("source", error.parameter);
  CHECK_TEXT("", error.source_name);
  CHECK_TEXT("source must not be NULL", error.message);
}

TEST("a call that succeeds clears the numbers and texts of an error, but not the reserved members") {
  remora_error error = stained();
  remora_source_info info = {.struct_size = sizeof info};
  open_local(sample_data);
  CHECK_INT(REMORA_OK, remora_source_get_info(source, &info, &error));
  CHECK_INT(REMORA_OK, error.status);
  CHECK_INT(0, error.http_status);
  CHECK_INT(0, error.retry_after_ms);
  CHECK_INT(0, error.system_code);
  CHECK_TEXT("", error.parameter);
  CHECK_TEXT("", error.source_name);
  CHECK_TEXT("", error.message);
  for (size_t i = 0; i < sizeof error.reserved / sizeof *error.reserved; i++)
    CHECK_INT((int32_t)0xEEEEEEEE, error.reserved[i]);
  close_scene();
}

TEST("a network error has the code of libcurl") {
  remora_error error = stained();
  open_local(sample_data);
  CHECK_INT(REMORA_ERR_NETWORK, remora_refresh(source, NULL, PATIENCE_MS, NULL, &error));
  CHECK_INT(CURL_COULD_NOT_CONNECT, error.system_code);
  CHECK_TEXT("", error.parameter);
  CHECK_TEXT("main/sample", error.source_name);
  remora_source_info info = {.struct_size = sizeof info};
  REQUIRE_OK(remora_source_get_info(source, &info, &error));
  CHECK_INT(CURL_COULD_NOT_CONNECT, info.last_error.system_code);
  close_scene();
}

TEST("an error for an HTTP status has no code of the system") {
  remora_error error = stained();
  open_served(sample_data);
  loopback_fail(server, 503, "Retry-After: 30");
  CHECK_INT(REMORA_ERR_HTTP, remora_refresh(source, NULL, PATIENCE_MS, NULL, &error));
  CHECK_INT(503, error.http_status);
  CHECK_INT(0, error.system_code);
  CHECK(error.retry_after_ms > 0 && error.retry_after_ms <= 30000);
  close_scene();
}

TEST("a storage error has the errno of the system call") {
  char directory[64], path[96];
  remora_error error = stained();
  temporary_directory(directory);
  snprintf(path, sizeof path, "%s/none/seed.json", directory);
  remora_config config;
  remora_seed_options seed;
  remora_settings_options settings;
  REMORA_INIT(&config);
  REMORA_INIT(&seed);
  REMORA_INIT(&settings);
  config.storage_dir = directory;
  settings.url = NO_SERVER;
  seed.settings = &settings;
  CHECK_INT(REMORA_ERR_STORAGE, remora_seed_save(&config, &seed, path, &error));
  CHECK_INT(ENOENT, error.system_code);
  for (size_t i = 0; i < sizeof error.reserved / sizeof *error.reserved; i++) CHECK_INT(0, error.reserved[i]);
  remora_collection_options collection = untrusted("sample", NULL);
  collection.packaged_file = path;
  client = client_in_memory(NO_SERVER);
  CHECK_INT(REMORA_ERR_STORAGE, remora_open_collection(client, &collection, NULL, &source, &error));
  CHECK_INT(ENOENT, error.system_code);
  CHECK_TEXT("", error.parameter);
  close_scene();
  remove_directory(directory);
}

/* What outputs contain before a call. */
static char mark;
#define MARKED(type) ((type *)&mark)

TEST("a call that fails writes no output") {
  remora_client *no_client = MARKED(remora_client);
  remora_source *no_source = MARKED(remora_source);
  remora_snapshot *no_snapshot = MARKED(remora_snapshot);
  remora_request *no_request = MARKED(remora_request);
  remora_subscription *no_subscription = MARKED(remora_subscription);
  remora_key *no_key = MARKED(remora_key);
  remora_attachment *no_attachment = MARKED(remora_attachment);
  remora_experiment experiment = {.struct_size = sizeof experiment, .name = &mark};
  remora_source_info info = {.struct_size = sizeof info, .name = &mark};
  remora_outcome outcome = -1;
  remora_value value = {&mark, &mark};
  const int64_t *revision = NULL;
  int64_t number = -1;
  int32_t fd = -1;
  size_t count = 77;
  remora_config config;
  REMORA_INIT(&config);
  open_local(sample_data);
  CHECK_STATUS(REMORA_ERR_INVALID_ARGUMENT, remora_setup(&config, &no_client, &error));
  CHECK_STATUS(REMORA_ERR_INVALID_ARGUMENT, remora_open_collection(NULL, NULL, NULL, &no_source, &error));
  CHECK_STATUS(REMORA_ERR_INVALID_ARGUMENT, remora_open_bundle(client, NULL, NULL, &no_source, &error));
  CHECK_STATUS(REMORA_ERR_INVALID_ARGUMENT, remora_open_settings(client, NULL, NULL, &no_source, &error));
  CHECK_STATUS(REMORA_ERR_TIMEOUT, remora_refresh(source, NULL, 0, &outcome, &error));
  CHECK_STATUS(REMORA_ERR_NETWORK, remora_refresh(source, NULL, PATIENCE_MS, &outcome, &error));
  CHECK_STATUS(REMORA_ERR_NETWORK, remora_await(source, NULL, PATIENCE_MS, &no_snapshot, &error));
  CHECK_STATUS(REMORA_ERR_INVALID_ARGUMENT, remora_snapshot_acquire(source, 2, &no_snapshot, &error));
  CHECK_STATUS(REMORA_ERR_INVALID_ARGUMENT,
               remora_refresh_async(source, NULL, -2, NULL, NULL, NULL, &no_request, &error));
  CHECK_STATUS(REMORA_ERR_INVALID_ARGUMENT,
               remora_await_async(source, NULL, -2, NULL, NULL, NULL, &no_request, &error));
  CHECK_STATUS(REMORA_ERR_INVALID_ARGUMENT, remora_sync_async(client, NULL, -2, NULL, NULL, NULL, &no_request, &error));
  CHECK_STATUS(REMORA_ERR_NOT_FOUND,
               remora_attachment_open_async(source, "x", NULL, 0, NULL, NULL, NULL, &no_request, &error));
  CHECK_STATUS(REMORA_ERR_INVALID_ARGUMENT,
               remora_subscribe(source, NULL, 0, NULL, NULL, NULL, &no_subscription, &error));
  CHECK_STATUS(REMORA_ERR_INVALID_ARGUMENT, remora_key_bind(source, "", NULL, &no_key, &error));
  CHECK_STATUS(REMORA_ERR_NOT_FOUND, remora_attachment_open(source, "x", NULL, 0, &no_attachment, &error));
  CHECK_STATUS(REMORA_ERR_NOT_FOUND, remora_experiment_find(snapshot, "x", &experiment, &error));
  CHECK_STATUS(REMORA_ERR_NOT_FOUND, remora_snapshot_get(snapshot, "x", NULL, &value, &error));
  CHECK_STATUS(REMORA_ERR_NOT_FOUND, remora_snapshot_get_int(snapshot, "x", NULL, &number, &error));
  CHECK_STATUS(REMORA_ERR_WRONG_TYPE, remora_snapshot_get_int(snapshot, "texts", NULL, &number, &error));
  CHECK_STATUS(REMORA_ERR_INVALID_ARGUMENT, remora_client_get_fd(client, &fd, &error));
  CHECK_STATUS(REMORA_ERR_INVALID_ARGUMENT, remora_dispatch(client, &count, &error));
  remora_client_close(client);
  client = NULL;
  CHECK_STATUS(REMORA_ERR_CLOSED, remora_source_get_info(source, &info, &error));
  CHECK_STATUS(REMORA_ERR_CLOSED, remora_source_get_revision(source, &revision, &error));
  CHECK_STATUS(REMORA_ERR_CLOSED, remora_activate(source, NULL, &outcome, &error));
  CHECK(no_client == MARKED(remora_client) && no_source == MARKED(remora_source));
  CHECK(no_snapshot == MARKED(remora_snapshot) && no_request == MARKED(remora_request));
  CHECK(no_subscription == MARKED(remora_subscription) && no_key == MARKED(remora_key));
  CHECK(no_attachment == MARKED(remora_attachment) && experiment.name == &mark && info.name == &mark);
  CHECK(value.node == &mark && value.region == &mark && revision == NULL);
  CHECK_INT(-1, outcome);
  CHECK_INT(-1, number);
  CHECK_INT(-1, fd);
  CHECK_INT(77, (int64_t)count);
  close_scene();
}
