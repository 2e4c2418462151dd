/* SPDX-License-Identifier: Apache-2.0
 *
 * Uses Remora for the benchmarks; see host.h.
 */
#include "host.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "measure.h"

static void demand(remora_status status, const char *call, const remora_error *error) {
  if (status != REMORA_OK) fail("%s: %s: %s", call, remora_status_name(status), error->message);
}

static host set_up(const char *storage_dir) {
  host opened = {NULL, NULL};
  remora_error error = {0};
  remora_config config;
  REMORA_INIT(&config);
  config.storage_dir = storage_dir;
  config.application_name = "benchmark";
  demand(remora_setup(&config, &opened.client, &error), "remora_setup", &error);
  return opened;
}

static host open_as(const char *storage_dir, remora_collection_options *collection,
                    const remora_source_options *options) {
  host opened = set_up(storage_dir);
  remora_error error = {0};
  if (!collection->name) collection->name = "settings";
  demand(remora_open_collection(opened.client, collection, options, &opened.source, &error), "remora_open_collection",
         &error);
  return opened;
}

static host open_with(const char *storage_dir, remora_collection_options *collection) {
  return open_as(storage_dir, collection, NULL);
}

host host_open(const char *storage_dir, const char *server, const char *packaged, size_t packaged_size) {
  remora_collection_options collection;
  REMORA_INIT(&collection);
  collection.server = server;
  collection.trust = REMORA_TRUST_OFF;
  collection.packaged_data = packaged;
  collection.packaged_size = packaged_size;
  return open_with(storage_dir, &collection);
}

host host_open_checked(const char *storage_dir, const char *server, const char *schema) {
  remora_collection_options collection;
  remora_source_options options;
  REMORA_INIT(&collection);
  REMORA_INIT(&options);
  collection.server = server;
  collection.trust = REMORA_TRUST_OFF;
  options.schema = schema;
  return open_as(storage_dir, &collection, &options);
}

host host_open_packaged(const char *storage_dir, const char *packaged_file) {
  remora_collection_options collection;
  REMORA_INIT(&collection);
  collection.server = "http://127.0.0.1:1/v2";
  collection.trust = REMORA_TRUST_OFF;
  collection.packaged_file = packaged_file;
  return open_with(storage_dir, &collection);
}

host host_open_collection(const char *storage_dir, const char *server, const char *name) {
  remora_collection_options collection;
  REMORA_INIT(&collection);
  collection.name = name;
  collection.server = server;
  collection.trust = REMORA_TRUST_OFF;
  return open_with(storage_dir, &collection);
}

host host_open_signed(const char *storage_dir, const char *server, const char *root_sha256) {
  remora_collection_options collection;
  REMORA_INIT(&collection);
  collection.server = server;
  collection.root_sha256 = root_sha256;
  return open_with(storage_dir, &collection);
}

host host_open_settings(const char *storage_dir, const char *url, const char *tag) {
  host opened = set_up(storage_dir);
  remora_error error = {0};
  remora_settings_options settings;
  remora_source_options options;
  REMORA_INIT(&settings);
  settings.url = url;
  settings.tag = tag;
  settings.ttl_ms = -1;
  settings.activation = REMORA_ACTIVATION_IMMEDIATE;
  REMORA_INIT(&options);
  options.first_fetch = REMORA_FIRST_FETCH_ON_REQUEST;
  demand(remora_open_settings(opened.client, &settings, &options, &opened.source, &error), "remora_open_settings",
         &error);
  return opened;
}

void host_close(host opened) {
  remora_source_close(opened.source);
  remora_client_close(opened.client);
}

void host_refresh(const host *opened, int32_t expected_outcome) {
  remora_error error = {0};
  int32_t outcome = REMORA_OUTCOME_NONE;
  demand(remora_refresh(opened->source, NULL, -1, &outcome, &error), "remora_refresh", &error);
  if (outcome != expected_outcome) fail("remora_refresh: outcome %d, expected %d", outcome, expected_outcome);
}

void host_reset(const host *opened) {
  remora_error error = {0};
  demand(remora_reset(opened->source, &error), "remora_reset", &error);
}

static remora_snapshot_info info_of(const host *opened) {
  remora_error error = {0};
  remora_snapshot *snapshot = NULL;
  remora_snapshot_info info = {.struct_size = sizeof info};
  demand(remora_snapshot_acquire(opened->source, 0, &snapshot, &error), "remora_snapshot_acquire", &error);
  demand(remora_snapshot_get_info(snapshot, &info, &error), "remora_snapshot_get_info", &error);
  remora_snapshot_release(snapshot);
  return info;
}

void host_expect_count(const host *opened, size_t count) {
  size_t found = info_of(opened).count;
  if (found != count) fail("the snapshot has %zu keys, expected %zu", found, count);
}

void host_expect_origin(const host *opened, int32_t origin) {
  int32_t found = info_of(opened).origin;
  if (found != origin) fail("the snapshot has origin %d, expected %d", found, origin);
}

size_t host_image_size(const char *storage_dir) {
  DIR *folder = opendir(storage_dir);
  if (!folder) fail("%s: the storage directory cannot be read", storage_dir);
  struct stat found = {0};
  size_t images = 0;
  for (struct dirent *entry; (entry = readdir(folder));) {
    const char *suffix = strrchr(entry->d_name, '.');
    if (!suffix || strcmp(suffix, ".live") != 0) continue;
    images++;
    if (fstatat(dirfd(folder), entry->d_name, &found, 0) != 0) fail("%s: no file status", entry->d_name);
  }
  closedir(folder);
  if (images != 1) fail("%s: %zu images, expected 1", storage_dir, images);
  return (size_t)found.st_size;
}
