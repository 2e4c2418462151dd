/* SPDX-License-Identifier: Apache-2.0 */
/* What Swift cannot say itself: atomics on raw memory, the thread pointer, and GNU functions that its
   import of glibc leaves out. */
#ifndef REMORA_SUPPORT_H
#define REMORA_SUPPORT_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* A number that differs between running threads; costs one register read. */
static inline uintptr_t remora_thread_pointer(void) { return (uintptr_t)__builtin_thread_pointer(); }

static inline int64_t remora_atomic_add(int64_t *cell, int64_t amount) {
  return __atomic_fetch_add(cell, amount, __ATOMIC_SEQ_CST);
}

static inline int64_t remora_atomic_load(const int64_t *cell) { return __atomic_load_n(cell, __ATOMIC_SEQ_CST); }

static inline void remora_atomic_store(int64_t *cell, int64_t value) {
  __atomic_store_n(cell, value, __ATOMIC_SEQ_CST);
}

static inline void *remora_atomic_load_pointer(void *const *cell) { return __atomic_load_n(cell, __ATOMIC_SEQ_CST); }

static inline void remora_atomic_store_pointer(void **cell, void *value) {
  __atomic_store_n(cell, value, __ATOMIC_SEQ_CST);
}

/* Writes the system's sentence for an errno, cut at size and NUL-terminated. */
void remora_error_text(int32_t number, char *buffer, size_t size);

/* Names the calling thread; at most 15 bytes count. */
void remora_thread_set_name(const char *name);

/* Joins a thread; gives up after so many milliseconds with a nonzero errno. */
int32_t remora_thread_join(pthread_t thread, int64_t timeout_ms);

#endif
