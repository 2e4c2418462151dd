/* SPDX-License-Identifier: Apache-2.0 */

/* Syncs collections with their server until a signal stops it:
 *
 *   periodic_sync [-i SECONDS] [-r SECONDS] SERVER_URL ROOT_SHA256 STORAGE_DIR COLLECTION...
 *
 * ROOT_SHA256 may be "off", for a server that does not sign. The first sync starts at once. The
 * next one starts -r seconds after a network error (default: 300), after the delay that the
 * server requested, or else after -i seconds (default: 86400). Prints a line for each source
 * that was updated or failed, and one for each sync. SIGINT and SIGTERM stop it with exit
 * status 0.
 *
 * A host that only needs fresh settings sets refresh_interval_ms instead. */
#include <remora.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { DAY_SECONDS = 86400, RETRY_SECONDS = 300, SYNC_LIMIT_MS = 120000 };

/* Called inside remora_sync, on the same thread. */
static void print_report(const remora_sync_report *report, void *user_data) {
  (void)user_data;
  for (size_t i = 0; i < report->item_count; i++) {
    const remora_sync_item *item = report->items[i];
    if (item->error)
      printf("failed %s %s: %s\n", item->source_name, remora_status_name(item->error->status), item->error->message);
    else if (item->outcome == REMORA_OUTCOME_UPDATED)
      printf("updated %s\n", item->source_name);
  }
  printf("sync total=%zu updated=%zu unchanged=%zu failed=%zu status=%s\n", report->item_count, report->updated,
         report->unchanged, report->failed, remora_status_name(report->error ? report->error->status : REMORA_OK));
}

/* Returns the pause after a sync. */
static double wait_seconds(remora_status status, const remora_error *error, double normal, double retry) {
  switch (status) {
    case REMORA_ERR_BACKOFF:
    case REMORA_ERR_HTTP:
      /* Wait as long as the server requested. Without a delay, treat it like a network error. */
      return error->retry_after_ms > 0 ? (double)error->retry_after_ms / 1000 : retry;
    case REMORA_ERR_NETWORK:
    case REMORA_ERR_TLS:
    case REMORA_ERR_TIMEOUT: return retry;
    default:
      /* Success, or an error that an early retry does not fix. */
      return normal;
  }
}

/* Waits. Returns 1 if a signal arrived before the time was over. */
static int wait_for_end(const sigset_t *ends, double seconds) {
  struct timespec limit;
  limit.tv_sec = (time_t)seconds;
  limit.tv_nsec = (long)((seconds - (double)limit.tv_sec) * 1e9);
  return sigtimedwait(ends, NULL, &limit) > 0;
}

static remora_status open_all(remora_client *client, const char *root, char **names, remora_source **sources,
                              remora_error *error) {
  remora_status status = REMORA_OK;
  for (size_t i = 0; names[i] && status == REMORA_OK; i++) {
    remora_collection_options collection;
    REMORA_INIT(&collection);
    collection.name = names[i];
    if (strcmp(root, "off") == 0)
      collection.trust = REMORA_TRUST_OFF;
    else
      collection.root_sha256 = root;
    status = remora_open_collection(client, &collection, NULL, &sources[i], error);
  }
  return status;
}

/* Syncs until a signal arrives. */
static void run(remora_client *client, const sigset_t *ends, double normal, double retry) {
  double seconds;
  do {
    remora_error error;
    remora_status status = remora_sync(client, NULL, SYNC_LIMIT_MS, print_report, NULL, &error);
    seconds = wait_seconds(status, &error, normal, retry);
    printf("next in %.1f s\n", seconds);
  } while (!wait_for_end(ends, seconds));
}

static int usage(const char *name) {
  fprintf(stderr, "usage: %s [-i SECONDS] [-r SECONDS] SERVER_URL ROOT_SHA256|off STORAGE_DIR COLLECTION...\n", name);
  return 2;
}

int main(int argc, char **argv) {
  remora_client *client = NULL;
  remora_error error;
  remora_config config;
  sigset_t ends;
  double normal = DAY_SECONDS, retry = RETRY_SECONDS;
  int option;
  while ((option = getopt(argc, argv, "i:r:")) != -1) {
    if (option == 'i')
      normal = strtod(optarg, NULL);
    else if (option == 'r')
      retry = strtod(optarg, NULL);
    else
      return usage(argv[0]);
  }
  if (argc - optind < 4 || normal <= 0 || retry <= 0) return usage(argv[0]);
  char **arguments = argv + optind;
  size_t count = (size_t)(argc - optind - 3);
  remora_source **sources = calloc(count, sizeof *sources);
  if (!sources) return 1;
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  /* Blocked before the first thread starts, so that only wait_for_end receives the signals. */
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  sigprocmask(SIG_BLOCK, &ends, NULL);
  REMORA_INIT(&config);
  config.server = arguments[0];
  config.storage_dir = arguments[2];
  config.application_name = "example";
  remora_status status = remora_setup(&config, &client, &error);
  if (status == REMORA_OK) status = open_all(client, arguments[1], arguments + 3, sources, &error);
  if (status == REMORA_OK)
    run(client, &ends, normal, retry);
  else
    fprintf(stderr, "%s\n", error.message);
  for (size_t i = 0; i < count; i++) remora_source_close(sources[i]);
  remora_client_close(client);
  free(sources);
  return status == REMORA_OK ? 0 : 1;
}
