/* SPDX-License-Identifier: Apache-2.0 */

/* Log lines: which source they name, and what they report of reads and of staged data. */
#include <stdio.h>
#include <string.h>

#include "scene.h"

enum { LINES_MAX = 64, LINE_MAX_BYTES = 512 };

static struct {
  int count;
  char text[LINES_MAX][LINE_MAX_BYTES];
} logged;

static void keep_line(const remora_log_entry *entry, void *unused) {
  (void)unused;
  CHECK(entry->struct_size >= sizeof *entry && entry->level >= REMORA_LOG_ERROR && entry->level <= REMORA_LOG_DEBUG);
  if (strncmp(entry->message, "collection ", 11) == 0) {
    CHECK_INT(REMORA_KIND_COLLECTION, entry->kind);
    CHECK_TEXT("main/sample", entry->source_name);
  }
  if (logged.count < LINES_MAX) snprintf(logged.text[logged.count++], LINE_MAX_BYTES, "%s", entry->message);
}

/* Runs the callbacks that wait, and counts the lines of which each has a text in it. */
static int lines_with(const char *text) {
  int found = 0;
  REQUIRE_OK(remora_dispatch(client, NULL, &error));
  for (int i = 0; i < logged.count; i++) found += strstr(logged.text[i], text) != NULL;
  return found;
}

/* A client whose callbacks run on dispatch, with lines up to a level. */
static void open_logging(int32_t level, const char *url) {
  remora_config config;
  REMORA_INIT(&config);
  config.application_name = "tests";
  config.storage_dir = REMORA_STORAGE_MEMORY;
  config.server = url;
  config.callbacks = REMORA_CALLBACKS_ON_DISPATCH;
  config.on_log = keep_line;
  config.log_level = level;
  logged.count = 0;
  REQUIRE_OK(remora_setup(&config, &client, &error));
}

static const char typed_data[] =
    "{\"data\":[{\"id\":\"a\",\"last_modified\":1,\"n\":5,\"s\":\"text\",\"none\":null}],\"timestamp\":1}";

TEST("a read that returns the default is logged once for each key and reason") {
  open_logging(REMORA_LOG_DEBUG, NO_SERVER);
  source = open_untrusted(client, "sample", typed_data);
  for (int i = 0; i < 3; i++) {
    CHECK_INT(1, remora_get_bool(source, "a", "/n", 1));
    CHECK_INT(7, remora_get_int(source, "a", "/s", 7));
    CHECK(remora_get_double(source, "a", "/x/y", 0.5) == 0.5);
    CHECK_INT(3, (int64_t)remora_get_string(source, "a", "n", NULL, 0, "abc"));
    CHECK_INT(3, (int64_t)remora_get_url(source, "a", "/s", NULL, 0, "abc"));
    CHECK_INT(4, (int64_t)remora_get_json(source, "a", "/y", NULL, 0, "null"));
  }
  CHECK_INT(1, lines_with("collection main/sample: key \"a\" at \"/n\" is an integer, not a boolean"));
  CHECK_INT(1, lines_with("collection main/sample: key \"a\" at \"/s\" is a string, not an integer"));
  CHECK_INT(1, lines_with("collection main/sample: key \"a\" at \"/x/y\" does not exist"));
  CHECK_INT(1, lines_with("collection main/sample: key \"a\": \"n\" is not a JSON Pointer, such as \"/text\""));
  CHECK_INT(1, lines_with("collection main/sample: key \"a\" at \"/s\" is a string, not a URL"));
  CHECK_INT(1, lines_with("collection main/sample: key \"a\" at \"/y\" does not exist"));
  CHECK_INT(6, logged.count);
  close_scene();
}

TEST("reads of a missing key and of null are not logged") {
  open_logging(REMORA_LOG_DEBUG, NO_SERVER);
  source = open_untrusted(client, "sample", typed_data);
  CHECK_INT(4, remora_get_int(source, "missing", NULL, 4));
  CHECK_INT(4, remora_get_int(source, "missing", "/n", 4));
  CHECK_INT(4, remora_get_int(source, "a", "/none", 4));
  CHECK_INT(0, lines_with(""));
  close_scene();
}

TEST("a read of another type is not logged unless debug logging is on") {
  open_logging(REMORA_LOG_INFO, NO_SERVER);
  source = open_untrusted(client, "sample", typed_data);
  CHECK_INT(1, remora_get_bool(source, "a", "/n", 1));
  CHECK_INT(0, lines_with(""));
  close_scene();
}

TEST("a read with a malformed JSON Pointer is logged as a warning, once per key and pointer") {
  open_logging(REMORA_LOG_WARNING, NO_SERVER);
  source = open_untrusted(client, "sample", typed_data);
  for (int i = 0; i < 3; i++) CHECK_INT(7, remora_get_int(source, "a", "n", 7));
  CHECK_INT(7, remora_get_int(source, "missing", "n", 7));
  CHECK_INT(7, remora_get_int(source, "a", "/~2", 7));
  CHECK_INT(1, lines_with("collection main/sample: key \"a\": \"n\" is not a JSON Pointer, such as \"/text\""));
  CHECK_INT(3, logged.count);
  close_scene();
}

TEST("the log lines of a refresh name the source") {
  open_logging(REMORA_LOG_DEBUG, NO_SERVER);
  source = open_untrusted(client, "sample", NULL);
  CHECK_REFRESH(REMORA_OUTCOME_FAILED, source);
  CHECK_INT(1, lines_with("collection main/sample: the refresh failed: "));
  close_scene();
}

TEST("a log line about fetched data that is not activated yet states when reads will return the data") {
  remora_collection_options options = untrusted("sample", sample_data);
  server = loopback_start();
  loopback_publish(server, 2000, "[]", 0, NULL);
  open_logging(REMORA_LOG_INFO, loopback_url(server));
  options.activation = REMORA_ACTIVATION_NEXT_SETUP;
  REQUIRE_OK(remora_open_collection(client, &options, NULL, &source, &error));
  CHECK_REFRESH(REMORA_OUTCOME_STAGED, source);
  CHECK_INT(1, lines_with("collection main/sample: version 2000 was fetched, and is staged (not used) "
                          "until the source is opened again"));
  close_scene();
}
