/* SPDX-License-Identifier: Apache-2.0 */

/* Reads remote settings as an application does, in which a session keeps its values:
 *
 *   settings URL STORAGE_DIR
 *
 * Opens them with what the server is to know of user and application, and prints what is live: what the run before
 * fetched, or else the defaults of this program. Asks for the settings of a tag, for two seconds at most. Then waits for
 * what opening began to fetch, makes it live, and prints it. Exits with 0, also when the server cannot be reached. */
#include <inttypes.h>
#include <remora.h>
#include <stdio.h>

enum { EXPECTATION_MS = 2000, REFRESH_MS = 10000 };

static const char *origin_name(int32_t origin) {
  static const char *const names[] = {"none", "default", "packaged", "cached", "fetched"};
  return origin >= 0 && origin <= REMORA_ORIGIN_FETCHED ? names[origin] : "unknown";
}

/* Each value with what holds when the server does not say, or says something of another type. */
static void print_settings(remora_source *settings) {
  char title[64], help[256];
  remora_source_info info = {0};
  info.struct_size = sizeof info;
  remora_source_get_info(settings, &info, NULL);
  remora_get_string(settings, "title", NULL, title, sizeof title, "Welcome");
  remora_get_url(settings, "help", NULL, help, sizeof help, "https://example.org/help");
  printf("settings origin=%s limit=%" PRId64 " dark=%d ratio=%.2f title=%s help=%s\n", origin_name(info.origin),
         remora_get_int(settings, "limit", NULL, 10), remora_get_bool(settings, "dark", NULL, 0),
         remora_get_double(settings, "ratio", NULL, 1.0), title, help);
}

/* A tag has a dictionary of its own, which is live at once: the fresh value if it comes in time, else the one that was
 * there before, else the default. At the end of the time nobody waits for the answer any more. */
static void print_brush(remora_client *client, remora_settings_options options) {
  remora_source *editor = NULL;
  remora_snapshot *snapshot = NULL;
  remora_error error = {0};
  int64_t brush = 3;
  options.tag = "editor";
  options.fetch_at_open = -1; /* The wait does. */
  if (remora_open_settings(client, &options, &editor, &error) ||
      remora_await(editor, 0, EXPECTATION_MS, &snapshot, &error))
    fprintf(stderr, "%s\n", error.message);
  if (snapshot) remora_snapshot_get_int(snapshot, "brush", NULL, &brush, NULL);
  printf("editor brush=%" PRId64 "\n", brush);
  remora_snapshot_release(snapshot);
  remora_source_close(editor);
}

int main(int argc, char **argv) {
  const char *const parameters[] = {"user", "u1", "version", "2.0", NULL};
  remora_client *client = NULL;
  remora_source *settings = NULL;
  remora_error error = {0};
  remora_config config;
  remora_settings_options options;
  int32_t outcome = REMORA_OUTCOME_NONE;
  if (argc != 3) {
    fprintf(stderr, "usage: %s URL STORAGE_DIR\n", argv[0]);
    return 2;
  }
  REMORA_INIT(&config);
  config.storage_dir = argv[2];
  REMORA_INIT(&options);
  options.url = argv[1];
  options.request_params = parameters;
  if (remora_setup(&config, &client, &error) || remora_open_settings(client, &options, &settings, &error)) {
    fprintf(stderr, "%s\n", error.message);
    remora_client_close(client);
    return 1;
  }
  print_settings(settings);
  print_brush(client, options);
  /* Opening began a refresh; this one shares it, or asks once more. What it brings is staged: it would be live from the
   * next run on, and for the rest of this one in any case after remora_stop_listening. */
  if (remora_refresh(settings, REFRESH_MS, NULL, &error)) fprintf(stderr, "%s\n", error.message);
  if (remora_activate(settings, &outcome, &error)) fprintf(stderr, "%s\n", error.message);
  printf("activate %s\n", outcome == REMORA_OUTCOME_UPDATED ? "updated" : "unchanged");
  print_settings(settings);
  remora_source_close(settings);
  remora_client_close(client);
  return 0;
}
