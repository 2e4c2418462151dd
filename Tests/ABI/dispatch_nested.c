/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "host loop": calls beside and inside a callback that is dispatched. */
#include "check.h"

#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "host_loop.h"
#include "threads.h"

static void dispatch_again_here(const remora_event *event, void *context) {
  remora_error *error = context;
  (void)event;
  remora_dispatch(client, NULL, error);
}

TEST("remora_dispatch inside a callback returns BUSY") {
  remora_error inside = {0};
  open_host(REMORA_STORAGE_MEMORY, REMORA_CALLBACKS_ON_DISPATCH);
  events.during = dispatch_again_here;
  events.context = &inside;
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_INT(1, (int64_t)dispatch());
  CHECK_INT(REMORA_ERR_BUSY, inside.status);
  CHECK(strstr(inside.message, "dispatch is running") != NULL);
  close_host();
}

static void *dispatch_apart(void *unused) {
  (void)unused;
  remora_dispatch(client, NULL, NULL);
  return NULL;
}

TEST("remora_dispatch returns BUSY while another thread dispatches the same client") {
  gate hold;
  pthread_t thread;
  open_host(REMORA_STORAGE_MEMORY, REMORA_CALLBACKS_ON_DISPATCH);
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
  close_host();
}

TEST("edge-triggered epoll reports the dispatch descriptor again after a dispatch returned BUSY") {
  struct epoll_event edge = {.events = EPOLLIN | EPOLLET};
  gate hold;
  pthread_t thread;
  open_host(REMORA_STORAGE_MEMORY, REMORA_CALLBACKS_ON_DISPATCH);
  gate_init(&hold);
  events.during = recorder_hold;
  events.context = &hold;
  int loop = epoll_create1(EPOLL_CLOEXEC);
  REQUIRE(loop >= 0 && epoll_ctl(loop, EPOLL_CTL_ADD, descriptor(), &edge) == 0);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  REQUIRE(pthread_create(&thread, NULL, dispatch_apart, NULL) == 0);
  REQUIRE(gate_await_arrival(&hold));
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  CHECK_INT(1, epoll_wait(loop, &edge, 1, PATIENCE_MS));
  CHECK_REFUSED(REMORA_ERR_BUSY, "running", remora_dispatch(client, NULL, &error));
  gate_open(&hold);
  pthread_join(thread, NULL);
  CHECK_INT(1, epoll_wait(loop, &edge, 1, PATIENCE_MS));
  CHECK_INT(1, (int64_t)dispatch());
  close(loop);
  events.during = NULL;
  close_host();
}

static void *unsubscribe_apart(void *done) {
  remora_unsubscribe(subscription);
  tally_add(done);
  return NULL;
}

TEST("unsubscribe waits for the callback that another thread is dispatching") {
  gate hold;
  tally done;
  pthread_t dispatching, unsubscribing;
  open_host(REMORA_STORAGE_MEMORY, REMORA_CALLBACKS_ON_DISPATCH);
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
  close_host();
}

static void unsubscribe_here(const remora_event *event, void *context) {
  (void)event;
  (void)context;
  remora_unsubscribe(subscription);
  subscription = NULL;
}

TEST("a callback that remora_dispatch calls can end its own subscription") {
  open_host(REMORA_STORAGE_MEMORY, REMORA_CALLBACKS_ON_DISPATCH);
  events.during = unsubscribe_here;
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_INT(1, (int64_t)dispatch());
  CHECK_INT(1, tally_count(&events.freed));
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  CHECK_INT(0, (int64_t)dispatch());
  close_host();
}

static void close_here(const remora_event *event, void *context) {
  (void)event;
  (void)context;
  remora_client_close(client);
}

TEST("a callback that remora_dispatch calls can close the client, and no further callback runs") {
  size_t count = 0;
  open_host(REMORA_STORAGE_MEMORY, REMORA_CALLBACKS_ON_DISPATCH);
  events.during = close_here;
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  REQUIRE_OK(remora_dispatch(client, &count, &error));
  CHECK_INT(1, (int64_t)count);
  CHECK_INT(1, tally_count(&events.events));
  CHECK_INT(1, tally_count(&events.freed));
  client = NULL;
  close_host();
}

static void refresh_again_told(const remora_result *result, void *context) {
  (void)result;
  tally_add(context);
  remora_request *request = NULL;
  remora_refresh_async(source, NULL, -1, refresh_again_told, context, NULL, &request, NULL);
  remora_request_cancel(request);
  remora_request_release(request);
}

TEST("callbacks that are queued during a dispatch are called by the next dispatch") {
  tally ends;
  open_host(REMORA_STORAGE_MEMORY, REMORA_CALLBACKS_ON_DISPATCH);
  remora_unsubscribe(subscription);
  subscription = NULL;
  tally_init(&ends);
  int fd = descriptor();
  REQUIRE_OK(remora_refresh_async(source, NULL, -1, refresh_again_told, &ends, NULL, NULL, &error));
  for (int round = 1; round <= 3; round++) {
    REQUIRE(is_readable(fd, PATIENCE_MS));
    CHECK_INT(1, (int64_t)dispatch());
    CHECK_INT(round, tally_count(&ends));
  }
  close_host();
}
