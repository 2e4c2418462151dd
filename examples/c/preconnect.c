/* SPDX-License-Identifier: Apache-2.0 */

/* Connects to a server before anything is set up, and reads settings over that connection:
 *
 *   preconnect HELLO_URL SETTINGS_URL
 *
 * HELLO_URL is any URL of the settings' server. Between the two steps it waits for Enter; a host would show its window,
 * for example. Prints the library's log, which reports the result of the connection, and the number of settings. */
#include <remora.h>
#include <stdio.h>

enum { REFRESH_MS = 10000 };

static void print_line(const remora_log_entry *entry, void *unused) {
  (void)unused;
  printf("log: %s\n", entry->message);
}

int main(int argc, char **argv) {
  remora_client *client = NULL;
  remora_source *source = NULL;
  remora_snapshot *snapshot = NULL;
  remora_error error = {0};
  remora_config config;
  remora_settings_options settings;
  if (argc != 3) {
    fprintf(stderr, "usage: %s HELLO_URL SETTINGS_URL\n", argv[0]);
    return 2;
  }
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  /* Call this first. It does not block: name lookup, TCP and TLS run in the background. A failure has no effect. */
  REMORA_INIT(&config);
  config.storage_dir = REMORA_STORAGE_MEMORY;
  config.application_name = "example";
  config.on_log = print_line;
  config.log_level = REMORA_LOG_DEBUG;
  if (remora_preconnect(&config, argv[1], NULL, &error)) fprintf(stderr, "%s\n", error.message);

  REMORA_INIT(&settings);
  settings.url = argv[2];
  settings.activation = REMORA_ACTIVATION_IMMEDIATE;
  if (remora_setup(&config, &client, &error)) goto failed;
  printf("press Enter\n");
  getchar();
  /* The request reuses the open connection. */
  if (remora_open_settings(client, &settings, NULL, &source, &error) ||
      remora_refresh(source, NULL, REFRESH_MS, NULL, &error) || remora_snapshot_acquire(source, 0, &snapshot, &error))
    goto failed;
  printf("settings keys=%zu\n", remora_snapshot_count(snapshot));
  remora_snapshot_release(snapshot);
  remora_source_close(source);
  remora_client_close(client);
  return 0;

failed:
  fprintf(stderr, "%s\n", error.message);
  remora_source_close(source);
  remora_client_close(client);
  return 1;
}
