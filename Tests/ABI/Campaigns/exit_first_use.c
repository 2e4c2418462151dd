/* SPDX-License-Identifier: Apache-2.0 */

/* Hosts that exit while a thread of their own makes the first request of the process.
 *
 * exit_first_use HOSTS: forks one host after the other. In each, a thread calls remora_refresh, which loads libcurl and
 * libcrypto, and main calls exit, a little later from host to host. A host that ends by a signal, or not within its
 * seconds, is a failure. */
#include <pthread.h>
#include <remora.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { HOST_SECONDS = 20, MOMENTS = 100, MOMENT_NS = 100000 };

static remora_source *source;
static pthread_barrier_t start;

static void *refresh(void *unused) {
  (void)unused;
  pthread_barrier_wait(&start);
  remora_refresh(source, NULL, -1, NULL, NULL);
  return NULL;
}

static long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void busy_for(long long ns) {
  long long end = now_ns() + ns;
  while (now_ns() < end) sched_yield();
}

/* What a host does; returns only when it could not begin. */
static void be_a_host(int number) {
  remora_config config;
  remora_collection_options collection;
  remora_client *client = NULL;
  remora_error error;
  pthread_t thread;
  alarm(HOST_SECONDS);
  REMORA_INIT(&config);
  config.storage_dir = REMORA_STORAGE_MEMORY;
  config.server = "http://127.0.0.1:1";
  REMORA_INIT(&collection);
  collection.name = "first";
  collection.trust = REMORA_TRUST_OFF;
  if (remora_setup(&config, &client, &error) || remora_open_collection(client, &collection, NULL, &source, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return;
  }
  if (pthread_create(&thread, NULL, refresh, NULL) != 0) return;
  pthread_barrier_wait(&start);
  busy_for(number % MOMENTS * MOMENT_NS); /* The moment of exit differs from host to host. */
  exit(0);
}

int main(int argc, char **argv) {
  int failures = 0;
  if (argc != 2 || pthread_barrier_init(&start, NULL, 2) != 0) return 2;
  int hosts = atoi(argv[1]);
  for (int number = 0; number < hosts; number++) {
    int ending = 0;
    pid_t child = fork();
    if (child == 0) {
      be_a_host(number);
      _exit(1);
    }
    if (child < 0 || waitpid(child, &ending, 0) != child) return 2;
    if (WIFEXITED(ending) && WEXITSTATUS(ending) == 0) continue;
    failures++;
    if (WIFSIGNALED(ending)) fprintf(stderr, "host %d ended by signal %d\n", number, WTERMSIG(ending));
  }
  printf("%d hosts, %d failed\n", hosts, failures);
  return failures != 0;
}
