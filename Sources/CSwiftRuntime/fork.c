/* SPDX-License-Identifier: Apache-2.0 */

/* Works around a fault of the Swift runtime after fork(). swift_once records its owner by the thread's number, which
   the runtime reads once per thread and caches. In a child, the forked thread has another number. If it runs swift_once
   with the cached one, a second thread waits for an owner that does not exist in the child, and the first thread cannot
   release the lock: both hang. Swift 6.3 and earlier on Linux have this fault.

   Therefore the child resets the cached number before any other code of the library runs there: this handler is the
   first that the library registers. The variable belongs to the copy of the runtime that is linked into the library. If
   a later runtime has no variable of this name, linking fails. Then check whether the fault is fixed, and delete this
   target. */
#include <pthread.h>
#include <sys/types.h>

/* swift::threading_impl::linux::ulock_get_tid()::tid; 0 while it has not been asked for. */
extern __thread pid_t remembered_thread __asm__("_ZZN5swift14threading_impl5linux13ulock_get_tidEvE3tid")
    __attribute__((visibility("hidden")));

static void forget_thread(void) { remembered_thread = 0; }

__attribute__((constructor)) static void forget_threads_at_forks(void) { pthread_atfork(NULL, NULL, forget_thread); }
