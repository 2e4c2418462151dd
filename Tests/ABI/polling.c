/* SPDX-License-Identifier: Apache-2.0 */

/* Processes that only read: when they begin to look for what others store, and the
 * number of remora_source_get_revision. */
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scene.h"
#include "threads.h"

static const int64_t *revision;

static int64_t current(void) { return __atomic_load_n(revision, __ATOMIC_ACQUIRE); }

static void ask_revision(void) {
  REQUIRE_OK(remora_source_get_revision(source, &revision, &error));
  REQUIRE(revision != NULL);
}

/* Whether something becomes true in time; asks again and again. */
static int becomes(int (*is_so)(void)) {
  int64_t deadline = now_ms() + PATIENCE_MS;
  while (now_ms() < deadline) {
    if (is_so()) return 1;
    poll(NULL, 0, 5);
  }
  return 0;
}

TEST("the revision of a source changes when a refresh fetches new data") {
  open_served(sample_data);
  loopback_publish(server, 2000, "[]", 0, NULL);
  ask_revision();
  int64_t before = current();
  CHECK(before >= 0);
  remora_snapshot_release(acquire(source));
  CHECK_INT(before, current());
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  int64_t after = current();
  CHECK(after >= 0 && after != before);
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  CHECK_INT(after, current());
  close_scene();
}

TEST("the revision of a closed source is negative") {
  const int64_t *none = NULL;
  open_local(sample_data);
  ask_revision();
  remora_client_close(client);
  client = NULL;
  CHECK(current() < 0);
  CHECK_REFUSED(REMORA_ERR_CLOSED, "closed", remora_source_get_revision(source, &none, &error));
  CHECK(none == NULL);
  close_scene();
}

TEST("an error about an invalid argument of remora_source_get_revision names it") {
  const int64_t *none = NULL;
  open_local(sample_data);
  CHECK_INVALID("source", remora_source_get_revision(NULL, &none, &error));
  CHECK_INVALID("out_revision", remora_source_get_revision(source, NULL, &error));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_source_get_revision(NULL, NULL, NULL));
  close_scene();
}

/* A scene with a storage directory, and a process that stores version 2000 there when `go` is written to. */
static char directory[64];
static int go[2];
static pid_t writer;

static void store_when_told(void) {
  char told;
  close(go[1]);
  if (read(go[0], &told, 1) != 1) _exit(9);
  client = client_in_directory(directory, loopback_url(server));
  source = open_untrusted(client, "sample", NULL);
  _exit(remora_refresh(source, NULL, PATIENCE_MS, NULL, NULL) == REMORA_OK ? 0 : 10);
}

static void open_beside_a_writer(void) {
  temporary_directory(directory);
  REQUIRE(pipe(go) == 0);
  server = loopback_start();
  loopback_publish(server, 2000, "[{\"id\":\"a\",\"last_modified\":2000,\"n\":5}]", 0, NULL);
  writer = fork();
  REQUIRE(writer >= 0);
  if (writer == 0) store_when_told();
  client = client_in_directory(directory, loopback_url(server));
  source = open_untrusted(client, "sample", NULL);
}

static void let_it_store(void) {
  REQUIRE(write(go[1], "g", 1) == 1);
  check_child(writer);
}

static void close_beside_a_writer(void) {
  close_scene();
  remove_directory(directory);
}

static int reads_by_getter(void) { return remora_get_int(source, "a", "/n", 0) == 5; }

static int reads_by_snapshot(void) {
  int64_t number = 0;
  remora_snapshot *live = acquire(source);
  remora_snapshot_get_int(live, "a", "/n", &number, NULL);
  remora_snapshot_release(live);
  return number == 5;
}

/* As a host that keeps values of its own: acquires when the number is another or the snapshot may be another. */
static int reads_by_revision(void) {
  static int64_t seen = -1;
  static int is_five;
  int64_t now = current();
  if (now >= 0 && now % 2 == 0 && now == seen) return is_five;
  is_five = reads_by_snapshot();
  seen = now;
  return is_five;
}

TEST("a process that only calls getters picks up data that another process stores") {
  open_beside_a_writer();
  let_it_store();
  CHECK(becomes(reads_by_getter));
  close_beside_a_writer();
}

TEST("a process that only acquires snapshots picks up data that another process stores") {
  open_beside_a_writer();
  let_it_store();
  CHECK(becomes(reads_by_snapshot));
  close_beside_a_writer();
}

TEST("a process that only reads the revision picks up data that another process stores") {
  open_beside_a_writer();
  ask_revision();
  CHECK(current() < 0);
  let_it_store();
  CHECK(becomes(reads_by_revision));
  CHECK(current() >= 0);
  close_beside_a_writer();
}

static int has_a_worker(void) { return threads_named("remora-engine") == 1; }

TEST("a process that reads for less than half a second starts no thread") {
  open_beside_a_writer();
  int64_t before = now_ms();
  for (int i = 0; i < 100; i++) CHECK_INT(-5, remora_get_int(source, "a", "/n", -5));
  remora_snapshot_release(acquire(source));
  /* On a machine that stood still for so long the second is over. */
  if (now_ms() - before < 500) CHECK_INT(0, threads_named("remora-engine"));
  kill(writer, SIGKILL);
  waitpid(writer, NULL, 0);
  close_beside_a_writer();
}

TEST("one read in a forked child is enough to pick up data that its parent stores later") {
  open_beside_a_writer();
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  loopback_publish(server, 3000, "[{\"id\":\"a\",\"last_modified\":3000,\"n\":6}]", 0, NULL);
  int told[2];
  REQUIRE(pipe(told) == 0);
  pid_t child = fork();
  if (child == 0) {
    int64_t deadline = now_ms() + PATIENCE_MS;
    if (remora_get_int(source, "a", "/n", 0) != 5) _exit(10);
    if (!becomes(has_a_worker)) _exit(11);
    if (write(told[1], "r", 1) != 1) _exit(12);
    while (remora_get_int(source, "a", "/n", 0) != 6) {
      if (now_ms() > deadline) _exit(13);
      poll(NULL, 0, 5);
    }
    _exit(0);
  }
  char read_once;
  REQUIRE(read(told[0], &read_once, 1) == 1);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  check_child(child);
  let_it_store();
  close_beside_a_writer();
}

static int reads_by_waiting(void) {
  int64_t number = 0;
  remora_snapshot *live = NULL;
  if (remora_await(source, NULL, 0, &live, NULL) != REMORA_OK) remora_snapshot_acquire(source, 0, &live, NULL);
  remora_snapshot_get_int(live, "a", "/n", &number, NULL);
  remora_snapshot_release(live);
  return number == 5;
}

static void ignore_event(const remora_event *event, void *unused) {
  (void)event;
  (void)unused;
}

static remora_subscription *subscribe_to(remora_source *wanted) {
  remora_subscription *subscription = NULL;
  REQUIRE_OK(remora_subscribe(wanted, NULL, 0, ignore_event, NULL, NULL, &subscription, &error));
  return subscription;
}

/* Forks, stores a newer version in the parent, and lets the child read once. */
static void check_first_read_in_a_child(int (*is_new)(void), int subscribes) {
  char told = 0;
  int stored[2];
  open_beside_a_writer();
  loopback_publish(server, 1500, "[{\"id\":\"a\",\"last_modified\":1500,\"n\":4}]", 0, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  remora_subscription *subscription = subscribes ? subscribe_to(source) : NULL;
  loopback_publish(server, 3000, "[{\"id\":\"a\",\"last_modified\":3000,\"n\":5}]", 0, NULL);
  REQUIRE(pipe(stored) == 0);
  pid_t child = fork();
  if (child == 0) {
    if (read(stored[0], &told, 1) != 1) _exit(10);
    _exit(is_new() ? 0 : 11);
  }
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  REQUIRE(write(stored[1], "s", 1) == 1);
  check_child(child);
  close(stored[0]);
  close(stored[1]);
  remora_unsubscribe(subscription);
  let_it_store();
  close_beside_a_writer();
}

TEST("the first read in a forked child returns the data that its parent stored after the fork") {
  check_first_read_in_a_child(reads_by_getter, 0);
}

TEST("the first snapshot that a forked child acquires has the data that its parent stored after the fork") {
  check_first_read_in_a_child(reads_by_snapshot, 0);
}

TEST("the first await in a forked child returns the data that its parent stored after the fork") {
  check_first_read_in_a_child(reads_by_waiting, 0);
}

static int starts_its_worker_and_reads(void) {
  /* Starts the threads of the child, which look after all sources. */
  subscribe_to(open_untrusted(client, "other", NULL));
  return reads_by_getter();
}

TEST("the first read in a forked child that has threads returns the data that the parent stored after the fork") {
  check_first_read_in_a_child(starts_its_worker_and_reads, 1);
}
