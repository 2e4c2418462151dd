/* SPDX-License-Identifier: Apache-2.0
 *
 * The documents of a workload over loopback HTTP: as an unsigned collection for Remora,
 * as one conditional document for the rival and the bare libcurl.
 *
 * Without `_since`, the answer is the whole collection. With it, the answer is a diff of
 * as many records as the benchmark sets, with alternating values and a version that is
 * one above `_since`. A diff of no records is empty and keeps the version.
 */
#ifndef BENCH_SETTINGS_SERVER_H
#define BENCH_SETTINGS_SERVER_H

#include <stddef.h>

#include "loopback.h"
#include "workload.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct settings_server settings_server;

settings_server *settings_server_start(const workload *settings, workload_kind kind);
void settings_server_stop(settings_server *server);

/* How many records change with each diff: none (the default), few or all. */
typedef enum settings_diff { DIFF_NONE, DIFF_FEW, DIFF_ALL } settings_diff;
enum { SETTINGS_DIFF_FEW = 10 };
void settings_server_set_diff(settings_server *server, settings_diff diff);

/* Sends bodies at this speed from now on; see loopback_set_pace. */
void settings_server_set_pace(settings_server *server, double ns_per_byte);

/* Stops answering. The connections of new requests stay open. */
void settings_server_hang(settings_server *server);
/* Returns the number of requests without an answer. */
unsigned settings_server_waiting(const settings_server *server);

/* The server's URL for Remora. */
const char *settings_server_url(const settings_server *server);

/* The URLs of the whole document: with a new ETag and new values at every request, or always the same. */
const char *settings_server_changing_url(const settings_server *server);
const char *settings_server_constant_url(const settings_server *server);

/* The bytes of the whole document. */
const char *settings_server_body(const settings_server *server, size_t *out_size);

/* The URL and the bytes of the settings as one dictionary, with new values at every request. Only for
 * booleans and strings. */
const char *settings_server_flat_url(const settings_server *server);
const char *settings_server_flat_body(const settings_server *server, size_t *out_size);

/* CPU time of this process without the server's. */
double settings_server_client_cpu_ns(const settings_server *server);

#ifdef __cplusplus
}
#endif

#endif
