/* SPDX-License-Identifier: Apache-2.0 */

/* A service that heals from a bad push: four workers under a supervisor.
 *
 *   rollout SERVER_URL ROOT_SHA256 COLLECTION STORAGE_DIR
 *
 * Each worker reads "pool" /servers, refreshes once a second, and crashes if there is no
 * server, as a program with a wrong assumption does. The supervisor starts workers again.
 * After three deaths within ten seconds, its health check rejects the live version: then all
 * workers read the version before it, and none fetches the rejected one again. SIGTERM ends
 * the service. */
#include <remora.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 4, DEATHS = 3, WINDOW_SECONDS = 10 };

static const char *const *arguments; /* SERVER_URL, ROOT_SHA256, COLLECTION, STORAGE_DIR */
static int worker_number;            /* 1 to WORKERS; 0 in the supervisor. */
static volatile sig_atomic_t is_ended;

static void open_source(int64_t interval_ms, remora_event_callback on_event, remora_client **client,
                        remora_source **source) {
  remora_error error;
  remora_config config;
  remora_collection_options collection;
  remora_source_options options;
  REMORA_INIT(&config);
  config.server = arguments[0];
  config.storage_dir = arguments[3];
  config.application_name = "example";
  REMORA_INIT(&collection);
  collection.root_sha256 = arguments[1];
  collection.name = arguments[2];
  REMORA_INIT(&options);
  options.refresh_interval_ms = interval_ms;
  options.on_event = on_event;
  if (remora_setup(&config, client, &error) == REMORA_OK &&
      remora_open_collection(*client, &collection, &options, source, &error) == REMORA_OK)
    return;
  fprintf(stderr, "%s\n", error.message);
  exit(1);
}

/* Prints each version that becomes live, and the first refusal of a version. */
static void on_event(const remora_event *event, void *user_data) {
  static remora_status refusal;
  (void)user_data;
  remora_snapshot_info info;
  REMORA_INIT(&info);
  const remora_status status = event->error ? event->error->status : REMORA_OK;
  remora_snapshot_get_info(event->new_snapshot, &info, NULL);
  if (event->change_count > 0 || event->cause == REMORA_CAUSE_REJECTED)
    printf("worker %d: %s: version %lld is live\n", worker_number, remora_cause_name(event->cause),
           (long long)info.version);
  else if (status != REMORA_OK && status != refusal)
    printf("worker %d: %s: %s\n", worker_number, remora_cause_name(event->cause), event->error->message);
  refusal = status;
}

static void work(void) {
  const struct timespec pause = {0, 100 * 1000 * 1000};
  remora_client *client = NULL;
  remora_source *source = NULL;
  int64_t shown = -1;
  open_source(1000, on_event, &client, &source);
  while (!is_ended) {
    const int64_t servers = remora_get_int(source, "pool", "/servers", -1);
    if (servers == 0) abort(); /* The bug: it never happened before. */
    if (servers != shown && servers > 0)
      printf("worker %d: serves with %lld servers\n", worker_number, (long long)servers);
    shown = servers;
    nanosleep(&pause, NULL);
  }
  remora_source_close(source);
  remora_client_close(client);
  exit(0);
}

/* The health check: rejects the version with which the workers died. */
static void reject_live_version(int deaths) {
  char reason[80];
  remora_error error;
  remora_client *client = NULL;
  remora_source *source = NULL;
  remora_snapshot *snapshot = NULL;
  remora_snapshot_info info;
  REMORA_INIT(&info);
  snprintf(reason, sizeof reason, "%d workers died within %d s", deaths, WINDOW_SECONDS);
  open_source(-1, NULL, &client, &source);
  if (remora_snapshot_acquire(source, 0, &snapshot, &error) == REMORA_OK &&
      remora_snapshot_get_info(snapshot, &info, &error) == REMORA_OK &&
      remora_reject(source, snapshot, reason, &error) == REMORA_OK)
    printf("supervisor: rejected version %lld: %s\n", (long long)info.version, reason);
  else
    printf("supervisor: cannot reject: %s\n", error.message);
  remora_snapshot_release(snapshot);
  remora_source_close(source);
  remora_client_close(client);
}

/* Starts a worker. The supervisor has no client open then. */
static pid_t start_worker(int number) {
  fflush(stdout);
  const pid_t child = fork();
  if (child != 0) return child;
  worker_number = number;
  work();
  return 0;
}

static void supervise(void) {
  pid_t workers[WORKERS];
  int deaths = 0;
  time_t first = 0;
  for (int i = 0; i < WORKERS; i++) workers[i] = start_worker(i + 1);
  while (!is_ended) {
    int status = 0;
    const pid_t dead = waitpid(-1, &status, 0);
    for (int i = 0; i < WORKERS && dead > 0; i++) {
      if (workers[i] != dead) continue;
      const time_t now = time(NULL);
      if (now - first > WINDOW_SECONDS) deaths = 0;
      if (deaths++ == 0) first = now;
      printf("supervisor: worker %d died of signal %d\n", i + 1, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
      if (deaths == DEATHS) reject_live_version(deaths);
      workers[i] = start_worker(i + 1);
    }
  }
  for (int i = 0; i < WORKERS; i++) kill(workers[i], SIGTERM);
  while (waitpid(-1, NULL, 0) > 0) {
  }
}

static void end(int signal_number) {
  (void)signal_number;
  is_ended = 1;
}

int main(int argc, char **argv) {
  struct sigaction action;
  if (argc != 5) {
    fprintf(stderr, "usage: %s SERVER_URL ROOT_SHA256 COLLECTION STORAGE_DIR\n", argv[0]);
    return 2;
  }
  arguments = (const char *const *)argv + 1;
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  memset(&action, 0, sizeof action);
  action.sa_handler = end;
  sigaction(SIGTERM, &action, NULL);
  supervise();
  printf("supervisor: ended\n");
  return 0;
}
