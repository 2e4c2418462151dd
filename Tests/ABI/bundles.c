/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "bundles": opening, the fetch at open, namespaces, and what is refused. */
#include <stdio.h>
#include <string.h>

#include "bundle_scene.h"
#include "recorder.h"

static void check_namespaces(const char *expected, remora_source *source, const remora_snapshot *snapshot, int wanted,
                             const char *file, int line) {
  listing list = {.left = wanted};
  REQUIRE_OK(remora_namespace_foreach(source, snapshot, list_one, &list, &error));
  check_text(expected, list.text, "the namespaces", file, line);
}

#define CHECK_NAMESPACES(expected, source) check_namespaces((expected), (source), NULL, -1, __FILE__, __LINE__)

TEST("subscribers of a bundle are notified of the default bundle, and then of the fetched one") {
  loopback *server = loopback_start();
  remora_client *client = client_in_memory(NO_SERVER);
  recorder events;
  recorder_init(&events);
  loopback_say(server, BUNDLE(2, ELEMENT("b") "," ELEMENT("a")));
  remora_bundle_options bundle = bundle_at(loopback_url(server));
  remora_source_options options = recorded(&events);
  options.first_fetch = REMORA_FIRST_FETCH_DEFAULT;
  bundle.default_bundle = "[" ELEMENT("d") "," ELEMENT("a") "]";
  bundle.default_version = 1;
  remora_source *source = open_bundle_with(client, &bundle, &options);
  const seen_event *opened = recorder_await(&events, 1);
  CHECK_INT(REMORA_CAUSE_OPENED, opened->cause);
  CHECK_INT(REMORA_ORIGIN_DEFAULT, opened->origin);
  CHECK_INT(1, opened->version);
  const seen_event *fetched = recorder_await(&events, 2);
  CHECK_INT(REMORA_OUTCOME_UPDATED, fetched->outcome);
  CHECK_INT(REMORA_ORIGIN_FETCHED, fetched->origin);
  CHECK_INT(2, fetched->version);
  CHECK_TEXT("+b", fetched->changes);
  CHECK_NAMESPACES("b a (d*)", source);
  check_namespaces("b a", source, NULL, 2, __FILE__, __LINE__);
  remora_source_close(source);
  CHECK_INT(1, tally_count(&events.freed));
  remora_client_close(client);
  loopback_stop(server);
}

/* Lists the namespaces of an event with the event's own source. */
static void list_event(const remora_event *event, void *raw) {
  listing *lists = raw;
  while (lists->text[0]) lists++;
  lists->left = -1;
  REQUIRE_OK(remora_namespace_foreach(event->source, event->new_snapshot, list_one, lists, &error));
}

/* What the trackers hand to onSuccess at setup and refresh: carried over and removed namespaces are told apart. */
TEST("a callback can read the namespaces of a bundle from the source of its event") {
  loopback *server = loopback_start();
  remora_client *client = client_in_memory(NO_SERVER);
  listing lists[8] = {{{0}, 0}};
  recorder events;
  recorder_init(&events);
  events.during = list_event;
  events.context = lists;
  remora_bundle_options bundle = bundle_at(loopback_url(server));
  remora_source_options options = recorded(&events);
  bundle.default_bundle = "[" ELEMENT("d") "," ELEMENT("a") "]";
  remora_source *source = open_bundle_with(client, &bundle, &options);
  loopback_say(server, BUNDLE(2, ELEMENT("b") "," ELEMENT("a")));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  recorder_await(&events, 2);
  loopback_say(server, BUNDLE(3, "{\"namespace\":\"b\"}," ELEMENT("c")));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  recorder_await(&events, 3);
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  recorder_await(&events, 4);
  remora_source_close(source);
  CHECK_TEXT("d* a", lists[0].text);
  CHECK_TEXT("b a (d*)", lists[1].text);
  CHECK_TEXT("c (a) (d*)", lists[2].text);
  CHECK_TEXT("c (a) (d*)", lists[3].text);
  CHECK_INT(1, tally_count(&events.freed));
  remora_client_close(client);
  loopback_stop(server);
}

TEST("the namespaces of a retained snapshot do not change") {
  loopback *server = loopback_start();
  remora_client *client = client_in_memory(NO_SERVER);
  remora_bundle_options bundle = bundle_at(loopback_url(server));
  remora_source *source = open_bundle(client, &bundle);
  loopback_say(server, BUNDLE(1, ELEMENT("a") "," ELEMENT("b")));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  remora_snapshot *before = acquire(source);
  loopback_say(server, BUNDLE(2, "{\"namespace\":\"a\"}"));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_NAMESPACES("(b)", source);
  check_namespaces("a b", source, before, -1, __FILE__, __LINE__);
  remora_snapshot_release(before);
  remora_source_close(source);
  remora_client_close(client);
  loopback_stop(server);
}

TEST("a value of a bundle is read by its namespace and a JSON Pointer, even in a bundle without a url") {
  remora_client *client = client_in_memory(NO_SERVER);
  remora_bundle_options bundle = bundle_at(NULL);
  char endpoint[64];
  bundle.default_bundle = BUNDLE(9007199254740993, ELEMENT("ns"));
  remora_source *source = open_bundle(client, &bundle);
  CHECK_INT(17,
            (int64_t)remora_get_string(source, "ns", "/networkConfiguration/endpoint", endpoint, sizeof endpoint, ""));
  CHECK_TEXT("https://e.example", endpoint);
  CHECK_INT(INT64_C(9007199254740993), live_version(source));
  remora_snapshot *snapshot = acquire(source);
  int32_t origin = -1;
  CHECK_STATUS(REMORA_OK, remora_snapshot_get_origin(snapshot, "ns", &origin, &error));
  CHECK_INT(REMORA_ORIGIN_DEFAULT, origin);
  remora_snapshot_release(snapshot);
  CHECK_PARAMETER("source", remora_refresh(source, NULL, PATIENCE_MS, NULL, &error));
  remora_source_close(source);
  remora_client_close(client);
}

TEST("if the refresh at the opening of a bundle fails, the first event reports the failure") {
  remora_client *client = client_in_memory(NO_SERVER);
  recorder events;
  recorder_init(&events);
  remora_bundle_options bundle = bundle_at(NO_SERVER);
  remora_source_options options = recorded(&events);
  options.first_fetch = REMORA_FIRST_FETCH_DEFAULT;
  remora_source *source = open_bundle_with(client, &bundle, &options);
  const seen_event *failed = recorder_await(&events, 1);
  CHECK_INT(REMORA_CAUSE_REFRESHED, failed->cause);
  CHECK_INT(REMORA_OUTCOME_FAILED, failed->outcome);
  CHECK_INT(REMORA_ERR_NETWORK, failed->error);
  CHECK_INT(REMORA_ORIGIN_NONE, failed->origin);
  remora_source_close(source);
  remora_client_close(client);
}

TEST("a client can be closed while the refresh at the opening of a bundle is running") {
  loopback *server = loopback_start();
  loopback_hang(server, 1);
  remora_client *client = client_in_memory(NO_SERVER);
  remora_bundle_options bundle = bundle_at(loopback_url(server));
  remora_source *source = open_bundle_with(client, &bundle, NULL);
  REQUIRE(loopback_await_requests(server, 1));
  remora_client_close(client);
  CHECK_REFUSED(REMORA_ERR_CLOSED, "closed", remora_refresh(source, NULL, PATIENCE_MS, NULL, &error));
  CHECK_REFUSED(REMORA_ERR_CLOSED, "closed", remora_namespace_foreach(source, NULL, list_one, NULL, &error));
  remora_source_close(source);
  loopback_stop(server);
}

TEST("opening a bundle copies its options") {
  char url[] = NO_SERVER, name[] = "name", schema[] = "v/n/1", defaults[] = "[" ELEMENT("a") "]";
  remora_client *client = client_in_memory(NO_SERVER);
  remora_bundle_options bundle = bundle_at(url);
  bundle.name = name;
  bundle.accepted_schema = schema;
  bundle.default_bundle = defaults;
  remora_source *source = open_bundle(client, &bundle);
  memset(url, 'x', strlen(url));
  memset(name, 'x', strlen(name));
  memset(schema, 'x', strlen(schema));
  memset(defaults, 'x', strlen(defaults));
  CHECK_NAMESPACES("a*", source);
  CHECK_REFRESH(REMORA_OUTCOME_FAILED, source);
  remora_source_close(source);
  remora_client_close(client);
}

TEST("a bundle without a url is not refreshed") {
  remora_client *client = client_in_memory(NO_SERVER);
  remora_bundle_options bundle = bundle_at(NULL);
  bundle.default_bundle = "[" ELEMENT("a") "]";
  remora_source *source = open_bundle(client, &bundle);
  int32_t outcome = -1;
  completion end;
  completion_init(&end);
  CHECK_PARAMETER("source", remora_refresh(source, NULL, PATIENCE_MS, &outcome, &error));
  CHECK_INT(-1, outcome);
  CHECK_PARAMETER("source", remora_await(source, NULL, PATIENCE_MS, NULL, &error));
  CHECK_INVALID("source",
                remora_refresh_async(source, NULL, -1, completion_told, &end, completion_freed, NULL, &error));
  CHECK_INT(1, tally_count(&end.freed));
  CHECK_INT(0, tally_count(&end.calls));
  remora_source_close(source);
  remora_client_close(client);
}

/* Opens the bundle of a server in a directory, with stored overrides. */
static remora_source *open_stored(remora_client *client, const loopback *server) {
  remora_bundle_options bundle = bundle_at(loopback_url(server));
  remora_source_options options = without_fetch();
  options.persist_overrides = 1;
  return open_bundle_with(client, &bundle, &options);
}

TEST("a fetched bundle deletes overrides of removed namespaces when it takes effect at the next opening") {
  char directory[64];
  loopback *server = loopback_start();
  temporary_directory(directory);
  loopback_say(server, BUNDLE(1, ELEMENT("a") "," ELEMENT("b")));
  remora_client *client = client_in_directory(directory, NO_SERVER);
  remora_source *source = open_stored(client, server);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  REQUIRE_OK(remora_override_set(source, "a", "/n", "5", 0, &error));
  REQUIRE_OK(remora_override_set(source, "b", "/n", "5", 0, &error));
  REQUIRE_OK(remora_freeze(source, &error));
  loopback_say(server, BUNDLE(2, "{\"namespace\":\"a\"}," ELEMENT("b")));
  CHECK_REFRESH(REMORA_OUTCOME_STAGED, source);
  CHECK_INT(5, remora_get_int(source, "a", "/n", -1));
  /* Twice: what ended at the first open does not come back with the second. */
  for (int i = 0; i < 2; i++) {
    remora_source_close(source);
    remora_client_close(client);
    client = client_in_directory(directory, NO_SERVER);
    source = open_stored(client, server);
    CHECK_NAMESPACES("b", source);
    CHECK_INT(-1, remora_get_int(source, "a", "/n", -1));
    CHECK_INT(5, remora_get_int(source, "b", "/n", -1));
  }
  remora_source_close(source);
  remora_client_close(client);
  loopback_stop(server);
  remove_directory(directory);
}
