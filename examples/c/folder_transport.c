/* SPDX-License-Identifier: Apache-2.0 */

/* A transport of the host's own: it answers requests with the files of a folder, so nothing is sent over the network.
 *
 *   folder_transport FOLDER COLLECTION KEY
 *
 * Prints the record KEY of a collection. Its changeset is the file
 * FOLDER/v2/buckets/main/collections/COLLECTION/changeset, as in a copy of a server. */
#include <remora.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the content of a file, which the caller frees; NULL if it cannot be read. */
static char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  char *content = NULL;
  long length = 0;
  if (file && fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0)
    content = malloc((size_t)length + 1);
  if (content) *size = fread(content, 1, (size_t)length, file);
  if (file) fclose(file);
  return content;
}

/* Answers at once. A transport that waits for a network starts the request here, and calls remora_respond later. */
static void send_from_folder(const remora_http_request *request, void *folder) {
  remora_http_response response;
  char path[4096];
  char *content = NULL;
  const char *place = strstr(request->url, "://");
  place = place ? strchr(place + 3, '/') : NULL;
  REMORA_INIT(&response);
  response.http_status = 404;
  if (place && !strstr(place, "..")) {
    snprintf(path, sizeof path, "%s%.*s", (const char *)folder, (int)strcspn(place, "?"), place);
    content = read_file(path, &response.body_size);
    if (content) response.http_status = 200;
  }
  response.body = content;
  remora_respond(request->id, &response, NULL); /* Copies the body. */
  free(content);
}

/* Refreshes and prints. Returns the status. */
static remora_status print_record(remora_client *client, const char *name, const char *key, remora_error *error) {
  remora_collection_options collection;
  remora_source *source = NULL;
  char text[1024];
  REMORA_INIT(&collection);
  collection.name = name;
  collection.trust = REMORA_TRUST_OFF;
  if (remora_open_collection(client, &collection, NULL, &source, error) == REMORA_OK &&
      remora_refresh(source, NULL, 5000, NULL, error) == REMORA_OK) {
    remora_get_json(source, key, NULL, text, sizeof text, "null");
    puts(text);
  }
  remora_source_close(source);
  return error->status;
}

int main(int argc, char **argv) {
  remora_config config;
  remora_transport transport;
  remora_client *client = NULL;
  remora_error error;
  if (argc != 4) {
    fprintf(stderr, "usage: folder_transport FOLDER COLLECTION KEY\n");
    return 2;
  }
  REMORA_INIT(&transport);
  transport.send = send_from_folder;
  transport.user_data = argv[1]; /* Exists until the client is closed, so nothing frees it. */
  REMORA_INIT(&config);
  config.storage_dir = REMORA_STORAGE_MEMORY;
  config.application_name = "example";
  config.server = "https://folder.example";
  config.transport = &transport;
  if (remora_setup(&config, &client, &error) == REMORA_OK) print_record(client, argv[2], argv[3], &error);
  if (error.status != REMORA_OK) fprintf(stderr, "%s\n", error.message);
  remora_client_close(client);
  return error.status == REMORA_OK ? 0 : 1;
}
