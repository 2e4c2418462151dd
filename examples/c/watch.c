/* SPDX-License-Identifier: Apache-2.0 */

/* Watches a collection until it changes:
 *
 *   watch SERVER_URL ROOT_SHA256 COLLECTION STORAGE_DIR [PACKAGED_JSON]
 *
 * ROOT_SHA256 may be "off", for a server that does not sign. Prints the state at the start
 * ("state" and "key" lines), refreshes, prints the result ("event" and "change" lines) and
 * then "ready". Refreshes repeatedly until another event has changes, prints it and exits
 * with 0. Exits with 1 if no such event arrives within 60 seconds. Every line is flushed at
 * once, so that a script can follow the output. */
#include <pthread.h>
#include <remora.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "print_event.h"

enum { DEADLINE_SECONDS = 60, PAUSE_MS = 200, REFRESH_MS = 30000 };

/* The events that the callback has counted for main. Only the callback writes it. */
static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int opened;       /* Events with the state at the start. */
  int refreshed;    /* Events of refreshes. */
  int with_changes; /* Events with changes, except at the start. */
} counted = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The first subscriber. Runs on the client's delivery thread, one call at a time. After the
 * first refresh, it does not print unchanged results. */
static void on_event(const remora_event *event, void *user_data) {
  (void)user_data;
  if (event->cause == REMORA_CAUSE_OPENED)
    print_state(event);
  else if (counted.refreshed == 0 || event->outcome != REMORA_OUTCOME_UNCHANGED)
    print_event(event);
  pthread_mutex_lock(&counted.lock);
  if (event->cause == REMORA_CAUSE_OPENED)
    counted.opened++;
  else if (event->cause == REMORA_CAUSE_REFRESHED)
    counted.refreshed++;
  if (event->cause != REMORA_CAUSE_OPENED && event->change_count > 0) counted.with_changes++;
  pthread_cond_broadcast(&counted.changed);
  pthread_mutex_unlock(&counted.lock);
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

/* Waits until a count is above `seen`. Returns 0 if the deadline passes first. */
static int wait_until(const int *count, int seen, struct timespec deadline) {
  pthread_mutex_lock(&counted.lock);
  while (*count <= seen && pthread_cond_timedwait(&counted.changed, &counted.lock, &deadline) == 0) {
  }
  int reached = *count > seen;
  pthread_mutex_unlock(&counted.lock);
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
  config.application_name = "example";
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

/* Refreshes until an event has changes. Returns 0 if the deadline passes first. The event of
 * a failed refresh has printed its error, and the next refresh may succeed. */
static int watch(remora_source *source) {
  const struct timespec deadline = after_ms(DEADLINE_SECONDS * 1000L);
  struct timespec now;
  if (!wait_until(&counted.opened, 0, deadline)) return 0;
  remora_refresh(source, NULL, REFRESH_MS, NULL, NULL);
  if (!wait_until(&counted.refreshed, 0, deadline)) return 0;
  pthread_mutex_lock(&counted.lock);
  const int seen = counted.with_changes;
  pthread_mutex_unlock(&counted.lock);
  printf("ready\n");
  do {
    if (wait_until(&counted.with_changes, seen, after_ms(PAUSE_MS))) return 1;
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
  pthread_cond_init(&counted.changed, &monotonic);
  if (open_collection(argc, argv, &client, &source, &error) == REMORA_OK)
    changed = watch(source);
  else
    fprintf(stderr, "%s\n", error.message);
  remora_source_close(source);
  remora_client_close(client);
  return changed ? 0 : 1;
}
