/* SPDX-License-Identifier: Apache-2.0 */

/* remora_preconnect, of the section "lifecycle" of the header: connections are counted by a server that keeps them
 * open. */
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fixture.h"
#include "threads.h"

enum { VISITORS = 8, HEAD = 2048 };

/* Answers GET /warm with a status, everything else with a collection, on connections that stay open. */
static struct {
  int listener;
  char url[64];
  int warm_status;
  tally connections;
  tally warmed;
  char warm_head[HEAD]; /* Valid once counted in `warmed`. */
} keeper;

static void answer(int visitor, const char *head) {
  const char *body = "{\"metadata\":{},\"timestamp\":2000,\"changes\":[]}";
  char text[512];
  int is_warm = strncmp(head, "GET /warm", 9) == 0;
  if (is_warm && keeper.warm_status == 204) {
    snprintf(text, sizeof text, "HTTP/1.1 204 None\r\n\r\n");
  } else {
    snprintf(text, sizeof text, "HTTP/1.1 %d Kept\r\nContent-Length: %zu\r\n\r\n%s", is_warm ? keeper.warm_status : 200,
             strlen(body), body);
  }
  send(visitor, text, strlen(text), MSG_NOSIGNAL);
  if (!is_warm) return;
  snprintf(keeper.warm_head, sizeof keeper.warm_head, "%s", head);
  tally_add(&keeper.warmed);
}

static void *serve(void *raw) {
  int visitor = *(int *)raw;
  char head[HEAD];
  size_t length = 0;
  ssize_t got;
  while ((got = recv(visitor, head + length, sizeof head - 1 - length, 0)) > 0) {
    length += (size_t)got;
    head[length] = '\0';
    if (!strstr(head, "\r\n\r\n")) continue;
    answer(visitor, head);
    length = 0;
  }
  close(visitor);
  return NULL;
}

static void *accept_all(void *unused) {
  static int visitors[VISITORS];
  (void)unused;
  for (int i = 0; i < VISITORS; i++) {
    pthread_t thread;
    visitors[i] = accept(keeper.listener, NULL, NULL);
    if (visitors[i] < 0) break;
    tally_add(&keeper.connections);
    if (pthread_create(&thread, NULL, serve, &visitors[i]) == 0) pthread_detach(thread);
  }
  return NULL;
}

/* The server ends with the process, which is one test. */
static void start_keeper(int warm_status) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  socklen_t size = sizeof address;
  pthread_t thread;
  tally_init(&keeper.connections);
  tally_init(&keeper.warmed);
  keeper.warm_status = warm_status;
  keeper.listener = socket(AF_INET, SOCK_STREAM, 0);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(bind(keeper.listener, (struct sockaddr *)&address, size) == 0 && listen(keeper.listener, VISITORS) == 0);
  REQUIRE(getsockname(keeper.listener, (struct sockaddr *)&address, &size) == 0);
  snprintf(keeper.url, sizeof keeper.url, "http://127.0.0.1:%d", ntohs(address.sin_port));
  REQUIRE(pthread_create(&thread, NULL, accept_all, NULL) == 0);
  pthread_detach(thread);
}

/* The log of a client, which tells the end of a pre-connect. */
static struct {
  tally lines;
  int32_t level;
  char text[256];
} logged;

static void keep_line(const remora_log_entry *entry, void *unused) {
  (void)unused;
  if (!strstr(entry->message, "pre-connect")) return;
  logged.level = entry->level;
  snprintf(logged.text, sizeof logged.text, "%s", entry->message);
  tally_add(&logged.lines);
}

static remora_client *client_that_logs(const char *url) {
  remora_config config;
  remora_client *client = NULL;
  tally_init(&logged.lines);
  REMORA_INIT(&config);
  config.storage_dir = REMORA_STORAGE_MEMORY;
  config.server = url;
  config.log_level = REMORA_LOG_DEBUG;
  config.on_log = keep_line;
  REQUIRE_OK(remora_setup(&config, &client, &error));
  return client;
}

static remora_config a_host(void) {
  remora_config config;
  REMORA_INIT(&config);
  config.application_name = "a host & more";
  return config;
}

static void connect_to(const char *path) {
  char url[128];
  snprintf(url, sizeof url, "%s%s", keeper.url, path);
  remora_config config = a_host();
  REQUIRE_OK(remora_preconnect(&config, url, NULL, &error));
}

/* Pre-connects, sets up, refreshes; all on one connection. */
static void check_one_connection(int status) {
  start_keeper(status);
  connect_to("/warm");
  REQUIRE(tally_await(&keeper.warmed, 1));
  remora_client *client = client_that_logs(keeper.url);
  REQUIRE(tally_await(&logged.lines, 1));
  CHECK_INT(REMORA_LOG_DEBUG, logged.level);
  remora_source *source = open_untrusted(client, "sample", NULL);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_INT(1, tally_count(&keeper.connections));
  remora_source_close(source);
  remora_client_close(client);
}

TEST("the next request of any client uses the connection that preconnect opened") { check_one_connection(204); }

TEST("preconnect accepts any HTTP status") { check_one_connection(500); }

#define CHECK_LINE(text) CHECK(strstr(keeper.warm_head, text) != NULL)

TEST("preconnect appends the names of the application and of the platform as query items after those of the URL") {
  start_keeper(204);
  connect_to("/warm");
  REQUIRE(tally_await(&keeper.warmed, 1));
  CHECK_LINE("GET /warm?app=a%20host%20%26%20more&platform=linux HTTP/1.1\r\n");
  CHECK_LINE("\r\nUser-Agent: a host & more/0 Remora/" REMORA_VERSION "\r\n");
  char url[128];
  snprintf(url, sizeof url, "%s/warm?x=1", keeper.url);
  remora_config config = a_host();
  config.user_agent = "own";
  REQUIRE_OK(remora_preconnect(&config, url, "toaster", &error));
  REQUIRE(tally_await(&keeper.warmed, 2));
  CHECK_LINE("GET /warm?x=1&app=a%20host%20%26%20more&platform=toaster HTTP/1.1\r\n");
  CHECK_LINE("\r\nUser-Agent: own\r\n");
}

TEST("a failure of preconnect is logged, and later refreshes work") {
  remora_config config = a_host();
  start_keeper(204);
  REQUIRE_OK(remora_preconnect(&config, NO_SERVER, NULL, &error));
  remora_client *client = client_that_logs(keeper.url);
  REQUIRE(tally_await(&logged.lines, 1));
  CHECK_INT(REMORA_LOG_WARNING, logged.level);
  CHECK(strstr(logged.text, "cannot pre-connect to " NO_SERVER) != NULL);
  remora_source *source = open_untrusted(client, "sample", NULL);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  remora_source_close(source);
  remora_client_close(client);
}

TEST("preconnect returns at once, even if the server never responds") {
  /* A listener that nobody serves: the connection is made by the system, and no answer ever comes. */
  struct sockaddr_in address = {.sin_family = AF_INET};
  socklen_t size = sizeof address;
  char url[64];
  int silent = socket(AF_INET, SOCK_STREAM, 0);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(bind(silent, (struct sockaddr *)&address, size) == 0 && listen(silent, 1) == 0);
  REQUIRE(getsockname(silent, (struct sockaddr *)&address, &size) == 0);
  snprintf(url, sizeof url, "http://127.0.0.1:%d/", ntohs(address.sin_port));
  int threads = thread_count();
  remora_config config = a_host();
  int64_t start = now_ms();
  REQUIRE_OK(remora_preconnect(&config, url, NULL, &error));
  CHECK(now_ms() - start < 1000);
  /* Neither does a client that comes and goes meanwhile. */
  remora_client *client = client_that_logs(url);
  remora_client_close(client);
  CHECK(now_ms() - start < 2000);
  /* ThreadSanitizer has a thread of its own. */
  if (!IS_SANITIZED) CHECK_INT(threads + 1, thread_count());
  close(silent);
}

TEST("preconnect does not access the storage directory of the configuration") {
  remora_config config = a_host();
  config.storage_dir = "/nowhere/at/all";
  start_keeper(204);
  REQUIRE_OK(remora_preconnect(&config, keeper.url, NULL, &error));
  CHECK(tally_await(&keeper.connections, 1));
}

/* Pre-connects with one thing wrong. */
#define CHECK_BAD(word, change)                                             \
  do {                                                                      \
    remora_config config = a_host();                                        \
    const char *url = "http://127.0.0.1:1/";                                \
    const char *platform = NULL;                                            \
    change;                                                                 \
    CHECK_INVALID(word, remora_preconnect(&config, url, platform, &error)); \
  } while (0)

TEST("an error about an invalid argument of preconnect names it, and no connection is opened") {
  const char *const urls[] = {
      NULL, "", "host/path", "ftp://host/", "http://", "http://u:p@host/", "http://host/#f", "http://h/\n", "\xff"};
  const char *const names[] = {NULL, "", "a\nb", "\xff"};
  char *too_long = long_text(8192);
  CHECK_INVALID("config", remora_preconnect(NULL, "http://127.0.0.1:1/", NULL, &error));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_preconnect(NULL, NULL, NULL, NULL));
  for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) CHECK_BAD("url", url = urls[i]);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    CHECK_BAD("application_name", config.application_name = names[i]);
  CHECK_BAD("url is longer than 8192 bytes", config.application_name = too_long);
  CHECK_BAD("platform", platform = "\xff");
  CHECK_BAD("user_agent", config.user_agent = "a\r\nb");
  CHECK_BAD("proxy", config.proxy = "a\nb");
  CHECK_BAD("ca_file", config.ca_file = "\xff");
  CHECK_BAD("connect_timeout_ms", config.connect_timeout_ms = -2);
  CHECK_BAD("total_timeout_ms", config.total_timeout_ms = -2);
  CHECK_BAD("config is not initialised", config.struct_size = 191); /* One byte less than in the first version. */
  free(too_long);
  CHECK_INT(0, threads_named("remora-engine"));
}
