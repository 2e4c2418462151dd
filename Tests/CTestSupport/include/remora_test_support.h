/* SPDX-License-Identifier: Apache-2.0 */
/* What tests need of C: forked children, other users, mounts and trees of files. A child ends by _exit or by its
   alarm, so that a test never waits for ever. */
#ifndef REMORA_TEST_SUPPORT_H
#define REMORA_TEST_SUPPORT_H

#include <stddef.h>
#include <stdint.h>

/* Whether a forked child can run Swift while other threads of its parent do. Not under the thread sanitizer: there
   each use of a lazy global takes a lock, which another thread may hold at the fork. */
int32_t test_swift_runs_in_children(void);

/* Whether the process's memory is that of the tested code. A sanitizer has memory of its own beside each byte. */
int32_t test_memory_is_counted(void);

/* Forks; the child runs body and exits with its result. Answers the child's id, and -1 if no child could be created.
   Other tests run in this process, outside of the library's fork gate. If one of them holds a lock of the Swift runtime
   at the fork, the handlers of the fork may wait for it in the child permanently: such a child is killed, and replaced.
   The fork is done on a new thread, of which the Swift runtime knows no number yet: the shared runtime of tests would
   keep a wrong one in the child, and hang where two threads meet. See Sources/CSwiftRuntime. */
int32_t test_fork(int32_t (*body)(void *context), void *context);

/* Waits for a child's end. Answers its exit status, or 128 and the signal that ended it. */
int32_t test_wait(int32_t child);

/* Ends a child with SIGKILL and waits for its end. */
void test_kill(int32_t child);

/* Lets a child try a record lock: 0 when it got the lock, else the errno. */
int32_t test_try_lock_in_child(const char *path, int64_t byte);

/* Starts a child that holds a record lock until it is killed. Answers its id once the lock is held, or -1. */
int32_t test_hold_lock_in_child(const char *path, int64_t byte);

/* For children of root: becomes a user that owns nothing. Answers 0 or an errno. */
int32_t test_become_nobody(void);

/* For children of root: covers a directory with an empty read-only file system. Answers 0 or an errno. */
int32_t test_mount_read_only(const char *path);

/* Makes a FIFO. Answers 0 or an errno. */
int32_t test_make_fifo(const char *path);

/* From now on, the calling thread gets so many allocations by the function below and then none; -1 is no limit. */
void test_limit_allocations(int64_t allocations);

/* malloc, or NULL with ENOMEM once the calling thread's limit is reached. */
void *test_limited_malloc(size_t size);

/* malloc that leaves ENOMEM in errno although it succeeds, as glibc's does if the heap cannot grow. */
void *test_alarming_malloc(size_t size);

/* The most memory that the process had at once since the last call, less what it has at this one; in bytes. Only for a
   child with one thread. The first call answers a number without a meaning. */
int64_t test_peak_growth(void);

/* For children: lets an eventfd among others wake a poll, as newer versions of libcurl do. Answers whether only that
   one is found, and an exec would not inherit it. */
int32_t test_finds_eventfd(void);

/* Removes a directory and everything in it. */
void test_remove_tree(const char *path);

#endif
