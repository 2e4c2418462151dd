/* SPDX-License-Identifier: Apache-2.0 */

/* The header's refresh_interval_ms: refreshes that nobody asks for. */
#include <unistd.h>

#include "recorder.h"
#include "scene.h"
#include "threads.h"

enum { SHORTEST_MS = 1000 };

static remora_status try_open(remora_source_options options, int64_t interval_ms, remora_error *error) {
  remora_collection_options collection = untrusted("sample", NULL);
  options.refresh_interval_ms = interval_ms;
  return remora_open_collection(client, &collection, &options, &source, error);
}

static void open_every(int64_t interval_ms) { REQUIRE_OK(try_open(without_fetch(), interval_ms, &error)); }

static void start_server(void) {
  server = loopback_start();
  loopback_publish(server, 2000, "[{\"id\":\"a\",\"last_modified\":2000}]", 0, NULL);
}

TEST("a source with a refresh interval is refreshed automatically until it is closed") {
  recorder events;
  recorder_init(&events);
  start_server();
  client = client_in_memory(loopback_url(server));
  REQUIRE_OK(try_open(recorded(&events), SHORTEST_MS, &error));
  CHECK_INT(REMORA_OUTCOME_UPDATED, recorder_await(&events, 2)->outcome);
  CHECK_INT(REMORA_OUTCOME_UNCHANGED, recorder_await(&events, 3)->outcome);
  CHECK_INT(2000, live_version(source));
  remora_source_close(source);
  source = NULL;
  int requests = loopback_requests(server);
  CHECK(!tally_await_for(&events.events, requests + 2, 2 * SHORTEST_MS));
  CHECK_INT(requests, loopback_requests(server));
  close_scene();
}

TEST("a source without a refresh interval starts no thread for periodic refreshes") {
  const int64_t off[] = {0, -1};
  client = client_in_memory(NO_SERVER);
  for (int i = 0; i < 2; i++) {
    open_every(off[i]);
    remora_source_close(source);
  }
  source = NULL;
  CHECK_INT(0, threads_named("remora-engine"));
  close_scene();
}

TEST("an error about a refresh interval below one second names the option") {
  const int64_t refused[] = {1, SHORTEST_MS - 1, -2, INT64_MIN};
  client = client_in_memory(NO_SERVER);
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    CHECK_INVALID("refresh_interval_ms", try_open(without_fetch(), refused[i], &error));
  open_every(INT64_MAX);
  close_scene();
}

/* In a child: an attempt that is later than this one of the parent's must come. */
static void await_attempt_after(int64_t attempt) {
  remora_source_info info = {.struct_size = sizeof info};
  tally never;
  tally_init(&never);
  int64_t deadline = now_ms() + PATIENCE_MS;
  remora_get_int(source, "a", "/last_modified", 0);
  do {
    if (remora_source_get_info(source, &info, NULL) != REMORA_OK) _exit(2);
    if (info.attempted_at_ms > attempt) _exit(0);
    tally_await_for(&never, 1, 20);
  } while (now_ms() < deadline);
  _exit(1);
}

TEST("a forked child that reads a source continues its periodic refreshes") {
  char directory[64];
  remora_source_info info = {.struct_size = sizeof info};
  int ends[2];
  temporary_directory(directory);
  start_server();
  client = client_in_directory(directory, loopback_url(server));
  open_every(SHORTEST_MS);
  REQUIRE(loopback_await_requests(server, 1));
  REQUIRE(pipe(ends) == 0);
  pid_t child = fork();
  if (child == 0) {
    int64_t attempt = 0;
    if (read(ends[0], &attempt, sizeof attempt) != sizeof attempt) _exit(3);
    await_attempt_after(attempt);
  }
  /* The parent goes, so that only the child can make the next attempt. */
  CHECK_INT(REMORA_OK, remora_refresh(source, NULL, PATIENCE_MS, NULL, NULL));
  REQUIRE_OK(remora_source_get_info(source, &info, &error));
  remora_client_close(client);
  client = NULL;
  CHECK_INT(sizeof info.attempted_at_ms, write(ends[1], &info.attempted_at_ms, sizeof info.attempted_at_ms));
  check_child(child);
  close(ends[0]);
  close(ends[1]);
  close_scene();
  remove_directory(directory);
}
