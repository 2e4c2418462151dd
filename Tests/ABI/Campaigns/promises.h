/* SPDX-License-Identifier: Apache-2.0 */

/* The callbacks that a stress host is to receive: user data from a fixed pool, which counts its calls and its one end.
 *
 * A pool belongs to one thread. The callbacks may run on any thread. */
#ifndef PROMISES_H
#define PROMISES_H

#include <remora.h>

enum { PROMISES = 256 };

/* One user_data. `calls`, `ends` and `is_over` are atomic, the rest belongs to the pool's thread. */
typedef struct promise {
  int calls;
  int ends;
  int is_over; /* No call may follow: remora_unsubscribe or remora_source_close has returned. */
  int is_taken;
  int needs_call; /* A completion: exactly one call, unless `is_excused`. */
  int is_excused; /* The handle was closed before the completion, or the call failed. */
} promise;

typedef struct promise_pool {
  promise all[PROMISES];
} promise_pool;

/* Faults of this process so far: a callback that is missing, came twice or came after its end. */
extern int promise_faults;

/* Notes one fault, by a sentence on stderr. */
void promise_fault(const char *what);

/* A promise that is free, or NULL while all are in use. `needs_call` as above. */
promise *promise_take(promise_pool *pool, int needs_call);

/* No call may begin any more. */
void promise_end(promise *promise);

/* Waits until every promise has ended; one that has not by then is a fault. */
void promise_settle(promise_pool *pool);

/* The callbacks. */
void promise_event(const remora_event *event, void *promise);
void promise_completion(const remora_result *result, void *promise);
void promise_free(void *promise);

#endif /* PROMISES_H */
