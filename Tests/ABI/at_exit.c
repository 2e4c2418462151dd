/* SPDX-License-Identifier: Apache-2.0 */

/* What exit handlers of the host's may still do: they were registered before those of the
 * library, as destructors of static objects are, and so they run after them. */
#define _GNU_SOURCE
#include "suites.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attachment_scene.h"
#include "recorder.h"

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

static void a_client_can_be_closed_at_exit(void) { check_exit(close_at_exit); }

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

static void a_refresh_ends_at_exit(void) { check_exit(join_at_exit); }

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

static void an_opening_ends_at_exit(void) { check_exit(open_at_exit); }

const check_test at_exit_tests[] = {
    {"a client can be closed after the library's own exit handler has run", a_client_can_be_closed_at_exit},
    {"a refresh that is running or starts while the process exits fails with CLOSED", a_refresh_ends_at_exit},
    {"opening an attachment fails with CLOSED if the process exits meanwhile", an_opening_ends_at_exit},
    {NULL, NULL},
};
