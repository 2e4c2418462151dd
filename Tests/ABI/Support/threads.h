/* SPDX-License-Identifier: Apache-2.0 */

/* What the system says of this process's threads; where it says nothing, the test is skipped. */
#ifndef THREADS_H
#define THREADS_H

int thread_count(void);

/* The number of threads with this name. */
int threads_named(const char *name);

#endif /* THREADS_H */
