/* SPDX-License-Identifier: Apache-2.0 */

/* What the chaos host shares: its handles, its random numbers, and the user data of its callbacks. */
#ifndef CHAOS_HOST_H
#define CHAOS_HOST_H

#include <remora.h>

#include "chaos_slots.h"

enum { CLIENTS = 3, SOURCES = 16, SUBSCRIPTIONS = 12, REQUESTS = 12, SNAPSHOTS = 8, KEYS = 8, ATTACHMENTS = 4 };

extern slot clients[CLIENTS], sources[SOURCES], subscriptions[SUBSCRIPTIONS], requests[REQUESTS], snapshots[SNAPSHOTS],
    keys[KEYS], attachments[ATTACHMENTS];

/* The directory of the clients that store data. */
extern const char *chaos_directory;

/* A number below `count`, from the calling thread's own sequence. */
unsigned draw(unsigned count);
void draw_from(unsigned seed);
slot *any_of(slot *slots, unsigned count);

/* Faults of this process so far, such as user data that was freed twice. */
extern int chaos_faults;
void chaos_fault(const char *what);

/* User data of a callback, which must be freed once. NULL if memory has run out. */
typedef enum data_kind {
  DATA_TRANSPORT,
  DATA_LOG,
  DATA_ATTEMPTS,
  DATA_FIRST_EVENTS,
  DATA_EVENTS,
  DATA_RESULTS,
  DATA_REPORTS,
  DATA_PROGRESS,
  DATA_KINDS
} data_kind;
void *data_new(data_kind kind);
void data_free(void *data);
/* Notes a call, and acts at random as any thread does: a callback may call every function. */
void data_used(void *data);
/* The callbacks of which user data has not been freed, or NULL. */
const char *data_left(void);

/* Performs one random action of any kind, or one that closes something. */
void chaos_act(void);
void chaos_close_something(void);

/* Opens a client, or a source of a random client. */
void open_client(void);
void open_source(void);

/* Reads a random snapshot or attachment; calls functions without a handle. */
void use_snapshot(void);
void use_attachment(void);
void use_no_handle(void);

/* Answers requests of the host's transport: at once, later, or never. */
remora_transport chaos_transport(void);
void answer_later(void);

/* From now on callbacks do nothing. */
void chaos_is_over(void);

/* Closes and releases everything that no callback uses at this moment. */
void chaos_close_all(void);

#endif /* CHAOS_HOST_H */
