/* SPDX-License-Identifier: Apache-2.0 */

/* Opens the attachment of a record, and downloads it first if it is not stored:
 *
 *   attachment SERVER_URL ROOT_SHA256 COLLECTION STORAGE_DIR RECORD
 *
 * ROOT_SHA256 is the SHA-256 of the root certificate that the server's signers chain to,
 * or "off" for a server that does not sign. Refreshes first; if that fails, the stored data is
 * used. Prints the attachment's description in the record, the progress of the download, and
 * the size and path of the opened file, and exits with 0. On an error it prints the reason and
 * exits with 1. */
#include <inttypes.h>
#include <remora.h>
#include <stdio.h>
#include <string.h>

enum { REFRESH_LIMIT_MS = 10000, DOWNLOAD_LIMIT_MS = 600000 };

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

/* Returns a string of the record, or "none". */
static const char *text_of(const remora_snapshot *snapshot, const char *record, const char *pointer) {
  const char *text = NULL;
  return remora_snapshot_get_string(snapshot, record, pointer, &text, NULL, NULL) == REMORA_OK ? text : "none";
}

/* Called on this thread while remora_attachment_open blocks. */
static void print_progress(const remora_progress *now, void *user_data) {
  (void)user_data;
  printf("progress %" PRId64 " of %" PRId64 "\n", now->received, now->total);
}

/* Opens the attachment that the record has in this snapshot. The two match even if a refresh replaces the live data. */
static remora_status print_attachment(remora_source *source, const remora_snapshot *snapshot, const char *record,
                                      remora_error *error) {
  remora_attachment_options options;
  remora_attachment *attachment = NULL;
  int64_t size = 0;
  remora_status status = remora_snapshot_get_int(snapshot, record, "/attachment/size", &size, error);
  if (status != REMORA_OK) return status;
  printf("record %s filename=%s mimetype=%s size=%" PRId64 "\n", record,
         text_of(snapshot, record, "/attachment/filename"), text_of(snapshot, record, "/attachment/mimetype"), size);
  REMORA_INIT(&options);
  options.snapshot = snapshot;
  options.on_progress = print_progress;
  status = remora_attachment_open(source, record, &options, DOWNLOAD_LIMIT_MS, &attachment, error);
  if (status == REMORA_OK) {
    /* The bytes are remora_attachment_data. A file exists only if the storage directory is writable. */
    const char *path = remora_attachment_path(attachment);
    printf("open size=%zu path=%s\n", remora_attachment_size(attachment), path ? path : "none");
  }
  remora_attachment_release(attachment);
  return status;
}

int main(int argc, char **argv) {
  remora_client *client = NULL;
  remora_source *source = NULL;
  remora_snapshot *snapshot = NULL;
  remora_error error = {0};
  if (argc != 6) {
    fprintf(stderr, "usage: %s SERVER_URL ROOT_SHA256|off COLLECTION STORAGE_DIR RECORD\n", argv[0]);
    return 2;
  }
  remora_status status = open_collection(argv, &client, &source, &error);
  if (status == REMORA_OK && remora_refresh(source, NULL, REFRESH_LIMIT_MS, NULL, &error) != REMORA_OK)
    fprintf(stderr, "refresh failed, using the stored data: %s\n", error.message);
  if (status == REMORA_OK) status = remora_snapshot_acquire(source, 0, &snapshot, &error);
  if (status == REMORA_OK) status = print_attachment(source, snapshot, argv[5], &error);
  if (status != REMORA_OK) fprintf(stderr, "%s\n", error.message);
  remora_snapshot_release(snapshot);
  remora_source_close(source);
  remora_client_close(client);
  return status == REMORA_OK ? 0 : 1;
}
