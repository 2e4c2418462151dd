/* SPDX-License-Identifier: Apache-2.0 */

/* A host that forks, again and again, while it refreshes.
 *
 * fork_refresh SERVER_URL STORAGE_DIR CHILDREN: one thread refreshes without a pause;
 * main forks one child after the other. A child reads by key, refreshes and ends: every
 * other one by remora_client_close, the rest by a plain exit. With a shared directory one in 25 only
 * reads, until it has what its parent fetched since. No update is lost: what a child
 * fetched, the parent has soon. A child that does not end in time, ends by a signal or
 * sees anything wrong is a failure. */
#define _DEFAULT_SOURCE /* For MAP_ANONYMOUS. */
#include <poll.h>
#include <pthread.h>
#include <remora.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHILD_SECONDS = 10, REFRESH_MS = 8000 };

static remora_client *client;
static remora_source *source;

/* The refreshing thread's state. */
static struct {
  pthread_mutex_t lock;
  int ending;
  int refreshes;
  int failures;
  char message[sizeof((remora_error *)0)->message];
} parent = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *refresh_until_the_end(void *unused) {
  int ending = 0;
  remora_error error;
  (void)unused;
  while (!ending) {
    remora_status status = remora_refresh(source, NULL, REFRESH_MS, NULL, &error);
    pthread_mutex_lock(&parent.lock);
    parent.refreshes++;
    if (status != REMORA_OK) {
      parent.failures++;
      snprintf(parent.message, sizeof parent.message, "%s", error.message);
    }
    ending = parent.ending;
    pthread_mutex_unlock(&parent.lock);
  }
  return NULL;
}

/* The newest version that a child fetched; memory that children share with the parent. */
static int64_t *fetched;
static int is_shared; /* Whether they share a storage directory too. */

static int64_t version_read(void) { return remora_get_int(source, "counter", "/last_modified", -1); }

/* Reads until there is a version that is newer, or as new; 0 when the time came first. */
static int reads(int64_t version) {
  for (int waited = 0; waited < REFRESH_MS; waited += 2) {
    if (version_read() >= version) return 1;
    poll(NULL, 0, 2);
  }
  return 0;
}

/* What a child does; never returns. */
static void be_a_child(int number) {
  remora_error error;
  int64_t before = version_read();
  if (before < 1) _exit(10);
  if (is_shared && number % 25 == 3) _exit(reads(before + 1) ? 0 : 13);
  if (remora_refresh(source, NULL, REFRESH_MS, NULL, &error) != REMORA_OK) {
    fprintf(stderr, "child %d: %s\n", number, error.message);
    _exit(11);
  }
  *fetched = version_read();
  if (*fetched < before) _exit(12);
  if (number % 2 == 0) remora_client_close(client);
  exit(0);
}

/* Waits for a child with a deadline; 0 when it ended well. SIGCHLD is blocked. */
static int reap(pid_t child, int number) {
  sigset_t child_ended;
  const struct timespec limit = {.tv_sec = CHILD_SECONDS};
  int ending = 0;
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  if (sigtimedwait(&child_ended, NULL, &limit) != SIGCHLD) {
    fprintf(stderr, "child %d hangs\n", number);
    kill(child, SIGKILL);
    sigwaitinfo(&child_ended, NULL);
    waitpid(child, NULL, 0);
    return 1;
  }
  if (waitpid(child, &ending, 0) == child && WIFEXITED(ending) && WEXITSTATUS(ending) == 0) return 0;
  if (WIFSIGNALED(ending))
    fprintf(stderr, "child %d ended by signal %d\n", number, WTERMSIG(ending));
  else
    fprintf(stderr, "child %d ended with status %d\n", number, WEXITSTATUS(ending));
  return 1;
}

static int open_all(const char *server, const char *storage) {
  remora_config config;
  remora_collection_options collection;
  remora_error error;
  REMORA_INIT(&config);
  config.storage_dir = storage;
  config.server = server;
  REMORA_INIT(&collection);
  collection.name = "forked";
  collection.trust = REMORA_TRUST_OFF;
  if (remora_setup(&config, &client, &error) == REMORA_OK &&
      remora_open_collection(client, &collection, NULL, &source, &error) == REMORA_OK &&
      remora_refresh(source, NULL, REFRESH_MS, NULL, &error) == REMORA_OK)
    return 1;
  fprintf(stderr, "%s\n", error.message);
  return 0;
}

int main(int argc, char **argv) {
  sigset_t blocked;
  pthread_t thread;
  int failures = 0;
  if (argc != 4) return 2;
  int children = atoi(argv[3]);
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGCHLD);
  sigprocmask(SIG_BLOCK, &blocked, NULL);
  is_shared = strcmp(argv[2], REMORA_STORAGE_MEMORY) != 0;
  fetched = mmap(NULL, sizeof *fetched, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (fetched == MAP_FAILED) return 2;
  if (!open_all(argv[1], argv[2])) return 2;
  if (pthread_create(&thread, NULL, refresh_until_the_end, NULL) != 0) return 2;
  for (int number = 0; number < children; number++) {
    pid_t child = fork();
    if (child == 0) be_a_child(number);
    if (child < 0) return 2;
    failures += reap(child, number);
    if (is_shared && !reads(*fetched)) {
      fprintf(stderr, "what child %d fetched is lost\n", number);
      failures++;
    }
  }
  pthread_mutex_lock(&parent.lock);
  parent.ending = 1;
  pthread_mutex_unlock(&parent.lock);
  pthread_join(thread, NULL);
  remora_source_close(source);
  remora_client_close(client);
  if (parent.failures) fprintf(stderr, "the parent's last failure: %s\n", parent.message);
  printf("%d children, %d failed; %d refreshes of the parent, %d failed\n", children, failures, parent.refreshes,
         parent.failures);
  return failures || parent.failures;
}
