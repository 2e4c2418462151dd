/* SPDX-License-Identifier: Apache-2.0
 *
 * A small HTTP server for the benchmarks; see loopback.h.
 */
#include "loopback.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "measure.h"

enum { CONNECTIONS = 32, REQUEST_SIZE = 8192, PIECE_SIZE = 64 << 10 };

typedef struct connection {
  size_t used;
  char bytes[REQUEST_SIZE + 1];
} connection;

struct loopback {
  loopback_handler handler;
  void *user_data;
  int port;
  int stop_pipe[2];
  pthread_t thread;
  clockid_t cpu_clock;
  _Atomic double ns_per_byte;
  size_t count; /* of polls in use: the pipe, the listener, the connections */
  struct pollfd polls[CONNECTIONS + 2];
  connection *connections[CONNECTIONS + 2];
};

static const char *reason(int status) { return status == 200 ? "OK" : status == 304 ? "Not Modified" : "Not Found"; }

static int send_all(int socket, struct iovec *parts, size_t count) {
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};
  while (message.msg_iovlen > 0) {
    ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    if (sent < 0) return -1;
    size_t left = (size_t)sent;
    while (message.msg_iovlen > 0 && left >= message.msg_iov->iov_len) {
      left -= message.msg_iov->iov_len;
      message.msg_iov++;
      message.msg_iovlen--;
    }
    if (message.msg_iovlen > 0) {
      message.msg_iov->iov_base = (char *)message.msg_iov->iov_base + left;
      message.msg_iov->iov_len -= left;
    }
  }
  return 0;
}

/* Sends a body in pieces, each at its time. */
static int send_paced(int socket, const char *body, size_t size, double ns_per_byte) {
  double begin = wall_ns();
  for (size_t sent = 0; sent < size;) {
    size_t piece = size - sent < PIECE_SIZE ? size - sent : PIECE_SIZE;
    double left = begin + (double)(sent + piece) * ns_per_byte - wall_ns();
    if (left > 0) {
      struct timespec pause = {.tv_sec = (time_t)(left / 1e9), .tv_nsec = (long)left % 1000000000};
      nanosleep(&pause, NULL);
    }
    struct iovec part = {(void *)(uintptr_t)(body + sent), piece};
    if (send_all(socket, &part, 1) != 0) return -1;
    sent += piece;
  }
  return 0;
}

/* Returns the value of a header, terminated in place in `head`; "" if it is missing. */
static char *header_value(char *head, const char *name) {
  size_t length = strlen(name);
  for (char *line = strstr(head, "\r\n"); line; line = strstr(line + 2, "\r\n")) {
    if (strncasecmp(line + 2, name, length) != 0 || line[2 + length] != ':') continue;
    char *value = line + 3 + length;
    value += strspn(value, " \t");
    value[strcspn(value, "\r")] = '\0';
    return value;
  }
  return head + strlen(head);
}

static int answer_request(const loopback *server, int socket, char *head) {
  char *target = strchr(head, ' ');
  if (!target) return -1;
  loopback_request request = {.target = target + 1, .if_none_match = header_value(head, "If-None-Match")};
  target[1 + strcspn(target + 1, " \r")] = '\0';
  loopback_answer answer = {.status = 404};
  server->handler(&request, &answer, server->user_data);
  if (answer.status == 0) return 0;
  char text[512];
  int used = snprintf(text, sizeof text, "HTTP/1.1 %d %s\r\n", answer.status, reason(answer.status));
  if (answer.etag) used += snprintf(text + used, sizeof text - (size_t)used, "ETag: %s\r\n", answer.etag);
  if (answer.status != 304)
    used += snprintf(text + used, sizeof text - (size_t)used,
                     "Content-Type: application/json\r\nContent-Length: %zu\r\n", answer.size);
  used += snprintf(text + used, sizeof text - (size_t)used, "\r\n");
  struct iovec parts[2] = {{text, (size_t)used}, {(void *)(uintptr_t)answer.body, answer.size}};
  bool has_body = answer.status != 304 && answer.size > 0;
  double pace = atomic_load(&server->ns_per_byte);
  if (!has_body || pace == 0) return send_all(socket, parts, has_body ? 2 : 1);
  return send_all(socket, parts, 1) != 0 ? -1 : send_paced(socket, answer.body, answer.size, pace);
}

/* Reads the received bytes and answers each complete request. Returns -1 if the connection is closed. */
static int serve(const loopback *server, int socket, connection *client) {
  ssize_t got = recv(socket, client->bytes + client->used, REQUEST_SIZE - client->used, 0);
  if (got <= 0) return -1;
  client->used += (size_t)got;
  client->bytes[client->used] = '\0';
  char *end;
  while ((end = strstr(client->bytes, "\r\n\r\n"))) {
    size_t length = (size_t)(end - client->bytes) + 4;
    end[2] = '\0';
    if (answer_request(server, socket, client->bytes) != 0) return -1;
    memmove(client->bytes, client->bytes + length, client->used - length + 1);
    client->used -= length;
  }
  return client->used == REQUEST_SIZE ? -1 : 0;
}

static void add_connection(loopback *server) {
  int socket = accept(server->polls[1].fd, NULL, NULL);
  if (socket < 0) return;
  connection *client = calloc(1, sizeof *client);
  if (server->count == CONNECTIONS + 2 || !client) {
    free(client);
    close(socket);
    return;
  }
  int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  server->connections[server->count] = client;
  server->polls[server->count++] = (struct pollfd){.fd = socket, .events = POLLIN};
}

static void remove_connection(loopback *server, size_t index) {
  close(server->polls[index].fd);
  free(server->connections[index]);
  server->count--;
  server->polls[index] = server->polls[server->count];
  server->connections[index] = server->connections[server->count];
}

static void *run(void *argument) {
  loopback *server = argument;
  while (poll(server->polls, server->count, -1) >= 0 && !server->polls[0].revents) {
    for (size_t i = server->count; i-- > 2;)
      if (server->polls[i].revents && serve(server, server->polls[i].fd, server->connections[i]) != 0)
        remove_connection(server, i);
    if (server->polls[1].revents) add_connection(server);
  }
  while (server->count > 2) remove_connection(server, server->count - 1);
  return NULL;
}

loopback *loopback_start(loopback_handler handler, void *user_data) {
  loopback *server = calloc(1, sizeof *server);
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  if (!server || listener < 0 || bind(listener, (struct sockaddr *)&address, size) != 0 ||
      listen(listener, CONNECTIONS) != 0 || getsockname(listener, (struct sockaddr *)&address, &size) != 0 ||
      pipe(server->stop_pipe) != 0)
    fail("cannot listen on the loopback interface");
  server->handler = handler;
  server->user_data = user_data;
  server->port = ntohs(address.sin_port);
  server->polls[0] = (struct pollfd){.fd = server->stop_pipe[0], .events = POLLIN};
  server->polls[1] = (struct pollfd){.fd = listener, .events = POLLIN};
  server->count = 2;
  if (pthread_create(&server->thread, NULL, run, server) != 0 ||
      pthread_getcpuclockid(server->thread, &server->cpu_clock) != 0)
    fail("cannot start the loopback server");
  return server;
}

void loopback_stop(loopback *server) {
  if (!server) return;
  close(server->stop_pipe[1]);
  pthread_join(server->thread, NULL);
  close(server->stop_pipe[0]);
  close(server->polls[1].fd);
  free(server);
}

void loopback_set_pace(loopback *server, double ns_per_byte) { atomic_store(&server->ns_per_byte, ns_per_byte); }

int loopback_port(const loopback *server) { return server->port; }

double loopback_cpu_ns(const loopback *server) {
  struct timespec used;
  clock_gettime(server->cpu_clock, &used);
  return (double)used.tv_sec * 1e9 + (double)used.tv_nsec;
}
