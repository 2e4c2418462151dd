/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "settings": opening, versions, activation, and what is refused. */
#include <stdlib.h>
#include <string.h>

#include "recorder.h"
#include "settings_scene.h"

TEST("by default, the first settings that are fetched are live at once, and later ones after their activation") {
  loopback *server = loopback_start();
  remora_client *client = client_in_memory(NO_SERVER);
  recorder events;
  recorder_init(&events);
  loopback_say(server, "{\"b\":2,\"a\":1}");
  remora_settings_options settings = settings_at(loopback_url(server));
  remora_source_options options = recorded(&events);
  options.first_fetch = REMORA_FIRST_FETCH_DEFAULT;
  remora_source *source = open_settings_with(client, &settings, &options);
  const seen_event *opened = recorder_await(&events, 1);
  CHECK_INT(REMORA_CAUSE_OPENED, opened->cause);
  CHECK_INT(REMORA_ORIGIN_NONE, opened->origin);
  const seen_event *first = recorder_await(&events, 2);
  CHECK_INT(REMORA_CAUSE_REFRESHED, first->cause);
  CHECK_INT(REMORA_OUTCOME_UPDATED, first->outcome);
  CHECK(first->version > 1000000000000);
  CHECK_INT(1, remora_get_int(source, "a", NULL, -1));
  loopback_say(server, "{\"b\":2,\"a\":3}");
  CHECK_REFRESH(REMORA_OUTCOME_STAGED, source);
  const seen_event *staged = recorder_await(&events, 3);
  CHECK_INT(REMORA_OUTCOME_STAGED, staged->outcome);
  CHECK(staged->staged_version > first->version);
  CHECK_INT(1, remora_get_int(source, "a", NULL, -1));
  CHECK_STATUS(REMORA_OK, remora_activate(source, NULL, NULL, &error));
  CHECK_INT(3, remora_get_int(source, "a", NULL, -1));
  CHECK_INT(staged->staged_version, live_version(source));
  remora_source_close(source);
  CHECK_INT(1, tally_count(&events.freed));
  remora_client_close(client);
  loopback_stop(server);
}

/* Settings of a URL with packaged data, or without; the first fetch must have this outcome. */
static void check_first_fetch(const char *packaged, remora_activation activation, remora_outcome outcome) {
  loopback *server = loopback_start();
  remora_client *client = client_in_memory(NO_SERVER);
  remora_settings_options settings = settings_at(loopback_url(server));
  settings.packaged_data = packaged;
  settings.packaged_size = packaged ? strlen(packaged) : 0;
  settings.activation = activation;
  remora_source *source = open_settings(client, &settings);
  loopback_say(server, "{\"a\":1}");
  CHECK_REFRESH(outcome, source);
  loopback_say(server, "{\"a\":2}");
  CHECK_REFRESH(REMORA_OUTCOME_STAGED, source);
  remora_source_close(source);
  remora_client_close(client);
  loopback_stop(server);
}

TEST("the first fetch of settings is live at once only if the settings have no data, and activation is not manual") {
  check_first_fetch(NULL, REMORA_ACTIVATION_DEFAULT, REMORA_OUTCOME_UPDATED);
  check_first_fetch(NULL, REMORA_ACTIVATION_NEXT_SETUP, REMORA_OUTCOME_UPDATED);
  check_first_fetch(NULL, REMORA_ACTIVATION_MANUAL, REMORA_OUTCOME_STAGED);
  check_first_fetch("{\"a\":0}", REMORA_ACTIVATION_DEFAULT, REMORA_OUTCOME_STAGED);
  check_first_fetch("{\"a\":0}", REMORA_ACTIVATION_NEXT_SETUP, REMORA_OUTCOME_STAGED);
  check_first_fetch("{}", REMORA_ACTIVATION_DEFAULT, REMORA_OUTCOME_STAGED);
}

TEST("settings get a new version if their content changes, and a refresh without a change returns UNCHANGED") {
  loopback *server = loopback_start();
  remora_client *client = client_in_memory(NO_SERVER);
  remora_settings_options settings = settings_at(loopback_url(server));
  settings.tag = "t";
  remora_source *source = open_settings(client, &settings);
  loopback_say(server, "{\"a\":1,\"b\":[true,null]}");
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  const int64_t first = live_version(source);
  loopback_say(server, "{\"b\": [true, null], \"a\": 1}");
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  CHECK_INT(first, live_version(source));
  loopback_say(server, "{\"a\":2}");
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK(live_version(source) > first);
  remora_outcome outcome = -1;
  remora_refresh_options forced;
  REMORA_INIT(&forced);
  forced.force = 1;
  loopback_say(server, "{}");
  CHECK_REFUSED(REMORA_ERR_FORMAT, "force", remora_refresh(source, NULL, PATIENCE_MS, &outcome, &error));
  CHECK_INT(-1, outcome);
  CHECK_INT(2, remora_get_int(source, "a", NULL, -1));
  REQUIRE_OK(remora_refresh(source, &forced, PATIENCE_MS, &outcome, &error));
  CHECK_INT(REMORA_OUTCOME_UPDATED, outcome);
  CHECK_INT(-1, remora_get_int(source, "a", NULL, -1));
  remora_source_close(source);
  remora_client_close(client);
  loopback_stop(server);
}

TEST("a settings document that is not a dictionary is refused with an explanation") {
  loopback *server = loopback_start();
  remora_client *client = client_in_memory(NO_SERVER);
  remora_settings_options settings = settings_at(loopback_url(server));
  settings.root_key = "settings";
  remora_source *source = open_settings(client, &settings);
  loopback_say(server, "[1]");
  CHECK_REFUSED(REMORA_ERR_FORMAT, "the settings", remora_refresh(source, NULL, PATIENCE_MS, NULL, &error));
  loopback_say(server, "{\"a\":1}");
  CHECK_REFUSED(REMORA_ERR_FORMAT, "\"settings\"", remora_refresh(source, NULL, PATIENCE_MS, NULL, &error));
  loopback_say(server, "{\"settings\":[1]}");
  CHECK_REFUSED(REMORA_ERR_FORMAT, "\"settings\"", remora_refresh(source, NULL, PATIENCE_MS, NULL, &error));
  loopback_say(server, "{\"a\":1,\"a\":2,\"settings\":{}}");
  CHECK_REFUSED(REMORA_ERR_PARSE, "twice", remora_refresh(source, NULL, PATIENCE_MS, NULL, &error));
  loopback_say(server, "{\"settings\":{\"a\":3},\"more\":[]}");
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_INT(3, remora_get_int(source, "a", NULL, -1));
  remora_source_close(source);
  remora_client_close(client);
  loopback_stop(server);
}

TEST("parameters and the tag of settings are sent as encoded query items") {
  loopback *server = loopback_start();
  remora_client *client = client_in_memory(NO_SERVER);
  const char *parameters[] = {"user", "u 1&x", "empty", "", NULL};
  char head[1024];
  remora_settings_options settings = settings_at(loopback_url(server));
  settings.request_params = parameters;
  settings.tag = "a/../b";
  settings.tag_item = "context";
  remora_source *source = open_settings(client, &settings);
  loopback_say(server, "{}");
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  loopback_last_head(server, head, sizeof head);
  CHECK(strstr(head, "?user=u%201%26x&empty=&context=a%2F..%2Fb HTTP") != NULL);
  remora_source_close(source);
  remora_client_close(client);
  loopback_stop(server);
}

TEST("reads return packaged settings until settings are fetched from the server") {
  static const char packaged[] = "{\"a\":1}";
  loopback *server = loopback_start();
  remora_client *client = client_in_memory(NO_SERVER);
  remora_settings_options settings = settings_at(loopback_url(server));
  settings.packaged_data = packaged;
  settings.packaged_size = sizeof packaged - 1;
  settings.activation = REMORA_ACTIVATION_IMMEDIATE;
  remora_source *source = open_settings(client, &settings);
  int32_t origin = -1;
  remora_snapshot *snapshot = acquire(source);
  CHECK_STATUS(REMORA_OK, remora_snapshot_get_origin(snapshot, "a", &origin, &error));
  CHECK_INT(REMORA_ORIGIN_PACKAGED, origin);
  remora_snapshot_release(snapshot);
  CHECK_INT(1, remora_get_int(source, "a", NULL, -1));
  loopback_say(server, packaged);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  remora_source_close(source);
  remora_client_close(client);
  loopback_stop(server);
}

TEST("opening settings copies its options") {
  char url[] = NO_SERVER, root[] = "root", tag[] = "tag", item[] = "item", name[] = "name", value[] = "value";
  const char *parameters[] = {name, value, NULL};
  remora_client *client = client_in_memory(NO_SERVER);
  remora_settings_options settings = settings_at(url);
  settings.request_params = parameters;
  settings.root_key = root;
  settings.tag = tag;
  settings.tag_item = item;
  remora_source *source = open_settings(client, &settings);
  char *const texts[] = {url, root, tag, item, name, value};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) memset(texts[i], 'x', strlen(texts[i]));
  parameters[0] = NULL;
  CHECK_REFRESH(REMORA_OUTCOME_FAILED, source);
  remora_source_close(source);
  remora_client_close(client);
}

#define CHECK_OPEN(expected, word, change) CHECK_OPENING(settings, settings_at(NO_SERVER), expected, word, change)
#define CHECK_INVALID_OPEN(word, change) CHECK_OPEN(REMORA_ERR_INVALID_ARGUMENT, word, change)

TEST("opening settings refuses an invalid option, and the error names the option") {
  const char *const urls[] = {"", "ftp://h/x", "https://u:p@h/x", "https://h/a b", "https://h/x#y", "https://h/\xff"};
  const char *const odd[] = {"name", NULL};
  const char *const nameless[] = {"", "value", NULL};
  const char *const malformed[] = {"name", "\xff", NULL};
  const char *const tagged[] = {"tag", "value", NULL};
  char *long_name = long_text(257);
  char *long_value = long_text(8193);
  const char *const lengthy[] = {"name", long_value, NULL};
  for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) CHECK_INVALID_OPEN("url", settings.url = urls[i]);
  CHECK_INVALID_OPEN("url", settings.url = long_value);
  CHECK_INVALID_OPEN("request_params", settings.request_params = odd);
  CHECK_INVALID_OPEN("request_params", settings.request_params = nameless);
  CHECK_INVALID_OPEN("request_params", settings.request_params = malformed);
  CHECK_INVALID_OPEN("request_params", settings.request_params = lengthy);
  CHECK_INVALID_OPEN("request_params", (settings.tag = "t", settings.request_params = tagged));
  CHECK_INVALID_OPEN("root_key", settings.root_key = "");
  CHECK_INVALID_OPEN("root_key", settings.root_key = long_name);
  CHECK_INVALID_OPEN("root_key", settings.root_key = "\xff");
  CHECK_INVALID_OPEN("tag", settings.tag = "");
  CHECK_INVALID_OPEN("tag", settings.tag = long_name);
  CHECK_INVALID_OPEN("tag", settings.tag = "\xff");
  CHECK_INVALID_OPEN("tag_item", settings.tag_item = "");
  CHECK_INVALID_OPEN("tag_item", settings.tag_item = long_name);
  CHECK_INVALID_OPEN("activation", settings.activation = 4);
  CHECK_INVALID_OPEN("activation", settings.activation = -1);
  CHECK_INVALID_OPEN("activation", (settings.tag = "t", settings.activation = REMORA_ACTIVATION_MANUAL));
  CHECK_INVALID_OPEN("memory_only", settings.memory_only = 2);
  CHECK_INVALID_OPEN("persist_overrides", options.persist_overrides = -1);
  CHECK_INVALID_OPEN("persist_overrides", settings.memory_only = options.persist_overrides = 1);
  CHECK_INVALID_OPEN("refresh_interval_ms", options.refresh_interval_ms = 999);
  CHECK_INVALID_OPEN("ttl_ms", settings.ttl_ms = -2);
  CHECK_INVALID_OPEN("packaged_size", settings.packaged_size = 1);
  CHECK_INVALID_OPEN("packaged_data", settings.packaged_data = "{}");
  CHECK_INVALID_OPEN("packaged_data", (settings.packaged_data = "{}", settings.packaged_file = "x"));
  CHECK_OPEN(REMORA_ERR_PARSE, "packaged_data", (settings.packaged_data = "{", settings.packaged_size = 1));
  CHECK_OPEN(REMORA_ERR_FORMAT, "packaged_data", (settings.packaged_data = "[]", settings.packaged_size = 2));
  free(long_name);
  free(long_value);
}

TEST("an error about a NULL argument of remora_open_settings names it, but the url can be NULL") {
  remora_client *client = client_in_memory(NO_SERVER);
  remora_settings_options settings = settings_at(NULL);
  remora_source *source = NULL;
  CHECK_INVALID("client", remora_open_settings(NULL, &settings, NULL, &source, &error));
  CHECK_INVALID("settings", remora_open_settings(client, NULL, NULL, &source, &error));
  CHECK_INVALID("out_source", remora_open_settings(client, &settings, NULL, NULL, &error));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_open_settings(NULL, NULL, NULL, NULL, NULL));
  source = open_settings(client, &settings);
  CHECK_INT(0, live_version(source));
  remora_client_close(client);
  CHECK_REFUSED(REMORA_ERR_CLOSED, "closed", remora_refresh(source, NULL, PATIENCE_MS, NULL, &error));
  remora_source_close(source);
}

TEST("a too small remora_settings_options is refused, and a larger one is accepted only if the extra bytes are 0") {
  remora_client *client = client_in_memory(NO_SERVER);
  remora_source *source = NULL;
  CHECK_STRUCT_SIZES(remora_settings_options, *options = settings_at(NO_SERVER),
                     remora_open_settings(client, options, NULL, &source, &error));
  remora_source_close(source);
  remora_client_close(client);
  CHECK_INIT_STAYS_INSIDE(remora_settings_options);
}
