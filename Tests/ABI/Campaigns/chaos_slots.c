/* SPDX-License-Identifier: Apache-2.0 */

#include "chaos_slots.h"

#include <stddef.h>

void slots_init(slot *slots, int count) {
  for (int i = 0; i < count; i++) {
    pthread_rwlock_init(&slots[i].lock, NULL);
    slots[i].handle = NULL;
  }
}

void *slot_use(slot *slot) {
  if (pthread_rwlock_tryrdlock(&slot->lock) != 0) return NULL;
  if (slot->handle) return slot->handle;
  pthread_rwlock_unlock(&slot->lock);
  return NULL;
}

void slot_leave(slot *slot) { pthread_rwlock_unlock(&slot->lock); }

void *slot_take(slot *slot) {
  if (pthread_rwlock_trywrlock(&slot->lock) != 0) return NULL;
  void *handle = slot->handle;
  slot->handle = NULL;
  pthread_rwlock_unlock(&slot->lock);
  return handle;
}

int slot_put(slot *slot, void *handle) {
  if (pthread_rwlock_trywrlock(&slot->lock) != 0) return 0;
  int is_empty = slot->handle == NULL;
  if (is_empty) slot->handle = handle;
  pthread_rwlock_unlock(&slot->lock);
  return is_empty;
}
