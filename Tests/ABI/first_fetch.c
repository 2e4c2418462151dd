/* SPDX-License-Identifier: Apache-2.0 */

/* The header's remora_source_options: whether opening begins a refresh, and what NULL stands for. */
#include "bundle_scene.h"
#include "recorder.h"
#include "scene.h"
#include "settings_scene.h"
#include "threads.h"

static void start_server(void) {
  server = loopback_start();
  loopback_publish(server, 2000, "[{\"id\":\"a\",\"last_modified\":2000}]", 0, NULL);
  client = client_in_memory(loopback_url(server));
}

static remora_source_options fetching(remora_first_fetch first_fetch) {
  remora_source_options options;
  REMORA_INIT(&options);
  options.first_fetch = first_fetch;
  return options;
}

TEST("with first_fetch AT_OPEN, opening a collection starts a refresh") {
  recorder events;
  remora_collection_options collection = untrusted("sample", sample_data);
  remora_source_options options = recorded(&events);
  recorder_init(&events);
  start_server();
  options.first_fetch = REMORA_FIRST_FETCH_AT_OPEN;
  REQUIRE_OK(remora_open_collection(client, &collection, &options, &source, &error));
  CHECK_INT(SAMPLE_VERSION, recorder_await(&events, 1)->version);
  const seen_event *refreshed = recorder_await(&events, 2);
  CHECK_INT(REMORA_CAUSE_REFRESHED, refreshed->cause);
  CHECK_INT(REMORA_OUTCOME_UPDATED, refreshed->outcome);
  CHECK_INT(2000, live_version(source));
  close_scene();
}

TEST("each opening with first_fetch AT_OPEN starts a refresh, even if the source is already open") {
  remora_collection_options collection = untrusted("sample", NULL);
  remora_source_options options = fetching(REMORA_FIRST_FETCH_AT_OPEN);
  remora_source *second = NULL, *third = NULL;
  start_server();
  REQUIRE_OK(remora_open_collection(client, &collection, &options, &source, &error));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  int requests = loopback_requests(server);
  REQUIRE_OK(remora_open_collection(client, &collection, NULL, &second, &error));
  CHECK_INT(requests, loopback_requests(server));
  REQUIRE_OK(remora_open_collection(client, &collection, &options, &third, &error));
  CHECK(loopback_await_requests(server, requests + 1));
  remora_source_close(second);
  remora_source_close(third);
  close_scene();
}

TEST("if the refresh at the opening of a source fails, an event reports the failure") {
  recorder events;
  remora_collection_options collection = untrusted("sample", sample_data);
  remora_source_options options = recorded(&events);
  recorder_init(&events);
  client = client_in_memory(NO_SERVER);
  options.first_fetch = REMORA_FIRST_FETCH_AT_OPEN;
  REQUIRE_OK(remora_open_collection(client, &collection, &options, &source, &error));
  CHECK_INT(REMORA_OUTCOME_FAILED, recorder_await(&events, 2)->outcome);
  CHECK_INT(REMORA_ERR_NETWORK, events.seen[1].error);
  close_scene();
}

/* Opens a source of each kind. */
static void open_each(remora_source *opened[3], const remora_source_options *options) {
  remora_collection_options collection = untrusted("sample", NULL);
  remora_bundle_options bundle = bundle_at(loopback_url(server));
  remora_settings_options settings = settings_at(loopback_url(server));
  REQUIRE_OK(remora_open_collection(client, &collection, options, &opened[0], &error));
  /* A refresh would have started it. */
  CHECK_INT(0, threads_named("remora-engine"));
  opened[1] = open_bundle_with(client, &bundle, options);
  opened[2] = open_settings_with(client, &settings, options);
}

static void close_each(remora_source *opened[3]) {
  for (int i = 0; i < 3; i++) remora_source_close(opened[i]);
}

TEST("by default bundles and settings are fetched when they are opened, and collections are not") {
  remora_source_options options = fetching(REMORA_FIRST_FETCH_DEFAULT);
  remora_source *opened[3];
  start_server();
  open_each(opened, &options);
  CHECK(loopback_await_requests(server, 2));
  close_each(opened);
  close_scene();
}

TEST("if the options of an opening are NULL, bundles and settings are fetched, and collections are not") {
  remora_source *opened[3];
  start_server();
  open_each(opened, NULL);
  CHECK(loopback_await_requests(server, 2));
  close_each(opened);
  close_scene();
}

TEST("with first_fetch ON_REQUEST, opening a source sends no request") {
  remora_source_options options = fetching(REMORA_FIRST_FETCH_ON_REQUEST);
  remora_source *opened[3];
  start_server();
  open_each(opened, &options);
  CHECK_INT(0, threads_named("remora-engine"));
  CHECK_INT(0, loopback_requests(server));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, opened[0]);
  CHECK_INT(1, loopback_requests(server));
  close_each(opened);
  close_scene();
}

TEST("a collection with a refresh interval is fetched when it is opened, unless first_fetch is ON_REQUEST") {
  remora_collection_options collection = untrusted("sample", NULL);
  remora_source_options options = fetching(REMORA_FIRST_FETCH_DEFAULT);
  options.refresh_interval_ms = 3600 * 1000;
  start_server();
  REQUIRE_OK(remora_open_collection(client, &collection, &options, &source, &error));
  CHECK(loopback_await_requests(server, 1));
  REQUIRE_OK(remora_refresh(source, NULL, PATIENCE_MS, NULL, &error));
  const int requests = loopback_requests(server);
  remora_source_close(source);
  options.first_fetch = REMORA_FIRST_FETCH_ON_REQUEST;
  REQUIRE_OK(remora_open_collection(client, &collection, &options, &source, &error));
  CHECK_INT(requests, loopback_requests(server));
  close_scene();
}

TEST("first_fetch AT_OPEN is refused for a bundle without a url") {
  remora_source_options options = fetching(REMORA_FIRST_FETCH_DEFAULT);
  remora_bundle_options bundle = bundle_at(NULL);
  CHECK_OPENING(bundle, bundle_at(NULL), REMORA_ERR_INVALID_ARGUMENT, "first_fetch",
                options.first_fetch = REMORA_FIRST_FETCH_AT_OPEN);
  client = client_in_memory(NO_SERVER);
  remora_source_close(open_bundle(client, &bundle));
  remora_source_close(open_bundle_with(client, &bundle, &options));
  remora_source_close(open_bundle_with(client, &bundle, NULL));
  close_scene();
}

TEST("an error about an invalid first_fetch value names the option") {
  const remora_first_fetch numbers[] = {-1, 3, INT32_MIN, INT32_MAX};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    CHECK_OPENING(collection, untrusted("sample", NULL), REMORA_ERR_INVALID_ARGUMENT, "first_fetch",
                  options.first_fetch = numbers[i]);
    CHECK_OPENING(bundle, bundle_at(NO_SERVER), REMORA_ERR_INVALID_ARGUMENT, "first_fetch",
                  options.first_fetch = numbers[i]);
    CHECK_OPENING(settings, settings_at(NO_SERVER), REMORA_ERR_INVALID_ARGUMENT, "first_fetch",
                  options.first_fetch = numbers[i]);
  }
}
