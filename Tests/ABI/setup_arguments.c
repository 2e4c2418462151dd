/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "lifecycle": what setup refuses, and how it says so. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"

/* A configuration that works, whose log user data counts its end. */
static remora_config good_config(tally *freed) {
  remora_config config;
  REMORA_INIT(&config);
  config.storage_dir = REMORA_STORAGE_MEMORY;
  config.server = NO_SERVER;
  config.on_log_user_data = freed;
  config.on_log_free_user_data = tally_add;
  return config;
}

/* Setup with one thing wrong: refused by name, and the user data freed exactly once. */
#define CHECK_SETUP(expected, word, change)                                \
  do {                                                                     \
    tally freed;                                                           \
    remora_client *client = NULL;                                          \
    tally_init(&freed);                                                    \
    remora_config config = good_config(&freed);                            \
    change;                                                                \
    CHECK_REFUSED(expected, word, remora_setup(&config, &client, &error)); \
    CHECK(client == NULL);                                                 \
    CHECK_INT(1, tally_count(&freed));                                     \
  } while (0)

#define CHECK_INVALID_SETUP(word, change) CHECK_SETUP(REMORA_ERR_INVALID_ARGUMENT, word, change)

TEST("an error of remora_setup about a NULL argument names the argument") {
  tally freed;
  remora_client *client = NULL;
  tally_init(&freed);
  remora_config config = good_config(&freed);
  CHECK_INVALID("config", remora_setup(NULL, &client, &error));
  CHECK_INVALID("out_client", remora_setup(&config, NULL, &error));
  CHECK_INT(1, tally_count(&freed));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_setup(NULL, NULL, NULL));
  CHECK(client == NULL);
  remora_client_close(NULL);
}

TEST("a too small remora_config is refused, and a larger one is accepted only if the extra bytes are 0") {
  remora_client *client = NULL;
  CHECK_STRUCT_SIZES(remora_config, (REMORA_INIT(options), options->storage_dir = REMORA_STORAGE_MEMORY),
                     remora_setup(options, &client, &error));
  remora_client_close(client);
  CHECK_INIT_STAYS_INSIDE(remora_config);
}

TEST("REMORA_INIT sets the struct_size of a remora_config and every other member to its default") {
  remora_config config;
  memset(&config, 0xA5, sizeof config);
  REMORA_INIT(&config);
  CHECK_INT(sizeof config, (int64_t)config.struct_size);
  CHECK(config.storage_dir == NULL && config.headers == NULL && config.on_log == NULL);
  CHECK_INT(REMORA_CALLBACKS_ON_THREAD, config.callbacks);
}

TEST("remora_setup refuses a server that is not an HTTP URL") {
  const char *const servers[] = {"",
                                 "not a url",
                                 "ftp://x",
                                 "file:///etc/passwd",
                                 "http://",
                                 "https://",
                                 "http://user:pw@h/",
                                 "http://h:99999/",
                                 "http://h/\r\nX: y",
                                 "http://h\n",
                                 "http://h/\xff",
                                 "//h/",
                                 "production"};
  for (size_t i = 0; i < sizeof servers / sizeof *servers; i++)
    CHECK_INVALID_SETUP("server", config.server = servers[i]);
}

TEST("remora_setup refuses an invalid bucket name") {
  const char *const buckets[] = {"", "../x", "a/b", "-a", "a b", "a\r\n", "\xc3\xa4"};
  char *long_name = long_text(129);
  for (size_t i = 0; i < sizeof buckets / sizeof *buckets; i++)
    CHECK_INVALID_SETUP("bucket", config.bucket = buckets[i]);
  CHECK_INVALID_SETUP("bucket", config.bucket = long_name);
  free(long_name);
}

TEST("remora_setup refuses a header that is malformed or would inject another header") {
  const char *const lines[] = {"X: a\r\nY: b", "X: a\n",  "X: a\r", "no colon", ": no name", "",
                               "X Y: a",       "X: \x01", "X: \xff"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    const char *const headers[] = {"Fine: yes", lines[i], NULL};
    CHECK_INVALID_SETUP("headers", config.headers = headers);
  }
}

TEST("remora_setup refuses an option that contains a line break or is not UTF-8") {
  CHECK_INVALID_SETUP("user_agent", config.user_agent = "me\r\nX: y");
  CHECK_INVALID_SETUP("application_name", config.application_name = "me\r\nX: y");
  CHECK_INVALID_SETUP("application_version", config.application_version = "1\n");
  CHECK_INVALID_SETUP("application_build", config.application_build = "1\r");
  CHECK_INVALID_SETUP("proxy", config.proxy = "http://p\r\n");
  CHECK_INVALID_SETUP("application_name", config.application_name = "\xff");
}

TEST("remora_setup refuses a number that is out of its range") {
  CHECK_INVALID_SETUP("connect_timeout_ms", config.connect_timeout_ms = -2);
  CHECK_INVALID_SETUP("stall_timeout_ms", config.stall_timeout_ms = -2);
  CHECK_INVALID_SETUP("total_timeout_ms", config.total_timeout_ms = INT64_MIN);
  CHECK_INVALID_SETUP("max_stale_ms", config.max_stale_ms = -2);
  CHECK_INVALID_SETUP("max_body_bytes", config.max_body_bytes = -1);
  CHECK_INVALID_SETUP("max_body_bytes", config.max_body_bytes = INT64_C(256) * 1024 * 1024 + 1);
  CHECK_INVALID_SETUP("max_body_bytes", config.max_body_bytes = INT64_MAX);
  CHECK_INVALID_SETUP("log_level", config.log_level = 5);
  CHECK_INVALID_SETUP("log_level", config.log_level = -1);
  CHECK_INVALID_SETUP("callbacks", config.callbacks = 2);
  CHECK_INVALID_SETUP("callbacks", config.callbacks = -1);
}

TEST("remora_setup accepts the largest and smallest allowed numbers") {
  tally freed;
  remora_client *client = NULL;
  tally_init(&freed);
  remora_config config = good_config(&freed);
  config.connect_timeout_ms = config.stall_timeout_ms = config.total_timeout_ms = -1;
  config.max_body_bytes = INT64_C(256) * 1024 * 1024;
  config.log_level = REMORA_LOG_DEBUG;
  CHECK_STATUS(REMORA_OK, remora_setup(&config, &client, &error));
  CHECK_INT(0, tally_count(&freed));
  remora_client_close(client);
  CHECK_INT(1, tally_count(&freed));
}

TEST("remora_setup refuses a storage directory that is a file") {
  char top[64], file[96];
  temporary_directory(top);
  snprintf(file, sizeof file, "%s/plain", top);
  close(open(file, O_CREAT | O_WRONLY, 0600));
  CHECK_INVALID_SETUP("storage_dir", config.storage_dir = NULL);
  CHECK_INVALID_SETUP("storage_dir", config.storage_dir = "");
  CHECK_SETUP(REMORA_ERR_STORAGE, file, config.storage_dir = file);
  remove_directory(top);
}
