/* SPDX-License-Identifier: Apache-2.0 */

/* What a thread of the stress host does: one action after the other, drawn at random. Clients and their sources
 * survive; all other handles belong to the thread that opened them. */
#ifndef STRESS_ACTIONS_H
#define STRESS_ACTIONS_H

#include <remora.h>
#include <stdint.h>

#include "promises.h"

enum { CLIENTS = 2, SOURCES = 2, HELD = 4 };

/* A client that survives, with its sources "one" and "two". */
typedef struct stage {
  remora_client *client;
  remora_source *sources[SOURCES];
} stage;

/* The stage of all threads, set before they start. */
extern stage stages[CLIENTS];
extern const char *stress_directory;
extern const char *stress_url;

/* A subscription that its thread keeps for a while. */
typedef struct holding {
  remora_subscription *subscription;
  promise *promise;
} holding;

/* One thread. */
typedef struct actor {
  unsigned seed;
  int64_t operations;
  promise_pool pool;
  holding held[HELD];
} actor;

/* From now on threads send a limited number of requests each second. */
void stress_limit_requests(void);

/* Acts until this time of the monotonic clock, then ends what it holds and settles its promises. */
void stress_act(actor *self, int64_t until_ms);

#endif /* STRESS_ACTIONS_H */
