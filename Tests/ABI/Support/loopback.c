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
#include "loopback_script.h"
#include "tally.h"

enum { CONNECTIONS = 64, HEAD_BYTES = 8192 };

struct loopback {
  pthread_mutex_t lock;
  pthread_cond_t changed; /* hanging, stopping or a connection's end. */
  pthread_t acceptor;
  int listener;
  tally requests;
  int sockets[CONNECTIONS]; /* Open connections; -1 is free. */
  int stopping;
  int hanging;
  loopback_script script;
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
  if (loopback_attachment(&server->script, head)) {
    const char *body = strstr(answer, "\r\n\r\n");
    size_t stop = body ? (size_t)(body - answer) + 4 + server->stop_after : size;
    is_cut = server->cuts > 0;
    if (is_cut) server->cuts--;
    if ((is_cut || server->stalled) && stop < size) part = stop;
  }
  pthread_mutex_unlock(&server->lock);
  send_some(socket, answer, part);
  pthread_mutex_lock(&server->lock);
  if (loopback_attachment(&server->script, head)) tally_add(&server->downloads);
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
    char *answer = server->stopping ? NULL : loopback_answer(&server->script, head);
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
  server->script.timestamp = 1;
  server->script.records = "[]";
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  server->listener = socket(AF_INET, SOCK_STREAM, 0);
  REQUIRE(bind(server->listener, (struct sockaddr *)&address, size) == 0 && listen(server->listener, CONNECTIONS) == 0);
  REQUIRE(getsockname(server->listener, (struct sockaddr *)&address, &size) == 0);
  snprintf(server->script.url, sizeof server->script.url, "http://127.0.0.1:%d", ntohs(address.sin_port));
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

const char *loopback_url(const loopback *server) { return server->script.url; }

/* Replaces the whole script of answers. */
static void set_script(loopback *server, int status, const char *header, const char *body) {
  pthread_mutex_lock(&server->lock);
  server->script.status = status;
  server->script.header = header;
  server->script.body = body;
  pthread_mutex_unlock(&server->lock);
}

void loopback_publish(loopback *server, int64_t timestamp, const char *records, int64_t since, const char *diff) {
  pthread_mutex_lock(&server->lock);
  server->script.timestamp = timestamp;
  server->script.records = records;
  server->script.since = since;
  server->script.diff = diff;
  pthread_mutex_unlock(&server->lock);
  set_script(server, 0, NULL, NULL);
}

void loopback_attach(loopback *server, const char *location, const char *text) {
  size_t i = 0;
  pthread_mutex_lock(&server->lock);
  while (i < LOOPBACK_ATTACHMENTS && server->script.attachments[i].location &&
         strcmp(server->script.attachments[i].location, location) != 0)
    i++;
  int fits = i < LOOPBACK_ATTACHMENTS;
  if (fits) server->script.attachments[i].location = location;
  if (fits) server->script.attachments[i].text = text;
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

void loopback_cut(loopback *server, size_t bytes, int times) { set_stop(server, bytes, times, 0); }

void loopback_stall(loopback *server, size_t bytes) { set_stop(server, bytes, 0, 1); }

void loopback_flow(loopback *server) { set_stop(server, 0, 0, 0); }

int loopback_downloads(loopback *server) { return tally_count(&server->downloads); }

int loopback_await_downloads(loopback *server, int count) { return tally_await(&server->downloads, count); }

void loopback_fail(loopback *server, int status, const char *header) { set_script(server, status, header, NULL); }

void loopback_say(loopback *server, const char *body) { set_script(server, 0, NULL, body); }

void loopback_hang(loopback *server, int on) {
  pthread_mutex_lock(&server->lock);
  server->hanging = on;
  pthread_cond_broadcast(&server->changed);
  pthread_mutex_unlock(&server->lock);
}

int loopback_requests(loopback *server) { return tally_count(&server->requests); }

int loopback_await_requests(loopback *server, int count) { return tally_await(&server->requests, count); }

void loopback_last_head(loopback *server, char *buffer, size_t size) {
  pthread_mutex_lock(&server->lock);
  snprintf(buffer, size, "%s", server->head);
  pthread_mutex_unlock(&server->lock);
}
