/* SPDX-License-Identifier: Apache-2.0 */

/* Opens the clients that survive, runs the threads over them, and checks that callbacks are still delivered. */
#include "stress_host.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>

#include "fixture.h"
#include "stress_actions.h"

enum { THREADS = 8 };

static actor actors[THREADS];
static pthread_t threads[THREADS];
static pthread_t dispatcher; /* Of the second client. */
static int is_closing;       /* Atomic. */
static int64_t until_ms;
static const char *const collections[SOURCES] = {"one", "two"};

static void *act(void *raw) {
  stress_act(raw, until_ms);
  return NULL;
}

static void *dispatch_always(void *raw) {
  remora_client *client = raw;
  int32_t fd = -1;
  REQUIRE_OK(remora_client_get_fd(client, &fd, &error));
  struct pollfd readable = {.fd = fd, .events = POLLIN};
  while (!__atomic_load_n(&is_closing, __ATOMIC_SEQ_CST)) {
    poll(&readable, 1, 50);
    REQUIRE_OK(remora_dispatch(client, NULL, &error));
  }
  return NULL;
}

static remora_client *client_that_dispatches(void) {
  remora_config config;
  remora_client *client = NULL;
  REMORA_INIT(&config);
  config.storage_dir = stress_directory;
  config.server = stress_url;
  config.callbacks = REMORA_CALLBACKS_ON_DISPATCH;
  REQUIRE_OK(remora_setup(&config, &client, &error));
  return client;
}

void stress_open(const char *directory, const char *url) {
  stress_directory = directory;
  stress_url = url;
  stages[0].client = client_in_directory(directory, url);
  stages[1].client = client_that_dispatches();
  for (int i = 0; i < CLIENTS; i++)
    for (int j = 0; j < SOURCES; j++) stages[i].sources[j] = open_untrusted(stages[i].client, collections[j], NULL);
  REQUIRE(pthread_create(&dispatcher, NULL, dispatch_always, stages[1].client) == 0);
}

int64_t stress_run(int64_t ms) {
  int64_t operations = 0;
  stress_limit_requests();
  until_ms = now_ms() + ms;
  for (int i = 0; i < THREADS; i++) {
    actors[i].seed = (unsigned)(i * 7919 + until_ms);
    actors[i].operations = 0;
    REQUIRE(pthread_create(&threads[i], NULL, act, &actors[i]) == 0);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    operations += actors[i].operations;
  }
  return operations;
}

static void count_override(const remora_event *event, void *arrived) {
  if (event->cause == REMORA_CAUSE_OVERRIDE) tally_add(arrived);
}

static void count_completion(const remora_result *result, void *arrived) {
  (void)result;
  tally_add(arrived);
}

static void check_source(remora_source *source) {
  tally events, completions;
  remora_subscription *fresh = NULL;
  tally_init(&events);
  tally_init(&completions);
  REQUIRE_OK(remora_subscribe(source, NULL, 0, count_override, &events, NULL, &fresh, &error));
  REQUIRE_OK(remora_override_set(source, "final", "/n", "1", 0, &error));
  REQUIRE_OK(remora_refresh_async(source, NULL, -1, count_completion, &completions, NULL, NULL, &error));
  if (!tally_await(&events, 1)) promise_fault("the event of the final change is missing");
  if (!tally_await(&completions, 1)) promise_fault("the completion of the final refresh is missing");
  remora_unsubscribe(fresh);
  REQUIRE_OK(remora_override_clear_all(source, &error));
}

void stress_check_delivery(void) {
  for (int i = 0; i < CLIENTS; i++)
    for (int j = 0; j < SOURCES; j++) check_source(stages[i].sources[j]);
}

void stress_close(void) {
  __atomic_store_n(&is_closing, 1, __ATOMIC_SEQ_CST);
  pthread_join(dispatcher, NULL);
  for (int i = 0; i < CLIENTS; i++) {
    for (int j = 0; j < SOURCES; j++) remora_source_close(stages[i].sources[j]);
    remora_client_close(stages[i].client);
  }
}
