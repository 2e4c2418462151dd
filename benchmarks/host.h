/* SPDX-License-Identifier: Apache-2.0
 *
 * Uses Remora for the benchmarks: one client and one source. Every failure ends
 * the program.
 */
#ifndef BENCH_HOST_H
#define BENCH_HOST_H

#include <stddef.h>

#include "remora.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The place of a setting's value in its record. */
#define HOST_POINTER "/v"
#define HOST_MEMBER "v"

typedef struct host {
  remora_client *client;
  remora_source *source;
} host;

/* Opens an unsigned collection. `packaged` may be NULL. The cache is identified by `server` too. */
host host_open(const char *storage_dir, const char *server, const char *packaged, size_t packaged_size);
/* Opens an unsigned collection with a file of packaged data, without a server. */
host host_open_packaged(const char *storage_dir, const char *packaged_file);
/* Opens an unsigned collection with another name. */
host host_open_collection(const char *storage_dir, const char *server, const char *name);
/* Opens a collection that is signed under this root. */
host host_open_signed(const char *storage_dir, const char *server, const char *root_sha256);
/* Opens an unsigned collection whose records must satisfy a JSON Schema. */
host host_open_checked(const char *storage_dir, const char *server, const char *schema);
/* Opens a tag of settings. Only waits send requests, and every wait sends one. */
host host_open_settings(const char *storage_dir, const char *url, const char *tag);
void host_close(host opened);

/* Refreshes. Ends the program at another outcome. */
void host_refresh(const host *opened, int32_t expected_outcome);

/* Deletes the fetched data. */
void host_reset(const host *opened);

/* Ends the program unless the live snapshot has this number of keys. */
void host_expect_count(const host *opened, size_t count);

/* Ends the program unless the live snapshot has this origin. */
void host_expect_origin(const host *opened, int32_t origin);

/* Returns the size of the stored image of the only source in a storage directory. */
size_t host_image_size(const char *storage_dir);

#ifdef __cplusplus
}
#endif

#endif
