/* SPDX-License-Identifier: Apache-2.0 */

/* Watches a collection until it changes, in one thread, with epoll:
 *
 *   event_loop SERVER_URL ROOT_SHA256 COLLECTION STORAGE_DIR [PACKAGED_JSON]
 *
 * Arguments, output and exit status are those of watch.c. Every callback runs inside
 * remora_dispatch, so no lock is needed. The loop waits for Remora's descriptor and for a
 * timer; a real host adds its sockets to the same loop. */
#include <remora.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "print_event.h"

enum { DEADLINE_SECONDS = 60, PAUSE_MS = 200 };

static struct {
  remora_source *source;
  int timer;     /* Fires when the next refresh is due. */
  int refreshes; /* Completed refreshes. */
  int is_over;   /* A change arrived, or none can arrive any more. */
  int is_changed;
} host = {.timer = -1};

/* The first subscriber. After the first refresh, it does not print unchanged results. */
static void on_event(const remora_event *event, void *user_data) {
  (void)user_data;
  if (event->cause == REMORA_CAUSE_OPENED)
    print_state(event);
  else if (host.refreshes == 0 || event->outcome != REMORA_OUTCOME_UNCHANGED)
    print_event(event);
  if (host.refreshes > 0 && event->change_count > 0) host.is_over = host.is_changed = 1;
}

/* Called when a refresh has completed, after its event. Schedules the next refresh. */
static void on_refreshed(const remora_result *result, void *user_data) {
  (void)result;
  const struct itimerspec pause = {.it_value = {.tv_nsec = PAUSE_MS * 1000000L}};
  (void)user_data;
  if (host.refreshes++ == 0) printf("ready\n");
  timerfd_settime(host.timer, 0, &pause, NULL);
}

static void refresh(void) {
  remora_error error;
  if (remora_refresh_async(host.source, NULL, -1, on_refreshed, NULL, NULL, NULL, &error) == REMORA_OK) return;
  fprintf(stderr, "%s\n", error.message);
  host.is_over = 1;
}

static remora_status open_collection(int argc, char **argv, remora_client **client, remora_error *error) {
  remora_config config;
  remora_collection_options collection;
  remora_source_options options;
  REMORA_INIT(&config);
  config.server = argv[1];
  config.storage_dir = argv[4];
  config.application_name = "example";
  config.callbacks = REMORA_CALLBACKS_ON_DISPATCH;
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
  return status == REMORA_OK ? remora_open_collection(*client, &collection, &options, &host.source, error) : status;
}

/* Adds a descriptor to the loop. */
static int add(int loop, int descriptor) {
  struct epoll_event wanted = {.events = EPOLLIN, .data.fd = descriptor};
  return epoll_ctl(loop, EPOLL_CTL_ADD, descriptor, &wanted) == 0;
}

static void run(remora_client *client, int loop, int remora, int deadline) {
  struct epoll_event ready;
  uint64_t expirations;
  refresh();
  while (!host.is_over && epoll_wait(loop, &ready, 1, -1) == 1) {
    if (ready.data.fd == remora)
      remora_dispatch(client, NULL, NULL);
    else if (ready.data.fd == deadline)
      host.is_over = 1;
    else if (read(host.timer, &expirations, sizeof expirations) > 0)
      refresh();
  }
}

int main(int argc, char **argv) {
  const struct itimerspec limit = {.it_value = {.tv_sec = DEADLINE_SECONDS}};
  remora_client *client = NULL;
  remora_error error;
  int32_t remora = -1;
  if (argc != 5 && argc != 6) {
    fprintf(stderr, "usage: %s SERVER_URL ROOT_SHA256|off COLLECTION STORAGE_DIR [PACKAGED_JSON]\n", argv[0]);
    return 2;
  }
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  int loop = epoll_create1(EPOLL_CLOEXEC);
  int deadline = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  host.timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  timerfd_settime(deadline, 0, &limit, NULL);
  if (open_collection(argc, argv, &client, &error) != REMORA_OK ||
      remora_client_get_fd(client, &remora, &error) != REMORA_OK)
    fprintf(stderr, "%s\n", error.message);
  else if (!add(loop, remora) || !add(loop, deadline) || !add(loop, host.timer))
    perror("epoll_ctl");
  else
    run(client, loop, remora, deadline);
  close(loop);
  close(deadline);
  close(host.timer);
  remora_source_close(host.source);
  remora_client_close(client);
  return host.is_changed ? 0 : 1;
}
