/* SPDX-License-Identifier: Apache-2.0 */

/* Uses a remote configuration as an application with a tracker does:
 *
 *   bundle URL STORAGE_DIR
 *
 * Opens it with a default bundle and a callback, which prints "success" with state and namespaces where a tracker calls
 * onSuccess, and "event" for all that a tracker is silent about; waits for the first refresh; sets a user id of its own,
 * refreshes once more, and shows that the user id is still the own one while the rest is the server's. Exits with 0, also
 * when the server cannot be reached: then the defaults or the cache hold. */
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

/* Whether a tracker calls onSuccess: the default or cached bundle at the start, and every newer bundle. */
static int is_success(const remora_event *event) {
  if (event->origin == REMORA_ORIGIN_NONE) return 0;
  switch (event->cause) {
    case REMORA_CAUSE_OPENED: return 1;
    case REMORA_CAUSE_REFRESHED: return event->outcome == REMORA_OUTCOME_UPDATED;
    case REMORA_CAUSE_ADOPTED: return event->outcome == REMORA_OUTCOME_NONE; /* Another process fetched it. */
    default: return 0;
  }
}

/* Adds a namespace that is in the bundle to a list; the others were carried over, or made by an override. */
static int32_t list_namespace(const remora_namespace *entry, void *raw) {
  char *names = raw;
  size_t length = strlen(names);
  if (entry->in_bundle) snprintf(names + length, 256 - length, "%s%s", length ? "," : "", entry->name);
  return 0;
}

/* Each line in one piece, as main prints at the same time. */
static void on_event(const remora_event *event, void *unused) {
  char names[256] = "";
  (void)unused;
  if (is_success(event)) {
    /* Fails only while main closes the client. */
    if (remora_namespace_foreach(event->source, event->new_snapshot, list_namespace, names, NULL)) return;
    printf("success state=%s namespaces=%s version=%" PRId64 "\n", remora_origin_name(event->origin), names,
           event->version);
  } else {
    printf("event cause=%s outcome=%s%s%s\n", remora_cause_name(event->cause), remora_outcome_name(event->outcome),
           event->error ? " error=" : "", event->error ? remora_status_name(event->error->status) : "");
  }
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
  remora_bundle_options bundle;
  remora_source_options options;
  if (argc != 3) {
    fprintf(stderr, "usage: %s URL STORAGE_DIR\n", argv[0]);
    return 2;
  }
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  REMORA_INIT(&config);
  config.storage_dir = argv[2];
  REMORA_INIT(&bundle);
  bundle.url = argv[1];
  bundle.default_bundle = default_bundle;
  bundle.default_version = 1;
  REMORA_INIT(&options);
  options.on_event = on_event;
  if (remora_setup(&config, &client, &error) || remora_open_bundle(client, &bundle, &options, &source, &error)) {
    fprintf(stderr, "%s\n", error.message);
    remora_client_close(client);
    return 1;
  }
  /* Opening began a refresh; this one shares it, or asks once more. */
  if (remora_refresh(source, NULL, REFRESH_MS, NULL, &error)) fprintf(stderr, "%s\n", error.message);
  remora_namespace_foreach(source, NULL, print_namespace, NULL, NULL);
  print_app(source);
  /* As a controller of a tracker does at run time: it wins over every bundle, and creates no namespace that is removed. */
  if (remora_override_set(source, "app", "/subjectConfiguration/userId", "\"me\"", REMORA_OVERRIDE_IF_EXISTS, &error))
    fprintf(stderr, "%s\n", error.message);
  remora_refresh(source, NULL, REFRESH_MS, NULL, NULL);
  print_app(source);
  remora_source_close(source);
  remora_client_close(client);
  return 0;
}
