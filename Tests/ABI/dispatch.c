/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "host loop": where callbacks run, what the descriptor tells, and
 * what may be done inside of remora_dispatch. */
#include "suites.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder.h"
#include "scene.h"
#include "threads.h"

static remora_subscription *subscription;
static recorder events;
static pthread_t caller;
static tally elsewhere; /* Callbacks on any thread but the caller's. */

static void note_thread(const remora_event *event, void *context) {
  (void)event;
  (void)context;
  if (!pthread_equal(caller, pthread_self())) tally_add(&elsewhere);
}

static remora_client *client_on_dispatch(const char *directory, const char *url) {
  remora_config config;
  remora_client *made = NULL;
  remora_config_init(&config, sizeof config);
  config.storage_dir = directory;
  config.server = url;
  config.callbacks = REMORA_CALLBACKS_ON_DISPATCH;
  REQUIRE_OK(remora_setup(&config, &made, &error));
  return made;
}

/* A source "sample" whose next refresh brings version 2000, and a subscriber of it. */
static void open_in(const char *directory) {
  caller = pthread_self();
  tally_init(&elsewhere);
  recorder_init(&events);
  events.during = note_thread;
  server = loopback_start();
  loopback_publish(server, 2000, "[{\"id\":\"a\",\"last_modified\":2000,\"n\":5}]", 0, NULL);
  client = client_on_dispatch(directory, loopback_url(server));
  source = open_untrusted(client, "sample", NULL);
  REQUIRE_OK(remora_subscribe(source, NULL, NULL, recorder_event, &events, recorder_freed, &subscription, &error));
}

static void open_all(void) {
  open_in(REMORA_STORAGE_MEMORY);
}

static void close_all(void) {
  remora_unsubscribe(subscription);
  close_scene();
  CHECK_INT(1, tally_count(&events.freed));
  CHECK_INT(0, tally_count(&elsewhere));
}

static int descriptor(void) {
  int32_t fd = -1;
  REQUIRE_OK(remora_fd(client, &fd, &error));
  REQUIRE(fd >= 0);
  return fd;
}

static size_t dispatch(void) {
  size_t count = 99;
  REQUIRE_OK(remora_dispatch(client, &count, &error));
  return count;
}

static int is_readable(int fd, int ms) {
  struct pollfd waiting = {.fd = fd, .events = POLLIN};
  return poll(&waiting, 1, ms) == 1;
}

static void callbacks_run_inside_dispatch_only(void) {
  open_all();
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_INT(0, tally_count(&events.events));
  CHECK_INT(1, (int64_t)dispatch());
  CHECK_INT(1, tally_count(&events.events));
  CHECK_INT(2000, events.seen[0].version);
  CHECK_INT(0, (int64_t)dispatch());
  close_all();
}

static void the_descriptor_is_readable_while_callbacks_wait(void) {
  open_all();
  int fd = descriptor();
  CHECK(!is_readable(fd, 0));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK(is_readable(fd, 0));
  CHECK(is_readable(fd, 0));
  CHECK_INT(1, (int64_t)dispatch());
  CHECK(!is_readable(fd, 0));
  CHECK_INT(fd, descriptor());
  close_all();
}

static void what_waited_before_the_descriptor_was_asked_for_is_told(void) {
  open_all();
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK(is_readable(descriptor(), 0));
  close_all();
}

static void select_sees_the_descriptor(void) {
  fd_set readable;
  struct timeval limit = {.tv_sec = PATIENCE_MS / 1000};
  open_all();
  int fd = descriptor();
  REQUIRE(fd < FD_SETSIZE);
  REQUIRE_OK(remora_refresh_async(source, NULL, NULL, NULL, NULL, NULL, &error));
  FD_ZERO(&readable);
  FD_SET(fd, &readable);
  CHECK_INT(1, select(fd + 1, &readable, NULL, NULL, &limit));
  CHECK(dispatch() >= 1);
  CHECK_INT(1, tally_count(&events.events));
  close_all();
}

static void edge_triggered_epoll_misses_nothing(void) {
  struct epoll_event edge = {.events = EPOLLIN | EPOLLET};
  open_all();
  int loop = epoll_create1(EPOLL_CLOEXEC);
  REQUIRE(loop >= 0 && epoll_ctl(loop, EPOLL_CTL_ADD, descriptor(), &edge) == 0);
  for (int round = 1; round <= 3; round++) {
    REQUIRE_OK(remora_refresh_async(source, NULL, NULL, NULL, NULL, NULL, &error));
    while (tally_count(&events.events) < round) {
      REQUIRE(epoll_wait(loop, &edge, 1, PATIENCE_MS) == 1);
      dispatch();
    }
  }
  close(loop);
  close_all();
}

static void dispatch_again_here(const remora_event *event, void *context) {
  remora_error *error = context;
  (void)event;
  remora_dispatch(client, NULL, error);
}

static void dispatch_inside_a_callback_is_busy(void) {
  remora_error inside = {0};
  open_all();
  events.during = dispatch_again_here;
  events.context = &inside;
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_INT(1, (int64_t)dispatch());
  CHECK_INT(REMORA_ERR_BUSY, inside.status);
  CHECK(strstr(inside.message, "remora_dispatch") != NULL);
  close_all();
}

static void *dispatch_apart(void *unused) {
  (void)unused;
  remora_dispatch(client, NULL, NULL);
  return NULL;
}

static void a_second_dispatch_on_another_thread_is_busy(void) {
  gate hold;
  pthread_t thread;
  open_all();
  gate_init(&hold);
  events.during = recorder_hold;
  events.context = &hold;
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  REQUIRE(pthread_create(&thread, NULL, dispatch_apart, NULL) == 0);
  REQUIRE(gate_await_arrival(&hold));
  CHECK_REFUSED(REMORA_ERR_BUSY, "running", remora_dispatch(client, NULL, &error));
  gate_open(&hold);
  pthread_join(thread, NULL);
  CHECK_INT(0, (int64_t)dispatch());
  close_all();
}

static void *unsubscribe_apart(void *done) {
  remora_unsubscribe(subscription);
  tally_add(done);
  return NULL;
}

static void unsubscribe_waits_for_the_callback_that_is_dispatched(void) {
  gate hold;
  tally done;
  pthread_t dispatching, unsubscribing;
  open_all();
  gate_init(&hold);
  tally_init(&done);
  events.during = recorder_hold;
  events.context = &hold;
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  REQUIRE(pthread_create(&dispatching, NULL, dispatch_apart, NULL) == 0);
  REQUIRE(gate_await_arrival(&hold));
  REQUIRE(pthread_create(&unsubscribing, NULL, unsubscribe_apart, &done) == 0);
  CHECK(!tally_await_for(&done, 1, 50));
  CHECK_INT(0, tally_count(&events.freed));
  gate_open(&hold);
  CHECK(tally_await(&done, 1));
  CHECK_INT(1, tally_count(&events.freed));
  pthread_join(dispatching, NULL);
  pthread_join(unsubscribing, NULL);
  subscription = NULL;
  close_all();
}

static void unsubscribe_here(const remora_event *event, void *context) {
  (void)event;
  (void)context;
  remora_unsubscribe(subscription);
  subscription = NULL;
}

static void a_callback_may_end_its_subscription(void) {
  open_all();
  events.during = unsubscribe_here;
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_INT(1, (int64_t)dispatch());
  CHECK_INT(1, tally_count(&events.freed));
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  CHECK_INT(0, (int64_t)dispatch());
  close_all();
}

static void close_here(const remora_event *event, void *context) {
  (void)event;
  (void)context;
  remora_close(client);
}

static void a_callback_may_close_the_client(void) {
  size_t count = 0;
  open_all();
  events.during = close_here;
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  REQUIRE_OK(remora_dispatch(client, &count, &error));
  CHECK_INT(1, (int64_t)count);
  CHECK_INT(1, tally_count(&events.events));
  CHECK_INT(1, tally_count(&events.freed));
  client = NULL;
  close_all();
}

static void refresh_again_told(remora_status status, int32_t outcome, const remora_error *error, void *context) {
  (void)status;
  (void)outcome;
  (void)error;
  tally_add(context);
  remora_request *request = NULL;
  remora_refresh_async(source, NULL, refresh_again_told, context, NULL, &request, NULL);
  remora_request_cancel(request);
  remora_request_release(request);
}

static void what_a_callback_causes_is_for_the_next_dispatch(void) {
  tally ends;
  open_all();
  remora_unsubscribe(subscription);
  subscription = NULL;
  tally_init(&ends);
  int fd = descriptor();
  REQUIRE_OK(remora_refresh_async(source, NULL, refresh_again_told, &ends, NULL, NULL, &error));
  for (int round = 1; round <= 3; round++) {
    REQUIRE(is_readable(fd, PATIENCE_MS));
    CHECK_INT(1, (int64_t)dispatch());
    CHECK_INT(round, tally_count(&ends));
  }
  close_all();
}

static void completions_come_behind_the_events_of_their_refresh(void) {
  completion end;
  open_all();
  completion_init(&end);
  int fd = descriptor();
  REQUIRE_OK(remora_refresh_async(source, NULL, completion_told, &end, completion_freed, NULL, &error));
  while (tally_count(&end.calls) == 0) {
    REQUIRE(is_readable(fd, PATIENCE_MS));
    dispatch();
  }
  CHECK_INT(1, tally_count(&events.events));
  CHECK_INT(REMORA_OUTCOME_UPDATED, end.outcome);
  CHECK_INT(1, tally_count(&end.freed));
  close_all();
}

static void no_thread_of_the_library_runs_callbacks(void) {
  open_all();
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  REQUIRE_OK(remora_refresh_async(source, NULL, NULL, NULL, NULL, NULL, &error));
  REQUIRE(is_readable(descriptor(), PATIENCE_MS));
  CHECK(threads_named("remora-worker") == 1);
  CHECK(threads_named("remora-events") == 0);
  close_all();
}

static void log_line(int32_t level, const char *message, void *lines) {
  (void)level;
  (void)message;
  tally_add(lines);
}

/* Every refresh that fails is a log line. */
static void log_lines_wait_for_dispatch_and_do_not_fill_the_memory(void) {
  enum { MOST = 1000 };
  tally lines;
  remora_config config;
  tally_init(&lines);
  remora_config_init(&config, sizeof config);
  config.storage_dir = REMORA_STORAGE_MEMORY;
  config.server = NO_SERVER;
  config.callbacks = REMORA_CALLBACKS_ON_DISPATCH;
  config.log_callback = log_line;
  config.log_user_data = &lines;
  config.log_level = REMORA_LOG_DEBUG;
  REQUIRE_OK(remora_setup(&config, &client, &error));
  source = open_untrusted(client, "sample", NULL);
  for (int i = 0; i < MOST + 100; i++) CHECK_REFRESH(REMORA_OUTCOME_FAILED, source);
  CHECK_INT(0, tally_count(&lines));
  CHECK_INT(MOST, (int64_t)dispatch());
  CHECK_INT(MOST, tally_count(&lines));
  close_scene();
}

static void the_descriptor_ends_with_the_client(void) {
  open_all();
  int fd = descriptor();
  CHECK(fcntl(fd, F_GETFD) == FD_CLOEXEC);
  remora_close(client);
  client = NULL;
  CHECK_INT(-1, fcntl(fd, F_GETFD));
  close_all();
}

/* In the child: the event of the child's own refresh comes over a descriptor of its own. */
static int child_gets_its_events(void) {
  int32_t fd = -1;
  size_t count = 0;
  if (remora_refresh(source, PATIENCE_MS, NULL, NULL) != REMORA_OK) return 10;
  if (remora_fd(client, &fd, NULL) != REMORA_OK) return 11;
  if (!is_readable(fd, PATIENCE_MS)) return 12;
  if (remora_dispatch(client, &count, NULL) != REMORA_OK || count != 1) return 13;
  if (tally_count(&events.events) != 1) return 14;
  return 0;
}

static void check_child(pid_t child) {
  int ending = -1;
  REQUIRE(child > 0 && waitpid(child, &ending, 0) == child);
  CHECK(WIFEXITED(ending));
  CHECK_INT(0, WEXITSTATUS(ending));
}

static void a_forked_child_asks_for_a_descriptor_of_its_own(void) {
  open_all();
  int fd = descriptor();
  pid_t child = fork();
  if (child == 0) _exit(child_gets_its_events());
  check_child(child);
  CHECK(!is_readable(fd, 0));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK(is_readable(fd, 0));
  CHECK_INT(1, (int64_t)dispatch());
  close_all();
}

static void fork_here(const remora_event *event, void *context) {
  (void)event;
  *(pid_t *)context = fork();
}

static void a_callback_may_fork_and_both_go_on(void) {
  pid_t child = -1;
  size_t count = 99;
  open_all();
  events.during = fork_here;
  events.context = &child;
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  remora_status status = remora_dispatch(client, &count, NULL);
  if (child == 0) {
    events.during = NULL;
    int is_well = status == REMORA_OK && remora_refresh(source, PATIENCE_MS, NULL, NULL) == REMORA_OK &&
                  remora_dispatch(client, &count, NULL) == REMORA_OK && count == 1;
    _exit(is_well ? 0 : 10);
  }
  CHECK_INT(REMORA_OK, status);
  CHECK_INT(1, (int64_t)count);
  check_child(child);
  close_all();
}

static void a_forked_child_is_told_what_its_parent_stores(void) {
  char directory[64];
  int told[2];
  temporary_directory(directory);
  open_in(directory);
  REQUIRE(pipe(told) == 0);
  pid_t child = fork();
  if (child == 0) {
    int32_t fd = -1;
    if (remora_fd(client, &fd, NULL) != REMORA_OK) _exit(10);
    if (write(told[1], "c", 1) != 1) _exit(11);
    if (!is_readable(fd, PATIENCE_MS)) _exit(12);
    if (remora_dispatch(client, NULL, NULL) != REMORA_OK) _exit(13);
    _exit(events.seen[0].cause == REMORA_CAUSE_ADOPTED && events.seen[0].version == 2000 ? 0 : 14);
  }
  char ready = 0;
  REQUIRE(read(told[0], &ready, 1) == 1);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  check_child(child);
  close_all();
  remove_directory(directory);
}

static void an_update_that_waits_at_a_fork_is_told_in_both(void) {
  open_all();
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  loopback_publish(server, 3000, "[{\"id\":\"a\",\"last_modified\":3000,\"n\":6}]", 0, NULL);
  pid_t child = fork();
  if (child == 0) {
    size_t count = 99;
    if (!is_readable(descriptor(), 0)) _exit(9);
    if (remora_dispatch(client, &count, NULL) != REMORA_OK || count != 1) _exit(10);
    if (remora_refresh(source, PATIENCE_MS, NULL, NULL) != REMORA_OK) _exit(11);
    if (remora_dispatch(client, &count, NULL) != REMORA_OK || count != 1) _exit(12);
    _exit(events.seen[0].version == 2000 && events.seen[1].version == 3000 && events.seen[1].old_version == 2000 ? 0 : 13);
  }
  check_child(child);
  CHECK_INT(1, (int64_t)dispatch());
  CHECK_INT(2000, events.seen[0].version);
  close_all();
}

static void arguments_that_are_wrong(void) {
  int32_t fd = -1;
  open_local(sample_data);
  CHECK_INVALID("REMORA_CALLBACKS_ON_DISPATCH", remora_fd(client, &fd, &error));
  CHECK_INVALID("REMORA_CALLBACKS_ON_DISPATCH", remora_dispatch(client, NULL, &error));
  CHECK_INVALID("client", remora_fd(NULL, &fd, &error));
  CHECK_INVALID("client", remora_dispatch(NULL, NULL, &error));
  CHECK_INT(-1, fd);
  close_scene();
  client = client_on_dispatch(REMORA_STORAGE_MEMORY, NO_SERVER);
  CHECK_INVALID("out_fd", remora_fd(client, NULL, &error));
  CHECK_STATUS(REMORA_OK, remora_dispatch(client, NULL, &error));
  remora_close(client);
}

const check_test dispatch_tests[] = {
    {"callbacks run inside remora_dispatch only, on the thread that calls it", callbacks_run_inside_dispatch_only},
    {"the descriptor is readable while callbacks wait", the_descriptor_is_readable_while_callbacks_wait},
    {"what waited before the descriptor was asked for is told",
     what_waited_before_the_descriptor_was_asked_for_is_told},
    {"select sees the descriptor", select_sees_the_descriptor},
    {"edge-triggered epoll misses nothing", edge_triggered_epoll_misses_nothing},
    {"dispatch inside a callback is BUSY", dispatch_inside_a_callback_is_busy},
    {"a second dispatch on another thread is BUSY", a_second_dispatch_on_another_thread_is_busy},
    {"unsubscribe waits for the callback that is dispatched", unsubscribe_waits_for_the_callback_that_is_dispatched},
    {"a callback may end its subscription", a_callback_may_end_its_subscription},
    {"a callback may close the client, and no further one runs", a_callback_may_close_the_client},
    {"what a callback causes is for the next dispatch", what_a_callback_causes_is_for_the_next_dispatch},
    {"completions come behind the events of their refresh", completions_come_behind_the_events_of_their_refresh},
    {"no thread of the library runs callbacks", no_thread_of_the_library_runs_callbacks},
    {"log lines wait for dispatch, and do not fill the memory",
     log_lines_wait_for_dispatch_and_do_not_fill_the_memory},
    {"the descriptor closes on exec, and ends with the client", the_descriptor_ends_with_the_client},
    {"a forked child asks for a descriptor of its own", a_forked_child_asks_for_a_descriptor_of_its_own},
    {"a callback may fork, and both processes go on", a_callback_may_fork_and_both_go_on},
    {"a forked child is told what its parent stores", a_forked_child_is_told_what_its_parent_stores},
    {"an update that waits at a fork is told in both processes", an_update_that_waits_at_a_fork_is_told_in_both},
    {"arguments that are wrong have a name", arguments_that_are_wrong},
    {NULL, NULL},
};
