/* SPDX-License-Identifier: Apache-2.0 */

/* A Remote Settings server on loopback, in this process: one collection under every
 * name, answers scripted by the test. Texts that it is given must outlive it.
 * Every function may be called from any thread. */
#ifndef LOOPBACK_H
#define LOOPBACK_H

#include <stddef.h>
#include <stdint.h>

typedef struct loopback loopback;

/* Starts with an empty collection at timestamp 1; the test ends when there is no port. */
loopback *loopback_start(void);
void loopback_stop(loopback *server);

/* "http://127.0.0.1:PORT" */
const char *loopback_url(const loopback *server);

/* From now on the collection is the JSON array `records` at `timestamp`. Who has the
 * version `since` gets the array `diff`, who has `timestamp` gets an empty one, anybody
 * else is redirected to the whole. */
void loopback_publish(loopback *server, int64_t timestamp, const char *records, int64_t since, const char *diff);

/* From now on the server announces attachments, and has `text` at `location` below them, also by ranges. */
void loopback_attach(loopback *server, const char *location, const char *text);

/* The next `times` answers with an attachment end with their connection after so many bytes of it; and while stalled
 * they stop there, until loopback_flow. */
void loopback_cut(loopback *server, size_t bytes, int times);
void loopback_stall(loopback *server, size_t bytes);
void loopback_flow(loopback *server);

/* How many answers brought bytes of attachments. */
int loopback_downloads(loopback *server);
int loopback_await_downloads(loopback *server, int count);

/* From now on every answer has this status and, unless it is NULL, this header line. */
void loopback_fail(loopback *server, int status, const char *header);

/* From now on every answer is 200 with this body. */
void loopback_say(loopback *server, const char *body);

/* While on, requests are read and counted and get no answer; turned off, they get it. */
void loopback_hang(loopback *server, int on);

int loopback_requests(loopback *server);
int loopback_await_requests(loopback *server, int count);

/* Copies the head of the last request, as it came. */
void loopback_last_head(loopback *server, char *buffer, size_t size);

#endif /* LOOPBACK_H */
