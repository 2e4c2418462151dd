/* SPDX-License-Identifier: Apache-2.0 */

/* The member `namespaces` of an event: set when a Snowplow tracker would call onSuccess. */
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "bundle_scene.h"
#include "recorder.h"
#include "scene.h"
#include "settings_scene.h"

#define DEFAULTS "[" ELEMENT("d") "," ELEMENT("a") "]"

static recorder events;

/* For each event "STATE(NAMES) ", or "CAUSE ". */
static char told[512];
static tally tellings;

static void write_down(const remora_event *event, void *unused) {
  size_t length = strlen(told);
  (void)unused;
  if (!event->namespaces) {
    snprintf(told + length, sizeof told - length, "%s ", remora_cause_name(event->cause));
    return;
  }
  length += (size_t)snprintf(told + length, sizeof told - length, "%s(", remora_origin_name(event->origin));
  for (const char *const *name = event->namespaces; *name; name++)
    length +=
        (size_t)snprintf(told + length, sizeof told - length, "%s%s", name == event->namespaces ? "" : " ", *name);
  snprintf(told + length, sizeof told - length, ") ");
}

static void tell(const remora_event *event, void *unused) {
  write_down(event, unused);
  tally_add(&tellings);
}

/* What the first `count` events have told. */
static const char *told_by(int count) {
  REQUIRE(tally_await(&tellings, count));
  return told;
}

static void forget(void) {
  tally_init(&tellings);
  told[0] = '\0';
}

static void start(void) {
  forget();
  server = loopback_start();
  loopback_say(server, BUNDLE(2, ELEMENT("b") "," ELEMENT("a")));
}

/* Opens the bundle of a client that is open, with a subscriber whose events are told. */
static void open_told(const char *defaults) {
  recorder_init(&events);
  events.during = tell;
  remora_source_options options = recorded(&events);
  remora_bundle_options bundle = bundle_at(loopback_url(server));
  bundle.default_bundle = defaults;
  source = open_bundle_with(client, &bundle, &options);
}

TEST("events report the default bundle and each fetched bundle with its namespaces, in the order of the bundle") {
  start();
  client = client_in_memory(NO_SERVER);
  open_told(DEFAULTS);
  told_by(1);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  told_by(2);
  loopback_say(server, BUNDLE(3, ELEMENT("a") "," ELEMENT("c") "," ELEMENT("b")));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_TEXT("default(d a) fetched(b a) fetched(a c b) ", told_by(3));
  close_scene();
}

TEST("a refresh of a bundle without a newer version is no success of a tracker") {
  start();
  client = client_in_memory(NO_SERVER);
  open_told(DEFAULTS);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  loopback_say(server, BUNDLE(1, ELEMENT("c")));
  CHECK_REFRESH(REMORA_OUTCOME_NOT_NEWER, source);
  loopback_fail(server, 500, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_FAILED, source);
  loopback_say(server, "[]");
  CHECK_REFRESH(REMORA_OUTCOME_REFUSED, source);
  CHECK_TEXT("default(d a) fetched(b a) refreshed refreshed refreshed refreshed ", told_by(6));
  close_scene();
}

TEST("the first event of a bundle without any data has no namespaces, and the first fetch has") {
  start();
  client = client_in_memory(NO_SERVER);
  open_told(NULL);
  loopback_fail(server, 500, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_FAILED, source);
  loopback_say(server, BUNDLE(2, ELEMENT("b")));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_TEXT("refreshed fetched(b) ", told_by(2));
  close_scene();
}

TEST("the first event of a bundle that was stored before reports the cached bundle") {
  char directory[64];
  temporary_directory(directory);
  start();
  client = client_in_directory(directory, NO_SERVER);
  open_told(DEFAULTS);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  told_by(2);
  remora_source_close(source);
  remora_client_close(client);
  forget();
  client = client_in_directory(directory, NO_SERVER);
  open_told(DEFAULTS);
  CHECK_TEXT("cached(b a) ", told_by(1));
  close_scene();
  remove_directory(directory);
}

TEST("a bundle that another client has fetched is a success too") {
  char directory[64];
  temporary_directory(directory);
  start();
  remora_client *other = client_in_directory(directory, NO_SERVER);
  remora_bundle_options bundle = bundle_at(loopback_url(server));
  remora_source *same = open_bundle(other, &bundle);
  client = client_in_directory(directory, NO_SERVER);
  open_told(DEFAULTS);
  remora_snapshot_release(acquire(source));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, same);
  CHECK_TEXT("default(d a) fetched(b a) ", told_by(2));
  CHECK_INT(REMORA_CAUSE_ADOPTED, recorder_await(&events, 2)->cause);
  remora_source_close(same);
  remora_client_close(other);
  close_scene();
  remove_directory(directory);
}

TEST("overrides and a reset of a bundle are no success of a tracker") {
  start();
  client = client_in_memory(NO_SERVER);
  open_told(DEFAULTS);
  REQUIRE_OK(remora_override_set_int(source, "own", "/n", 1, 0, &error));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  REQUIRE_OK(remora_reset(source, &error));
  CHECK_TEXT("default(d a) override fetched(b a) reset ", told_by(4));
  close_scene();
}

TEST("a replay to a subscriber of a bundle is a success, and so is a bundle without namespaces") {
  start();
  client = client_in_memory(NO_SERVER);
  open_told(NULL);
  loopback_say(server, BUNDLE(2, ""));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  told_by(1);
  REQUIRE_OK(remora_subscribe(source, NULL, REMORA_SUBSCRIBE_REPLAY, recorder_event, &events, NULL, NULL, &error));
  CHECK_TEXT("fetched() fetched() ", told_by(2));
  CHECK_INT(REMORA_CAUSE_OPENED, recorder_await(&events, 2)->cause);
  close_scene();
}

TEST("subscribers of a key receive no namespaces") {
  start();
  client = client_in_memory(NO_SERVER);
  open_told(DEFAULTS);
  recorder key;
  recorder_init(&key);
  key.during = tell;
  told_by(1);
  recorder_do(&events, NULL, NULL);
  forget();
  REQUIRE_OK(remora_subscribe(source, "b", REMORA_SUBSCRIBE_REPLAY, recorder_event, &key, NULL, NULL, &error));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_TEXT("opened refreshed ", told_by(2));
  close_scene();
}

TEST("events of collections and settings have no namespaces") {
  remora_source *opened[2];
  recorder recorders[2];
  start();
  client = client_in_memory(NO_SERVER);
  for (int i = 0; i < 2; i++) {
    recorder_init(&recorders[i]);
    recorders[i].during = tell;
  }
  remora_source_options options = recorded(&recorders[0]);
  remora_collection_options collection = untrusted("sample", sample_data);
  REQUIRE_OK(remora_open_collection(client, &collection, &options, &opened[0], &error));
  told_by(1);
  options = recorded(&recorders[1]);
  remora_settings_options settings = settings_at(loopback_url(server));
  opened[1] = open_settings_with(client, &settings, &options);
  loopback_say(server, "{\"a\":1}");
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, opened[1]);
  CHECK_TEXT("opened opened refreshed ", told_by(3));
  for (int i = 0; i < 2; i++) remora_source_close(opened[i]);
  close_scene();
}
