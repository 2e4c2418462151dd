/* SPDX-License-Identifier: Apache-2.0 */

/* The Swift runtime through fork(): swift_once marks who is inside with the thread's number, which the runtime asks for
   once a thread and keeps. In a child the forked thread has another number. While it sets something up under the old
   one, a second thread that comes to the same place waits for a thread that does not exist here, and the first one can
   not let go: both hang. Swift 6.3 and earlier on Linux.

   So the child forgets the number, before anything else of the library runs there: this handler is the first that the
   library registers. The variable is the runtime's own, of the copy that is linked into the library. Should a later
   runtime have none of this name, linking fails; see whether the fault is mended there, and delete this target. */
#include <pthread.h>
#include <sys/types.h>

/* swift::threading_impl::linux::ulock_get_tid()::tid; 0 while it has not been asked for. */
extern __thread pid_t remembered_thread __asm__("_ZZN5swift14threading_impl5linux13ulock_get_tidEvE3tid")
    __attribute__((visibility("hidden")));

static void forget_thread(void) { remembered_thread = 0; }

__attribute__((constructor)) static void forget_threads_at_forks(void) { pthread_atfork(NULL, NULL, forget_thread); }
