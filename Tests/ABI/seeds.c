/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "seeding": what is saved, and what is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "seed_scene.h"

/* Writes a file of a directory, and gives its path in static memory. */
static const char *write_file(const char *directory, const char *content, size_t size) {
  static char path[128];
  snprintf(path, sizeof path, "%s/download", directory);
  FILE *file = fopen(path, "wb");
  REQUIRE(file != NULL);
  REQUIRE(fwrite(content, 1, size, file) == size);
  REQUIRE(fclose(file) == 0);
  return path;
}

static const char *write_text(const char *directory, const char *content) {
  return write_file(directory, content, strlen(content));
}

TEST("data that an installer saved is read at the next opening, and saving calls no callback") {
  char directory[64], storage[80];
  temporary_directory(directory);
  snprintf(storage, sizeof storage, "%s/storage", directory);
  remora_seed_options options = seed_of_settings();
  tally freed;
  tally_init(&freed);
  config.storage_dir = storage;
  config.on_log_user_data = &freed;
  config.on_log_free_user_data = tally_add;
  options.fetched_at_ms = 1500000000000;
  CHECK_STATUS(REMORA_OK, remora_seed_save(&config, &options, write_text(directory, "{\"a\":7}"), &error));
  CHECK_INT(0, tally_count(&freed));
  remora_client *client = client_in_directory(storage, NO_SERVER);
  remora_source *source = NULL;
  remora_source_options without = without_fetch();
  REQUIRE_OK(remora_open_settings(client, &settings, &without, &source, &error));
  CHECK_INT(7, remora_get_int(source, "a", NULL, -1));
  CHECK_INT(1500000000000, live_version(source));
  remora_source_info info = {.struct_size = sizeof info};
  CHECK_STATUS(REMORA_OK, remora_source_get_info(source, &info, &error));
  CHECK_INT(REMORA_ORIGIN_CACHED, info.origin);
  CHECK_INT(1500000000000, info.fetched_at_ms);
  CHECK_INT(REMORA_OK, info.storage_error.status);
  remora_source_close(source);
  settings.tag = "other";
  REQUIRE_OK(remora_open_settings(client, &settings, &without, &source, &error));
  CHECK_INT(-1, remora_get_int(source, "a", NULL, -1));
  remora_source_close(source);
  remora_client_close(client);
  remove_directory(directory);
}

/* The warnings of a call, one a line. */
static void keep_line(const remora_log_entry *entry, void *user_data) {
  CHECK_INT(REMORA_LOG_WARNING, entry->level);
  strcat(strcat(user_data, entry->message), "\n");
}

TEST("remora_seed_save ignores and logs invalid parts of the data that it saves") {
  char directory[64], storage[80], lines[1024] = "";
  temporary_directory(directory);
  snprintf(storage, sizeof storage, "%s/storage", directory);
  remora_seed_options options = seed_of_settings();
  config.storage_dir = storage;
  config.on_log = keep_line;
  config.on_log_user_data = lines;
  const char *file = write_text(directory, "{\"\":1,\"a\":7}");
  CHECK_STATUS(REMORA_OK, remora_seed_save(&config, &options, file, &error));
  CHECK(strncmp(lines, "settings http", strlen("settings http")) == 0);
  CHECK(strstr(lines, "an empty key, which is ignored\n") != NULL);
  lines[0] = 0;
  config.log_level = REMORA_LOG_ERROR;
  CHECK_STATUS(REMORA_OK, remora_seed_save(&config, &options, file, &error));
  CHECK_TEXT("", lines);
  remove_directory(directory);
}

TEST("remora_seed_save refuses invalid data with a reason, and creates no directory") {
  char directory[64], storage[80];
  struct stat status;
  temporary_directory(directory);
  snprintf(storage, sizeof storage, "%s/storage", directory);
  remora_seed_options options = seed_of_settings();
  config.storage_dir = storage;
#define CHECK_SAVE(expected, word, file) \
  CHECK_REFUSED(expected, word, remora_seed_save(&config, &options, file, &error))
  CHECK_SAVE(REMORA_ERR_STORAGE, "No such file", "/nonexistent/file");
  CHECK_SAVE(REMORA_ERR_STORAGE, "not a regular file", directory);
  CHECK_SAVE(REMORA_ERR_STORAGE, "not a regular file", "/dev/null");
  CHECK_SAVE(REMORA_ERR_PARSE, "download", write_text(directory, ""));
  CHECK_SAVE(REMORA_ERR_PARSE, "download", write_text(directory, "{\"a\":"));
  CHECK_SAVE(REMORA_ERR_PARSE, "download", write_file(directory, "{}\0", 3));
  CHECK_SAVE(REMORA_ERR_PARSE, "download", write_text(directory, "{\"a\":\"\xff\"}"));
  CHECK_SAVE(REMORA_ERR_PARSE, "download", write_text(directory, "{\"a\":1e400}"));
  CHECK_SAVE(REMORA_ERR_FORMAT, "download", write_text(directory, "[]"));
  CHECK_SAVE(REMORA_ERR_FORMAT, "download is an empty dictionary", write_text(directory, "{}"));
  config.max_body_bytes = 6;
  CHECK_SAVE(REMORA_ERR_TOO_LARGE, "download", write_text(directory, "{\"a\":1}"));
  config.max_body_bytes = 7;
  CHECK_STATUS(REMORA_OK, remora_seed_save(&config, &options, write_text(directory, "{\"a\":1}"), &error));
  remove_directory(storage);
  config.max_body_bytes = 0;
  settings.root_key = "inner";
  CHECK_SAVE(REMORA_ERR_FORMAT, "inner", write_text(directory, "{\"a\":1}"));
  options.settings = NULL;
  options.bundle = &bundle;
  CHECK_SAVE(REMORA_ERR_FORMAT, "download", write_text(directory, "{\"a\":1}"));
  options.bundle = NULL;
  options.collection = &collection;
  CHECK_SAVE(REMORA_ERR_FORMAT, "download", write_text(directory, "{\"a\":1}"));
  CHECK_SAVE(REMORA_ERR_SIGNATURE_MISSING, "signature", write_text(directory, "{\"data\":[],\"timestamp\":1}"));
  collection.trust = REMORA_TRUST_OFF;
  CHECK_SAVE(REMORA_ERR_FUTURE, "ahead", write_text(directory, "{\"data\":[],\"timestamp\":9000000000000000}"));
  CHECK(stat(storage, &status) != 0);
  options = seed_of_settings();
  config.storage_dir = write_text(directory, "{\"a\":1}");
  CHECK_SAVE(REMORA_ERR_STORAGE, "not a directory", config.storage_dir);
  remove_directory(directory);
}

TEST("an error of a seed function about an invalid option names the option") {
  kept_request kept = {.calls = 0};
  remora_seed_options options = seed_of_settings();
#define CHECK_REQUEST(name) CHECK_PARAMETER(name, remora_seed_request(&config, &options, keep_request, &kept, &error))
#define CHECK_SEED_SAVE(name) CHECK_PARAMETER(name, remora_seed_save(&config, &options, "/dev/null", &error))
#define CHECK_BOTH(name)   \
  do {                     \
    CHECK_REQUEST(name);   \
    CHECK_SEED_SAVE(name); \
  } while (0)
  options.bundle = &bundle;
  CHECK_BOTH("options");
  options.settings = NULL;
  bundle.url = NULL;
  CHECK_BOTH("url");
  options.bundle = NULL;
  CHECK_BOTH("options");
  options.settings = &settings;
  settings.struct_size = 3;
  CHECK_BOTH("settings");
  options = seed_of_settings();
  settings.url = "ftp://h";
  CHECK_BOTH("url");
  options = seed_of_settings();
  settings.memory_only = 1;
  CHECK_BOTH("memory_only");
  options = seed_of_settings();
  settings.tag = "\xff";
  CHECK_BOTH("tag");
  options = seed_of_settings();
  config.struct_size = 3;
  CHECK_BOTH("config");
  options = seed_of_settings();
  config.application_name = "a\nb";
  CHECK_REQUEST("application_name");
  config.application_name = NULL;
  options.identifier = "\xff";
  CHECK_REQUEST("identifier");
  CHECK_SEED_SAVE("storage_dir");
  config.storage_dir = REMORA_STORAGE_MEMORY;
  CHECK_SEED_SAVE("storage_dir");
  config.storage_dir = "x";
  options.fetched_at_ms = -1;
  CHECK_SEED_SAVE("fetched_at_ms");
  options = seed_of_settings();
  options.settings = NULL;
  options.collection = &collection;
  CHECK_REQUEST("collection");
  CHECK_INT(0, kept.calls);
}

TEST("an error of a seed function about a NULL argument names the argument") {
  kept_request kept = {.calls = 0};
  remora_seed_options options = seed_of_settings();
  CHECK_PARAMETER("config", remora_seed_request(NULL, &options, keep_request, &kept, &error));
  CHECK_PARAMETER("options", remora_seed_request(&config, NULL, keep_request, &kept, &error));
  CHECK_PARAMETER("callback", remora_seed_request(&config, &options, NULL, &kept, &error));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_seed_request(NULL, NULL, NULL, NULL, NULL));
  CHECK_INT(0, kept.calls);
  CHECK_PARAMETER("config", remora_seed_save(NULL, &options, "/dev/null", &error));
  CHECK_PARAMETER("options", remora_seed_save(&config, NULL, "/dev/null", &error));
  CHECK_PARAMETER("file", remora_seed_save(&config, &options, NULL, &error));
  CHECK_PARAMETER("file", remora_seed_save(&config, &options, "\xff", &error));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_seed_save(NULL, NULL, NULL, NULL));
}

TEST("a too small remora_seed_options is refused, and a larger one is accepted only if the extra bytes are 0") {
  kept_request kept = {.calls = 0};
  CHECK_STRUCT_SIZES(remora_seed_options, *options = seed_of_settings(),
                     remora_seed_request(&config, options, keep_request, &kept, &error));
  CHECK_INIT_STAYS_INSIDE(remora_seed_options);
}
