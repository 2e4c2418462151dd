/* SPDX-License-Identifier: Apache-2.0 */

/* Opens and closes the scene of a host that dispatches. */
#include "host_loop.h"

#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>

remora_subscription *subscription;
recorder events;
static pthread_t caller;
static int32_t place;
static tally elsewhere; /* Callbacks on another thread than the caller's, and ends on one of the library's. */

static void note_thread(const remora_event *event, void *context) {
  (void)event;
  (void)context;
  if (!pthread_equal(caller, pthread_self())) tally_add(&elsewhere);
}

static void note_end(void *recorder) {
  char name[17] = "";
  prctl(PR_GET_NAME, name);
  if (strncmp(name, "remora-", 7) == 0) tally_add(&elsewhere);
  recorder_freed(recorder);
}

static remora_client *client_at(const char *directory, const char *url, int32_t callbacks) {
  remora_config config;
  remora_client *made = NULL;
  REMORA_INIT(&config);
  config.storage_dir = directory;
  config.server = url;
  config.callbacks = callbacks;
  REQUIRE_OK(remora_setup(&config, &made, &error));
  return made;
}

remora_client *client_on_dispatch(const char *directory, const char *url) {
  return client_at(directory, url, REMORA_CALLBACKS_ON_DISPATCH);
}

void open_host(const char *directory, int32_t callbacks) {
  caller = pthread_self();
  place = callbacks;
  tally_init(&elsewhere);
  recorder_init(&events);
  events.during = note_thread;
  server = loopback_start();
  loopback_publish(server, 2000, "[{\"id\":\"a\",\"last_modified\":2000,\"n\":5}]", 0, NULL);
  client = client_at(directory, loopback_url(server), callbacks);
  source = open_untrusted(client, "sample", NULL);
  REQUIRE_OK(remora_subscribe(source, NULL, 0, recorder_event, &events, note_end, &subscription, &error));
}

void close_host(void) {
  remora_unsubscribe(subscription);
  close_scene();
  CHECK_INT(1, tally_count(&events.freed));
  if (place == REMORA_CALLBACKS_ON_DISPATCH) CHECK_INT(0, tally_count(&elsewhere));
}

int descriptor(void) {
  int32_t fd = -1;
  REQUIRE_OK(remora_client_get_fd(client, &fd, &error));
  REQUIRE(fd >= 0);
  return fd;
}

size_t dispatch(void) {
  size_t count = 99;
  REQUIRE_OK(remora_dispatch(client, &count, &error));
  return count;
}

int is_readable(int fd, int ms) {
  struct pollfd waiting = {.fd = fd, .events = POLLIN};
  return poll(&waiting, 1, ms) == 1;
}
