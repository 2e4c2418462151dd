/* SPDX-License-Identifier: Apache-2.0 */

/* Reads one value from local data, without any request:
 *
 *   get SERVER_URL ROOT_SHA256 COLLECTION STORAGE_DIR KEY [POINTER]
 *
 * ROOT_SHA256 is the SHA-256 of the root certificate that the server's signers chain to,
 * or "off" for a server that does not sign. POINTER is a JSON Pointer into the value.
 * Prints the origin of the data, then the value as JSON, and exits with 0. On an error it
 * prints the reason and exits with 1. */
#include <inttypes.h>
#include <remora.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Opens the collection that the arguments describe. */
static remora_status open_collection(char **argv, remora_client **client, remora_source **source, remora_error *error) {
  remora_config config;
  remora_collection_options collection;
  REMORA_INIT(&config);
  config.server = argv[1];
  config.storage_dir = argv[4];
  config.application_name = "example";
  REMORA_INIT(&collection);
  collection.name = argv[3];
  if (strcmp(argv[2], "off") == 0)
    collection.trust = REMORA_TRUST_OFF;
  else
    collection.root_sha256 = argv[2];
  remora_status status = remora_setup(&config, client, error);
  return status == REMORA_OK ? remora_open_collection(*client, &collection, NULL, source, error) : status;
}

/* Prints the snapshot's info and the value as JSON. The first call returns the length, the second one the text. */
static remora_status print_value(const remora_snapshot *snapshot, const char *key, const char *pointer,
                                 remora_error *error) {
  remora_snapshot_info info = {.struct_size = sizeof info};
  size_t length = 0;
  remora_status status = remora_snapshot_get_info(snapshot, &info, error);
  if (status == REMORA_OK) status = remora_snapshot_get_json(snapshot, key, pointer, NULL, 0, &length, error);
  if (status != REMORA_OK) return status;
  char *text = malloc(length + 1);
  if (!text) abort();
  status = remora_snapshot_get_json(snapshot, key, pointer, text, length + 1, &length, error);
  if (status == REMORA_OK)
    printf("origin=%s version=%" PRId64 " verified=%s\n%s\n", remora_origin_name(info.origin), info.version,
           info.verified ? "yes" : "no", text);
  free(text);
  return status;
}

int main(int argc, char **argv) {
  remora_client *client = NULL;
  remora_source *source = NULL;
  remora_snapshot *snapshot = NULL;
  remora_error error = {0};
  if (argc != 6 && argc != 7) {
    fprintf(stderr, "usage: %s SERVER_URL ROOT_SHA256|off COLLECTION STORAGE_DIR KEY [POINTER]\n", argv[0]);
    return 2;
  }
  remora_status status = open_collection(argv, &client, &source, &error);
  if (status == REMORA_OK) status = remora_snapshot_acquire(source, 0, &snapshot, &error);
  if (status == REMORA_OK) status = print_value(snapshot, argv[5], argv[6], &error);
  if (status != REMORA_OK) fprintf(stderr, "%s\n", error.message);
  remora_snapshot_release(snapshot);
  remora_source_close(source);
  remora_client_close(client);
  return status == REMORA_OK ? 0 : 1;
}
