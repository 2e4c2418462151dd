/* SPDX-License-Identifier: Apache-2.0 */

/* A host's transport that keeps requests until the test answers them, and a clock that stands still until the test
 * moves it. */
#ifndef TRANSPORT_SCENE_H
#define TRANSPORT_SCENE_H

#include "scene.h"

/* What the transport has received. */
typedef struct posted {
  tally sent;
  tally cancelled;
  tally freed;
  int64_t id; /* Of the last request; this and the next two are valid once it was counted. */
  char method[8];
  char url[256];
  char headers[512]; /* One line each. */
  int64_t cancelled_id;
  void (*during)(const remora_http_request *request); /* Called in each send; NULL: nothing. */
} posted;

extern posted post;

/* The transport of the scene, whose user data is `post`. */
remora_transport scene_transport(void);

/* Configures a client in memory with the scene's transport, or its clock, or both. */
remora_config transport_config(void);
remora_config clock_config(void);

/* Sets up the scene's client, and opens "sample" without a fetch at opening. */
void open_with_config(const remora_config *config);

/* Closes the scene, and checks that the user data of transport and clock was freed once. */
void close_transport_scene(void);

/* Starts a refresh on a thread of its own, and waits until its request was sent. `sent` is the number of requests. */
void start_posted(background_refresh *refresh, int sent);
void check_posted(background_refresh *refresh, remora_status status);

/* A response with this status, body and header line; the last two may be NULL. */
typedef struct host_response {
  remora_http_response raw;
  const char *headers[2];
} host_response;

host_response *response_with(int status, const char *body, const char *header);

/* Answers a request; returns the status of remora_respond. */
remora_status respond(int64_t id, int status, const char *body, const char *header);

/* A changeset of "sample" with one record. */
#define CHANGESET(time)                                                        \
  "{\"metadata\":{\"bucket\":\"main\",\"id\":\"sample\"},\"timestamp\":" #time \
  ",\"changes\":[{\"id\":\"a\","                                               \
  "\"last_modified\":" #time "}]}"

/* The time of the scene's clock. */
void scene_time_is(int64_t wall_ms, int64_t monotonic_ms);
void advance_ms(int64_t ms); /* Moves both clocks, and reports the change. */
int clock_reads(void);

#endif /* TRANSPORT_SCENE_H */
