/* SPDX-License-Identifier: Apache-2.0 */

/* The stress campaign.
 *
 * stress SECONDS [PROCESSES]...: runs one mode for each number, for so many seconds. In a mode, so many processes run
 * the host of stress_host.c over one storage directory, against one server on loopback whose collections change all the
 * time. With one process, the server is a part of it. Each host checks that every callback that it is to receive has
 * come, and that memory, descriptors and threads are as after its warm-up, which is the first quarter of its time. */
#include "stress_host.h"

#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "promises.h"
#include "threads.h"

enum { PROCESSES_MAX = 16, ROUND_MS = 20, RECORDS_BYTES = 2048, RSS_SLACK_KIB = 16 * 1024, HANG_SECONDS = 120 };
/* Both ends of two connections: the process keeps connections open, and more of them at one moment than at another. */
enum { DESCRIPTORS_SLACK = 4 };

typedef struct footprint {
  long rss_kib;
  int descriptors;
  int threads;
} footprint;

static footprint measure(void) {
  footprint now = {.threads = thread_count()};
  long pages = 0;
  FILE *statm = fopen("/proc/self/statm", "r");
  if (statm && fscanf(statm, "%*d %ld", &pages) != 1) pages = 0;
  if (statm) fclose(statm);
  now.rss_kib = pages * (sysconf(_SC_PAGESIZE) / 1024);
  DIR *descriptors = opendir("/proc/self/fd");
  while (descriptors && readdir(descriptors)) now.descriptors++;
  if (descriptors) closedir(descriptors);
  return now;
}

/* Waits until threads and descriptors are as before, except for the connections that are kept; the others take a moment
 * to close. */
static footprint measure_against(footprint before) {
  int64_t deadline = now_ms() + PATIENCE_MS;
  int descriptors = before.descriptors + DESCRIPTORS_SLACK;
  footprint now = measure();
  while ((now.descriptors > descriptors || now.threads > before.threads) && now_ms() < deadline) {
    poll(NULL, 0, 20);
    now = measure();
  }
  if (now.descriptors > descriptors) promise_fault("descriptors are left open");
  if (now.threads > before.threads) promise_fault("threads are left running");
  if (now.rss_kib > before.rss_kib + RSS_SLACK_KIB) promise_fault("memory has grown");
  return now;
}

/* The least footprint of a moment of rest. */
static footprint settle(void) {
  footprint least = measure();
  for (int i = 0; i < 10; i++) {
    poll(NULL, 0, 20);
    footprint now = measure();
    if (now.descriptors < least.descriptors) least.descriptors = now.descriptors;
    if (now.threads < least.threads) least.threads = now.threads;
  }
  return least;
}

/* Runs the host of one process; returns its exit status. */
static int be_host(const char *directory, const char *url, int64_t ms) {
  stress_open(directory, url);
  int64_t operations = stress_run(ms / 4);
  footprint before = settle();
  operations += stress_run(ms - ms / 4);
  footprint after = measure_against(before);
  stress_check_delivery();
  stress_close();
  printf("  %d: %lld operations, %d faults, RSS %ld to %ld KiB, descriptors %d to %d, threads %d to %d\n",
         (int)getpid(), (long long)operations, promise_faults, before.rss_kib, after.rss_kib, before.descriptors,
         after.descriptors, before.threads, after.threads);
  fflush(stdout);
  return promise_faults ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* A server whose collections change all the time, until it is stopped. */
typedef struct publisher {
  loopback *server;
  pthread_t thread;
  int is_stopping; /* Atomic. */
} publisher;

static void *publish(void *raw) {
  publisher *self = raw;
  /* A text must live until the one behind it is published. */
  char texts[2][RECORDS_BYTES];
  for (int64_t version = 2; !__atomic_load_n(&self->is_stopping, __ATOMIC_SEQ_CST); version++) {
    long long at = (long long)version;
    snprintf(texts[version % 2], RECORDS_BYTES,
             "[{\"id\":\"a\",\"last_modified\":%lld,\"n\":%lld},{\"id\":\"german\",\"last_modified\":%lld,\"n\":2,"
             "\"filter_expression\":\"env.locale == 'de'\"}]",
             at, at, at - 1);
    loopback_publish(self->server, version, texts[version % 2], version - 1, texts[version % 2]);
    poll(NULL, 0, ROUND_MS);
  }
  loopback_publish(self->server, 1000000000, "[]", 0, NULL);
  return NULL;
}

static void start_server(publisher *self) {
  memset(self, 0, sizeof *self);
  self->server = loopback_start();
  REQUIRE(pthread_create(&self->thread, NULL, publish, self) == 0);
}

static void stop_server(publisher *self) {
  __atomic_store_n(&self->is_stopping, 1, __ATOMIC_SEQ_CST);
  pthread_join(self->thread, NULL);
  loopback_stop(self->server);
}

/* The hosts are forked before the server starts: they begin without threads and descriptors of its. */
static int be_hosts(const char *directory, int64_t ms, int processes) {
  publisher server;
  int address[2];
  pid_t hosts[PROCESSES_MAX];
  char url[64] = "";
  int failed = 0;
  REQUIRE(pipe(address) == 0);
  for (int i = 0; i < processes; i++) {
    hosts[i] = fork();
    REQUIRE(hosts[i] >= 0);
    if (hosts[i] > 0) continue;
    alarm((unsigned)(ms / 1000 + HANG_SECONDS));
    close(address[1]);
    REQUIRE(read(address[0], url, sizeof url) == sizeof url);
    exit(be_host(directory, url, ms));
  }
  start_server(&server);
  snprintf(url, sizeof url, "%s", loopback_url(server.server));
  for (int i = 0; i < processes; i++) REQUIRE(write(address[1], url, sizeof url) == sizeof url);
  for (int i = 0; i < processes; i++) {
    int ending = -1;
    REQUIRE(waitpid(hosts[i], &ending, 0) == hosts[i]);
    if (WIFSIGNALED(ending)) fprintf(stderr, "stress: a host ended by signal %d\n", WTERMSIG(ending));
    failed += !WIFEXITED(ending) || WEXITSTATUS(ending) != EXIT_SUCCESS;
  }
  stop_server(&server);
  return failed;
}

/* Server and host in one process, as a child of its own: one failed mode, or none. */
static int be_one(const char *directory, int64_t ms) {
  publisher server;
  int ending = -1;
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm((unsigned)(ms / 1000 + HANG_SECONDS));
    start_server(&server);
    int status = be_host(directory, loopback_url(server.server), ms);
    stop_server(&server);
    exit(status);
  }
  REQUIRE(waitpid(child, &ending, 0) == child);
  if (WIFSIGNALED(ending)) fprintf(stderr, "stress: the host ended by signal %d\n", WTERMSIG(ending));
  return !WIFEXITED(ending) || WEXITSTATUS(ending) != EXIT_SUCCESS;
}

int main(int argc, char **argv) {
  int64_t seconds = argc > 2 ? strtoll(argv[1], NULL, 10) : 0;
  int failed = 0;
  if (seconds <= 0) {
    fprintf(stderr, "usage: stress SECONDS PROCESSES...\n");
    return 2;
  }
  for (int i = 2; i < argc; i++) {
    char directory[64];
    int processes = atoi(argv[i]);
    if (processes < 1 || processes > PROCESSES_MAX) return 2;
    temporary_directory(directory);
    failed += processes == 1 ? be_one(directory, seconds * 1000) : be_hosts(directory, seconds * 1000, processes);
    remove_directory(directory);
  }
  printf("%d modes of %lld s, %d hosts failed\n", argc - 2, (long long)seconds, failed);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
