/* SPDX-License-Identifier: Apache-2.0 */

/**
 * @file remora_test.h A server in memory and a clock, for tests of programs that use Remora. With them, a test needs no
 * network and does not sleep: it publishes data on the server, and moves the clock. The functions are inline, and use
 * only `transport` and `clock` of remora_config. docs/testing.md is the guide.
 *
 * @code
 * remora_test test;
 * remora_test_init(&test);
 * remora_test_publish(&test, "main", "limits", 1000, "[{\"id\":\"uploads\",\"last_modified\":1000,\"max\":5}]");
 * remora_test_configure(&test, &config);
 * ... // remora_setup, remora_open_collection, and the code under test
 * remora_test_fail_next(&test, 1, 503, 30);
 * remora_test_advance(&test, 3600 * 1000);
 * remora_client_close(client);
 * remora_test_free(&test);
 * @endcode
 *
 * Conventions. Every function may be called from any thread, even inside callbacks of Remora. A remora_test must exist
 * until all clients that use it are closed. Pointers must not be NULL. Functions that publish return 1, or 0 if memory
 * has run out. The server answers each request at once, inside the `send` callback of remora_transport. The server
 * does not sign data, so set `trust` of a collection to REMORA_TRUST_OFF. The server has no attachments.
 */
#ifndef REMORA_TEST_H
#define REMORA_TEST_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <remora.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The time at which every test begins: 1 January 2030, in milliseconds since 1970. */
#define REMORA_TEST_START_MS INT64_C(1893456000000)

/** A document that a test has published on the server. Internal. */
typedef struct remora_test_document {
  struct remora_test_document *next;
  char *place; /* Where the document is published: "BUCKET/COLLECTION", or a URL. */
  char *text;
  int64_t timestamp; /* 0 for a document at a URL. */
} remora_test_document;

/** A server in memory and a clock, for one test. All members are internal. */
typedef struct remora_test {
  pthread_mutex_t lock;
  remora_test_document *documents;
  int64_t passed_ms;
  int requests, failures, failure_status, retry_after_s, is_down;
  remora_transport transport;
  remora_clock clock;
} remora_test;

/* ------------------------------------------------------------ internal --- */

static inline void remora_test_read_clock(int64_t *out_wall_ms, int64_t *out_monotonic_ms, void *user_data) {
  remora_test *test = (remora_test *)user_data;
  pthread_mutex_lock(&test->lock);
  *out_wall_ms = REMORA_TEST_START_MS + test->passed_ms;
  *out_monotonic_ms = test->passed_ms;
  pthread_mutex_unlock(&test->lock);
}

/* Returns two texts joined by a separator; NULL if memory has run out. The caller frees the result. */
static inline char *remora_test_join(const char *first, const char *separator, const char *second) {
  size_t size = strlen(first) + strlen(separator) + strlen(second) + 1;
  char *text = (char *)malloc(size);
  if (text) snprintf(text, size, "%s%s%s", first, separator, second);
  return text;
}

static inline void remora_test_free_document(remora_test_document *document) {
  if (!document) return;
  free(document->place);
  free(document->text);
  free(document);
}

/* Adds a document, or replaces one with a smaller timestamp, and returns 1. Frees `place` and `text` when they are no
   longer needed. Returns 0 if one of them is NULL, if the timestamp is too small, or if memory has run out. */
static inline int remora_test_keep(remora_test *test, char *place, char *text, int64_t timestamp) {
  remora_test_document *document = place && text ? (remora_test_document *)malloc(sizeof *document) : NULL;
  remora_test_document **link = &test->documents, *dropped;
  int is_newer;
  if (!document) {
    free(place);
    free(text);
    return 0;
  }
  document->place = place;
  document->text = text;
  document->timestamp = timestamp;
  pthread_mutex_lock(&test->lock);
  while (*link && strcmp((*link)->place, place) != 0) link = &(*link)->next;
  is_newer = !*link || timestamp == 0 || timestamp > (*link)->timestamp;
  dropped = is_newer ? *link : document;
  if (is_newer) {
    document->next = *link ? (*link)->next : NULL;
    *link = document;
  }
  pthread_mutex_unlock(&test->lock);
  remora_test_free_document(dropped);
  return is_newer;
}

/* Returns the document at a place of `length` bytes; NULL if none was published. The caller holds the lock. */
static inline const remora_test_document *remora_test_find(const remora_test *test, const char *place, size_t length) {
  const remora_test_document *found = test->documents;
  while (found && (strlen(found->place) != length || strncmp(found->place, place, length) != 0)) found = found->next;
  return found;
}

static inline void remora_test_refuse(int64_t id, const char *message) {
  remora_http_response response;
  REMORA_INIT(&response);
  response.failure = REMORA_ERR_NETWORK;
  response.message = message;
  remora_respond(id, &response, NULL);
}

static inline void remora_test_answer(int64_t id, int32_t status, const char *header, const char *body) {
  const char *headers[2];
  remora_http_response response;
  headers[0] = header;
  headers[1] = NULL;
  REMORA_INIT(&response);
  response.http_status = status;
  response.headers = headers;
  response.body = body;
  response.body_size = body ? strlen(body) : 0;
  if (remora_respond(id, &response, NULL) == REMORA_ERR_INVALID_ARGUMENT)
    remora_test_refuse(id, "the status of the test server is not from 200 to 599");
}

/* Returns the JSON text of a changeset, the response for a collection; NULL if memory has run out. */
static inline char *remora_test_changeset(const char *place, int64_t timestamp, const char *changes) {
  const char *form = "{\"metadata\":{\"bucket\":\"%.*s\",\"id\":\"%s\"},\"timestamp\":%lld,\"changes\":%s}";
  const char *slash = strchr(place, '/');
  int bucket = slash ? (int)(slash - place) : 0;
  size_t size = strlen(place) + strlen(changes) + 128;
  char *text = (char *)malloc(size);
  if (text) snprintf(text, size, form, bucket, place, slash ? slash + 1 : "", (long long)timestamp, changes);
  return text;
}

/* Returns the response for monitor/changes, a list of collections; NULL if memory has run out. The caller holds the
   lock. */
static inline char *remora_test_list(const remora_test *test) {
  const remora_test_document *one;
  int64_t newest = 1;
  size_t size = 3, length = 1;
  char *list, *text;
  for (one = test->documents; one; one = one->next) size += 2 * strlen(one->place) + 128;
  list = (char *)malloc(size);
  if (!list) return NULL;
  list[0] = '[';
  for (one = test->documents; one; one = one->next) {
    const char *slash = strchr(one->place, '/');
    if (one->timestamp <= 0 || !slash) continue;
    length += (size_t)snprintf(list + length, size - length,
                               "%s{\"id\":\"%zu\",\"last_modified\":%lld,\"bucket\":\"%.*s\",\"collection\":\"%s\"}",
                               length > 1 ? "," : "", length, (long long)one->timestamp, (int)(slash - one->place),
                               one->place, slash + 1);
    if (one->timestamp > newest) newest = one->timestamp;
  }
  snprintf(list + length, size - length, "]");
  text = remora_test_changeset("monitor/changes", newest, list);
  free(list);
  return text;
}

/* Returns the `_since` timestamp in the URL of a request; -1 if the request is for the whole collection. */
static inline int64_t remora_test_since(const char *url) {
  const char *since = strstr(url, "_since=");
  if (!since) return -1;
  since += strlen("_since=");
  return strtoll(strncmp(since, "%22", 3) == 0 ? since + 3 : since, NULL, 10);
}

/* Answers a request for a published collection: no changes, a redirect to the whole collection, or all records. */
static inline void remora_test_answer_found(const remora_http_request *request, const remora_test_document *found) {
  int64_t since = remora_test_since(request->url);
  if (since >= 0 && since != found->timestamp) {
    char *location = remora_test_join("Location: ", "", request->url), *query = location ? strchr(location, '?') : NULL;
    if (query) *query = '\0';
    remora_test_answer(request->id, location ? 307 : 500, location, NULL);
    free(location);
  } else {
    char *text = remora_test_changeset(found->place, found->timestamp, since < 0 ? found->text : "[]");
    remora_test_answer(request->id, text ? 200 : 500, NULL, text);
    free(text);
  }
}

/* Answers a request with a published document, or with status 404. The caller holds the lock. */
static inline void remora_test_serve(const remora_test *test, const remora_http_request *request) {
  char bucket[129], collection[129], place[260];
  const char *path = strstr(request->url, "/buckets/");
  const remora_test_document *found = NULL;
  if (path && sscanf(path, "/buckets/%128[^/]/collections/%128[^/]/changeset", bucket, collection) == 2) {
    snprintf(place, sizeof place, "%s/%s", bucket, collection);
    found = remora_test_find(test, place, strlen(place));
    if (found) {
      remora_test_answer_found(request, found);
      return;
    }
    if (strcmp(place, "monitor/changes") == 0) {
      char *list = remora_test_list(test);
      remora_test_answer(request->id, list ? 200 : 500, NULL, list);
      free(list);
      return;
    }
  }
  found = remora_test_find(test, request->url, strlen(request->url));
  if (!found) found = remora_test_find(test, request->url, strcspn(request->url, "?"));
  remora_test_answer(request->id, found ? 200 : 404, NULL, found ? found->text : NULL);
}

static inline void remora_test_send(const remora_http_request *request, void *user_data) {
  remora_test *test = (remora_test *)user_data;
  char header[32];
  pthread_mutex_lock(&test->lock);
  test->requests++;
  if (test->is_down) {
    remora_test_refuse(request->id, "the test server is down");
  } else if (test->failures > 0) {
    test->failures--;
    snprintf(header, sizeof header, "Retry-After: %d", test->retry_after_s);
    remora_test_answer(request->id, test->failure_status, test->retry_after_s > 0 ? header : NULL, NULL);
  } else {
    remora_test_serve(test, request);
  }
  pthread_mutex_unlock(&test->lock);
}

/* ------------------------------------------------------------- the kit --- */

/** Initialises a remora_test: a server without documents, and a clock that shows REMORA_TEST_START_MS. */
static inline void remora_test_init(remora_test *test) {
  memset(test, 0, sizeof *test);
  pthread_mutex_init(&test->lock, NULL);
  REMORA_INIT(&test->transport);
  test->transport.send = remora_test_send;
  test->transport.user_data = test;
  REMORA_INIT(&test->clock);
  test->clock.read = remora_test_read_clock;
  test->clock.user_data = test;
}

/** Frees the resources of a remora_test. Before the call, close all clients that use its server and clock. */
static inline void remora_test_free(remora_test *test) {
  while (test->documents) {
    remora_test_document *first = test->documents;
    test->documents = first->next;
    remora_test_free_document(first);
  }
  pthread_mutex_destroy(&test->lock);
}

/** Sets transport and clock of `config`, so that a client created from it uses the test's server and clock. */
static inline void remora_test_configure(remora_test *test, remora_config *config) {
  config->transport = &test->transport;
  config->clock = &test->clock;
}

/** Publishes a collection, or a new version of it, on the test server. Clients receive it whatever URL their option
    `server` has.
    @param timestamp The version of the collection in milliseconds. It must be greater than 0, and greater than the
                     previous timestamp of the collection.
    @param records   All records, as a JSON array of objects with "id" and "last_modified". The text is copied.
    @return 1; 0 if the timestamp is not greater than 0 and the previous one, or if memory has run out. */
static inline int remora_test_publish(remora_test *test, const char *bucket, const char *collection, int64_t timestamp,
                                      const char *records) {
  char *place = timestamp > 0 ? remora_test_join(bucket, "/", collection) : NULL;
  return remora_test_keep(test, place, remora_test_join(records, "", ""), timestamp);
}

/** Publishes any document, such as a bundle or settings, on the test server.
    @param url  The URL. If it has no query, requests with any query receive the document.
    @param text The document. The text is copied.
    @return 1, or 0 if memory has run out. */
static inline int remora_test_publish_at(remora_test *test, const char *url, const char *text) {
  return remora_test_keep(test, remora_test_join(url, "", ""), remora_test_join(text, "", ""), 0);
}

/** Makes the next requests to the test server fail with an HTTP status.
    @param count         The number of requests.
    @param status        The HTTP status, 400 to 599.
    @param retry_after_s The value of the Retry-After header in seconds; 0 omits the header. */
static inline void remora_test_fail_next(remora_test *test, int count, int status, int retry_after_s) {
  pthread_mutex_lock(&test->lock);
  test->failures = count;
  test->failure_status = status;
  test->retry_after_s = retry_after_s;
  pthread_mutex_unlock(&test->lock);
}

/** Takes the test server down, or starts it again. While the server is down, requests fail with REMORA_ERR_NETWORK.
    @param is_down 1 takes the server down; 0 starts it again. */
static inline void remora_test_set_down(remora_test *test, int is_down) {
  pthread_mutex_lock(&test->lock);
  test->is_down = is_down;
  pthread_mutex_unlock(&test->lock);
}

/** Moves the test's clock by a time in milliseconds, and calls remora_clock_changed. So calls end if their timeouts
    have expired, and refreshes start if they are due. */
static inline void remora_test_advance(remora_test *test, int64_t ms) {
  pthread_mutex_lock(&test->lock);
  test->passed_ms += ms;
  pthread_mutex_unlock(&test->lock);
  remora_clock_changed();
}

/** Returns the number of requests that the test server has received, including failed requests. */
static inline int remora_test_requests(remora_test *test) {
  pthread_mutex_lock(&test->lock);
  int requests = test->requests;
  pthread_mutex_unlock(&test->lock);
  return requests;
}

#ifdef __cplusplus
}
#endif

#endif /* REMORA_TEST_H */
