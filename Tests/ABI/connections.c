/* SPDX-License-Identifier: Apache-2.0 */

/* Options of remora_config for connections: proxies and files of roots that cannot work are refused, and a client
 * without a name is warned of. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"

static remora_config good_config(void) {
  remora_config config;
  REMORA_INIT(&config);
  config.storage_dir = REMORA_STORAGE_MEMORY;
  config.server = NO_SERVER;
  config.application_name = "tests";
  return config;
}

static void check_accepted(const remora_config *config) {
  remora_client *client = NULL;
  CHECK_STATUS(REMORA_OK, remora_setup(config, &client, &error));
  remora_client_close(client);
}

static void check_parameter_of_setup(const char *name, const remora_config *config) {
  remora_client *client = NULL;
  CHECK_PARAMETER(name, remora_setup(config, &client, &error));
  CHECK(client == NULL);
  CHECK_PARAMETER(name, remora_preconnect(config, NO_SERVER, NULL, &error));
}

TEST("a proxy that cannot work is refused, and the error does not show it") {
  const char *const proxies[] = {
      "http://",        "ftp://secret", "secret:0",  "secret:99999", "secret:", "secret:port", "http://secret secret",
      "secret\xc3\xa4", ":1",           "http://:1", "[::1",         "[]:1",    "://secret",   "u:secret@",
      "file:///secret"};
  for (size_t i = 0; i < sizeof proxies / sizeof *proxies; i++) {
    remora_client *client = NULL;
    remora_error failure;
    remora_config config = good_config();
    config.proxy = proxies[i];
    if (remora_setup(&config, &client, &failure) != REMORA_ERR_INVALID_ARGUMENT || strstr(failure.message, "secret"))
      check_fail(__FILE__, __LINE__, "the proxy \"%s\": %s", proxies[i], failure.message);
    remora_client_close(client);
    check_parameter_of_setup("proxy", &config);
  }
}

TEST("each form of a proxy of libcurl is accepted") {
  const char *const proxies[] = {"h",
                                 "h:1",
                                 "h:65535",
                                 "http://h",
                                 "HTTP://h:8080",
                                 "https://u:p@h:1/",
                                 "u:p%40@h:1",
                                 "socks4://h",
                                 "socks4a://h:1",
                                 "socks5://127.0.0.1:9050",
                                 "socks5h://u:p@[::1]:9/",
                                 "[::1]",
                                 "[fe80::1]:3128"};
  for (size_t i = 0; i < sizeof proxies / sizeof *proxies; i++) {
    remora_config config = good_config();
    config.proxy = proxies[i];
    check_accepted(&config);
  }
}

TEST("a file of roots that cannot be read or has no certificate is refused") {
  char directory[64], path[96];
  remora_config config = good_config();
  temporary_directory(directory);
  snprintf(path, sizeof path, "%s/roots.pem", directory);
  config.ca_file = "";
  check_parameter_of_setup("ca_file", &config);
  config.ca_file = path;
  check_parameter_of_setup("ca_file", &config);
  config.ca_file = directory;
  check_parameter_of_setup("ca_file", &config);
  config.ca_file = "/dev/null";
  check_parameter_of_setup("ca_file", &config);
  const char *const contents[] = {"", "no certificate\n", "text -----BEGIN CERTIFICATE-----\n",
                                  "-----BEGIN PRIVATE KEY-----\n"};
  config.ca_file = path;
  for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
    FILE *file = fopen(path, "w");
    REQUIRE(file != NULL && fputs(contents[i], file) >= 0 && fclose(file) == 0);
    check_parameter_of_setup("ca_file", &config);
  }
  FILE *file = fopen(path, "w");
  REQUIRE(file != NULL && fputs("# A comment\n-----BEGIN CERTIFICATE-----\n", file) >= 0 && fclose(file) == 0);
  check_accepted(&config);
  remove_directory(directory);
}

/* Counts the warnings. */
static void count_warning(const remora_log_entry *entry, void *user_data) {
  CHECK_INT(REMORA_LOG_WARNING, entry->level);
  CHECK(strstr(entry->message, "cannot identify") != NULL);
  tally_add(user_data);
}

/* How many warnings a client logs that is only set up and closed. */
static int warnings_of(remora_config config) {
  remora_client *client = NULL;
  tally warnings;
  tally_init(&warnings);
  config.on_log = count_warning;
  config.on_log_user_data = &warnings;
  REQUIRE_OK(remora_setup(&config, &client, &error));
  remora_client_close(client);
  return tally_count(&warnings);
}

TEST("a client that does not identify its program to servers logs one warning") {
  const char *const agent[] = {"X-Key: a", "user-agent: host/1", NULL}, *const other[] = {"X-User-Agent: a", NULL};
  remora_config config = good_config();
  CHECK_INT(0, warnings_of(config));
  config.application_name = NULL;
  CHECK_INT(1, warnings_of(config));
  config.application_version = "1";
  CHECK_INT(1, warnings_of(config));
  config.headers = other;
  CHECK_INT(1, warnings_of(config));
  config.headers = agent;
  CHECK_INT(0, warnings_of(config));
  config.headers = NULL;
  config.user_agent = "host/1";
  CHECK_INT(0, warnings_of(config));
}
