/* SPDX-License-Identifier: Apache-2.0
 *
 * A small HTTP/1.1 server on 127.0.0.1, on one thread of this process: GET only,
 * keep-alive, one answer at a time. Its CPU time is measured separately.
 */
#ifndef BENCH_LOOPBACK_H
#define BENCH_LOOPBACK_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct loopback loopback;

typedef struct loopback_request {
  const char *target;        /* path and query */
  const char *if_none_match; /* "" if the header is missing */
} loopback_request;

typedef struct loopback_answer {
  int status;       /* 200, 304 or 404; 0: no answer, and the connection stays open */
  const char *etag; /* NULL: none */
  const char *body; /* valid until the next request */
  size_t size;
} loopback_answer;

/* Called on the server's thread. */
typedef void (*loopback_handler)(const loopback_request *request, loopback_answer *answer, void *user_data);

/* Ends the program on failure. `handler` is called until loopback_stop returns. */
loopback *loopback_start(loopback_handler handler, void *user_data);
void loopback_stop(loopback *server);

/* Sends bodies at this speed from now on: nanoseconds per byte; 0, the default, is as fast as possible. */
void loopback_set_pace(loopback *server, double ns_per_byte);

int loopback_port(const loopback *server);

/* CPU time that the server's thread has used. */
double loopback_cpu_ns(const loopback *server);

#ifdef __cplusplus
}
#endif

#endif
