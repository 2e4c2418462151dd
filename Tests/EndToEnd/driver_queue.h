/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines that callbacks leave on the delivery thread and commands take on the main one.
 * A take waits until its deadline, so that no test has to sleep. */
#ifndef DRIVER_QUEUE_H
#define DRIVER_QUEUE_H

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

struct queue_line {
  struct queue_line *next;
  char *bytes;
};

struct queue {
  pthread_mutex_t lock;
  pthread_cond_t filled;
  struct queue_line *first;
  struct queue_line **end;
};

static inline void queue_init(struct queue *queue) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&queue->lock, NULL);
  pthread_cond_init(&queue->filled, &attributes);
  pthread_condattr_destroy(&attributes);
  queue->first = NULL;
  queue->end = &queue->first;
}

/* Takes over `bytes`, which came from malloc. */
static inline void queue_put(struct queue *queue, char *bytes) {
  struct queue_line *line = malloc(sizeof *line);
  if (line == NULL) {
    abort();
  }
  line->next = NULL;
  line->bytes = bytes;
  pthread_mutex_lock(&queue->lock);
  *queue->end = line;
  queue->end = &line->next;
  pthread_cond_signal(&queue->filled);
  pthread_mutex_unlock(&queue->lock);
}

/* Gives the oldest line, to be freed; NULL when none came in time. */
static inline char *queue_take(struct queue *queue, int64_t timeout_ms) {
  struct timespec deadline;
  char *bytes = NULL;
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  deadline.tv_sec += timeout_ms / 1000;
  deadline.tv_nsec += (timeout_ms % 1000) * 1000000;
  if (deadline.tv_nsec >= 1000000000) {
    deadline.tv_sec += 1;
    deadline.tv_nsec -= 1000000000;
  }
  pthread_mutex_lock(&queue->lock);
  while (queue->first == NULL && pthread_cond_timedwait(&queue->filled, &queue->lock, &deadline) != ETIMEDOUT) {
  }
  if (queue->first != NULL) {
    struct queue_line *line = queue->first;
    bytes = line->bytes;
    queue->first = line->next;
    if (queue->first == NULL) {
      queue->end = &queue->first;
    }
    free(line);
  }
  pthread_mutex_unlock(&queue->lock);
  return bytes;
}

#endif
