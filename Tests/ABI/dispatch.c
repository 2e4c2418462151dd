/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "host loop": where callbacks run, what the descriptor tells, and
 * what may be done inside of remora_dispatch. */
#include "check.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

#include "host_loop.h"
#include "threads.h"

TEST("with manual dispatch, callbacks run inside remora_dispatch on the thread that calls it") {
  open_host(REMORA_STORAGE_MEMORY, REMORA_CALLBACKS_ON_DISPATCH);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_INT(0, tally_count(&events.events));
  CHECK_INT(1, (int64_t)dispatch());
  CHECK_INT(1, tally_count(&events.events));
  CHECK_INT(2000, events.seen[0].version);
  CHECK_INT(0, (int64_t)dispatch());
  close_host();
}

TEST("the dispatch descriptor is readable while queued callbacks wait for remora_dispatch") {
  open_host(REMORA_STORAGE_MEMORY, REMORA_CALLBACKS_ON_DISPATCH);
  int fd = descriptor();
  CHECK(!is_readable(fd, 0));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK(is_readable(fd, 0));
  CHECK(is_readable(fd, 0));
  CHECK_INT(1, (int64_t)dispatch());
  CHECK(!is_readable(fd, 0));
  CHECK_INT(fd, descriptor());
  close_host();
}

TEST("the dispatch descriptor is readable if callbacks were queued before the program requested it") {
  open_host(REMORA_STORAGE_MEMORY, REMORA_CALLBACKS_ON_DISPATCH);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK(is_readable(descriptor(), 0));
  close_host();
}

TEST("select reports the dispatch descriptor as readable") {
  fd_set readable;
  struct timeval limit = {.tv_sec = PATIENCE_MS / 1000};
  open_host(REMORA_STORAGE_MEMORY, REMORA_CALLBACKS_ON_DISPATCH);
  int fd = descriptor();
  REQUIRE(fd < FD_SETSIZE);
  REQUIRE_OK(remora_refresh_async(source, NULL, -1, NULL, NULL, NULL, NULL, &error));
  FD_ZERO(&readable);
  FD_SET(fd, &readable);
  CHECK_INT(1, select(fd + 1, &readable, NULL, NULL, &limit));
  CHECK(dispatch() >= 1);
  CHECK_INT(1, tally_count(&events.events));
  close_host();
}

TEST("edge-triggered epoll on the dispatch descriptor misses no callback") {
  struct epoll_event edge = {.events = EPOLLIN | EPOLLET};
  open_host(REMORA_STORAGE_MEMORY, REMORA_CALLBACKS_ON_DISPATCH);
  int loop = epoll_create1(EPOLL_CLOEXEC);
  REQUIRE(loop >= 0 && epoll_ctl(loop, EPOLL_CTL_ADD, descriptor(), &edge) == 0);
  for (int round = 1; round <= 3; round++) {
    REQUIRE_OK(remora_refresh_async(source, NULL, -1, NULL, NULL, NULL, NULL, &error));
    while (tally_count(&events.events) < round) {
      REQUIRE(epoll_wait(loop, &edge, 1, PATIENCE_MS) == 1);
      dispatch();
    }
  }
  close(loop);
  close_host();
}

TEST("remora_dispatch delivers the events of a refresh before it calls the callback of that refresh") {
  completion end;
  open_host(REMORA_STORAGE_MEMORY, REMORA_CALLBACKS_ON_DISPATCH);
  completion_init(&end);
  int fd = descriptor();
  REQUIRE_OK(remora_refresh_async(source, NULL, -1, completion_told, &end, completion_freed, NULL, &error));
  while (tally_count(&end.calls) == 0) {
    REQUIRE(is_readable(fd, PATIENCE_MS));
    dispatch();
  }
  CHECK_INT(1, tally_count(&events.events));
  CHECK_INT(REMORA_OUTCOME_UPDATED, end.outcome);
  CHECK_INT(1, tally_count(&end.freed));
  close_host();
}

TEST("with manual dispatch, no thread of the library runs callbacks") {
  open_host(REMORA_STORAGE_MEMORY, REMORA_CALLBACKS_ON_DISPATCH);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  REQUIRE_OK(remora_refresh_async(source, NULL, -1, NULL, NULL, NULL, NULL, &error));
  REQUIRE(is_readable(descriptor(), PATIENCE_MS));
  CHECK(threads_named("remora-engine") == 1);
  CHECK(threads_named("remora-events") == 0);
  close_host();
}

static void log_line(const remora_log_entry *entry, void *lines) {
  (void)entry;
  tally_add(lines);
}

/* Every refresh that fails is a log line. */
TEST("with manual dispatch, queued log lines use a limited amount of memory") {
  enum { MOST = 1000 };
  tally lines;
  remora_config config;
  tally_init(&lines);
  REMORA_INIT(&config);
  config.storage_dir = REMORA_STORAGE_MEMORY;
  config.server = NO_SERVER;
  config.callbacks = REMORA_CALLBACKS_ON_DISPATCH;
  config.on_log = log_line;
  config.on_log_user_data = &lines;
  config.log_level = REMORA_LOG_DEBUG;
  REQUIRE_OK(remora_setup(&config, &client, &error));
  source = open_untrusted(client, "sample", NULL);
  for (int i = 0; i < MOST + 100; i++) CHECK_REFRESH(REMORA_OUTCOME_FAILED, source);
  CHECK_INT(0, tally_count(&lines));
  CHECK_INT(MOST, (int64_t)dispatch());
  CHECK_INT(MOST, tally_count(&lines));
  close_scene();
}

TEST("the dispatch descriptor is close-on-exec, and is closed with the client") {
  open_host(REMORA_STORAGE_MEMORY, REMORA_CALLBACKS_ON_DISPATCH);
  int fd = descriptor();
  CHECK(fcntl(fd, F_GETFD) == FD_CLOEXEC);
  remora_client_close(client);
  client = NULL;
  CHECK_INT(-1, fcntl(fd, F_GETFD));
  close_host();
}

TEST("if the program has closed the dispatch descriptor, the library opens another one and does not touch its number") {
  FILE *other = tmpfile();
  open_host(REMORA_STORAGE_MEMORY, REMORA_CALLBACKS_ON_DISPATCH);
  int fd = descriptor();
  REQUIRE(other != NULL && dup2(fileno(other), fd) == fd);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  int again = descriptor();
  CHECK(again != fd && is_readable(again, 0));
  CHECK_INT(again, descriptor());
  CHECK_INT(1, (int64_t)dispatch());
  CHECK(!is_readable(again, 0));
  CHECK_INT(0, lseek(fd, 0, SEEK_END));
  close_host();
  CHECK(fcntl(fd, F_GETFD) != -1);
  CHECK_INT(-1, fcntl(again, F_GETFD));
  close(fd);
  fclose(other);
}

TEST("an error about an invalid argument of manual dispatch names the argument") {
  int32_t fd = -1;
  open_local(sample_data);
  CHECK_PARAMETER("client", remora_client_get_fd(client, &fd, &error));
  CHECK_PARAMETER("client", remora_dispatch(client, NULL, &error));
  CHECK_INVALID("client", remora_client_get_fd(NULL, &fd, &error));
  CHECK_INVALID("client", remora_dispatch(NULL, NULL, &error));
  CHECK_INT(-1, fd);
  close_scene();
  client = client_on_dispatch(REMORA_STORAGE_MEMORY, NO_SERVER);
  CHECK_INVALID("out_fd", remora_client_get_fd(client, NULL, &error));
  CHECK_STATUS(REMORA_OK, remora_dispatch(client, NULL, &error));
  remora_client_close(client);
}
