/* SPDX-License-Identifier: Apache-2.0 */

/* Counters that threads wait on, with deadlines: what the tests have instead of sleeping. */
#ifndef TALLY_H
#define TALLY_H

#include <pthread.h>
#include <stdint.h>

/* Long enough for a loaded machine; a wait that runs into it is a failure. */
enum { PATIENCE_MS = 10000 };

/* A count that only grows. */
typedef struct tally {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int count;
} tally;

void tally_init(tally *tally);

/* Counts one up. Of the type of a free_user_data, with a tally as user_data. */
void tally_add(void *tally);

int tally_count(tally *tally);

/* Waits until the count is at least `count`; 0 when PATIENCE_MS or `ms` ended first. */
int tally_await(tally *tally, int count);
int tally_await_for(tally *tally, int count, int64_t ms);

/* A place where one thread is held until another lets it go. */
typedef struct gate {
  tally entered;
  tally opened;
} gate;

void gate_init(gate *gate);
void gate_hold(gate *gate);         /* Counts the arrival, then waits for gate_open. */
int gate_await_arrival(gate *gate); /* Waits until somebody is held. */
void gate_open(gate *gate);         /* From now on nobody is held. */

/* Milliseconds of the monotonic clock. */
int64_t now_ms(void);

#endif /* TALLY_H */
