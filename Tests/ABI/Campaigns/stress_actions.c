/* SPDX-License-Identifier: Apache-2.0 */

/* The actions of the stress host, and the draw between them. */
#include "stress_actions.h"

#include <stdio.h>

#include "fixture.h"

enum { REQUESTS_PER_SECOND = 150, BURST = 8, REFRESH_MS = 5000 };

stage stages[CLIENTS];
const char *stress_directory;
const char *stress_url;

static int64_t began_ms;
static int64_t requests; /* Atomic: since then. */

void stress_limit_requests(void) {
  began_ms = now_ms();
  __atomic_store_n(&requests, 0, __ATOMIC_SEQ_CST);
}

/* Whether a request may be sent now. Closed connections keep their ports for a minute, so that they can run out. */
static int may_request(void) {
  int64_t allowed = (now_ms() - began_ms) * REQUESTS_PER_SECOND / 1000 + BURST;
  if (__atomic_add_fetch(&requests, 1, __ATOMIC_SEQ_CST) <= allowed) return 1;
  __atomic_sub_fetch(&requests, 1, __ATOMIC_SEQ_CST);
  return 0;
}

static unsigned draw(actor *self, unsigned count) {
  self->seed = self->seed * 1103515245u + 12345u;
  return (self->seed >> 16) % count;
}

static remora_client *some_client(actor *self) { return stages[draw(self, CLIENTS)].client; }

static remora_source *some_source(actor *self) { return stages[draw(self, CLIENTS)].sources[draw(self, SOURCES)]; }

static void check(remora_status status, remora_status other, const char *call, const remora_error *error) {
  char words[640];
  if (status == REMORA_OK || status == other) return;
  snprintf(words, sizeof words, "%s: %s: %s", call, remora_status_name(status), error->message);
  promise_fault(words);
}

static void read_values(actor *self) {
  remora_source *source = some_source(self);
  for (int i = 0; i < 20; i++) remora_get_int(source, "a", "/n", -1);
}

static void read_snapshot(actor *self) {
  remora_snapshot *snapshot = NULL;
  remora_error error;
  int64_t number;
  check(remora_snapshot_acquire(some_source(self), 0, &snapshot, &error), REMORA_OK, "snapshot_acquire", &error);
  remora_snapshot_get_int(snapshot, "a", "/n", &number, NULL);
  remora_snapshot_release(snapshot);
}

static void refresh(actor *self) {
  if (may_request()) remora_refresh(some_source(self), NULL, REFRESH_MS, NULL, NULL);
}

/* Starts a refresh on a handle and cancels some; the promise, or NULL. */
static promise *refresh_later(actor *self, remora_source *source) {
  remora_request *request = NULL;
  remora_error error;
  promise *promise = may_request() ? promise_take(&self->pool, 1) : NULL;
  if (!promise) return NULL;
  remora_status status =
      remora_refresh_async(source, NULL, -1, promise_completion, promise, promise_free, &request, &error);
  check(status, REMORA_OK, "refresh_async", &error);
  promise->is_excused = status != REMORA_OK;
  if (draw(self, 2)) remora_request_cancel(request);
  remora_request_release(request);
  return promise;
}

static void refresh_survivor(actor *self) { refresh_later(self, some_source(self)); }

static void release_held(holding *held) {
  remora_unsubscribe(held->subscription);
  if (held->promise) promise_end(held->promise);
  *held = (holding){NULL, NULL};
}

/* Ends the subscription at a place, or begins one there. */
static void subscribe_or_not(actor *self) {
  holding *held = &self->held[draw(self, HELD)];
  remora_error error;
  if (held->subscription) {
    release_held(held);
    return;
  }
  held->promise = promise_take(&self->pool, 0);
  if (!held->promise) return;
  remora_flags replay = draw(self, 2) ? REMORA_SUBSCRIBE_REPLAY : 0;
  check(remora_subscribe(some_source(self), draw(self, 2) ? "a" : NULL, replay, promise_event, held->promise,
                         promise_free, &held->subscription, &error),
        REMORA_OK, "subscribe", &error);
}

static void subscribe_and_unsubscribe(actor *self) {
  for (int i = 0; i < 2; i++) subscribe_or_not(self);
}

static void override(actor *self) {
  char value[16];
  remora_error error;
  snprintf(value, sizeof value, "%u", draw(self, 1000));
  if (draw(self, 2))
    check(remora_override_set(some_source(self), "a", "/n", value, 0, &error), REMORA_OK, "override_set", &error);
  else
    check(remora_override_clear_all(some_source(self), &error), REMORA_OK, "override_clear_all", &error);
}

static void set_context(actor *self) {
  static const char *const contexts[] = {NULL, "{\"locale\":\"de\"}", "{\"locale\":\"fr\"}"};
  remora_error error;
  check(remora_set_context(some_client(self), contexts[draw(self, 3)], &error), REMORA_OK, "set_context", &error);
}

static void activate(actor *self) {
  remora_error error;
  check(remora_activate(some_source(self), NULL, NULL, &error), REMORA_OK, "activate", &error);
}

/* Another process may have the files: then a reset fails after 5 s. */
static void reset(actor *self) {
  remora_error error;
  if (draw(self, 4) == 0) check(remora_reset(some_source(self), &error), REMORA_ERR_STORAGE, "reset", &error);
}

/* Opens a handle with a first subscriber, refreshes, and closes the handle under both. */
static void use_handle(actor *self, remora_client *client) {
  remora_collection_options collection = untrusted(draw(self, 2) ? "one" : "three", NULL);
  remora_source_options options = without_fetch();
  remora_source *source = NULL;
  remora_error error;
  promise *first = promise_take(&self->pool, 0);
  if (!first) return;
  options.on_event = promise_event;
  options.on_event_user_data = first;
  options.on_event_free_user_data = promise_free;
  remora_status status = remora_open_collection(client, &collection, &options, &source, &error);
  check(status, REMORA_OK, "open_collection", &error);
  promise *completion = status == REMORA_OK ? refresh_later(self, source) : NULL;
  if (completion) completion->is_excused = 1;
  remora_source_close(source);
  promise_end(first);
  if (completion) promise_end(completion);
}

static void open_handle(actor *self) { use_handle(self, some_client(self)); }

static void open_client(actor *self) {
  const char *directory = draw(self, 2) ? stress_directory : REMORA_STORAGE_MEMORY;
  remora_client *client = client_in_directory(directory, stress_url);
  use_handle(self, client);
  remora_client_close(client);
}

/* The actions, those that cost little more than once. */
static void (*const actions[])(actor *) = {
    /* clang-format off */
    read_values, read_values, read_values, read_snapshot, read_snapshot, refresh, refresh_survivor, refresh_survivor,
    subscribe_or_not, subscribe_or_not, subscribe_and_unsubscribe, override, set_context, activate, reset,
    open_handle, open_handle, open_client,
    /* clang-format on */
};

void stress_act(actor *self, int64_t until_ms) {
  while (now_ms() < until_ms) {
    actions[draw(self, sizeof actions / sizeof *actions)](self);
    self->operations++;
  }
  for (int i = 0; i < HELD; i++) release_held(&self->held[i]);
  promise_settle(&self->pool);
}
