/* SPDX-License-Identifier: Apache-2.0 */

/* The header's remora_open_tag: what a tag has from its settings, how long its data is kept, and what is refused. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder.h"
#include "settings_scene.h"

/* Opens a tag; the test ends if it cannot be opened. */
static remora_source *open_tag(remora_source *settings, const char *tag, int64_t ttl_ms) {
  remora_source *opened = NULL;
  REQUIRE_OK(remora_open_tag(settings, tag, ttl_ms, &opened, &error));
  return opened;
}

/* Opens the tag "x", and closes it after a wait for fresh data. */
static void await_x(remora_source *settings) {
  remora_source *x = open_tag(settings, "x", 0);
  CHECK_STATUS(REMORA_OK, remora_await(x, NULL, PATIENCE_MS, NULL, &error));
  remora_source_close(x);
}

static int32_t count_source(const remora_source_info *info, void *count) {
  (void)info;
  ++*(int *)count;
  return 0;
}

static int open_sources(remora_client *client) {
  int count = 0;
  REQUIRE_OK(remora_source_foreach(client, count_source, &count, &error));
  return count;
}

TEST("a tag is requested with the url, the parameters, the root key and the tag item of its settings") {
  static const char packaged[] = "{\"root\":{\"a\":1}}";
  loopback *server = loopback_start();
  remora_client *client = client_in_memory(NO_SERVER);
  const char *parameters[] = {"user", "u 1", NULL};
  char head[1024];
  recorder events;
  recorder_init(&events);
  remora_settings_options options = settings_at(loopback_url(server));
  options.request_params = parameters;
  options.root_key = "root";
  options.tag_item = "context";
  options.activation = REMORA_ACTIVATION_MANUAL;
  options.packaged_data = packaged;
  options.packaged_size = sizeof packaged - 1;
  remora_source_options opening = recorded(&events);
  opening.refresh_interval_ms = 60000;
  remora_source *settings = open_settings_with(client, &options, &opening);
  recorder_await(&events, 1);
  parameters[1] = "changed";
  remora_source *tag = open_tag(settings, "a/b", 0);
  CHECK_INT(0, loopback_requests(server));
  CHECK_INT(-1, remora_get_int(tag, "a", NULL, -1)); /* Packaged data belongs to the main dictionary. */
  loopback_say(server, "{\"root\":{\"a\":5}}");
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, tag);
  CHECK_INT(5, remora_get_int(tag, "a", NULL, -1));
  CHECK_INT(1, remora_get_int(settings, "a", NULL, -1));
  loopback_last_head(server, head, sizeof head);
  CHECK(strstr(head, "?user=u%201&context=a%2Fb HTTP") != NULL);
  CHECK_INT(1, tally_count(&events.events)); /* The callback belongs to the main dictionary too. */
  remora_source_close(tag);
  remora_source_close(settings);
  remora_client_close(client);
  loopback_stop(server);
}

/* Fetches the tag "x" of settings with these options and sets an override in it, both in a client of their own. The
 * next client must find the data and the override, or not. */
static void check_storage(remora_bool memory_only, remora_bool persist_overrides) {
  char directory[64];
  loopback *server = loopback_start();
  temporary_directory(directory);
  loopback_say(server, "{\"a\":1}");
  remora_settings_options options = settings_at(loopback_url(server));
  options.memory_only = memory_only;
  remora_source_options opening = without_fetch();
  opening.persist_overrides = persist_overrides;
  for (int run = 0; run < 2; run++) {
    remora_client *client = client_in_directory(directory, NO_SERVER);
    remora_source *settings = open_settings_with(client, &options, &opening);
    remora_source *x = open_tag(settings, "x", 0);
    CHECK_INT(run == 1 && !memory_only ? 1 : -1, remora_get_int(x, "a", NULL, -1));
    CHECK_INT(run == 1 && persist_overrides ? 2 : -1, remora_get_int(x, "b", NULL, -1));
    CHECK_REFRESH(run == 1 && !memory_only ? REMORA_OUTCOME_UNCHANGED : REMORA_OUTCOME_UPDATED, x);
    REQUIRE_OK(remora_override_set_int(x, "b", NULL, 2, 0, &error));
    remora_source_close(x);
    remora_source_close(settings);
    remora_client_close(client);
  }
  remove_directory(directory);
  loopback_stop(server);
}

TEST("a tag is stored, and its overrides are stored, as its settings are") {
  check_storage(0, 0);
  check_storage(0, 1);
  check_storage(1, 0);
}

/* Two waits for a tag of settings, each lifetime in its unit, must send so many requests. */
static void check_requests(int expected, int64_t settings_ttl_ms, int64_t ttl_ms) {
  loopback *server = loopback_start();
  remora_client *client = client_in_memory(NO_SERVER);
  loopback_say(server, "{\"a\":1}");
  remora_settings_options options = settings_at(loopback_url(server));
  options.ttl_ms = settings_ttl_ms;
  remora_source *settings = open_settings(client, &options), *tag = open_tag(settings, "x", ttl_ms);
  for (int i = 0; i < 2; i++) CHECK_STATUS(REMORA_OK, remora_await(tag, NULL, PATIENCE_MS, NULL, &error));
  CHECK_INT(expected, loopback_requests(server));
  remora_source_close(tag);
  remora_source_close(settings);
  remora_client_close(client);
  loopback_stop(server);
}

TEST("a tag is fresh for its own ttl, or for that of its settings if its own is 0") {
  check_requests(1, 0, 0);
  check_requests(2, -1, 0);
  check_requests(1, 60000, 0);
  check_requests(2, 0, -1);
  check_requests(2, 60000, -1);
  check_requests(1, -1, 60000);
}

TEST("a tag stays open until the last handle of its settings is closed, and is then opened from its files") {
  char directory[64];
  loopback *server = loopback_start();
  temporary_directory(directory);
  remora_client *client = client_in_directory(directory, NO_SERVER);
  loopback_say(server, "{\"a\":1}");
  remora_settings_options options = settings_at(loopback_url(server));
  options.memory_only = 1; /* So that only an open tag has data. */
  remora_source *settings = open_settings(client, &options), *again = open_settings(client, &options);
  for (int i = 0; i < 3; i++) await_x(settings);
  CHECK_INT(1, loopback_requests(server));
  remora_source_close(settings);
  CHECK_INT(2, open_sources(client));
  await_x(again);
  CHECK_INT(1, loopback_requests(server));
  remora_source_close(again);
  CHECK_INT(0, open_sources(client));
  settings = open_settings(client, &options);
  await_x(settings);
  CHECK_INT(2, loopback_requests(server));
  remora_source_close(settings);
  remora_client_close(client);
  remove_directory(directory);
  loopback_stop(server);
}

TEST("a handle of a tag is usable after its settings were closed, and keeps the tag open") {
  loopback *server = loopback_start();
  remora_client *client = client_in_memory(NO_SERVER);
  remora_settings_options options = settings_at(loopback_url(server));
  remora_source *settings = open_settings(client, &options);
  remora_source *x = open_tag(settings, "x", 0), *other = open_tag(settings, "x", 0);
  remora_source_close(settings);
  loopback_say(server, "{\"a\":1}");
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, x);
  remora_source_close(x);
  CHECK_INT(1, remora_get_int(other, "a", NULL, -1));
  settings = open_settings(client, &options);
  await_x(settings); /* The same source, whose data is fresh. */
  CHECK_INT(1, loopback_requests(server));
  remora_source_close(other);
  CHECK_INT(2, open_sources(client));
  remora_source_close(settings);
  CHECK_INT(0, open_sources(client));
  remora_client_close(client);
  loopback_stop(server);
}

TEST("a tag and the same settings opened by remora_open_settings are one source") {
  loopback *server = loopback_start();
  remora_client *client = client_in_memory(NO_SERVER);
  loopback_say(server, "{\"a\":1}");
  remora_settings_options options = settings_at(loopback_url(server));
  remora_source *settings = open_settings(client, &options);
  options.tag = "x";
  remora_source *tagged = open_settings(client, &options);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, tagged);
  await_x(settings);
  remora_source_close(tagged);
  await_x(settings);
  CHECK_INT(1, loopback_requests(server));
  remora_source_close(settings);
  remora_client_close(client);
  loopback_stop(server);
}

TEST("a prefetch of a tag continues when the handle of the tag is closed, and ends with the settings") {
  loopback *server = loopback_start();
  remora_client *client = client_in_memory(NO_SERVER);
  loopback_say(server, "{\"a\":1}");
  remora_settings_options options = settings_at(loopback_url(server));
  remora_source *settings = open_settings(client, &options);
  loopback_hang(server, 1);
  remora_source *x = open_tag(settings, "x", 0), *y = open_tag(settings, "y", 0);
  REQUIRE_OK(remora_await_async(x, NULL, -1, NULL, NULL, NULL, NULL, &error));
  REQUIRE(loopback_await_requests(server, 1));
  remora_source_close(x);
  loopback_hang(server, 0);
  await_x(settings); /* Joins the prefetch. */
  CHECK_INT(1, loopback_requests(server));
  loopback_hang(server, 1);
  tally freed;
  tally_init(&freed);
  REQUIRE_OK(remora_refresh_async(y, NULL, -1, NULL, &freed, tally_add, NULL, &error));
  REQUIRE(loopback_await_requests(server, 2));
  remora_source_close(y);
  CHECK_INT(0, tally_count(&freed));
  remora_source_close(settings);
  CHECK(tally_await(&freed, 1));
  remora_client_close(client);
  loopback_hang(server, 0);
  loopback_stop(server);
}

TEST("opening a tag of closed settings is refused, also if the tag was open") {
  remora_client *client = client_in_memory(NO_SERVER);
  remora_settings_options options = settings_at(NO_SERVER);
  remora_source *settings = open_settings(client, &options), *tag = open_tag(settings, "x", 0), *none = NULL;
  remora_client_close(client);
  CHECK_REFUSED(REMORA_ERR_CLOSED, "closed", remora_open_tag(settings, "x", 0, &none, &error));
  CHECK_REFUSED(REMORA_ERR_CLOSED, "closed", remora_open_tag(settings, "y", 0, &none, &error));
  CHECK(none == NULL);
  CHECK_REFUSED(REMORA_ERR_CLOSED, "closed", remora_refresh(tag, NULL, 0, NULL, &error));
  remora_source_close(settings);
  remora_source_close(tag);
}

TEST("opening a tag refuses an invalid argument, and the error names the argument") {
  static const char *const parameters[] = {"item", "value", NULL};
  remora_client *client = client_in_memory(NO_SERVER);
  remora_settings_options options = settings_at(NO_SERVER);
  remora_source *settings = open_settings(client, &options), *tag = open_tag(settings, "x", 0), *none = NULL;
  remora_source *collection = open_untrusted(client, "sample", NULL);
  char *long_name = long_text(257);
  CHECK_PARAMETER("settings", remora_open_tag(NULL, "x", 0, &none, &error));
  CHECK_PARAMETER("settings", remora_open_tag(collection, "x", 0, &none, &error));
  CHECK_PARAMETER("settings", remora_open_tag(tag, "x", 0, &none, &error));
  CHECK_PARAMETER("tag", remora_open_tag(settings, NULL, 0, &none, &error));
  CHECK_PARAMETER("tag", remora_open_tag(settings, "", 0, &none, &error));
  CHECK_PARAMETER("tag", remora_open_tag(settings, "\xff", 0, &none, &error));
  CHECK_PARAMETER("tag", remora_open_tag(settings, long_name, 0, &none, &error));
  CHECK_PARAMETER("ttl_ms", remora_open_tag(settings, "x", -2, &none, &error));
  CHECK_PARAMETER("ttl_ms", remora_open_tag(settings, "x", INT64_MIN, &none, &error));
  CHECK_PARAMETER("out_tag", remora_open_tag(settings, "x", 0, NULL, &error));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_open_tag(NULL, NULL, 0, NULL, NULL));
  options.request_params = parameters;
  options.tag_item = "item"; /* Nothing is wrong with these settings, except that they can have no tags. */
  remora_source *without = open_settings(client, &options);
  CHECK_PARAMETER("request_params", remora_open_tag(without, "x", 0, &none, &error));
  CHECK(none == NULL);
  remora_source_close(without);
  remora_source_close(collection);
  remora_source_close(tag);
  remora_source_close(settings);
  remora_client_close(client);
  free(long_name);
}

/* In the child: the kept tag and a new one, and the end of both. */
static int child_opens_tags(remora_source *settings) {
  remora_source *x = NULL, *y = NULL;
  if (remora_open_tag(settings, "x", 0, &x, NULL) != REMORA_OK) return 10;
  if (remora_get_int(x, "a", NULL, -1) != 1) return 11;
  if (remora_open_tag(settings, "y", 0, &y, NULL) != REMORA_OK) return 12;
  if (remora_await(y, NULL, PATIENCE_MS, NULL, NULL) != REMORA_OK) return 13;
  remora_source_close(settings);
  if (remora_refresh(x, NULL, PATIENCE_MS, NULL, NULL) != REMORA_OK) return 14;
  remora_source_close(x);
  remora_source_close(y);
  return 0;
}

static remora_source *opened_and_closed;
static tally ends;

static void *open_and_close(void *unused) {
  remora_source *tag = NULL;
  (void)unused;
  while (tally_count(&ends) == 0) {
    if (remora_open_tag(opened_and_closed, "z", 0, &tag, NULL) == REMORA_OK) remora_source_close(tag);
  }
  return NULL;
}

TEST("a forked child opens tags of the settings of its parent, while another thread of the parent opens tags") {
  loopback *server = loopback_start();
  remora_client *client = client_in_memory(NO_SERVER);
  pthread_t opener;
  tally_init(&ends);
  loopback_say(server, "{\"a\":1}");
  remora_settings_options options = settings_at(loopback_url(server));
  opened_and_closed = open_settings(client, &options);
  await_x(opened_and_closed);
  REQUIRE(pthread_create(&opener, NULL, open_and_close, NULL) == 0);
  for (int i = 0; i < 20; i++) {
    pid_t child = fork();
    if (child == 0) _exit(child_opens_tags(opened_and_closed));
    check_child(child);
  }
  tally_add(&ends);
  pthread_join(opener, NULL);
  await_x(opened_and_closed);
  remora_source_close(opened_and_closed);
  CHECK_INT(0, open_sources(client));
  remora_client_close(client);
  loopback_stop(server);
}
