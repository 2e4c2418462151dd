/* SPDX-License-Identifier: Apache-2.0 */

/* remora_test.h: a server in memory and a clock. */
#include <remora_test.h>

#include "bundle_scene.h"
#include "recorder.h"
#include "scene.h"
#include "settings_scene.h"

enum { HOUR_MS = 3600 * 1000 };

#define RECORDS(time, number) "[{\"id\":\"a\",\"last_modified\":" #time ",\"n\":" #number "}]"

static remora_test test;

static void open_test(void) {
  remora_config config;
  REMORA_INIT(&config);
  config.storage_dir = REMORA_STORAGE_MEMORY;
  config.server = "https://settings.example";
  remora_test_init(&test);
  remora_test_configure(&test, &config);
  REQUIRE_OK(remora_setup(&config, &client, &error));
}

static void close_test(void) {
  close_scene();
  remora_test_free(&test);
}

TEST("a client fetches each version that the test server publishes, even one without records") {
  open_test();
  source = open_untrusted(client, "sample", NULL);
  CHECK_REFUSED(REMORA_ERR_HTTP, "404", remora_refresh(source, NULL, -1, NULL, &error));
  CHECK(!remora_test_publish(&test, "main", "sample", 0, RECORDS(0, 1)));
  CHECK(remora_test_publish(&test, "main", "sample", 1000, RECORDS(1000, 1)));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_INT(1, remora_get_int(source, "a", "/n", 0));
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  CHECK(!remora_test_publish(&test, "main", "sample", 1000, RECORDS(1000, 3)));
  CHECK(remora_test_publish(&test, "main", "sample", 2000, RECORDS(2000, 2)));
  CHECK(!remora_test_publish(&test, "main", "sample", 1999, RECORDS(1999, 3)));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_INT(2, remora_get_int(source, "a", "/n", 0));
  CHECK(remora_test_publish(&test, "main", "sample", 3000, "[]"));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_INT(0, remora_get_int(source, "a", "/n", 0));
  close_test();
}

TEST("a sync fetches only the collections that changed on the test server") {
  remora_source *other = NULL;
  open_test();
  source = open_untrusted(client, "sample", NULL);
  other = open_untrusted(client, "other", NULL);
  CHECK(remora_test_publish(&test, "main", "sample", 1000, RECORDS(1000, 1)));
  CHECK(remora_test_publish(&test, "main", "other", 1000, RECORDS(1000, 2)));
  REQUIRE_OK(remora_sync(client, NULL, -1, NULL, NULL, &error));
  CHECK_INT(1, remora_get_int(source, "a", "/n", 0));
  CHECK_INT(2, remora_get_int(other, "a", "/n", 0));
  int requests = remora_test_requests(&test);
  REQUIRE_OK(remora_sync(client, NULL, -1, NULL, NULL, &error));
  CHECK_INT(requests + 1, remora_test_requests(&test));
  remora_source_close(other);
  close_test();
}

TEST("the test server serves settings and bundles at the URLs where they are published") {
  remora_settings_options settings = settings_at("https://settings.example/app");
  remora_source_options options = without_fetch();
  remora_bundle_options bundle;
  open_test();
  CHECK(remora_test_publish_at(&test, "https://settings.example/app", "{\"settings\":{\"a\":{\"n\":3}}}"));
  CHECK(remora_test_publish_at(&test, "https://settings.example/bundle", BUNDLE(7, "{\"namespace\":\"b\",\"n\":4}")));
  settings.activation = REMORA_ACTIVATION_IMMEDIATE;
  settings.root_key = "settings";
  source = open_settings(client, &settings);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_INT(3, remora_get_int(source, "a", "/n", 0));
  remora_source_close(source);
  REMORA_INIT(&bundle);
  bundle.url = "https://settings.example/bundle";
  REQUIRE_OK(remora_open_bundle(client, &bundle, &options, &source, &error));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_INT(7, live_version(source));
  close_test();
}

TEST("the test server can make a request fail, and the test clock can end the Retry-After time") {
  open_test();
  source = open_untrusted(client, "sample", NULL);
  CHECK(remora_test_publish(&test, "main", "sample", 1000, RECORDS(1000, 1)));
  remora_test_fail_next(&test, 1, 503, 30);
  CHECK_INT(REMORA_ERR_HTTP, remora_refresh(source, NULL, -1, NULL, NULL));
  CHECK_INT(REMORA_ERR_BACKOFF, remora_refresh(source, NULL, -1, NULL, NULL));
  CHECK_INT(1, remora_test_requests(&test));
  remora_test_advance(&test, 30 * 1000);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  remora_test_fail_next(&test, 2, 500, 0);
  CHECK_INT(REMORA_ERR_HTTP, remora_refresh(source, NULL, -1, NULL, NULL));
  CHECK_INT(REMORA_ERR_HTTP, remora_refresh(source, NULL, -1, NULL, NULL));
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  remora_test_fail_next(&test, 1, 600, 0);
  CHECK_INT(REMORA_ERR_NETWORK, remora_refresh(source, NULL, -1, NULL, NULL));
  close_test();
}

TEST("while the test server is down, the client keeps its data") {
  open_test();
  source = open_untrusted(client, "sample", NULL);
  CHECK(remora_test_publish(&test, "main", "sample", 1000, RECORDS(1000, 1)));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  remora_test_set_down(&test, 1);
  CHECK_REFUSED(REMORA_ERR_NETWORK, "down", remora_refresh(source, NULL, -1, NULL, &error));
  CHECK_INT(1, remora_get_int(source, "a", "/n", 0));
  remora_test_set_down(&test, 0);
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  close_test();
}

TEST("a periodic refresh runs when the test clock is advanced, and subscribers are notified") {
  recorder events;
  recorder_init(&events);
  remora_source_options options = recorded(&events);
  remora_collection_options collection = untrusted("sample", NULL);
  open_test();
  CHECK(remora_test_publish(&test, "main", "sample", 1000, RECORDS(1000, 1)));
  options.refresh_interval_ms = HOUR_MS;
  REQUIRE_OK(remora_open_collection(client, &collection, &options, &source, &error));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  int count = tally_count(&events.events) < 2 ? 2 : tally_count(&events.events);
  recorder_await(&events, count);
  CHECK(remora_test_publish(&test, "main", "sample", 2000, RECORDS(2000, 2)));
  remora_test_advance(&test, HOUR_MS);
  CHECK_INT(2000, recorder_await(&events, count + 1)->version);
  close_test();
}
