/* SPDX-License-Identifier: Apache-2.0 */

/* Ships the collection "regions" inside the program, so that settings exist before the first request:
 *
 *   embedded [SERVER_URL ROOT_SHA256]
 *
 * Prints the live version at the start. With a server, refreshes and prints it again. */
#include <inttypes.h>
#include <remora.h>
#include <stdio.h>

#include "regions_dump.h" /* Made by remora_embed_dump. */

static void print_live(remora_source *source) {
  remora_snapshot *snapshot = NULL;
  remora_snapshot_info info = {.struct_size = sizeof info};
  if (remora_snapshot_acquire(source, 0, &snapshot, NULL) != REMORA_OK) return;
  remora_snapshot_get_info(snapshot, &info, NULL);
  printf("origin=%s version=%" PRId64 " verified=%s keys=%zu\n", remora_origin_name(info.origin), info.version,
         info.verified ? "yes" : "no", info.count);
  remora_snapshot_release(snapshot);
}

int main(int argc, char **argv) {
  remora_client *client = NULL;
  remora_source *source = NULL;
  remora_error error = {0};
  remora_config config;
  remora_collection_options collection;
  if (argc != 1 && argc != 3) {
    fprintf(stderr, "usage: %s [SERVER_URL ROOT_SHA256]\n", argv[0]);
    return 2;
  }
  REMORA_INIT(&config);
  config.storage_dir = REMORA_STORAGE_MEMORY;
  config.server = argc == 3 ? argv[1] : REMORA_SERVER_PROD;
  REMORA_INIT(&collection);
  collection.name = "regions";
  collection.root_sha256 = argc == 3 ? argv[2] : NULL;
  collection.packaged_data = (const char *)regions_dump;
  collection.packaged_size = regions_dump_size;
  remora_status status = remora_setup(&config, &client, &error);
  if (status == REMORA_OK) status = remora_open_collection(client, &collection, NULL, &source, &error);
  if (status == REMORA_OK) print_live(source);
  if (status == REMORA_OK && argc == 3) {
    status = remora_refresh(source, NULL, 10000, NULL, &error);
    if (status == REMORA_OK) print_live(source);
  }
  if (status != REMORA_OK) fprintf(stderr, "%s\n", error.message);
  remora_source_close(source);
  remora_client_close(client);
  return status == REMORA_OK ? 0 : 1;
}
