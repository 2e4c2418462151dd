/* SPDX-License-Identifier: Apache-2.0 */

/* What exit handlers of the host's may still do: they were registered before those of the
 * library, as destructors of static objects are, and so they run after them. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attachment_scene.h"
#include "recorder.h"
#include "sync_scene.h"

/* More than glibc keeps for the next thread: what is joined twice is gone at the second time. */
enum { STACK_BYTES = 128 << 20 };

static recorder events;
static remora_subscription *subscription;
static background_refresh waiting;

/* Runs `body`, which ends with exit(0), in a process of its own. */
static void check_exit(void (*body)(void)) {
  int status = -1;
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(PATIENCE_MS / 1000);
    body();
    _exit(1);
  }
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK_INT(0, WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

static void close_all(void) {
  remora_unsubscribe(subscription);
  remora_source_close(source);
  remora_client_close(client);
}

static void close_at_exit(void) {
  pthread_attr_t large;
  pthread_attr_init(&large);
  pthread_attr_setstacksize(&large, STACK_BYTES);
  pthread_setattr_default_np(&large);
  atexit(close_all);
  open_served(sample_data);
  recorder_init(&events);
  remora_subscribe(source, NULL, 0, recorder_event, &events, recorder_freed, &subscription, NULL);
  remora_refresh(source, NULL, PATIENCE_MS, NULL, NULL);
  recorder_await(&events, 1);
  exit(0);
}

TEST("a client can be closed after the library's own exit handler has run") { check_exit(close_at_exit); }

static void join_the_refresh(void) {
  background_join(&waiting);
  if (waiting.status != REMORA_ERR_CLOSED) _exit(2);
  if (remora_refresh(source, NULL, -1, NULL, NULL) != REMORA_ERR_CLOSED) _exit(3);
  if (remora_reset(source, NULL) != REMORA_ERR_CLOSED) _exit(4);
}

static void join_at_exit(void) {
  atexit(join_the_refresh);
  open_served(sample_data);
  loopback_hang(server, 1);
  background_start(&waiting, source);
  loopback_await_requests(server, 1);
  exit(0);
}

TEST("a refresh that is running or starts while the process exits fails with CLOSED") { check_exit(join_at_exit); }

static pthread_t opener;
static remora_status opened = REMORA_OK;

static void *open_waiting(void *ignored) {
  (void)ignored;
  remora_attachment_options options = progress_to(&first_opening);
  remora_attachment *attachment = NULL;
  opened = remora_attachment_open(source, "large", &options, -1, &attachment, NULL);
  return NULL;
}

static void join_the_opening(void) {
  pthread_join(opener, NULL);
  if (opened != REMORA_ERR_CLOSED) _exit(2);
  if (tally_count(&first_opening.progress_freed) != 0) _exit(3);
}

static void open_at_exit(void) {
  atexit(join_the_opening);
  open_attachments(NULL);
  loopback_stall(server, 150000);
  if (pthread_create(&opener, NULL, open_waiting, NULL) != 0) _exit(4);
  tally_await(&first_opening.progress, 1);
  exit(0);
}

TEST("opening an attachment fails with CLOSED if the process exits meanwhile") { check_exit(open_at_exit); }

static pthread_t syncer;
static remora_status synced = REMORA_OK;

static void no_report(const remora_sync_report *report, void *ignored) {
  (void)report;
  (void)ignored;
  _exit(2);
}

static void *sync_waiting(void *ignored) {
  (void)ignored;
  synced = remora_sync(client, NULL, -1, no_report, NULL, NULL);
  return NULL;
}

static void join_the_sync(void) {
  pthread_join(syncer, NULL);
  if (synced != REMORA_ERR_CLOSED) _exit(3);
}

static void sync_at_exit(void) {
  atexit(join_the_sync);
  open_served(sample_data);
  loopback_hang(server, 1);
  if (pthread_create(&syncer, NULL, sync_waiting, NULL) != 0) _exit(4);
  loopback_await_requests(server, 1);
  exit(0);
}

TEST("a sync fails with CLOSED if the process exits meanwhile, and its callback is not called") {
  check_exit(sync_at_exit);
}

static int32_t no_change(const remora_change *change, void *ignored) {
  (void)change;
  (void)ignored;
  _exit(2);
}

static int32_t no_source(const remora_source_info *info, void *ignored) {
  (void)info;
  (void)ignored;
  _exit(2);
}

static int32_t no_override(const remora_override *override, void *ignored) {
  (void) override;
  (void)ignored;
  _exit(2);
}

static void not_freed(void *ignored) {
  (void)ignored;
  _exit(2);
}

/* May be called before the exit. */
static void ignore_event(const remora_event *event, void *ignored) {
  (void)event;
  (void)ignored;
}

/* The last of the exit handlers: the library's has run. */
static void visit_and_close(void) {
  remora_error error = {0};
  if (remora_source_foreach(client, no_source, NULL, &error) != REMORA_ERR_CLOSED) _exit(3);
  if (strcmp(error.message, "the process is exiting") != 0) _exit(4);
  if (remora_override_foreach(source, no_override, NULL, NULL) != REMORA_ERR_CLOSED) _exit(5);
  if (remora_snapshot_diff(NULL, snapshot, no_change, NULL, NULL) != REMORA_ERR_CLOSED) _exit(6);
  if (remora_snapshot_diff(snapshot, snapshot, no_change, NULL, NULL) != REMORA_OK) _exit(7);
  if (remora_sync(client, NULL, 0, no_report, NULL, NULL) != REMORA_ERR_CLOSED) _exit(8);
  close_all();
}

static void visit_at_exit(void) {
  atexit(visit_and_close);
  open_local(sample_data);
  if (remora_subscribe(source, NULL, 0, ignore_event, &events, not_freed, &subscription, NULL) != REMORA_OK) _exit(9);
  if (remora_override_set(source, "added", NULL, "1", 0, NULL) != REMORA_OK) _exit(10);
  exit(0);
}

TEST("no visitor, callback or free_user_data is called once the process is exiting") { check_exit(visit_at_exit); }

static remora_client *quiet;

static void visit_quiet(void) {
  if (remora_source_foreach(quiet, no_source, NULL, NULL) != REMORA_ERR_CLOSED) _exit(3);
}

/* A client in memory whose source was only opened: no thread of the library has started. */
static void visit_without_threads(void) {
  atexit(visit_quiet);
  open_local(sample_data);
  quiet = client;
  exit(0);
}

TEST("no visitor is called once the process is exiting, even if the library never had a thread") {
  check_exit(visit_without_threads);
}

static sem_t visiting, leaving;
static pthread_t visitor;
static int visits;

/* Waits in the first visit until the process has begun to exit. */
static int32_t wait_in_visit(const remora_change *change, void *ignored) {
  (void)change;
  (void)ignored;
  visits++;
  sem_post(&visiting);
  sem_wait(&leaving);
  return 0;
}

static void *visit_changes(void *ignored) {
  (void)ignored;
  return remora_snapshot_diff(NULL, snapshot, wait_in_visit, NULL, NULL) == REMORA_ERR_CLOSED ? NULL : &visits;
}

static void join_the_visitor(void) {
  void *failed = NULL;
  sem_post(&leaving);
  pthread_join(visitor, &failed);
  if (failed != NULL || visits != 1) _exit(2);
}

static void exit_in_visit(void) {
  sem_init(&visiting, 0, 0);
  sem_init(&leaving, 0, 0);
  atexit(join_the_visitor);
  open_local(sample_data);
  if (pthread_create(&visitor, NULL, visit_changes, NULL) != 0) _exit(3);
  sem_wait(&visiting);
  exit(0);
}

TEST("visits that are running when the process exits end with CLOSED after the running call") {
  check_exit(exit_in_visit);
}
