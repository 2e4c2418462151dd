/* SPDX-License-Identifier: Apache-2.0 */

/* Places for handles that all threads share.
 *
 * Any number of threads may use a handle at the same time, but the thread that closes it has it alone: that is the rule
 * of the header. No function waits, so a callback may call each of them. */
#ifndef CHAOS_SLOTS_H
#define CHAOS_SLOTS_H

#include <pthread.h>

typedef struct slot {
  pthread_rwlock_t lock;
  void *handle; /* NULL while the place is empty. */
} slot;

void slots_init(slot *slots, int count);

/* Returns the handle for use until slot_leave, or NULL if the place is empty or is being changed. */
void *slot_use(slot *slot);
void slot_leave(slot *slot);

/* Removes the handle and returns it; the caller closes it. NULL if the place is empty or in use. */
void *slot_take(slot *slot);

/* Puts a handle into an empty place. Returns 0 if the place is occupied or in use; the caller keeps the handle. */
int slot_put(slot *slot, void *handle);

#endif /* CHAOS_SLOTS_H */
