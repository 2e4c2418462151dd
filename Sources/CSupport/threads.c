/* SPDX-License-Identifier: Apache-2.0 */
/* GNU's thread and error functions. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "remora_support.h"

void remora_error_text(int32_t number, char *buffer, size_t size) {
  /* GNU's strerror_r may answer with a constant instead of filling the buffer. */
  char scratch[256];
  snprintf(buffer, size, "%s", strerror_r(number, scratch, sizeof scratch));
}

void remora_thread_set_name(const char *name) { pthread_setname_np(pthread_self(), name); }

/* The time of a clock after so many milliseconds. */
static struct timespec time_after(clockid_t clock, int64_t timeout_ms) {
  struct timespec deadline;
  clock_gettime(clock, &deadline);
  deadline.tv_sec += timeout_ms / 1000;
  deadline.tv_nsec += (timeout_ms % 1000) * 1000000;
  if (deadline.tv_nsec >= 1000000000) {
    deadline.tv_sec += 1;
    deadline.tv_nsec -= 1000000000;
  }
  return deadline;
}

int32_t remora_mutex_lock_within(pthread_mutex_t *mutex, int64_t timeout_ms) {
  struct timespec deadline = time_after(CLOCK_MONOTONIC, timeout_ms);
  return pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &deadline);
}

int32_t remora_semaphore_wait(sem_t *semaphore, int64_t monotonic_ms) {
  struct timespec deadline = {.tv_sec = monotonic_ms / 1000, .tv_nsec = monotonic_ms % 1000 * 1000000};
  int answer = monotonic_ms == INT64_MAX ? sem_wait(semaphore) : sem_clockwait(semaphore, CLOCK_MONOTONIC, &deadline);
  return answer == 0 ? 0 : errno;
}

int32_t remora_thread_join(pthread_t thread, int64_t timeout_ms) {
  struct timespec deadline = time_after(CLOCK_REALTIME, timeout_ms);
  /* Not pthread_clockjoin_np: ThreadSanitizer does not see the join, and fails when the handle is used again. */
  return pthread_timedjoin_np(thread, NULL, &deadline);
}
