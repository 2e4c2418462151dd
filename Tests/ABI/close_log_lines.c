/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "lifecycle": what remora_client_close does with log lines that are queued. */
#include <string.h>

#include "fixture.h"
#include "recorder.h"

/* A client whose log lines are counted, with a subscriber that holds its first event at a gate. */
typedef struct logging_host {
  remora_client *client;
  remora_source *source;
  remora_subscription *subscription;
  loopback *server;
  recorder events;
  gate gate;
  pthread_t closer;
  tally lines;
  tally lines_elsewhere; /* On another thread than the one that closes. */
  tally freed;
} logging_host;

static void count_line(const remora_log_entry *entry, void *raw) {
  (void)entry;
  logging_host *host = raw;
  CHECK_INT(0, tally_count(&host->freed));
  tally_add(&host->lines);
  if (!pthread_equal(host->closer, pthread_self())) tally_add(&host->lines_elsewhere);
}

static void free_lines(void *raw) { tally_add(&((logging_host *)raw)->freed); }

static void hold_here(const remora_event *event, void *raw) {
  (void)event;
  gate_hold(&((logging_host *)raw)->gate);
}

/* `during` is called inside the first event. */
static void open_logging(logging_host *host, int32_t callbacks, void (*during)(const remora_event *, void *)) {
  remora_config config;
  memset(host, 0, sizeof *host);
  tally_init(&host->lines);
  tally_init(&host->lines_elsewhere);
  tally_init(&host->freed);
  gate_init(&host->gate);
  recorder_init(&host->events);
  host->events.during = during;
  host->events.context = host;
  host->closer = pthread_self();
  host->server = loopback_start();
  REMORA_INIT(&config);
  config.application_name = "tests";
  config.storage_dir = REMORA_STORAGE_MEMORY;
  config.server = loopback_url(host->server);
  config.callbacks = callbacks;
  config.log_level = REMORA_LOG_DEBUG;
  config.on_log = count_line;
  config.on_log_user_data = host;
  config.on_log_free_user_data = free_lines;
  REQUIRE_OK(remora_setup(&config, &host->client, &error));
  host->source = open_untrusted(host->client, "sample", sample_data);
  REQUIRE_OK(remora_subscribe(host->source, NULL, REMORA_SUBSCRIBE_REPLAY, recorder_event, &host->events,
                              recorder_freed, &host->subscription, &error));
}

/* Queues a log line by each of three refreshes. */
static void refresh_three_times(logging_host *host) {
  for (int i = 0; i < 3; i++) REQUIRE_OK(remora_refresh(host->source, NULL, PATIENCE_MS, NULL, &error));
}

static void end_logging(logging_host *host) {
  CHECK_INT(1, tally_count(&host->freed));
  CHECK_INT(1, tally_count(&host->events.freed));
  remora_unsubscribe(host->subscription);
  remora_source_close(host->source);
  loopback_stop(host->server);
}

TEST("closing a client delivers the queued log lines, but no queued events") {
  logging_host host;
  pthread_t thread;
  remora_source_info info = {.struct_size = sizeof info};
  open_logging(&host, REMORA_CALLBACKS_ON_THREAD, hold_here);
  REQUIRE(gate_await_arrival(&host.gate));
  refresh_three_times(&host);
  CHECK_INT(0, tally_count(&host.lines));
  background_close closing = {.client = host.client};
  tally_init(&closing.done);
  REQUIRE(pthread_create(&thread, NULL, close_apart, &closing) == 0);
  while (remora_source_get_info(host.source, &info, NULL) != REMORA_ERR_CLOSED) {
  }
  gate_open(&host.gate);
  CHECK(tally_await(&closing.done, 1));
  pthread_join(thread, NULL);
  CHECK(tally_count(&host.lines) >= 3);
  CHECK_INT(1, tally_count(&host.events.events));
  end_logging(&host);
}

TEST("closing a client with manual dispatch delivers queued log lines on the calling thread") {
  logging_host host;
  open_logging(&host, REMORA_CALLBACKS_ON_DISPATCH, NULL);
  refresh_three_times(&host);
  remora_client_close(host.client);
  CHECK(tally_count(&host.lines) >= 3);
  CHECK_INT(0, tally_count(&host.lines_elsewhere));
  CHECK_INT(0, tally_count(&host.events.events));
  end_logging(&host);
}

static void close_here(const remora_event *event, void *raw) {
  logging_host *host = raw;
  (void)event;
  gate_hold(&host->gate);
  remora_client_close(host->client);
}

TEST("closing a client inside a callback drops queued log lines") {
  logging_host host;
  open_logging(&host, REMORA_CALLBACKS_ON_THREAD, close_here);
  REQUIRE(gate_await_arrival(&host.gate));
  refresh_three_times(&host);
  gate_open(&host.gate);
  REQUIRE(tally_await(&host.freed, 1) && tally_await(&host.events.freed, 1));
  CHECK_INT(0, tally_count(&host.lines));
  end_logging(&host);
}
