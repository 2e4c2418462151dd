/* SPDX-License-Identifier: Apache-2.0 */

/* What the subscribers of a forked child are told: by dispatch, and by a thread of the child's. */
#include "check.h"

#include <unistd.h>

#include "host_loop.h"

/* In the child: the event of the child's own refresh comes over a descriptor of its own. */
static int child_gets_its_events(void) {
  int32_t fd = -1;
  size_t count = 0;
  if (remora_refresh(source, NULL, PATIENCE_MS, NULL, NULL) != REMORA_OK) return 10;
  if (remora_client_get_fd(client, &fd, NULL) != REMORA_OK) return 11;
  if (!is_readable(fd, PATIENCE_MS)) return 12;
  if (remora_dispatch(client, &count, NULL) != REMORA_OK || count != 1) return 13;
  if (tally_count(&events.events) != 1) return 14;
  return 0;
}

TEST("a forked child has its own dispatch descriptor, and receives its own events") {
  open_host(REMORA_STORAGE_MEMORY, REMORA_CALLBACKS_ON_DISPATCH);
  int fd = descriptor();
  pid_t child = fork();
  if (child == 0) _exit(child_gets_its_events());
  check_child(child);
  CHECK(!is_readable(fd, 0));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK(is_readable(fd, 0));
  CHECK_INT(1, (int64_t)dispatch());
  close_host();
}

static void fork_here(const remora_event *event, void *context) {
  (void)event;
  *(pid_t *)context = fork();
}

TEST("a callback can fork, and both processes can continue to use Remora") {
  pid_t child = -1;
  size_t count = 99;
  open_host(REMORA_STORAGE_MEMORY, REMORA_CALLBACKS_ON_DISPATCH);
  events.during = fork_here;
  events.context = &child;
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  remora_status status = remora_dispatch(client, &count, NULL);
  if (child == 0) {
    events.during = NULL;
    int is_well = status == REMORA_OK && remora_refresh(source, NULL, PATIENCE_MS, NULL, NULL) == REMORA_OK &&
                  remora_dispatch(client, &count, NULL) == REMORA_OK && count == 1;
    _exit(is_well ? 0 : 10);
  }
  CHECK_INT(REMORA_OK, status);
  CHECK_INT(1, (int64_t)count);
  check_child(child);
  close_host();
}

TEST("a forked child is notified of data that its parent stores") {
  char directory[64];
  int told[2];
  temporary_directory(directory);
  open_host(directory, REMORA_CALLBACKS_ON_DISPATCH);
  REQUIRE(pipe(told) == 0);
  pid_t child = fork();
  if (child == 0) {
    int32_t fd = -1;
    if (remora_client_get_fd(client, &fd, NULL) != REMORA_OK) _exit(10);
    if (write(told[1], "c", 1) != 1) _exit(11);
    if (!is_readable(fd, PATIENCE_MS)) _exit(12);
    if (remora_dispatch(client, NULL, NULL) != REMORA_OK) _exit(13);
    _exit(events.seen[0].cause == REMORA_CAUSE_ADOPTED && events.seen[0].version == 2000 ? 0 : 14);
  }
  char ready = 0;
  REQUIRE(read(told[0], &ready, 1) == 1);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  check_child(child);
  close_host();
  remove_directory(directory);
}

TEST("an update whose event is undelivered at a fork is delivered in both processes") {
  open_host(REMORA_STORAGE_MEMORY, REMORA_CALLBACKS_ON_DISPATCH);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  loopback_publish(server, 3000, "[{\"id\":\"a\",\"last_modified\":3000,\"n\":6}]", 0, NULL);
  pid_t child = fork();
  if (child == 0) {
    size_t count = 99;
    if (!is_readable(descriptor(), 0)) _exit(9);
    if (remora_dispatch(client, &count, NULL) != REMORA_OK || count != 1) _exit(10);
    if (remora_refresh(source, NULL, PATIENCE_MS, NULL, NULL) != REMORA_OK) _exit(11);
    if (remora_dispatch(client, &count, NULL) != REMORA_OK || count != 1) _exit(12);
    if (events.seen[0].version != 2000) _exit(13);
    _exit(events.seen[1].version == 3000 && events.seen[1].old_version == 2000 ? 0 : 14);
  }
  check_child(child);
  CHECK_INT(1, (int64_t)dispatch());
  CHECK_INT(2000, events.seen[0].version);
  close_host();
}

/* In the parent a callback is held at the gate, and one more event waits behind it. */
static void open_with_a_callback_that_is_held(const char *directory, gate *hold) {
  open_host(directory, REMORA_CALLBACKS_ON_THREAD);
  gate_init(hold);
  events.during = recorder_hold;
  events.context = hold;
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  REQUIRE(gate_await_arrival(hold));
  loopback_publish(server, 3000, "[{\"id\":\"a\",\"last_modified\":3000,\"n\":6}]", 0, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
}

/* Ends the child: after one read its own thread tells what the parent's had not, the held event too. */
static void be_told_and_exit(remora_source *read_first) {
  events.during = NULL;
  remora_get_int(read_first, "a", "/n", 0);
  if (remora_get_int(source, "a", "/n", 0) != 6) _exit(10);
  if (!tally_await(&events.events, 3)) _exit(11);
  if (events.seen[1].version != 2000 || events.seen[2].version != 3000) _exit(12);
  if (remora_refresh(source, NULL, PATIENCE_MS, NULL, NULL) != REMORA_OK) _exit(13);
  _exit(tally_await(&events.events, 4) && events.seen[3].outcome == REMORA_OUTCOME_UNCHANGED ? 0 : 14);
}

static void check_told_on_a_thread(const char *directory) {
  gate hold;
  open_with_a_callback_that_is_held(directory, &hold);
  pid_t child = fork();
  if (child == 0) be_told_and_exit(source);
  check_child(child);
  gate_open(&hold);
  CHECK(tally_await(&events.events, 2));
  CHECK_INT(3000, events.seen[1].version);
  close_host();
}

TEST("a forked child delivers, on a thread of its own, events that were undelivered at the fork") {
  char directory[64];
  temporary_directory(directory);
  check_told_on_a_thread(directory);
  remove_directory(directory);
}

TEST("without a storage directory, a forked child delivers events that were undelivered at the fork") {
  check_told_on_a_thread(REMORA_STORAGE_MEMORY);
}

TEST("after a fork, one read in the child starts the delivery of events for all its clients") {
  gate hold;
  char directory[64], others[64];
  temporary_directory(directory);
  temporary_directory(others);
  open_with_a_callback_that_is_held(directory, &hold);
  remora_client *other = client_in_directory(others, loopback_url(server));
  remora_source *other_source = open_untrusted(other, "other", NULL);
  pid_t child = fork();
  if (child == 0) be_told_and_exit(other_source);
  check_child(child);
  gate_open(&hold);
  remora_source_close(other_source);
  remora_client_close(other);
  close_host();
  remove_directory(directory);
  remove_directory(others);
}

/* Ends the process: forks while the thread for its callbacks, and the first uses of the library, are new. */
static void fork_after_a_first_subscription(void) {
  open_host(REMORA_STORAGE_MEMORY, REMORA_CALLBACKS_ON_THREAD);
  pid_t child = fork();
  if (child == 0) _exit((int)remora_get_int(source, "a", "/n", 0));
  _exit(await_child(child));
}

TEST("a child that is forked right after the first subscription of its parent can read values") {
  for (int i = 0; i < 30; i++) {
    pid_t parent = fork();
    if (parent == 0) fork_after_a_first_subscription();
    check_child(parent);
  }
}

static int visits;

static int32_t visit_source(const remora_source_info *info, void *unused) {
  (void)info, (void)unused;
  visits++;
  fork_on_another_thread();
  return 0;
}

static int32_t visit_override(const remora_override *entry, void *unused) {
  (void)entry, (void)unused;
  visits++;
  fork_on_another_thread();
  return 0;
}

static void synced(const remora_sync_report *report, void *unused) {
  (void)report, (void)unused;
  visits++;
  fork_on_another_thread();
}

static void freed(void *unused) {
  (void)unused;
  visits++;
  fork_on_another_thread();
}

static void ignore_event(const remora_event *event, void *unused) { (void)event, (void)unused; }

/* A fork waits for all threads that are inside the library; a thread that runs code of the host is not. */
TEST("visitors, callbacks and destructors of the program can wait until another thread has forked") {
  remora_subscription *subscription = NULL;
  visits = 0;
  open_local("{\"data\":[{\"id\":\"a\",\"last_modified\":1}],\"timestamp\":1}");
  REQUIRE_OK(remora_override_set(source, "a", "/n", "1", 0, &error));
  REQUIRE_OK(remora_source_foreach(client, visit_source, NULL, &error));
  REQUIRE_OK(remora_override_foreach(source, visit_override, NULL, &error));
  remora_sync(client, NULL, 0, synced, NULL, NULL);
  CHECK_INVALID("flags", remora_subscribe(source, NULL, 1u << 31, ignore_event, &visits, freed, NULL, &error));
  REQUIRE_OK(remora_subscribe(source, NULL, 0, ignore_event, &visits, freed, &subscription, &error));
  remora_unsubscribe(subscription);
  REQUIRE_OK(remora_subscribe(source, NULL, 0, ignore_event, &visits, freed, NULL, &error));
  close_scene();
  CHECK_INT(6, visits);
}
