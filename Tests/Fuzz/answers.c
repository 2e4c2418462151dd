/* SPDX-License-Identifier: Apache-2.0 */

/* What a server answers, head and body: to refreshes that have data already, and to syncs.
 *
 * The client's proxy is a socket of this process on loopback, so that no address in an answer is ever connected to.
 * Each connection gets the next part of the input as it is, parts being separated by a line "%%", and the last one
 * again. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"

enum { HEAD_BYTES = 8192, REFRESH_MS = 5000 };

/* The input that is served; the server's thread and the fuzzer's take turns by the lock. */
static struct {
  pthread_mutex_t lock;
  const char *next;
  const char *end;
  int listener;
} served = {.lock = PTHREAD_MUTEX_INITIALIZER, .listener = -1};

static remora_error error;

/* Takes the next part; the last one stays. */
static void take_part(const char **part, size_t *length) {
  static const char separator[] = "\n%%\n";
  *part = served.next;
  *length = (size_t)(served.end - served.next);
  for (const char *at = served.next; at + sizeof separator - 1 <= served.end; at++) {
    if (memcmp(at, separator, sizeof separator - 1) != 0) continue;
    *length = (size_t)(at - served.next);
    served.next = at + sizeof separator - 1;
    return;
  }
}

/* Reads a request until its empty line. */
static void skip_request(int connection) {
  char head[HEAD_BYTES];
  size_t length = 0;
  while (length < sizeof head - 1) {
    ssize_t got = recv(connection, head + length, sizeof head - 1 - length, 0);
    if (got <= 0) return;
    length += (size_t)got;
    head[length] = '\0';
    if (strstr(head, "\r\n\r\n")) return;
  }
}

static void *serve(void *unused) {
  (void)unused;
  for (;;) {
    int connection = accept(served.listener, NULL, NULL);
    if (connection < 0) continue;
    const char *part;
    size_t length;
    skip_request(connection);
    pthread_mutex_lock(&served.lock);
    take_part(&part, &length);
    while (length > 0) {
      ssize_t sent = send(connection, part, length, MSG_NOSIGNAL);
      if (sent <= 0) break;
      part += sent;
      length -= (size_t)sent;
    }
    pthread_mutex_unlock(&served.lock);
    shutdown(connection, SHUT_WR);
    close(connection);
  }
  return NULL;
}

/* Starts the server once; returns its port. */
static int start_server(void) {
  static int port;
  struct sockaddr_in address = {.sin_family = AF_INET};
  socklen_t size = sizeof address;
  pthread_t thread;
  if (port) return port;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  served.listener = socket(AF_INET, SOCK_STREAM, 0);
  REQUIRE(bind(served.listener, (struct sockaddr *)&address, size) == 0 && listen(served.listener, 64) == 0);
  REQUIRE(getsockname(served.listener, (struct sockaddr *)&address, &size) == 0);
  REQUIRE(pthread_create(&thread, NULL, serve, NULL) == 0);
  REQUIRE(pthread_detach(thread) == 0);
  return port = ntohs(address.sin_port);
}

/* A client of its own, because an answer may ask it to wait. */
static remora_client *client_of_proxy(void) {
  char proxy[64];
  remora_config config;
  remora_client *own = NULL;
  snprintf(proxy, sizeof proxy, "http://127.0.0.1:%d", start_server());
  REMORA_INIT(&config);
  config.storage_dir = REMORA_STORAGE_MEMORY;
  config.server = "http://remora.invalid/v1";
  config.proxy = proxy;
  config.total_timeout_ms = REFRESH_MS;
  REQUIRE(succeeded(remora_setup(&config, &own, &error), &error));
  return own;
}

static void set_input(const char *bytes, size_t length) {
  pthread_mutex_lock(&served.lock);
  served.next = bytes;
  served.end = bytes + length;
  pthread_mutex_unlock(&served.lock);
}

/* Feeds answers to `ask`, over a collection that has two records already. */
static void feed(const char *bytes, size_t length, void (*ask)(remora_client *, remora_source *)) {
  static const char records[] =
      "{\"data\":[{\"id\":\"a\",\"last_modified\":1},{\"id\":\"b\",\"last_modified\":2}],\"timestamp\":2}";
  remora_collection_options collection;
  remora_source *source = NULL;
  remora_client *own = client_of_proxy();
  set_input(bytes, length);
  REMORA_INIT(&collection);
  collection.name = "fuzz";
  collection.trust = REMORA_TRUST_OFF;
  collection.packaged_data = records;
  collection.packaged_size = sizeof records - 1;
  REQUIRE(succeeded(remora_open_collection(own, &collection, NULL, &source, &error), &error));
  ask(own, source);
  read_and_close(source, 1);
  remora_client_close(own);
  set_input(NULL, 0);
}

static void refresh(remora_client *own, remora_source *source) {
  int32_t outcome = REMORA_OUTCOME_NONE;
  (void)own;
  remora_status status = remora_refresh(source, NULL, -1, &outcome, &error);
  if (succeeded(status, &error)) REQUIRE(outcome != REMORA_OUTCOME_NONE);
  /* Once more, over what the first one brought. */
  succeeded(remora_refresh(source, NULL, -1, &outcome, &error), &error);
}

static void check_report(const remora_sync_report *report, void *unused) {
  (void)unused;
  REQUIRE(report->item_count == 1);
  REQUIRE(report->updated + report->unchanged + report->staged + report->failed == 1);
}

static void sync_all(remora_client *own, remora_source *source) {
  (void)source;
  succeeded(remora_sync(own, NULL, -1, check_report, NULL, &error), &error);
}

void feed_answer(const char *bytes, size_t length) { feed(bytes, length, refresh); }

void feed_monitor(const char *bytes, size_t length) { feed(bytes, length, sync_all); }
