/* SPDX-License-Identifier: Apache-2.0 */

/* Counts the calls and the end of each user_data, and reports what differs from the header. */
#include "promises.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "tally.h"

int promise_faults;

static int get(const int *count) { return __atomic_load_n(count, __ATOMIC_SEQ_CST); }

static int add(int *count) { return __atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST); }

void promise_fault(const char *what) {
  add(&promise_faults);
  fprintf(stderr, "stress: %s\n", what);
}

/* Checks a promise that has ended, and makes it free. */
static void recycle(promise *promise) {
  int calls = get(&promise->calls);
  if (promise->needs_call && calls == 0 && !promise->is_excused) promise_fault("a completion is missing");
  if (promise->needs_call && calls > 1) promise_fault("a completion came more than once");
  memset(promise, 0, sizeof *promise);
}

static int recycle_ended(promise_pool *pool) {
  int left = 0;
  for (int i = 0; i < PROMISES; i++) {
    if (!pool->all[i].is_taken) continue;
    if (get(&pool->all[i].ends) > 0)
      recycle(&pool->all[i]);
    else
      left++;
  }
  return left;
}

promise *promise_take(promise_pool *pool, int needs_call) {
  for (int i = 0; i < PROMISES; i++) {
    promise *next = &pool->all[i];
    if (next->is_taken && get(&next->ends) == 0) continue;
    if (next->is_taken) recycle(next);
    next->is_taken = 1;
    next->needs_call = needs_call;
    return next;
  }
  return NULL;
}

void promise_end(promise *promise) { __atomic_store_n(&promise->is_over, 1, __ATOMIC_SEQ_CST); }

void promise_settle(promise_pool *pool) {
  int64_t deadline = now_ms() + PATIENCE_MS;
  int left = recycle_ended(pool);
  while (left > 0 && now_ms() < deadline) {
    poll(NULL, 0, 5);
    left = recycle_ended(pool);
  }
  if (left > 0) promise_fault("a free_user_data is missing");
}

static void count_call(promise *promise) {
  if (get(&promise->is_over)) promise_fault("a callback came after its end");
  if (get(&promise->ends) > 0) promise_fault("a callback came after its free_user_data");
  add(&promise->calls);
}

void promise_event(const remora_event *event, void *raw) {
  if (!event->old_snapshot || !event->new_snapshot) promise_fault("an event has no snapshot");
  count_call(raw);
}

void promise_completion(const remora_result *result, void *raw) {
  if ((result->status == REMORA_OK) != (result->error == NULL))
    promise_fault("a completion's result->error does not fit its status");
  count_call(raw);
}

void promise_free(void *raw) {
  if (add(&((promise *)raw)->ends) != 1) promise_fault("a free_user_data came more than once");
}
