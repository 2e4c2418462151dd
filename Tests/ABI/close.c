/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "lifecycle": what remora_client_close ends, and what goes on. */
#include "fixture.h"
#include "recorder.h"

/* The promise is 200 ms; the rest is slack. */
enum { CLOSE_MS = 1200 };

TEST("closing a client ends a refresh that is running, which returns CLOSED") {
  loopback *server = loopback_start();
  remora_client *client = client_in_memory(loopback_url(server));
  remora_source *source = open_untrusted(client, "sample", sample_data);
  background_refresh refresh;
  loopback_hang(server, 1);
  background_start(&refresh, source);
  REQUIRE(loopback_await_requests(server, 1));
  int64_t before = now_ms();
  remora_client_close(client);
  CHECK(now_ms() - before < CLOSE_MS);
  background_join(&refresh);
  CHECK(now_ms() - before < CLOSE_MS);
  CHECK_INT(REMORA_ERR_CLOSED, refresh.status);
  remora_source_close(source);
  loopback_stop(server);
}

TEST("closing a client ends an asynchronous refresh that is running and frees its user data") {
  loopback *server = loopback_start();
  remora_client *client = client_in_memory(loopback_url(server));
  remora_source *source = open_untrusted(client, "sample", sample_data);
  remora_request *request = NULL;
  completion end;
  completion_init(&end);
  loopback_hang(server, 1);
  REQUIRE_OK(remora_refresh_async(source, NULL, -1, completion_told, &end, completion_freed, &request, &error));
  REQUIRE(loopback_await_requests(server, 1));
  int64_t before = now_ms();
  remora_client_close(client);
  CHECK(now_ms() - before < CLOSE_MS);
  CHECK_INT(1, tally_count(&end.freed));
  CHECK(tally_count(&end.calls) <= 1);
  remora_request_cancel(request);
  remora_request_release(request);
  remora_source_close(source);
  loopback_stop(server);
}

TEST("the sources of a closed client return CLOSED, and their getters return the default") {
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
  remora_client_close(client);
  CHECK_REFUSED(REMORA_ERR_CLOSED, "closed", remora_refresh(source, NULL, -1, &outcome, &error));
  CHECK_REFUSED(REMORA_ERR_CLOSED, "closed", remora_source_get_info(source, &info, &error));
  CHECK_REFUSED(REMORA_ERR_CLOSED, "closed", remora_snapshot_acquire(source, 0, &snapshot, &error));
  CHECK_REFUSED(REMORA_ERR_CLOSED, "closed", remora_reset(source, &error));
  CHECK_REFUSED(REMORA_ERR_CLOSED, "closed", remora_await(source, NULL, -1, &snapshot, &error));
  CHECK(snapshot == NULL);
  CHECK_REFUSED(REMORA_ERR_CLOSED, "closed",
                remora_refresh_async(source, NULL, -1, completion_told, &end, completion_freed, &request, &error));
  CHECK_INT(0, tally_count(&end.calls));
  CHECK_INT(1, tally_count(&end.freed));
  CHECK_REFUSED(REMORA_ERR_CLOSED, "closed",
                remora_subscribe(source, NULL, 0, recorder_event, &events, recorder_freed, &subscription, &error));
  CHECK_INT(0, tally_count(&events.events));
  CHECK_INT(1, tally_count(&events.freed));
  CHECK_INT(-5, remora_get_int(source, "limits", "/int", -5));
  CHECK_INT(1, remora_get_bool(source, "flags", "/off", 1));
  CHECK(remora_get_double(source, "limits", "/half", 0.25) == 0.25);
  CHECK_INT(7, (int64_t)remora_get_string(source, "texts", "/plain", buffer, sizeof buffer, "default"));
  CHECK_TEXT("default", buffer);
  remora_source_close(source);
}

TEST("a snapshot stays readable after its client and source are closed") {
  remora_client *client = client_in_memory(NO_SERVER);
  remora_source *source = open_untrusted(client, "sample", sample_data);
  remora_snapshot *snapshot = acquire(source);
  const char *text = NULL;
  int64_t number = 0;
  remora_client_close(client);
  remora_source_close(source);
  CHECK_STATUS(REMORA_OK, remora_snapshot_get_int(snapshot, "limits", "/int", &number, &error));
  CHECK_INT(7, number);
  CHECK_STATUS(REMORA_OK, remora_snapshot_get_string(snapshot, "texts", "/plain", &text, NULL, &error));
  CHECK_TEXT("hello", text);
  remora_snapshot_release(snapshot);
}

TEST("closing a client frees all user data exactly once") {
  tally logged;
  recorder first, subscribed;
  remora_config config;
  remora_client *client = NULL;
  remora_source *source = NULL;
  remora_subscription *subscription = NULL;
  tally_init(&logged);
  recorder_init(&first);
  recorder_init(&subscribed);
  REMORA_INIT(&config);
  config.storage_dir = REMORA_STORAGE_MEMORY;
  config.server = NO_SERVER;
  config.on_log_user_data = &logged;
  config.on_log_free_user_data = tally_add;
  REQUIRE_OK(remora_setup(&config, &client, &error));
  remora_collection_options collection = untrusted("sample", sample_data);
  remora_source_options options = recorded(&first);
  REQUIRE_OK(remora_open_collection(client, &collection, &options, &source, &error));
  REQUIRE_OK(remora_subscribe(source, NULL, 0, recorder_event, &subscribed, recorder_freed, &subscription, &error));
  recorder_await(&first, 1);
  remora_client_close(client);
  CHECK_INT(1, tally_count(&logged));
  CHECK_INT(1, tally_count(&first.freed));
  CHECK_INT(1, tally_count(&subscribed.freed));
  remora_unsubscribe(subscription);
  remora_source_close(source);
  CHECK_INT(1, tally_count(&first.freed));
  CHECK_INT(1, tally_count(&subscribed.freed));
}

TEST("closing a client waits for a callback that is running on another thread") {
  background_close closing = {.client = client_in_memory(NO_SERVER)};
  recorder events;
  gate gate;
  pthread_t thread;
  remora_subscription *subscription = NULL;
  remora_flags replay = REMORA_SUBSCRIBE_REPLAY;
  tally_init(&closing.done);
  recorder_init(&events);
  gate_init(&gate);
  events.during = recorder_hold;
  events.context = &gate;
  remora_source *source = open_untrusted(closing.client, "sample", sample_data);
  REQUIRE_OK(remora_subscribe(source, NULL, replay, recorder_event, &events, recorder_freed, &subscription, &error));
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
         remora_activate(host->source, NULL, NULL, NULL) != REMORA_ERR_CLOSED)
    remora_get_int(host->source, "limits", "/int", 0);
  tally_add(&host->ended);
}

TEST("a callback that uses a client and sources while another thread closes them receives CLOSED") {
  closing_host host = {.client = client_in_memory(NO_SERVER)};
  recorder events;
  remora_subscription *subscription = NULL;
  remora_flags replay = REMORA_SUBSCRIBE_REPLAY;
  tally_init(&host.begun);
  tally_init(&host.ended);
  recorder_init(&events);
  events.during = use_until_closed;
  events.context = &host;
  host.source = open_untrusted(host.client, "sample", sample_data);
  REQUIRE_OK(
      remora_subscribe(host.source, NULL, replay, recorder_event, &events, recorder_freed, &subscription, &error));
  REQUIRE(tally_await(&host.begun, 1));
  remora_client_close(host.client);
  CHECK_INT(1, tally_count(&host.ended));
  remora_unsubscribe(subscription);
  remora_source_close(host.source);
}
