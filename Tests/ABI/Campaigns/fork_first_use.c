/* SPDX-License-Identifier: Apache-2.0 */

/* Children whose threads use the library at the same moment, all of it for the first time.
 *
 * fork_first_use STORAGE_DIR CHILDREN: main opens packaged settings, uses them no further, and
 * forks one child after the other. In each, the forked thread and a new one make the same
 * calls side by side, so that they meet in what the Swift runtime sets up once. A child that
 * does not end within its seconds, ends by a signal or is answered wrongly is a failure. */
#include <pthread.h>
#include <remora.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILD_SECONDS = 20 };

static const char packaged[] =
    "{\"timestamp\":7,\"data\":[{\"id\":\"banner\",\"last_modified\":7,\"text\":\"hello\",\"list\":[1,2.5,true,null]}]"
    "}";

static remora_client *client;
static remora_source *source;
static pthread_barrier_t start;

/* What a thread does; a text on failure. */
static const char *use_everything(void) {
  remora_error error;
  remora_snapshot *snapshot = NULL;
  remora_value value;
  pthread_barrier_wait(&start);
  if (remora_snapshot_acquire(source, 0, &snapshot, &error) != REMORA_OK) return "no snapshot";
  if (remora_get_int(source, "banner", "/last_modified", -1) != 7) return "another number";
  if (remora_get_int(source, "banner", "/text", -1) != -1) return "a number that is none";
  if (remora_snapshot_get(snapshot, "banner", NULL, &value, &error) != REMORA_OK) return "no record";
  remora_snapshot_release(snapshot);
  if (remora_override_set(source, "shown", NULL, "true", 0, &error) != REMORA_OK) return "no override";
  if (remora_set_context(client, "{\"locale\":\"fr\"}", &error) != REMORA_OK) return "no context";
  return NULL;
}

static void *use_beside(void *unused) {
  (void)unused;
  return (void *)use_everything();
}

/* What a child does; never returns. */
static void be_a_child(void) {
  pthread_t thread;
  void *beside = NULL;
  alarm(CHILD_SECONDS);
  if (pthread_create(&thread, NULL, use_beside, NULL) != 0) _exit(2);
  const char *here = use_everything();
  pthread_join(thread, &beside);
  if (here) fprintf(stderr, "on the forked thread: %s\n", here);
  if (beside) fprintf(stderr, "on the new thread: %s\n", (const char *)beside);
  _exit(here || beside);
}

static int open_packaged(const char *storage) {
  remora_config config;
  remora_collection_options collection;
  remora_error error;
  REMORA_INIT(&config);
  config.storage_dir = storage;
  config.server = "http://127.0.0.1:1";
  REMORA_INIT(&collection);
  collection.name = "cold";
  collection.trust = REMORA_TRUST_OFF;
  collection.packaged_data = packaged;
  collection.packaged_size = strlen(packaged);
  if (remora_setup(&config, &client, &error) == REMORA_OK &&
      remora_open_collection(client, &collection, NULL, &source, &error) == REMORA_OK)
    return 1;
  fprintf(stderr, "%s\n", error.message);
  return 0;
}

int main(int argc, char **argv) {
  int failures = 0;
  if (argc != 3) return 2;
  int children = atoi(argv[2]);
  if (pthread_barrier_init(&start, NULL, 2) != 0 || !open_packaged(argv[1])) return 2;
  for (int number = 0; number < children; number++) {
    int ending = 0;
    pid_t child = fork();
    if (child == 0) be_a_child();
    if (child < 0 || waitpid(child, &ending, 0) != child) return 2;
    if (WIFEXITED(ending) && WEXITSTATUS(ending) == 0) continue;
    failures++;
    if (WIFSIGNALED(ending)) fprintf(stderr, "child %d ended by signal %d\n", number, WTERMSIG(ending));
  }
  remora_source_close(source);
  remora_client_close(client);
  printf("%d children, %d failed\n", children, failures);
  return failures != 0;
}
