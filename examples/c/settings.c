/* SPDX-License-Identifier: Apache-2.0 */

/* Reads remote settings in an application that keeps its values for a whole session:
 *
 *   settings URL STORAGE_DIR
 *
 * Opens the settings with parameters that describe the user and the application. Prints the live settings: those that
 * the previous run fetched, or the defaults of this program. Reads a setting of a tag, and waits for it at most two
 * seconds. Then waits for the refresh that started at the open, activates its result and prints it. Exits with 0 even
 * if the server cannot be reached. */
#include <inttypes.h>
#include <remora.h>
#include <stdio.h>

enum { EXPECTATION_MS = 2000, REFRESH_MS = 10000 };

/* Prints each value. The default is used if the server does not send the value, or sends another type. */
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

/* Prints a value of a tag. A tag has its own dictionary, whose new versions are live at once. Uses the fresh value if
 * it arrives in time, else the previous one, else the default. */
static void print_brush(remora_source *settings) {
  remora_source *editor = NULL;
  remora_error error;
  if (remora_open_tag(settings, "editor", 0, &editor, &error) ||
      remora_await(editor, NULL, EXPECTATION_MS, NULL, &error))
    fprintf(stderr, "%s\n", error.message);
  printf("editor brush=%" PRId64 "\n", remora_get_int(editor, "brush", NULL, 3));
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
  config.application_name = "example";
  REMORA_INIT(&settings);
  settings.url = argv[1];
  settings.request_params = parameters;
  if (remora_setup(&config, &client, &error) || remora_open_settings(client, &settings, NULL, &source, &error)) {
    fprintf(stderr, "%s\n", error.message);
    remora_client_close(client);
    return 1;
  }
  print_settings(source);
  print_brush(source);
  /* Opening started a refresh. This call joins it, or sends a request if it has completed. The new version is staged:
   * it becomes live at remora_activate, or else in the next run. */
  if (remora_refresh(source, NULL, REFRESH_MS, NULL, &error)) fprintf(stderr, "%s\n", error.message);
  if (remora_activate(source, NULL, &outcome, &error)) fprintf(stderr, "%s\n", error.message);
  printf("activate %s\n", outcome == REMORA_OUTCOME_UPDATED ? "updated" : "unchanged");
  print_settings(source);
  remora_source_close(source);
  remora_client_close(client);
  return 0;
}
