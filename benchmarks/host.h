/* SPDX-License-Identifier: Apache-2.0
 *
 * Remora as the benchmarks use it: one client, one source, and the end of
 * the program when anything fails.
 */
#ifndef BENCH_HOST_H
#define BENCH_HOST_H

#include <stddef.h>

#include "remora.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the value of a setting is inside its record. */
#define HOST_POINTER "/v"
#define HOST_MEMBER "v"

typedef struct host {
  remora_client *client;
  remora_source *source;
} host;

/* Unsigned. `packaged` may be NULL. `server` is part of what a cache is found by. */
host host_open(const char *storage_dir, const char *server, const char *packaged, size_t packaged_size);
/* Unsigned, of another name. */
host host_open_collection(const char *storage_dir, const char *server, const char *name);
/* With signatures, from a signer under this root. */
host host_open_signed(const char *storage_dir, const char *server, const char *root_sha256);
/* A tag of settings, which are asked for at every wait and by nothing else. */
host host_open_settings(const char *storage_dir, const char *url, const char *tag);
void host_close(host opened);

/* Refreshes and demands the outcome. */
void host_refresh(const host *opened, int32_t expected_outcome);

/* Forgets what was fetched. */
void host_reset(const host *opened);

/* Ends the program unless the live snapshot has so many keys. */
void host_expect_count(const host *opened, size_t count);

/* Ends the program unless the live snapshot has this origin. */
void host_expect_origin(const host *opened, int32_t origin);

#ifdef __cplusplus
}
#endif

#endif
