/* SPDX-License-Identifier: Apache-2.0
 *
 * A minimal durable store: write, fsync, rename, fsync of the directory.
 */
#ifndef BENCH_STORE_H
#define BENCH_STORE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Replaces the file `name` in a folder. Ends the program on failure. */
void store(const char *folder, const char *name, const void *bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif
