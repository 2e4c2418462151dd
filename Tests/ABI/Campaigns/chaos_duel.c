/* SPDX-License-Identifier: Apache-2.0 */

#include "chaos_duel.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#include "chaos_host.h"
#include "fixture.h"

enum { HANDLES = 4, IS_OVER = -1, SPINS = 16 };
/* What the second thread closes first while the first thread closes the client. */
enum { SOURCES_FIRST, SUBSCRIPTIONS_FIRST, REQUESTS_FIRST, ORDERS };

static int64_t end_ms, rounds;
static int arrivals; /* Atomic. */
static int order;    /* Changed by the first thread while the second one waits. */
static remora_client *client;
static remora_source *opened[HANDLES];
static remora_subscription *subscribed[HANDLES];
static remora_request *requested[HANDLES];

static void ignore_event(const remora_event *event, void *data) {
  (void)event;
  (void)data;
}

static void ignore_result(const remora_result *result, void *data) {
  (void)result;
  (void)data;
}

static void open_round(void) {
  char url[64];
  remora_settings_options settings;
  remora_source_options options;
  int is_busy = order != SOURCES_FIRST;
  client = client_in_memory(NO_SERVER);
  for (int i = 0; i < HANDLES; i++) {
    REMORA_INIT(&settings);
    REMORA_INIT(&options);
    snprintf(url, sizeof url, NO_SERVER "/%d.json", i);
    settings.url = url;
    options.first_fetch = REMORA_FIRST_FETCH_ON_REQUEST;
    opened[i] = NULL;
    subscribed[i] = NULL;
    requested[i] = NULL;
    REQUIRE_OK(remora_open_settings(client, &settings, &options, &opened[i], &error));
    if (!is_busy) continue;
    REQUIRE_OK(
        remora_subscribe(opened[i], NULL, 0, ignore_event, data_new(DATA_EVENTS), data_free, &subscribed[i], &error));
    /* Without waiting: no request is sent. */
    REQUIRE_OK(remora_refresh_async(opened[i], NULL, 0, ignore_result, data_new(DATA_RESULTS), data_free, &requested[i],
                                    &error));
  }
}

static void close_sources(void) {
  for (int i = 0; i < HANDLES; i++) remora_source_close(opened[i]);
}

static void end_subscriptions(void) {
  for (int i = 0; i < HANDLES; i++) remora_unsubscribe(subscribed[i]);
}

static void end_requests(void) {
  for (int i = 0; i < HANDLES; i++) {
    remora_request_cancel(requested[i]);
    remora_request_release(requested[i]);
  }
}

static void close_round(void) {
  static void (*const closings[])(void) = {close_sources, end_subscriptions, end_requests};
  for (int i = 0; i < ORDERS; i++) closings[(order + i) % ORDERS]();
}

/* Waits for the other thread without sleeping, so that both continue at the same moment. */
static void meet(void) {
  int target = (__atomic_fetch_add(&arrivals, 1, __ATOMIC_SEQ_CST) / 2 + 1) * 2;
  while (__atomic_load_n(&arrivals, __ATOMIC_SEQ_CST) < target) sched_yield();
}

static void *follow(void *unused) {
  for (;;) {
    meet();
    if (order == IS_OVER) return unused;
    close_round();
    meet();
  }
}

int64_t duel_fight(int64_t until_ms, unsigned seed) {
  pthread_t follower;
  draw_from(seed);
  end_ms = until_ms;
  REQUIRE(pthread_create(&follower, NULL, follow, NULL) == 0);
  while (order != IS_OVER) {
    order = now_ms() < end_ms ? (int)draw(ORDERS) : IS_OVER;
    if (order != IS_OVER) open_round();
    meet();
    if (order == IS_OVER) break;
    for (unsigned i = draw(SPINS); i > 0; i--) sched_yield();
    remora_client_close(client);
    meet();
    rounds++;
  }
  pthread_join(follower, NULL);
  return rounds;
}
