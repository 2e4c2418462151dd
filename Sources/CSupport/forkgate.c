/* SPDX-License-Identifier: Apache-2.0 */
/* The fork gate: a readers-writer lock. Threads inside it are readers, and a fork is the writer. */
#define _GNU_SOURCE
#include <pthread.h>

#include "remora_support.h"

/* Prefers writers, so that a fork does not wait for as long as any thread runs. */
static pthread_rwlock_t gate = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static _Thread_local bool is_inside;
/* Whether the forking thread was inside. Only the thread that has closed the gate uses it. */
static bool was_inside;

bool remora_fork_gate_enter(void) {
  if (is_inside) return false;
  pthread_rwlock_rdlock(&gate);
  is_inside = true;
  return true;
}

bool remora_fork_gate_try_enter(void) {
  if (is_inside) return true;
  is_inside = pthread_rwlock_tryrdlock(&gate) == 0;
  return is_inside;
}

bool remora_fork_gate_leave(void) {
  if (!is_inside) return false;
  is_inside = false;
  pthread_rwlock_unlock(&gate);
  return true;
}

void remora_fork_gate_close(void) {
  bool left = remora_fork_gate_leave();
  pthread_rwlock_wrlock(&gate);
  was_inside = left;
}

void remora_fork_gate_open(void) {
  bool enters = was_inside;
  pthread_rwlock_unlock(&gate);
  if (enters) remora_fork_gate_enter();
}

void remora_fork_gate_reset(void) {
  gate = (pthread_rwlock_t)PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
  if (was_inside) remora_fork_gate_enter();
}
