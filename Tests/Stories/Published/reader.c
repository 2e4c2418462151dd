/* SPDX-License-Identifier: Apache-2.0 */

/* Reads a published tree in C; see Tests/Stories/published.py for the commands and answers. */
#include <inttypes.h>
#include <remora.h>
#include <stdio.h>
#include <string.h>

enum { LIMIT_MS = 30000 };

static remora_status open_all(char **argv, remora_client **client, remora_source **limits, remora_source **files,
                              remora_error *error) {
  remora_config config;
  REMORA_INIT(&config);
  config.server = argv[1];
  if (argv[3][0]) config.ca_file = argv[3];
  config.storage_dir = argv[4];
  remora_collection_options collection;
  REMORA_INIT(&collection);
  collection.root_sha256 = argv[2];
  remora_status status = remora_setup(&config, client, error);
  if (status == REMORA_OK) status = remora_set_context(*client, "{\"app_version\": \"2.0\"}", error);
  collection.name = "limits";
  if (status == REMORA_OK) status = remora_open_collection(*client, &collection, NULL, limits, error);
  collection.name = "files";
  if (status == REMORA_OK) status = remora_open_collection(*client, &collection, NULL, files, error);
  return status;
}

static remora_status refresh(remora_source *limits, remora_source *files, remora_error *error) {
  remora_snapshot *snapshot = NULL, *others = NULL;
  remora_snapshot_info info;
  REMORA_INIT(&info);
  remora_status status = remora_refresh(limits, NULL, LIMIT_MS, NULL, error);
  if (status == REMORA_OK) status = remora_snapshot_acquire(limits, 0, &snapshot, error);
  if (status == REMORA_OK) status = remora_snapshot_acquire(files, 0, &others, error);
  if (status == REMORA_OK) status = remora_snapshot_get_info(snapshot, &info, error);
  if (status == REMORA_OK) {
    int64_t per_day = -1;
    remora_snapshot_get_int(snapshot, "uploads", "/per_day", &per_day, NULL);
    printf("{\"per_day\": %" PRId64 ", \"limits\": %zu, \"files\": %zu, \"verified\": %s}\n", per_day, info.count,
           remora_snapshot_count(others), info.verified ? "true" : "false");
  }
  remora_snapshot_release(snapshot);
  remora_snapshot_release(others);
  return status;
}

static void print_report(const remora_sync_report *report, void *user_data) {
  (void)user_data;
  printf("{\"updated\": %zu, \"unchanged\": %zu, \"failed\": %zu}\n", report->updated, report->unchanged,
         report->failed);
}

static remora_status print_attachment(remora_source *files, remora_error *error) {
  remora_attachment *attachment = NULL;
  remora_status status = remora_attachment_open(files, "logo", NULL, LIMIT_MS, &attachment, error);
  if (status == REMORA_OK)
    printf("{\"content\": \"%.*s\"}\n", (int)remora_attachment_size(attachment),
           (const char *)remora_attachment_data(attachment));
  remora_attachment_release(attachment);
  return status;
}

int main(int argc, char **argv) {
  remora_client *client = NULL;
  remora_source *limits = NULL, *files = NULL;
  remora_error error = {0};
  char command[32];
  if (argc != 5) return 2;
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  remora_status status = open_all(argv, &client, &limits, &files, &error);
  if (status != REMORA_OK) fprintf(stderr, "%s\n", error.message);
  while (status == REMORA_OK && fgets(command, sizeof command, stdin)) {
    remora_status result = REMORA_OK;
    if (strcmp(command, "refresh\n") == 0)
      result = refresh(limits, files, &error);
    else if (strcmp(command, "sync\n") == 0)
      remora_sync(client, NULL, LIMIT_MS, print_report, NULL, &error);
    else
      result = print_attachment(files, &error);
    if (result != REMORA_OK) printf("{\"error\": \"%s\"}\n", remora_status_name(result));
  }
  remora_source_close(limits);
  remora_source_close(files);
  remora_client_close(client);
  return status == REMORA_OK ? 0 : 1;
}
