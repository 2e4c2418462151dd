/* SPDX-License-Identifier: Apache-2.0 */

/* Uses a remote configuration as an application with a tracker does:
 *
 *   bundle URL STORAGE_DIR
 *
 * Opens it with a default bundle and a callback, which prints every state and every outcome; waits for the first
 * refresh; sets a user id of its own, refreshes once more, and shows that the user id is still the own one while the
 * rest is the server's. Exits with 0, also when the server cannot be reached: then the defaults or the cache hold. */
#include <inttypes.h>
#include <remora.h>
#include <stdio.h>
#include <string.h>

enum { REFRESH_MS = 10000 };

static const char default_bundle[] =
    "[{\"namespace\":\"app\","
    "\"networkConfiguration\":{\"endpoint\":\"https://collector.example\",\"method\":\"post\"},"
    "\"trackerConfiguration\":{\"appId\":\"example\",\"sessionContext\":true},"
    "\"subjectConfiguration\":{\"userId\":\"nobody\"}}]";

static const char *origin_name(int32_t origin) {
  static const char *const names[] = {"none", "default", "packaged", "cached", "fetched"};
  return origin >= 0 && origin <= REMORA_ORIGIN_FETCHED ? names[origin] : "unknown";
}

/* What setup and refresh call onSuccess with in the trackers, namespaces and state, and all that they are silent about. */
static void on_event(const remora_event *event, void *unused) {
  const char *name = NULL;
  char names[256] = "";
  (void)unused;
  for (size_t i = 0; remora_snapshot_at(event->new_snapshot, i, &name, NULL, NULL, NULL) == REMORA_OK; i++) {
    size_t length = strlen(names);
    snprintf(names + length, sizeof names - length, "%s%s", i ? "," : "", name);
  }
  /* In one piece, as main prints at the same time. */
  printf("%s version=%" PRId64 " changes=%zu namespaces=%s%s%s%s%s\n", origin_name(event->origin), event->version,
         event->change_count, names, event->cause == REMORA_CAUSE_OVERRIDE ? " by the application" : "",
         event->outcome == REMORA_OUTCOME_NOT_NEWER ? " the server's version is not higher" : "",
         event->error ? " " : "", event->error ? remora_status_name(event->error->status) : "");
}

static int32_t print_namespace(const remora_namespace *entry, void *unused) {
  (void)unused;
  printf("namespace %s%s%s\n", entry->name, entry->is_default ? " (default)" : "",
         entry->in_bundle ? "" : " (not in this bundle)");
  return 0;
}

static void print_app(remora_source *source) {
  char endpoint[256], user[64];
  remora_get_string(source, "app", "/networkConfiguration/endpoint", endpoint, sizeof endpoint, "none");
  remora_get_string(source, "app", "/subjectConfiguration/userId", user, sizeof user, "none");
  printf("app endpoint=%s user=%s session=%d\n", endpoint, user,
         remora_get_bool(source, "app", "/trackerConfiguration/sessionContext", 1));
}

int main(int argc, char **argv) {
  remora_client *client = NULL;
  remora_source *source = NULL;
  remora_error error = {0};
  remora_config config;
  remora_bundle_options options;
  if (argc != 3) {
    fprintf(stderr, "usage: %s URL STORAGE_DIR\n", argv[0]);
    return 2;
  }
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  remora_config_init(&config, sizeof config);
  config.storage_dir = argv[2];
  remora_bundle_options_init(&options, sizeof options);
  options.url = argv[1];
  options.default_bundle = default_bundle;
  options.default_version = 1;
  options.on_event = on_event;
  if (remora_setup(&config, &client, &error) || remora_open_bundle(client, &options, &source, &error)) {
    fprintf(stderr, "%s\n", error.message);
    remora_close(client);
    return 1;
  }
  /* Opening began a refresh; this one shares it, or asks once more. */
  if (remora_refresh(source, REFRESH_MS, NULL, &error)) fprintf(stderr, "%s\n", error.message);
  remora_source_namespaces(source, NULL, print_namespace, NULL, NULL);
  print_app(source);
  /* As a controller of a tracker does at run time: it wins over every bundle, and creates no namespace that is removed. */
  if (remora_override_set_if_exists(source, "app", "/subjectConfiguration/userId", "\"me\"", &error))
    fprintf(stderr, "%s\n", error.message);
  remora_refresh(source, REFRESH_MS, NULL, NULL);
  print_app(source);
  remora_source_close(source);
  remora_close(client);
  return 0;
}
