/* SPDX-License-Identifier: Apache-2.0
 *
 * The documents of a workload over loopback HTTP; see settings_server.h.
 */
#include "settings_server.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

enum { URL_SIZE = 96 };

static const char constant_etag[] = "\"constant\"";

typedef struct document {
  char *bytes;
  size_t size;
  char **times; /* where its timestamp and those of its records are */
  size_t time_count;
} document;

struct settings_server {
  loopback *http;
  atomic_int diff; /* settings_diff */
  atomic_bool hangs;
  atomic_uint waiting;      /* requests without an answer */
  unsigned turn;            /* used by the server's thread only, like the bytes of the documents */
  document documents[3][2]; /* by settings_diff and by turn */
  document flat[2];         /* a settings dictionary, by turn */
  char etag[32];
  char url[URL_SIZE];
  char changing_url[URL_SIZE];
  char flat_url[URL_SIZE];
  char constant_url[URL_SIZE];
};

static void find_times(document *target, size_t records) {
  static const char before[] = "\"last_modified\":";
  target->times = calloc(records + 1, sizeof *target->times);
  if (!target->times) fail("out of memory");
  target->times[target->time_count++] = target->bytes + WORKLOAD_TIMESTAMP_OFFSET;
  for (char *next = target->bytes; target->time_count <= records && (next = strstr(next, before));)
    target->times[target->time_count++] = next += strlen(before);
}

/* Gives the document a version, at which all its records have changed: a diff has nothing older than _since. */
static void stamp(document *target, long long version) {
  char digits[24];
  snprintf(digits, sizeof digits, "%013lld", version);
  for (size_t i = 0; i < target->time_count; i++) memcpy(target->times[i], digits, 13);
}

static void answer_with(loopback_answer *answer, const document *source) {
  answer->status = 200;
  answer->body = source->bytes;
  answer->size = source->size;
}

/* Returns the number after "_since=", with or without percent-encoded quotes; -1 if it is missing. */
static long long since_of(const char *target) {
  const char *found = strstr(target, "_since=");
  if (!found) return -1;
  found += strlen("_since=");
  if (strncmp(found, "%22", 3) == 0) found += 3;
  if (*found == '"') found++;
  return strtoll(found, NULL, 10);
}

static void answer_changeset(settings_server *server, const char *target, loopback_answer *answer) {
  long long since = since_of(target);
  int diff = since < 0 ? DIFF_ALL : atomic_load(&server->diff);
  document *chosen = &server->documents[diff][since < 0 ? 0 : ++server->turn % 2];
  stamp(chosen, since < 0 ? WORKLOAD_TIMESTAMP : diff == DIFF_NONE ? since : since + 1);
  answer_with(answer, chosen);
}

static void answer_any(const loopback_request *request, loopback_answer *answer, void *user_data) {
  settings_server *server = user_data;
  if (atomic_load(&server->hangs)) {
    answer->status = 0;
    atomic_fetch_add(&server->waiting, 1);
  } else if (strstr(request->target, "/changeset")) {
    answer_changeset(server, request->target, answer);
  } else if (strcmp(request->target, "/changing.json") == 0) {
    snprintf(server->etag, sizeof server->etag, "\"%u\"", ++server->turn);
    answer->etag = server->etag;
    answer_with(answer, &server->documents[DIFF_ALL][server->turn % 2]);
  } else if (strcmp(request->target, "/flat.json") == 0) {
    answer_with(answer, &server->flat[++server->turn % 2]);
  } else if (strcmp(request->target, "/constant.json") == 0) {
    answer->etag = constant_etag;
    if (strcmp(request->if_none_match, constant_etag) == 0)
      answer->status = 304;
    else
      answer_with(answer, &server->documents[DIFF_ALL][0]);
  }
}

settings_server *settings_server_start(const workload *settings, workload_kind kind) {
  settings_server *server = calloc(1, sizeof *server);
  if (!server) fail("out of memory");
  size_t few = settings->count < SETTINGS_DIFF_FEW ? settings->count : SETTINGS_DIFF_FEW;
  const size_t counts[3] = {0, few, settings->count};
  for (int diff = DIFF_NONE; diff <= DIFF_ALL; diff++)
    for (int flip = 0; flip < 2; flip++) {
      document *made = &server->documents[diff][flip];
      made->bytes = workload_records(settings, kind, "changes", counts[diff], flip, &made->size);
      find_times(made, counts[diff]);
    }
  for (int flip = 0; flip < 2 && (kind == WORKLOAD_BOOL || kind == WORKLOAD_STRING); flip++)
    server->flat[flip].bytes = workload_flat(settings, kind, flip, &server->flat[flip].size);
  server->http = loopback_start(answer_any, server);
  int port = loopback_port(server->http);
  snprintf(server->url, URL_SIZE, "http://127.0.0.1:%d/v2", port);
  snprintf(server->changing_url, URL_SIZE, "http://127.0.0.1:%d/changing.json", port);
  snprintf(server->flat_url, URL_SIZE, "http://127.0.0.1:%d/flat.json", port);
  snprintf(server->constant_url, URL_SIZE, "http://127.0.0.1:%d/constant.json", port);
  return server;
}

void settings_server_stop(settings_server *server) {
  if (!server) return;
  loopback_stop(server->http);
  for (int diff = DIFF_NONE; diff <= DIFF_ALL; diff++)
    for (int flip = 0; flip < 2; flip++) {
      free(server->documents[diff][flip].bytes);
      free(server->documents[diff][flip].times);
    }
  for (int flip = 0; flip < 2; flip++) free(server->flat[flip].bytes);
  free(server);
}

void settings_server_set_diff(settings_server *server, settings_diff diff) { atomic_store(&server->diff, (int)diff); }

void settings_server_set_pace(settings_server *server, double ns_per_byte) {
  loopback_set_pace(server->http, ns_per_byte);
}

void settings_server_hang(settings_server *server) { atomic_store(&server->hangs, true); }

unsigned settings_server_waiting(const settings_server *server) { return atomic_load(&server->waiting); }

const char *settings_server_url(const settings_server *server) { return server->url; }
const char *settings_server_changing_url(const settings_server *server) { return server->changing_url; }
const char *settings_server_flat_url(const settings_server *server) { return server->flat_url; }
const char *settings_server_constant_url(const settings_server *server) { return server->constant_url; }

const char *settings_server_flat_body(const settings_server *server, size_t *out_size) {
  *out_size = server->flat[0].size;
  return server->flat[0].bytes;
}

const char *settings_server_body(const settings_server *server, size_t *out_size) {
  *out_size = server->documents[DIFF_ALL][0].size;
  return server->documents[DIFF_ALL][0].bytes;
}

double settings_server_client_cpu_ns(const settings_server *server) {
  return process_cpu_ns() - loopback_cpu_ns(server->http);
}
