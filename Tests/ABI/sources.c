/* SPDX-License-Identifier: Apache-2.0 */

/* The header's sections "sources" and "events": opening, the first subscriber, info. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "recorder.h"

TEST("packaged data can be read as soon as the source is opened") {
  remora_client *client = client_in_memory(NO_SERVER);
  remora_source *source = open_untrusted(client, "sample", sample_data);
  remora_source_info info = {.struct_size = sizeof info};
  CHECK_STATUS(REMORA_OK, remora_source_get_info(source, &info, &error));
  CHECK_INT(sizeof info, (int64_t)info.struct_size);
  CHECK_INT(REMORA_ORIGIN_PACKAGED, info.origin);
  CHECK_INT(SAMPLE_VERSION, info.version);
  CHECK_INT(0, info.fetched_at_ms);
  CHECK_INT(0, info.checked_at_ms);
  CHECK_INT(-1, info.checked_age_ms);
  CHECK_INT(0, info.attempted_at_ms);
  CHECK_INT(0, info.has_staged);
  CHECK_INT(0, info.retry_after_ms);
  CHECK_INT(REMORA_OK, info.last_error.status);
  CHECK_INT(REMORA_OK, info.storage_error.status);
  remora_source_close(source);
  remora_client_close(client);
}

TEST("the data of a packaged file can be read as soon as the source is opened") {
  char top[64], path[96];
  temporary_directory(top);
  snprintf(path, sizeof path, "%s/packaged.json", top);
  FILE *file = fopen(path, "w");
  REQUIRE(file != NULL);
  fputs(sample_data, file);
  fclose(file);
  remora_client *client = client_in_memory(NO_SERVER);
  remora_collection_options collection = untrusted("sample", NULL);
  remora_source *source = NULL;
  collection.packaged_file = path;
  CHECK_STATUS(REMORA_OK, remora_open_collection(client, &collection, NULL, &source, &error));
  CHECK_INT(7, remora_get_int(source, "limits", "/int", 0));
  remora_source_close(source);
  remora_client_close(client);
  remove_directory(top);
}

TEST("a source without data returns an empty snapshot of origin NONE") {
  remora_client *client = client_in_memory(NO_SERVER);
  remora_source *source = open_untrusted(client, "sample", NULL);
  remora_snapshot *snapshot = acquire(source);
  remora_snapshot_info info = {.struct_size = sizeof info};
  CHECK_STATUS(REMORA_OK, remora_snapshot_get_info(snapshot, &info, &error));
  CHECK_INT(REMORA_ORIGIN_NONE, info.origin);
  CHECK_INT(0, info.version);
  CHECK_INT(0, (int64_t)info.count);
  CHECK_INT(0, (int64_t)remora_snapshot_count(snapshot));
  remora_snapshot_release(snapshot);
  remora_source_close(source);
  remora_client_close(client);
}

TEST("opening a collection copies the strings and the data of its options") {
  char name[] = "sample", server[] = NO_SERVER, bucket[] = "main";
  char *data = malloc(strlen(sample_data) + 1);
  REQUIRE(data != NULL);
  memcpy(data, sample_data, strlen(sample_data) + 1);
  remora_client *client = client_in_memory(NO_SERVER);
  remora_collection_options collection = untrusted(name, data);
  remora_source *source = NULL;
  collection.server = server;
  collection.bucket = bucket;
  REQUIRE_OK(remora_open_collection(client, &collection, NULL, &source, &error));
  memset(name, 'x', strlen(name));
  memset(server, 'x', strlen(server));
  memset(bucket, 'x', strlen(bucket));
  memset(data, 'x', strlen(data));
  free(data);
  CHECK_INT(7, remora_get_int(source, "limits", "/int", 0));
  remora_source_close(source);
  remora_client_close(client);
}

TEST("a collection can have another server and bucket than its client") {
  loopback *server = loopback_start();
  char head[512];
  remora_client *client = client_in_memory(NO_SERVER);
  remora_collection_options collection = untrusted("sample", NULL);
  remora_source *source = NULL;
  collection.server = loopback_url(server);
  collection.bucket = "main-preview";
  REQUIRE_OK(remora_open_collection(client, &collection, NULL, &source, &error));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  loopback_last_head(server, head, sizeof head);
  CHECK(strstr(head, "GET /v2/buckets/main-preview/collections/sample/changeset?") == head);
  remora_source_close(source);
  remora_client_close(client);
  loopback_stop(server);
}

TEST("the callback on_event is notified of the initial data before it is notified of fetched data") {
  loopback *server = loopback_start();
  remora_client *client = client_in_memory(loopback_url(server));
  remora_source *source = NULL;
  recorder events;
  recorder_init(&events);
  loopback_publish(server, 2000, "[{\"id\":\"a\",\"last_modified\":2000}]", 0, NULL);
  remora_collection_options collection = untrusted("sample", sample_data);
  remora_source_options options = recorded(&events);
  REQUIRE_OK(remora_open_collection(client, &collection, &options, &source, &error));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  const seen_event *opened = recorder_await(&events, 1);
  CHECK_INT(REMORA_CAUSE_OPENED, opened->cause);
  CHECK_INT(REMORA_OUTCOME_NONE, opened->outcome);
  CHECK_INT(REMORA_ORIGIN_PACKAGED, opened->origin);
  CHECK_INT(SAMPLE_VERSION, opened->version);
  CHECK_INT(SAMPLE_VERSION, opened->new_version);
  CHECK(opened->struct_size >= sizeof(remora_event));
  const seen_event *refreshed = recorder_await(&events, 2);
  CHECK_INT(REMORA_CAUSE_REFRESHED, refreshed->cause);
  CHECK_INT(REMORA_ORIGIN_FETCHED, refreshed->origin);
  CHECK_TEXT("+a -flags -limits -texts -tree", refreshed->changes);
  CHECK_INT(0, tally_count(&events.freed));
  remora_source_close(source);
  CHECK_INT(1, tally_count(&events.freed));
  remora_client_close(client);
  CHECK_INT(1, tally_count(&events.freed));
  loopback_stop(server);
}

/* Options without a callback, but with user data, whose frees are counted. */
static remora_source_options options_with_user_data(tally *freed) {
  remora_source_options options = without_fetch();
  tally_init(freed);
  options.on_event_user_data = freed;
  options.on_event_free_user_data = tally_add;
  return options;
}

TEST("the user data of on_event is freed once, even without a callback") {
  remora_client *client = client_in_memory(NO_SERVER);
  remora_source *source = NULL;
  tally freed;
  remora_collection_options collection = untrusted("sample", sample_data);
  remora_source_options options = options_with_user_data(&freed);
  CHECK_STATUS(REMORA_OK, remora_open_collection(client, &collection, &options, &source, &error));
  remora_source_close(source);
  remora_client_close(client);
  CHECK_INT(1, tally_count(&freed));
}

TEST("the user data of on_event is freed once if the options have an unknown field") {
  remora_client *client = client_in_memory(NO_SERVER);
  remora_source *source = NULL;
  tally freed;
  remora_collection_options collection = untrusted("sample", sample_data);
  struct {
    remora_source_options known;
    uint64_t unknown[2]; /* A later library may know the first. */
  } options = {options_with_user_data(&freed), {0, 1}};
  options.known.struct_size = sizeof options;
  CHECK_INVALID("sets a field that this version",
                remora_open_collection(client, &collection, &options.known, &source, &error));
  CHECK_INT(1, tally_count(&freed));
  remora_client_close(client);
}

TEST("opening a collection twice returns two handles of the same source") {
  loopback *server = loopback_start();
  remora_client *client = client_in_memory(loopback_url(server));
  remora_source *one = open_untrusted(client, "sample", sample_data);
  remora_source *two = open_untrusted(client, "sample", NULL);
  CHECK_INT(7, remora_get_int(two, "limits", "/int", 0));
  loopback_publish(server, 2000, "[{\"id\":\"a\",\"last_modified\":2000,\"n\":5}]", 0, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, one);
  CHECK_INT(5, remora_get_int(two, "a", "/n", 0));
  remora_source_close(one);
  CHECK_INT(5, remora_get_int(two, "a", "/n", 0));
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, two);
  remora_source_close(two);
  remora_client_close(client);
  loopback_stop(server);
}

/* Keeps the first warning that names a place. */
typedef struct kept_line {
  tally told;
  char text[256];
} kept_line;

static void keep_warning(const remora_log_entry *entry, void *raw) {
  kept_line *line = raw;
  CHECK_INT(REMORA_LOG_WARNING, entry->level);
  if (tally_count(&line->told) == 0) snprintf(line->text, sizeof line->text, "%s", entry->message);
  tally_add(&line->told);
}

TEST("one warning is logged for options that have no effect because the source is already open") {
  remora_client *client = NULL;
  remora_source *first = NULL, *same = NULL, *later = NULL;
  remora_config config;
  kept_line line = {.text = ""};
  tally_init(&line.told);
  REMORA_INIT(&config);
  config.application_name = "tests";
  config.storage_dir = REMORA_STORAGE_MEMORY;
  config.server = NO_SERVER;
  config.on_log = keep_warning;
  config.on_log_user_data = &line;
  REQUIRE_OK(remora_setup(&config, &client, &error));
  remora_collection_options collection = untrusted("sample", sample_data);
  remora_source_options options = without_fetch();
  collection.max_future_ms = 1000;
  REQUIRE_OK(remora_open_collection(client, &collection, &options, &first, &error));
  REQUIRE_OK(remora_open_collection(client, &collection, &options, &same, &error));
  collection.max_future_ms = 2000;
  collection.activation = REMORA_ACTIVATION_MANUAL;
  options.persist_overrides = 1;
  REQUIRE_OK(remora_open_collection(client, &collection, &options, &later, &error));
  CHECK(tally_await(&line.told, 1));
  remora_source_close(first);
  remora_source_close(same);
  remora_source_close(later);
  remora_client_close(client);
  CHECK_INT(1, tally_count(&line.told));
  CHECK_TEXT(
      "collection main/sample: the source was already open, so opening it again ignored these options: "
      "max_future_ms, activation, persist_overrides",
      line.text);
}

TEST("the info of a source has its version, the times of the last refresh and the last error") {
  loopback *server = loopback_start();
  remora_client *client = client_in_memory(loopback_url(server));
  remora_source *source = open_untrusted(client, "sample", NULL);
  remora_source_info after = {.struct_size = sizeof after};
  loopback_publish(server, 2000, "[{\"id\":\"a\",\"last_modified\":2000}]", 0, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_STATUS(REMORA_OK, remora_source_get_info(source, &after, &error));
  CHECK_INT(REMORA_ORIGIN_FETCHED, after.origin);
  CHECK_INT(2000, after.version);
  CHECK(after.fetched_at_ms > 0 && after.checked_at_ms > 0 && after.attempted_at_ms > 0);
  CHECK(after.checked_age_ms >= 0 && after.checked_age_ms < PATIENCE_MS);
  loopback_fail(server, 500, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_FAILED, source);
  CHECK_STATUS(REMORA_OK, remora_source_get_info(source, &after, &error));
  CHECK_INT(2000, after.version);
  CHECK_INT(REMORA_ERR_HTTP, after.last_error.status);
  CHECK_INT(500, after.last_error.http_status);
  CHECK(after.last_error.message[0] != '\0');
  remora_source_close(source);
  remora_client_close(client);
  loopback_stop(server);
}
