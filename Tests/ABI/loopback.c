/* SPDX-License-Identifier: Apache-2.0 */

/* The scripted server: an accepting thread, and one thread per connection, which
 * answers one request and closes. All state is guarded by `lock`. */
#include "loopback.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"
#include "tally.h"

enum { CONNECTIONS = 64, HEAD_BYTES = 8192, ATTACHMENTS = 8 };

struct loopback {
  pthread_mutex_t lock;
  pthread_cond_t changed; /* hanging, stopping or a connection's end. */
  pthread_t acceptor;
  int listener;
  char url[64];
  tally requests;
  int sockets[CONNECTIONS]; /* Open connections; -1 is free. */
  int stopping;
  int hanging;
  int64_t timestamp;
  int64_t since;
  const char *records;
  const char *diff;
  int status;         /* 0: answer from the collection or with `body`. */
  const char *header; /* With `status`; NULL for none. */
  const char *body;   /* NULL: answer from the collection. */
  struct {
    const char *location, *text;
  } attachments[ATTACHMENTS]; /* Up to the first without a location. */
  tally downloads;
  size_t stop_after; /* Bytes of an attachment; with one of the next two. */
  int cuts;
  int stalled;
  char head[HEAD_BYTES];
};

/* One connection, handed to its thread. */
typedef struct visit {
  loopback *server;
  int slot;
  int socket;
} visit;

/* What a request asks for. */
typedef struct query {
  char bucket[129];
  char collection[129];
  int64_t since; /* -1: the whole. */
} query;

static int parse(const char *head, query *asked) {
  asked->since = -1;
  if (sscanf(head, "GET /v2/buckets/%128[^/]/collections/%128[^/]/changeset", asked->bucket, asked->collection) != 2)
    return 0;
  const char *end = strchr(head, '\r');
  const char *since = strstr(head, "_since=");
  if (since && since < end) asked->since = strtoll(since + strlen("_since="), NULL, 10);
  return 1;
}

static char *answer_with(int status, const char *header, const char *body) {
  const char *form = "HTTP/1.1 %d Scripted\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n"
                     "Connection: close\r\n%s%s\r\n%s";
  const char *line_end = header ? "\r\n" : "";
  if (!header) header = "";
  int length = snprintf(NULL, 0, form, status, strlen(body), header, line_end, body);
  char *text = malloc((size_t)length + 1);
  if (text) snprintf(text, (size_t)length + 1, form, status, strlen(body), header, line_end, body);
  return text;
}

static char *answer_from_collection(const loopback *server, const query *asked) {
  char redirect[512];
  const char *changes = server->records;
  if (asked->since == server->timestamp) {
    changes = "[]";
  } else if (asked->since >= 0 && server->diff && asked->since == server->since) {
    changes = server->diff;
  } else if (asked->since >= 0) {
    snprintf(redirect, sizeof redirect, "Location: %s/v2/buckets/%s/collections/%s/changeset?_expected=0", server->url,
             asked->bucket, asked->collection);
    return answer_with(307, redirect, "");
  }
  const char *form = "{\"metadata\":{\"bucket\":\"%s\",\"id\":\"%s\"},\"timestamp\":%lld,\"changes\":%s}";
  int length = snprintf(NULL, 0, form, asked->bucket, asked->collection, (long long)server->timestamp, changes);
  char *body = malloc((size_t)length + 1);
  if (!body) return NULL;
  snprintf(body, (size_t)length + 1, form, asked->bucket, asked->collection, (long long)server->timestamp, changes);
  char *text = answer_with(200, NULL, body);
  free(body);
  return text;
}

static char *answer_with_base(const loopback *server) {
  char body[160];
  snprintf(body, sizeof body, "{\"capabilities\":{\"attachments\":{\"base_url\":\"%s/v2/attachments\"}}}", server->url);
  return answer_with(200, NULL, body);
}

/* The text that a request asks for, or NULL. */
static const char *attachment_of(const loopback *server, const char *head) {
  const char *prefix = "GET /v2/attachments/";
  if (strncmp(head, prefix, strlen(prefix)) != 0) return NULL;
  for (size_t i = 0; i < ATTACHMENTS && server->attachments[i].location; i++) {
    size_t length = strlen(server->attachments[i].location);
    const char *location = head + strlen(prefix);
    if (strncmp(location, server->attachments[i].location, length) == 0 && location[length] == ' ')
      return server->attachments[i].text;
  }
  return NULL;
}

static char *answer_with_attachment(const char *text, const char *head) {
  char range[96];
  const char *asked = strstr(head, "Range: bytes=");
  size_t size = strlen(text);
  size_t first = asked ? (size_t)strtoull(asked + strlen("Range: bytes="), NULL, 10) : 0;
  if (!asked) return answer_with(200, NULL, text);
  if (first >= size) return answer_with(416, NULL, "");
  snprintf(range, sizeof range, "Content-Range: bytes %zu-%zu/%zu", first, size - 1, size);
  return answer_with(206, range, text + first);
}

/* The answer by the script of this moment; called with the lock held. */
static char *compose(const loopback *server, const char *head) {
  query asked;
  if (server->status) return answer_with(server->status, server->header, "{}");
  if (server->body) return answer_with(200, NULL, server->body);
  const char *text = attachment_of(server, head);
  if (text) return answer_with_attachment(text, head);
  if (server->attachments[0].location && strncmp(head, "GET /v2/ ", 9) == 0) return answer_with_base(server);
  return parse(head, &asked) ? answer_from_collection(server, &asked) : answer_with(404, NULL, "{}");
}

/* Reads until the empty line; 0 when the connection ended before. */
static int read_head(int socket, char *head) {
  size_t length = 0;
  while (length < HEAD_BYTES - 1) {
    ssize_t got = recv(socket, head + length, HEAD_BYTES - 1 - length, 0);
    if (got <= 0) return 0;
    length += (size_t)got;
    head[length] = '\0';
    if (strstr(head, "\r\n\r\n")) return 1;
  }
  return 0;
}

static void send_some(int socket, const char *text, size_t left) {
  while (left > 0) {
    ssize_t sent = send(socket, text, left, MSG_NOSIGNAL);
    if (sent <= 0) return;
    text += sent;
    left -= (size_t)sent;
  }
}

/* Sends an answer, or what the script wants of one with an attachment; called with the lock held, which it lets go. */
static void send_scripted(loopback *server, int socket, const char *head, const char *answer) {
  size_t size = strlen(answer);
  size_t part = size;
  int is_cut = 0;
  if (attachment_of(server, head)) {
    const char *body = strstr(answer, "\r\n\r\n");
    size_t stop = body ? (size_t)(body - answer) + 4 + server->stop_after : size;
    is_cut = server->cuts > 0;
    if (is_cut) server->cuts--;
    if ((is_cut || server->stalled) && stop < size) part = stop;
  }
  pthread_mutex_unlock(&server->lock);
  send_some(socket, answer, part);
  pthread_mutex_lock(&server->lock);
  if (attachment_of(server, head)) tally_add(&server->downloads);
  while (part < size && !is_cut && server->stalled && !server->stopping)
    pthread_cond_wait(&server->changed, &server->lock);
  int goes_on = part < size && !is_cut && !server->stopping;
  pthread_mutex_unlock(&server->lock);
  if (goes_on) send_some(socket, answer + part, size - part);
}

static void *serve(void *raw) {
  visit *here = raw;
  loopback *server = here->server;
  char head[HEAD_BYTES];
  if (read_head(here->socket, head)) {
    pthread_mutex_lock(&server->lock);
    memcpy(server->head, head, sizeof head);
    tally_add(&server->requests);
    while (server->hanging && !server->stopping) pthread_cond_wait(&server->changed, &server->lock);
    char *answer = server->stopping ? NULL : compose(server, head);
    if (answer) {
      send_scripted(server, here->socket, head, answer);
    } else {
      pthread_mutex_unlock(&server->lock);
    }
    free(answer);
  }
  pthread_mutex_lock(&server->lock);
  close(here->socket);
  server->sockets[here->slot] = -1;
  pthread_cond_broadcast(&server->changed);
  pthread_mutex_unlock(&server->lock);
  free(here);
  return NULL;
}

/* Gives a connection to a thread, or closes it when there are too many. */
static void receive(loopback *server, int socket) {
  pthread_t thread;
  visit *here = malloc(sizeof *here);
  int slot = 0;
  pthread_mutex_lock(&server->lock);
  while (slot < CONNECTIONS && server->sockets[slot] != -1) slot++;
  int taken = here && slot < CONNECTIONS && !server->stopping;
  if (taken) {
    *here = (visit){server, slot, socket};
    taken = pthread_create(&thread, NULL, serve, here) == 0;
  }
  if (taken) {
    server->sockets[slot] = socket;
    pthread_detach(thread);
  } else {
    close(socket);
    free(here);
  }
  pthread_mutex_unlock(&server->lock);
}

static void *accept_all(void *raw) {
  loopback *server = raw;
  int socket;
  while ((socket = accept(server->listener, NULL, NULL)) >= 0) receive(server, socket);
  return NULL;
}

loopback *loopback_start(void) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  socklen_t size = sizeof address;
  loopback *server = calloc(1, sizeof *server);
  REQUIRE(server != NULL);
  pthread_mutex_init(&server->lock, NULL);
  pthread_cond_init(&server->changed, NULL);
  tally_init(&server->requests);
  tally_init(&server->downloads);
  for (int i = 0; i < CONNECTIONS; i++) server->sockets[i] = -1;
  server->timestamp = 1;
  server->records = "[]";
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  server->listener = socket(AF_INET, SOCK_STREAM, 0);
  REQUIRE(bind(server->listener, (struct sockaddr *)&address, size) == 0 && listen(server->listener, CONNECTIONS) == 0);
  REQUIRE(getsockname(server->listener, (struct sockaddr *)&address, &size) == 0);
  snprintf(server->url, sizeof server->url, "http://127.0.0.1:%d", ntohs(address.sin_port));
  REQUIRE(pthread_create(&server->acceptor, NULL, accept_all, server) == 0);
  return server;
}

void loopback_stop(loopback *server) {
  pthread_mutex_lock(&server->lock);
  server->stopping = 1;
  pthread_cond_broadcast(&server->changed);
  pthread_mutex_unlock(&server->lock);
  shutdown(server->listener, SHUT_RDWR);
  pthread_join(server->acceptor, NULL);
  close(server->listener);
  pthread_mutex_lock(&server->lock);
  for (int i = 0; i < CONNECTIONS; i++) {
    if (server->sockets[i] != -1) shutdown(server->sockets[i], SHUT_RDWR);
    while (server->sockets[i] != -1) pthread_cond_wait(&server->changed, &server->lock);
  }
  pthread_mutex_unlock(&server->lock);
  free(server);
}

const char *loopback_url(const loopback *server) {
  return server->url;
}

/* Replaces the whole script of answers. */
static void set_script(loopback *server, int status, const char *header, const char *body) {
  pthread_mutex_lock(&server->lock);
  server->status = status;
  server->header = header;
  server->body = body;
  pthread_mutex_unlock(&server->lock);
}

void loopback_publish(loopback *server, int64_t timestamp, const char *records, int64_t since, const char *diff) {
  pthread_mutex_lock(&server->lock);
  server->timestamp = timestamp;
  server->records = records;
  server->since = since;
  server->diff = diff;
  pthread_mutex_unlock(&server->lock);
  set_script(server, 0, NULL, NULL);
}

void loopback_attach(loopback *server, const char *location, const char *text) {
  size_t i = 0;
  pthread_mutex_lock(&server->lock);
  while (i < ATTACHMENTS && server->attachments[i].location && strcmp(server->attachments[i].location, location) != 0) i++;
  int fits = i < ATTACHMENTS;
  if (fits) server->attachments[i].location = location;
  if (fits) server->attachments[i].text = text;
  pthread_mutex_unlock(&server->lock);
  REQUIRE(fits);
}

static void set_stop(loopback *server, size_t bytes, int cuts, int stalled) {
  pthread_mutex_lock(&server->lock);
  server->stop_after = bytes;
  server->cuts = cuts;
  server->stalled = stalled;
  pthread_cond_broadcast(&server->changed);
  pthread_mutex_unlock(&server->lock);
}

void loopback_cut(loopback *server, size_t bytes, int times) {
  set_stop(server, bytes, times, 0);
}

void loopback_stall(loopback *server, size_t bytes) {
  set_stop(server, bytes, 0, 1);
}

void loopback_flow(loopback *server) {
  set_stop(server, 0, 0, 0);
}

int loopback_downloads(loopback *server) {
  return tally_count(&server->downloads);
}

int loopback_await_downloads(loopback *server, int count) {
  return tally_await(&server->downloads, count);
}

void loopback_fail(loopback *server, int status, const char *header) {
  set_script(server, status, header, NULL);
}

void loopback_say(loopback *server, const char *body) {
  set_script(server, 0, NULL, body);
}

void loopback_hang(loopback *server, int on) {
  pthread_mutex_lock(&server->lock);
  server->hanging = on;
  pthread_cond_broadcast(&server->changed);
  pthread_mutex_unlock(&server->lock);
}

int loopback_requests(loopback *server) {
  return tally_count(&server->requests);
}

int loopback_await_requests(loopback *server, int count) {
  return tally_await(&server->requests, count);
}

void loopback_last_head(loopback *server, char *buffer, size_t size) {
  pthread_mutex_lock(&server->lock);
  snprintf(buffer, size, "%s", server->head);
  pthread_mutex_unlock(&server->lock);
}
