/* SPDX-License-Identifier: Apache-2.0 */

/* Counters and gates on condition variables of the monotonic clock. */
#include "tally.h"

#include <time.h>

int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void tally_init(tally *tally) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&tally->lock, NULL);
  pthread_cond_init(&tally->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  tally->count = 0;
}

void tally_add(void *raw) {
  tally *counted = raw;
  pthread_mutex_lock(&counted->lock);
  counted->count++;
  pthread_cond_broadcast(&counted->changed);
  pthread_mutex_unlock(&counted->lock);
}

int tally_count(tally *tally) {
  pthread_mutex_lock(&tally->lock);
  int count = tally->count;
  pthread_mutex_unlock(&tally->lock);
  return count;
}

int tally_await_for(tally *tally, int count, int64_t ms) {
  struct timespec deadline;
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  deadline.tv_sec += (time_t)(ms / 1000);
  deadline.tv_nsec += (long)(ms % 1000) * 1000000;
  if (deadline.tv_nsec >= 1000000000) {
    deadline.tv_sec++;
    deadline.tv_nsec -= 1000000000;
  }
  pthread_mutex_lock(&tally->lock);
  while (tally->count < count && pthread_cond_timedwait(&tally->changed, &tally->lock, &deadline) == 0) {
  }
  int reached = tally->count >= count;
  pthread_mutex_unlock(&tally->lock);
  return reached;
}

int tally_await(tally *tally, int count) { return tally_await_for(tally, count, PATIENCE_MS); }

void gate_init(gate *gate) {
  tally_init(&gate->entered);
  tally_init(&gate->opened);
}

void gate_hold(gate *gate) {
  tally_add(&gate->entered);
  tally_await(&gate->opened, 1);
}

int gate_await_arrival(gate *gate) { return tally_await(&gate->entered, 1); }

void gate_open(gate *gate) { tally_add(&gate->opened); }
