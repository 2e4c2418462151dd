/* SPDX-License-Identifier: Apache-2.0 */

/* The header's ttl_ms: tags that are refreshed when they expire. */
#include <unistd.h>

#include "recorder.h"
#include "scene.h"

enum { LIFETIME_MS = 1000 };

static void open_tag(int64_t ttl_ms) {
  remora_settings_options settings;
  remora_source_options options = without_fetch();
  REMORA_INIT(&settings);
  settings.url = loopback_url(server);
  settings.tag = "x";
  settings.ttl_ms = ttl_ms;
  REQUIRE_OK(remora_open_settings(client, &settings, &options, &source, &error));
}

TEST("settings with a tag and a subscriber are refreshed each time their ttl expires") {
  recorder events;
  remora_subscription *subscription = NULL;
  recorder_init(&events);
  server = loopback_start();
  client = client_in_memory(NO_SERVER);
  loopback_say(server, "{\"a\":1}");
  open_tag(LIFETIME_MS);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  loopback_say(server, "{\"a\":2}");
  REQUIRE_OK(remora_subscribe(source, "a", 0, recorder_event, &events, NULL, &subscription, &error));
  CHECK_INT(REMORA_OUTCOME_UPDATED, recorder_await(&events, 1)->outcome);
  CHECK_INT(2, remora_get_int(source, "a", NULL, 0));
  REQUIRE(loopback_await_requests(server, 3));
  remora_unsubscribe(subscription);
  close_scene();
}

TEST("settings with a tag and a ttl of -1 are not refreshed, even if they have a subscriber") {
  recorder events;
  remora_subscription *subscription = NULL;
  recorder_init(&events);
  server = loopback_start();
  client = client_in_memory(NO_SERVER);
  loopback_say(server, "{\"a\":1}");
  open_tag(-1);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  REQUIRE_OK(remora_subscribe(source, NULL, 0, recorder_event, &events, NULL, &subscription, &error));
  CHECK(!tally_await_for(&events.events, 1, 2 * LIFETIME_MS));
  CHECK_INT(1, loopback_requests(server));
  remora_unsubscribe(subscription);
  close_scene();
}

TEST("a forked child that reads subscribed settings with a tag refreshes them when their ttl expires") {
  char directory[64];
  recorder events;
  remora_subscription *subscription = NULL;
  recorder_init(&events);
  temporary_directory(directory);
  server = loopback_start();
  client = client_in_directory(directory, NO_SERVER);
  loopback_say(server, "{\"a\":1}");
  open_tag(LIFETIME_MS);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  REQUIRE_OK(remora_subscribe(source, NULL, 0, recorder_event, &events, NULL, &subscription, &error));
  pid_t child = fork();
  if (child == 0) {
    tally never;
    tally_init(&never);
    int64_t deadline = now_ms() + PATIENCE_MS;
    while (now_ms() < deadline && remora_get_int(source, "a", NULL, 0) != 2) tally_await_for(&never, 1, 20);
    _exit(remora_get_int(source, "a", NULL, 0) == 2 ? 0 : 1);
  }
  /* The parent goes, so that only the child can ask for what it waits for. */
  remora_unsubscribe(subscription);
  remora_source_close(source);
  remora_client_close(client);
  source = NULL;
  client = NULL;
  loopback_say(server, "{\"a\":2}");
  check_child(child);
  close_scene();
  remove_directory(directory);
}
