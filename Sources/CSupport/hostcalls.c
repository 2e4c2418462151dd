/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of the host's functions: their number, and their end when the process exits. */
#define _GNU_SOURCE
#include <errno.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "remora_support.h"

static atomic_bool is_refused;
/* The number of calls that are running on all threads, and on this one. */
static atomic_int running;
static _Thread_local int running_here;
/* Posted at the end of each call that was running when calls were refused. */
static sem_t ended;

bool remora_host_call_begin(void) {
  /* Counted first: a call that finds calls allowed is then found by `remora_host_calls_wait`. */
  atomic_fetch_add(&running, 1);
  running_here++;
  if (!atomic_load(&is_refused)) return true;
  remora_host_call_end();
  return false;
}

void remora_host_call_end(void) {
  running_here--;
  atomic_fetch_sub(&running, 1);
  if (atomic_load(&is_refused)) sem_post(&ended);
}

bool remora_host_calls_refuse(void) {
  if (atomic_load(&is_refused)) return false;
  sem_init(&ended, 0, 0);
  atomic_store(&is_refused, true);
  return true;
}

void remora_host_calls_wait(int64_t monotonic_ms) {
  while (atomic_load(&running) > running_here)
    if (remora_semaphore_wait(&ended, monotonic_ms) == ETIMEDOUT) return;
}

void remora_host_calls_reset(void) { atomic_store(&running, running_here); }
