/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the core that are written in C, because Swift cannot express them or does not import the functions of glibc:
   threads and waits with a time limit, the fork gate, the count of running calls into the host, the descriptor that
   wakes a host's loop, vector instructions, memory mappings and random bytes. */
#ifndef REMORA_SUPPORT_H
#define REMORA_SUPPORT_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden) /* A library that contains these functions does not export them. */

/* A number that differs between running threads; costs one register read. */
static inline uintptr_t remora_thread_pointer(void) { return (uintptr_t)__builtin_thread_pointer(); }

/* Writes the system's sentence for an errno, cut at size and NUL-terminated. */
void remora_error_text(int32_t number, char *buffer, size_t size);

/* Names the calling thread; at most 15 bytes count. */
void remora_thread_set_name(const char *name);

/* Locks a mutex; returns a nonzero errno if other threads keep it for so many milliseconds. */
int32_t remora_mutex_lock_within(pthread_mutex_t *mutex, int64_t timeout_ms);

/* Waits for a semaphore until a monotonic time; INT64_MAX: no limit. Returns 0 or an errno, which may be EINTR. */
int32_t remora_semaphore_wait(sem_t *semaphore, int64_t monotonic_ms);

/* Joins a thread. Returns a nonzero errno if the thread has not ended after so many milliseconds. */
int32_t remora_thread_join(pthread_t thread, int64_t timeout_ms);

/* The fork gate. A fork waits until no thread is inside; meanwhile, threads that enter wait for the fork.
   Enters the gate, unless the calling thread is inside. Returns whether it entered. */
bool remora_fork_gate_enter(void);

/* Enters the gate if no fork has closed it or waits to. Returns whether the calling thread is inside. */
bool remora_fork_gate_try_enter(void);

/* Leaves the gate, unless the calling thread is outside. Returns whether it was inside. */
bool remora_fork_gate_leave(void);

/* Before a fork: leaves the gate, waits until no thread is inside, and closes it. */
void remora_fork_gate_close(void);

/* After a fork, in the parent: opens the gate, and enters it if the calling thread was inside before. */
void remora_fork_gate_open(void);

/* After a fork, in the child: creates the gate anew, and enters it if the calling thread was inside before. */
void remora_fork_gate_reset(void);

/* The calls of the host's functions. Begins a call, unless calls are refused. Returns whether it began. */
bool remora_host_call_begin(void);

/* Ends a call that began. */
void remora_host_call_end(void);

/* Makes every later call refused. Returns whether this was the first time. Only one thread may call it at a time. */
bool remora_host_calls_refuse(void);

/* Waits until no call is running on another thread, at most until a monotonic time. Calls must be refused. */
void remora_host_calls_wait(int64_t monotonic_ms);

/* After a fork, in the child: forgets the calls of other threads. */
void remora_host_calls_reset(void);

/* A descriptor, `reader`, that wakes a host's loop. */
typedef struct remora_wakeup {
  int32_t reader, writer;
  uint64_t reader_inode, writer_inode;
} remora_wakeup;

/* Opens the descriptor. Returns false with errno if the system has no free descriptor. */
bool remora_wakeup_open(remora_wakeup *wakeup);

/* Whether the descriptor is still open. If the program has closed it, the functions below do nothing. */
bool remora_wakeup_is_open(const remora_wakeup *wakeup);

/* Makes the descriptor readable; each call triggers an edge. */
void remora_wakeup_wake(const remora_wakeup *wakeup);

/* Makes the descriptor unreadable. */
void remora_wakeup_clear(const remora_wakeup *wakeup);

/* Closes the descriptor. */
void remora_wakeup_close(const remora_wakeup *wakeup);

/* XXH3 of 64 bits with AVX2. Answers 0, and writes nothing, on a machine without it. */
int32_t remora_checksum_avx2(const void *bytes, size_t count, uint64_t *out_checksum);

/* The places in 64 bytes that matter for the structure of a JSON text: a bit for each byte, the lowest for the
   first. */
struct remora_json_block {
  uint64_t quotes, backslashes;
  uint64_t opening, closing; /* Brackets and braces. */
  uint64_t commas, points;
};

struct remora_json_block remora_json_block(const void *bytes);

/* The same without special instructions, for other processors. */
struct remora_json_block remora_json_block_bytewise(const void *bytes);

/* Copies bytes, with a quote instead of each zero. */
void remora_copy_with_quotes(void *restrict target, const void *restrict source, size_t count);

/* Loads the 256 bytes at an address into the cache. The address may be any address. */
static inline void remora_prefetch(const void *bytes) {
  for (int line = 0; line < 4; line++) __builtin_prefetch((const char *)bytes + 64 * line);
}

/* Maps pages of zeros, which need no memory until they are written. Returns NULL if that is impossible. */
void *remora_map_pages(size_t size);

/* Enlarges such a mapping without a copy, perhaps at another address. On failure, returns NULL and changes nothing. */
void *remora_grow_pages(void *pages, size_t size, size_t wanted);

/* Fills 16 bytes with random ones from the kernel. Never waits and never fails. */
void remora_random(uint8_t bytes[16]);

#pragma GCC visibility pop

#endif
