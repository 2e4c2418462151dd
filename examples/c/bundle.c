/* SPDX-License-Identifier: Apache-2.0 */

/* Uses a remote configuration in an application with a tracker:
 *
 *   bundle URL STORAGE_DIR
 *
 * Opens a bundle with a default and a callback. The callback prints "success" with state and namespaces where a tracker
 * calls onSuccess, and "event" for every other event. Then the program waits for the first refresh, overrides the user
 * id and refreshes again. The printed user id is still the override; the other values are the server's. Exits with 0
 * even if the server cannot be reached: the default or the cached bundle is used then. */
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

/* Prints each line with one call, because main prints on another thread. */
static void on_event(const remora_event *event, void *unused) {
  char names[256] = "";
  (void)unused;
  if (event->namespaces) {
    for (const char *const *name = event->namespaces; *name; name++) {
      size_t length = strlen(names);
      snprintf(names + length, sizeof names - length, "%s%s", length ? "," : "", *name);
    }
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
  config.application_name = "example";
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
  /* Opening started a refresh. This call joins it, or sends a request if it has completed. */
  if (remora_refresh(source, NULL, REFRESH_MS, NULL, &error)) fprintf(stderr, "%s\n", error.message);
  remora_namespace_foreach(source, NULL, print_namespace, NULL, NULL);
  print_app(source);
  /* Like a tracker's controller at run time. It overrides every bundle, but a removed namespace does not reappear. */
  if (remora_override_set_string(source, "app", "/subjectConfiguration/userId", "me", REMORA_OVERRIDE_IF_EXISTS,
                                 &error))
    fprintf(stderr, "%s\n", error.message);
  remora_refresh(source, NULL, REFRESH_MS, NULL, NULL);
  print_app(source);
  remora_source_close(source);
  remora_client_close(client);
  return 0;
}
