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

/* Each value with what holds when the server does not say, or says something of another type. */
static void print_settings(remora_source *source) {
  char title[64], help[256];
  remora_source_info info = {0};
  info.struct_size = sizeof info;
  remora_source_get_info(source, &info, NULL);
  remora_get_string(source, "title", NULL, title, sizeof title, "Welcome");
  remora_get_url(source, "help", NULL, help, sizeof help, "https://example.org/help");
  printf("settings origin=%s limit=%" PRId64 " dark=%d ratio=%.2f title=%s help=%s\n", remora_origin_name(info.origin),
         remora_get_int(source, "limit", NULL, 10), remora_get_bool(source, "dark", NULL, 0),
         remora_get_double(source, "ratio", NULL, 1.0), title, help);
}

/* A tag has a dictionary of its own, which is live at once: the fresh value if it comes in time, else the one that was
 * there before, else the default. */
static void print_brush(remora_client *client, remora_settings_options settings) {
  remora_source_options options;
  remora_source *editor = NULL;
  remora_snapshot *snapshot = NULL;
  remora_error error = {0};
  int64_t brush = 3;
  settings.tag = "editor";
  REMORA_INIT(&options);
  options.first_fetch = REMORA_FIRST_FETCH_ON_REQUEST; /* The wait sends the request. */
  if (remora_open_settings(client, &settings, &options, &editor, &error) ||
      remora_await(editor, NULL, EXPECTATION_MS, &snapshot, &error))
    fprintf(stderr, "%s\n", error.message);
  if (snapshot) remora_snapshot_get_int(snapshot, "brush", NULL, &brush, NULL);
  printf("editor brush=%" PRId64 "\n", brush);
  remora_snapshot_release(snapshot);
  remora_source_close(editor);
}

int main(int argc, char **argv) {
  const char *const parameters[] = {"user", "u1", "version", "2.0", NULL};
  remora_client *client = NULL;
  remora_source *source = NULL;
  remora_error error = {0};
  remora_config config;
  remora_settings_options settings;
  int32_t outcome = REMORA_OUTCOME_NONE;
  if (argc != 3) {
    fprintf(stderr, "usage: %s URL STORAGE_DIR\n", argv[0]);
    return 2;
  }
  REMORA_INIT(&config);
  config.storage_dir = argv[2];
  REMORA_INIT(&settings);
  settings.url = argv[1];
  settings.request_params = parameters;
  if (remora_setup(&config, &client, &error) || remora_open_settings(client, &settings, NULL, &source, &error)) {
    fprintf(stderr, "%s\n", error.message);
    remora_client_close(client);
    return 1;
  }
  print_settings(source);
  print_brush(client, settings);
  /* Opening began a refresh; this one shares it, or asks once more. What it brings is staged: it would be live from the
   * next run on, and for the rest of this one in any case after remora_stop_listening. */
  if (remora_refresh(source, NULL, REFRESH_MS, NULL, &error)) fprintf(stderr, "%s\n", error.message);
  if (remora_activate(source, &outcome, &error)) fprintf(stderr, "%s\n", error.message);
  printf("activate %s\n", outcome == REMORA_OUTCOME_UPDATED ? "updated" : "unchanged");
  print_settings(source);
  remora_source_close(source);
  remora_client_close(client);
  return 0;
}
