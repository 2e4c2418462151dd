/* SPDX-License-Identifier: Apache-2.0 */

/* A host that returns from main, without closing, while its request is in flight.
 *
 * exit_in_flight SERVER_URL CA_FILE: starts a refresh, waits for one byte on standard
 * input, by which the script says that the server is in the middle of its answer, and
 * returns 0. Any other end, or a signal, is a failure of the library's exit handler. */
#include <remora.h>
#include <stdio.h>
#include <unistd.h>

static int explain(const char *what, const remora_error *error) {
  fprintf(stderr, "%s: %s\n", what, error->message);
  return 1;
}

int main(int argc, char **argv) {
  remora_config config;
  remora_collection_options collection;
  remora_client *client = NULL;
  remora_source *source = NULL;
  remora_error error;
  char byte;
  if (argc != 3) return 2;
  REMORA_INIT(&config);
  config.storage_dir = REMORA_STORAGE_MEMORY;
  config.server = argv[1];
  config.ca_file = argv[2];
  config.max_body_bytes = (int64_t)256 * 1024 * 1024;
  if (remora_setup(&config, &client, &error) != REMORA_OK) return explain("setup", &error);
  REMORA_INIT(&collection);
  collection.name = "endless";
  collection.trust = REMORA_TRUST_OFF;
  if (remora_open_collection(client, &collection, NULL, &source, &error) != REMORA_OK) return explain("open", &error);
  if (remora_refresh_async(source, NULL, -1, NULL, NULL, NULL, NULL, &error) != REMORA_OK)
    return explain("refresh", &error);
  return read(STDIN_FILENO, &byte, 1) == 1 ? 0 : 3;
}
