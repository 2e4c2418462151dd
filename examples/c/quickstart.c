/* SPDX-License-Identifier: Apache-2.0
 * Reads one number of a record: quickstart SERVER_URL COLLECTION KEY POINTER (without signatures). */
#include <remora.h>
#include <stdio.h>
int main(int argc, char **argv) {
  remora_client *client = NULL;
  remora_source *source = NULL;
  remora_error error = {0};
  remora_config config;
  remora_collection_options collection;
  if (argc != 5) return 2;
  REMORA_INIT(&config);
  config.storage_dir = REMORA_STORAGE_MEMORY;
  config.application_name = "quickstart";
  config.server = argv[1];
  REMORA_INIT(&collection);
  collection.name = argv[2];
  collection.trust = REMORA_TRUST_OFF;
  if (remora_setup(&config, &client, &error) || remora_open_collection(client, &collection, NULL, &source, &error) ||
      remora_refresh(source, NULL, 5000, NULL, &error))
    fprintf(stderr, "%s\n", error.message);
  printf("%s = %lld\n", argv[4], (long long)remora_get_int(source, argv[3], argv[4], -1));
  remora_source_close(source);
  remora_client_close(client);
  return error.status ? 1 : 0;
}
