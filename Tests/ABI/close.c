/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "lifecycle": what remora_close ends, and what goes on. */
#include "suites.h"

#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "recorder.h"

/* The promise is 200 ms; the rest is slack. */
enum { CLOSE_MS = 1200 };

static void close_ends_a_hanging_refresh(void) {
  loopback *server = loopback_start();
  remora_client *client = client_in_memory(loopback_url(server));
  remora_source *source = open_untrusted(client, "sample", sample_data);
  background_refresh refresh;
  loopback_hang(server, 1);
  background_start(&refresh, source);
  REQUIRE(loopback_await_requests(server, 1));
  int64_t before = now_ms();
  remora_close(client);
  CHECK(now_ms() - before < CLOSE_MS);
  background_join(&refresh);
  CHECK(now_ms() - before < CLOSE_MS);
  CHECK_INT(REMORA_ERR_CLOSED, refresh.status);
  remora_source_close(source);
  loopback_stop(server);
}

static void close_ends_a_hanging_asynchronous_refresh(void) {
  loopback *server = loopback_start();
  remora_client *client = client_in_memory(loopback_url(server));
  remora_source *source = open_untrusted(client, "sample", sample_data);
  remora_request *request = NULL;
  completion end;
  completion_init(&end);
  loopback_hang(server, 1);
  REQUIRE_OK(remora_refresh_async(source, NULL, completion_told, &end, completion_freed, &request, &error));
  REQUIRE(loopback_await_requests(server, 1));
  int64_t before = now_ms();
  remora_close(client);
  CHECK(now_ms() - before < CLOSE_MS);
  CHECK_INT(1, tally_count(&end.freed));
  CHECK(tally_count(&end.calls) <= 1);
  remora_request_cancel(request);
  remora_request_release(request);
  remora_source_close(source);
  loopback_stop(server);
}

static void sources_answer_closed(void) {
  remora_client *client = client_in_memory(NO_SERVER);
  remora_source *source = open_untrusted(client, "sample", sample_data);
  remora_source_info info = {.struct_size = sizeof info};
  remora_snapshot *snapshot = NULL;
  remora_subscription *subscription = NULL;
  remora_request *request = NULL;
  recorder events;
  completion end;
  char buffer[16];
  int32_t outcome = 0;
  recorder_init(&events);
  completion_init(&end);
  CHECK_INT(7, remora_get_int(source, "limits", "/int", -5));
  remora_close(client);
  CHECK_REFUSED(REMORA_ERR_CLOSED, "closed", remora_refresh(source, -1, &outcome, &error));
  CHECK_REFUSED(REMORA_ERR_CLOSED, "closed", remora_source_get_info(source, &info, &error));
  CHECK_REFUSED(REMORA_ERR_CLOSED, "closed", remora_snapshot_acquire(source, 0, &snapshot, &error));
  CHECK_REFUSED(REMORA_ERR_CLOSED, "closed", remora_reset(source, &error));
  CHECK_REFUSED(REMORA_ERR_CLOSED, "closed", remora_await(source, 0, -1, &snapshot, &error));
  remora_snapshot_release(snapshot);
  CHECK_REFUSED(REMORA_ERR_CLOSED, "closed",
                remora_refresh_async(source, NULL, completion_told, &end, completion_freed, &request, &error));
  CHECK_INT(0, tally_count(&end.calls));
  CHECK_INT(1, tally_count(&end.freed));
  CHECK_REFUSED(
      REMORA_ERR_CLOSED, "closed",
      remora_subscribe(source, NULL, NULL, recorder_event, &events, recorder_freed, &subscription, &error));
  CHECK_INT(0, tally_count(&events.events));
  CHECK_INT(1, tally_count(&events.freed));
  CHECK_INT(-5, remora_get_int(source, "limits", "/int", -5));
  CHECK_INT(1, remora_get_bool(source, "flags", "/off", 1));
  CHECK(remora_get_double(source, "limits", "/half", 0.25) == 0.25);
  CHECK_INT(7, (int64_t)remora_get_string(source, "texts", "/plain", buffer, sizeof buffer, "default"));
  CHECK_TEXT("default", buffer);
  remora_source_close(source);
}

static void snapshots_go_on_reading(void) {
  remora_client *client = client_in_memory(NO_SERVER);
  remora_source *source = open_untrusted(client, "sample", sample_data);
  remora_snapshot *snapshot = acquire(source);
  const char *text = NULL;
  int64_t number = 0;
  remora_close(client);
  remora_source_close(source);
  CHECK_STATUS(REMORA_OK, remora_snapshot_int(snapshot, "limits", "/int", &number, &error));
  CHECK_INT(7, number);
  CHECK_STATUS(REMORA_OK, remora_snapshot_string(snapshot, "texts", "/plain", &text, NULL, &error));
  CHECK_TEXT("hello", text);
  remora_snapshot_release(snapshot);
}

static void close_frees_every_user_data_once(void) {
  tally logged;
  recorder first, subscribed;
  remora_config config;
  remora_client *client = NULL;
  remora_source *source = NULL;
  remora_subscription *subscription = NULL;
  tally_init(&logged);
  recorder_init(&first);
  recorder_init(&subscribed);
  remora_config_init(&config, sizeof config);
  config.storage_dir = REMORA_STORAGE_MEMORY;
  config.server = NO_SERVER;
  config.log_user_data = &logged;
  config.log_free_user_data = tally_add;
  REQUIRE_OK(remora_setup(&config, &client, &error));
  remora_collection_options options = untrusted("sample", sample_data);
  options.on_event = recorder_event;
  options.on_event_user_data = &first;
  options.on_event_free_user_data = recorder_freed;
  REQUIRE_OK(remora_open_collection(client, &options, &source, &error));
  REQUIRE_OK(
      remora_subscribe(source, NULL, NULL, recorder_event, &subscribed, recorder_freed, &subscription, &error));
  recorder_await(&first, 1);
  remora_close(client);
  CHECK_INT(1, tally_count(&logged));
  CHECK_INT(1, tally_count(&first.freed));
  CHECK_INT(1, tally_count(&subscribed.freed));
  remora_unsubscribe(subscription);
  remora_source_close(source);
  CHECK_INT(1, tally_count(&first.freed));
  CHECK_INT(1, tally_count(&subscribed.freed));
}

/* A close on a thread of its own, which counts when it is through. */
typedef struct background_close {
  remora_client *client;
  tally done;
} background_close;

static void *close_apart(void *raw) {
  background_close *closing = raw;
  remora_close(closing->client);
  tally_add(&closing->done);
  return NULL;
}

static void close_waits_for_a_running_callback(void) {
  background_close closing = {.client = client_in_memory(NO_SERVER)};
  recorder events;
  gate gate;
  pthread_t thread;
  remora_subscription *subscription = NULL;
  remora_subscribe_options replay;
  tally_init(&closing.done);
  recorder_init(&events);
  gate_init(&gate);
  events.during = recorder_hold;
  events.context = &gate;
  remora_subscribe_options_init(&replay, sizeof replay);
  replay.replay_current = 1;
  remora_source *source = open_untrusted(closing.client, "sample", sample_data);
  REQUIRE_OK(
      remora_subscribe(source, NULL, &replay, recorder_event, &events, recorder_freed, &subscription, &error));
  REQUIRE(gate_await_arrival(&gate));
  REQUIRE(pthread_create(&thread, NULL, close_apart, &closing) == 0);
  CHECK(!tally_await_for(&closing.done, 1, 300));
  CHECK_INT(0, tally_count(&events.freed));
  gate_open(&gate);
  CHECK(tally_await(&closing.done, 1));
  pthread_join(thread, NULL);
  CHECK_INT(1, tally_count(&events.freed));
  remora_unsubscribe(subscription);
  remora_source_close(source);
}

/* A callback that uses its client and source until both say that they are closed. */
typedef struct closing_host {
  remora_client *client;
  remora_source *source;
  tally begun;
  tally ended;
} closing_host;

static void use_until_closed(const remora_event *event, void *raw) {
  closing_host *host = raw;
  (void)event;
  tally_add(&host->begun);
  while (remora_set_context(host->client, NULL, NULL) != REMORA_ERR_CLOSED ||
         remora_activate(host->source, NULL, NULL) != REMORA_ERR_CLOSED)
    remora_get_int(host->source, "limits", "/int", 0);
  tally_add(&host->ended);
}

static void a_callback_uses_what_is_closed_meanwhile(void) {
  closing_host host = {.client = client_in_memory(NO_SERVER)};
  recorder events;
  remora_subscription *subscription = NULL;
  remora_subscribe_options replay;
  tally_init(&host.begun);
  tally_init(&host.ended);
  recorder_init(&events);
  events.during = use_until_closed;
  events.context = &host;
  remora_subscribe_options_init(&replay, sizeof replay);
  replay.replay_current = 1;
  host.source = open_untrusted(host.client, "sample", sample_data);
  REQUIRE_OK(
      remora_subscribe(host.source, NULL, &replay, recorder_event, &events, recorder_freed, &subscription, &error));
  REQUIRE(tally_await(&host.begun, 1));
  remora_close(host.client);
  CHECK_INT(1, tally_count(&host.ended));
  remora_unsubscribe(subscription);
  remora_source_close(host.source);
}

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

static void count_line(int32_t level, const char *message, void *raw) {
  logging_host *host = raw;
  (void)level;
  (void)message;
  CHECK_INT(0, tally_count(&host->freed));
  tally_add(&host->lines);
  if (!pthread_equal(host->closer, pthread_self())) tally_add(&host->lines_elsewhere);
}

static void free_lines(void *raw) {
  tally_add(&((logging_host *)raw)->freed);
}

static void hold_here(const remora_event *event, void *raw) {
  (void)event;
  gate_hold(&((logging_host *)raw)->gate);
}

/* `during` is called inside the first event. */
static void open_logging(logging_host *host, int32_t callbacks, void (*during)(const remora_event *, void *)) {
  remora_config config;
  remora_subscribe_options replay;
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
  remora_config_init(&config, sizeof config);
  config.storage_dir = REMORA_STORAGE_MEMORY;
  config.server = loopback_url(host->server);
  config.callbacks = callbacks;
  config.log_level = REMORA_LOG_DEBUG;
  config.log_callback = count_line;
  config.log_user_data = host;
  config.log_free_user_data = free_lines;
  REQUIRE_OK(remora_setup(&config, &host->client, &error));
  host->source = open_untrusted(host->client, "sample", sample_data);
  remora_subscribe_options_init(&replay, sizeof replay);
  replay.replay_current = 1;
  REQUIRE_OK(remora_subscribe(host->source, NULL, &replay, recorder_event, &host->events, recorder_freed,
                              &host->subscription, &error));
}

/* Queues a log line by each of three refreshes. */
static void refresh_three_times(logging_host *host) {
  for (int i = 0; i < 3; i++) REQUIRE_OK(remora_refresh(host->source, PATIENCE_MS, NULL, &error));
}

static void end_logging(logging_host *host) {
  CHECK_INT(1, tally_count(&host->freed));
  CHECK_INT(1, tally_count(&host->events.freed));
  remora_unsubscribe(host->subscription);
  remora_source_close(host->source);
  loopback_stop(host->server);
}

static void close_delivers_queued_log_lines(void) {
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

static void close_of_a_dispatching_client_delivers_queued_log_lines(void) {
  logging_host host;
  open_logging(&host, REMORA_CALLBACKS_ON_DISPATCH, NULL);
  refresh_three_times(&host);
  remora_close(host.client);
  CHECK(tally_count(&host.lines) >= 3);
  CHECK_INT(0, tally_count(&host.lines_elsewhere));
  CHECK_INT(0, tally_count(&host.events.events));
  end_logging(&host);
}

static void close_here(const remora_event *event, void *raw) {
  logging_host *host = raw;
  (void)event;
  gate_hold(&host->gate);
  remora_close(host->client);
}

static void close_inside_a_callback_drops_queued_log_lines(void) {
  logging_host host;
  open_logging(&host, REMORA_CALLBACKS_ON_THREAD, close_here);
  REQUIRE(gate_await_arrival(&host.gate));
  refresh_three_times(&host);
  gate_open(&host.gate);
  REQUIRE(tally_await(&host.freed, 1) && tally_await(&host.events.freed, 1));
  CHECK_INT(0, tally_count(&host.lines));
  end_logging(&host);
}

const check_test close_tests[] = {
    {"close delivers the log lines that are queued, and no event", close_delivers_queued_log_lines},
    {"close of a client without a delivery thread delivers queued log lines on the calling thread",
     close_of_a_dispatching_client_delivers_queued_log_lines},
    {"close inside a callback drops queued log lines", close_inside_a_callback_drops_queued_log_lines},
    {"a callback may use what another thread is closing, and is answered CLOSED",
     a_callback_uses_what_is_closed_meanwhile},
    {"close ends a hanging refresh, which answers CLOSED", close_ends_a_hanging_refresh},
    {"close ends a hanging asynchronous refresh and frees its user data", close_ends_a_hanging_asynchronous_refresh},
    {"the sources of a closed client answer CLOSED, and getters their default", sources_answer_closed},
    {"a snapshot goes on reading after close", snapshots_go_on_reading},
    {"close frees every user data exactly once", close_frees_every_user_data_once},
    {"close waits for a callback that runs on another thread", close_waits_for_a_running_callback},
    {NULL, NULL},
};
