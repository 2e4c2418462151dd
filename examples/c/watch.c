/* SPDX-License-Identifier: Apache-2.0 */

/* Watches a collection until it changes:
 *
 *   watch SERVER_URL ROOT_SHA256 COLLECTION STORAGE_DIR [PACKAGED_JSON]
 *
 * ROOT_SHA256 may be "off", for a server that does not sign. Prints the state at the start
 * ("state" and "key" lines), refreshes, prints what came of it ("event" and "change"
 * lines) and then "ready". Goes on refreshing until one more event brings changes, prints
 * that and exits with 0; with 1 when none came within 60 seconds. Every line is written at
 * once, so that a script can read along. */
#include <pthread.h>
#include <remora.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "print_event.h"

enum { DEADLINE_SECONDS = 60, PAUSE_MS = 200, REFRESH_MS = 30000 };

/* What the callback tells main; written by the callback alone. */
static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int opened;       /* Events of the start. */
  int refreshed;    /* Events of refreshes. */
  int with_changes; /* Events with changes, the start's aside. */
} told = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The first subscriber: runs on the client's delivery thread, one call at a time. After
 * the first refresh it prints only what is news. */
static void on_event(const remora_event *event, void *user_data) {
  (void)user_data;
  if (event->cause == REMORA_CAUSE_OPENED)
    print_state(event);
  else if (told.refreshed == 0 || event->outcome != REMORA_OUTCOME_UNCHANGED)
    print_event(event);
  pthread_mutex_lock(&told.lock);
  if (event->cause == REMORA_CAUSE_OPENED)
    told.opened++;
  else if (event->cause == REMORA_CAUSE_REFRESHED)
    told.refreshed++;
  if (event->cause != REMORA_CAUSE_OPENED && event->change_count > 0) told.with_changes++;
  pthread_cond_broadcast(&told.changed);
  pthread_mutex_unlock(&told.lock);
}

static struct timespec after_ms(long ms) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  at.tv_sec += ms / 1000;
  at.tv_nsec += ms % 1000 * 1000000;
  if (at.tv_nsec >= 1000000000) {
    at.tv_sec++;
    at.tv_nsec -= 1000000000;
  }
  return at;
}

/* Waits until a count of `told` is above `seen`; 0 when the time came first. */
static int wait_until(const int *count, int seen, struct timespec deadline) {
  pthread_mutex_lock(&told.lock);
  while (*count <= seen && pthread_cond_timedwait(&told.changed, &told.lock, &deadline) == 0) {
  }
  int reached = *count > seen;
  pthread_mutex_unlock(&told.lock);
  return reached;
}

static remora_status open_collection(int argc, char **argv, remora_client **client, remora_source **source,
                                     remora_error *error) {
  remora_config config;
  remora_collection_options collection;
  remora_source_options options;
  REMORA_INIT(&config);
  config.server = argv[1];
  config.storage_dir = argv[4];
  REMORA_INIT(&collection);
  collection.name = argv[3];
  if (strcmp(argv[2], "off") == 0)
    collection.trust = REMORA_TRUST_OFF;
  else
    collection.root_sha256 = argv[2];
  if (argc > 5) collection.packaged_file = argv[5];
  REMORA_INIT(&options);
  options.on_event = on_event;
  remora_status status = remora_setup(&config, client, error);
  return status == REMORA_OK ? remora_open_collection(*client, &collection, &options, source, error) : status;
}

/* Refreshes until an event brings changes; 0 when the deadline comes first. A refresh
 * that fails has told so by its event, and the next one may do better. */
static int watch(remora_source *source) {
  const struct timespec deadline = after_ms(DEADLINE_SECONDS * 1000L);
  struct timespec now;
  if (!wait_until(&told.opened, 0, deadline)) return 0;
  remora_refresh(source, NULL, REFRESH_MS, NULL, NULL);
  if (!wait_until(&told.refreshed, 0, deadline)) return 0;
  pthread_mutex_lock(&told.lock);
  const int seen = told.with_changes;
  pthread_mutex_unlock(&told.lock);
  printf("ready\n");
  do {
    if (wait_until(&told.with_changes, seen, after_ms(PAUSE_MS))) return 1;
    remora_refresh(source, NULL, REFRESH_MS, NULL, NULL);
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec < deadline.tv_sec);
  return 0;
}

int main(int argc, char **argv) {
  remora_client *client = NULL;
  remora_source *source = NULL;
  remora_error error;
  pthread_condattr_t monotonic;
  int changed = 0;
  if (argc != 5 && argc != 6) {
    fprintf(stderr, "usage: %s SERVER_URL ROOT_SHA256|off COLLECTION STORAGE_DIR [PACKAGED_JSON]\n", argv[0]);
    return 2;
  }
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&told.changed, &monotonic);
  if (open_collection(argc, argv, &client, &source, &error) == REMORA_OK)
    changed = watch(source);
  else
    fprintf(stderr, "%s\n", error.message);
  remora_source_close(source);
  remora_client_close(client);
  return changed ? 0 : 1;
}
