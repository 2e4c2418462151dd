/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "attachments": what is opened, from where, and what is refused. */
#include "suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attachment_scene.h"

static remora_status open_with(remora_attachment_options options, int64_t timeout_ms, remora_attachment **out,
                               remora_error *error) {
  return remora_attachment_open(source, &options, timeout_ms, out, error);
}

/* What opening a record is refused with. */
#define CHECK_OPEN_REFUSED(expected, word, options, timeout_ms)                  \
  do {                                                                           \
    remora_attachment *none = NULL;                                              \
    CHECK_REFUSED(expected, word, open_with(options, timeout_ms, &none, &error)); \
    CHECK(none == NULL);                                                         \
  } while (0)

static void fetched_once_and_stored(void) {
  char directory[64];
  struct stat status;
  temporary_directory(directory);
  open_attachments(directory);
  remora_attachment *first = open_record("small");
  check_text_of(small_text, first);
  const char *path = remora_attachment_path(first);
  REQUIRE(path != NULL && strncmp(path, directory, strlen(directory)) == 0);
  REQUIRE(stat(path, &status) == 0);
  CHECK_INT(SMALL_BYTES, status.st_size);
  CHECK_INT(0600, status.st_mode & 0777);
  CHECK_INT(3, loopback_requests(server)); /* The records, the root document, the attachment. */
  remora_attachment *second = open_record("small");
  CHECK_TEXT(path, remora_attachment_path(second));
  CHECK_INT(3, loopback_requests(server));
  remora_attachment_close(first);
  check_text_of(small_text, second);
  remora_attachment_close(second);
  close_scene();
  remove_directory(directory);
}

static void opened_from_disk_without_a_server(void) {
  char directory[64];
  temporary_directory(directory);
  open_attachments(directory);
  remora_attachment_close(open_record("large"));
  remora_source_close(source);
  remora_close(client);
  client = client_in_directory(directory, loopback_url(server));
  source = open_untrusted(client, "sample", NULL);
  loopback_fail(server, 503, NULL);
  int before = loopback_requests(server);
  remora_attachment_options options = of_record("large");
  options.flags = REMORA_ATTACHMENT_LOCAL;
  remora_attachment *attachment = NULL;
  CHECK_STATUS(REMORA_OK, open_with(options, -1, &attachment, &error));
  check_text_of(large_text(), attachment);
  remora_attachment_close(attachment);
  attachment = NULL;
  CHECK_STATUS(REMORA_OK, open_with(of_record("large"), 0, &attachment, &error));
  remora_attachment_close(attachment);
  CHECK_INT(before, loopback_requests(server));
  close_scene();
  remove_directory(directory);
}

static void a_damaged_file_is_corrupt_or_fetched_anew(void) {
  char directory[64];
  temporary_directory(directory);
  open_attachments(directory);
  remora_attachment *attachment = open_record("small");
  FILE *file = fopen(remora_attachment_path(attachment), "r+");
  REQUIRE(file != NULL && fputs("J", file) >= 0 && fclose(file) == 0);
  remora_attachment_close(attachment);
  remora_source_close(source);
  remora_close(client);
  client = client_in_directory(directory, loopback_url(server));
  source = open_untrusted(client, "sample", NULL);
  remora_attachment_options local = of_record("small");
  local.flags = REMORA_ATTACHMENT_LOCAL;
  CHECK_OPEN_REFUSED(REMORA_ERR_CORRUPT, "SHA-256", local, -1);
  attachment = open_record("small");
  check_text_of(small_text, attachment);
  remora_attachment_close(attachment);
  close_scene();
  remove_directory(directory);
}

static void without_a_directory_it_is_in_memory(void) {
  open_attachments(NULL);
  remora_attachment *attachment = open_record("large");
  check_text_of(large_text(), attachment);
  CHECK(remora_attachment_path(attachment) == NULL);
  remora_close(client);
  client = NULL;
  check_text_of(large_text(), attachment);
  remora_attachment_close(attachment);
  close_scene();
}

static void an_empty_one_has_an_address(void) {
  char directory[64];
  temporary_directory(directory);
  open_attachments(directory);
  remora_attachment *attachment = open_record("empty");
  check_text_of("", attachment);
  CHECK(remora_attachment_path(attachment) != NULL);
  remora_attachment_close(attachment);
  close_scene();
  remove_directory(directory);
}

static void records_and_locations(void) {
  open_attachments(NULL);
  CHECK_OPEN_REFUSED(REMORA_ERR_NOT_FOUND, "nobody", of_record("nobody"), -1);
  CHECK_OPEN_REFUSED(REMORA_ERR_NOT_FOUND, "plain", of_record("plain"), -1);
  CHECK_OPEN_REFUSED(REMORA_ERR_NOT_FOUND, "hidden", of_record("hidden"), -1);
  remora_attachment_options options = of_record(NULL);
  options.location = "main/hidden.txt";
  remora_attachment *attachment = NULL;
  CHECK_STATUS(REMORA_OK, open_with(options, PATIENCE_MS, &attachment, &error));
  check_text_of(small_text, attachment);
  remora_attachment_close(attachment);
  options.location = "main/nothing.txt";
  CHECK_OPEN_REFUSED(REMORA_ERR_NOT_FOUND, "main/nothing.txt", options, -1);
  options.location = "../small.txt";
  CHECK_OPEN_REFUSED(REMORA_ERR_FORMAT, "climbing", options, -1);
  remora_snapshot *all = NULL;
  REQUIRE_OK(remora_snapshot_acquire(source, REMORA_SNAPSHOT_UNFILTERED, &all, &error));
  options = of_record("hidden");
  options.snapshot = all;
  CHECK_STATUS(REMORA_OK, open_with(options, PATIENCE_MS, &attachment, &error));
  remora_attachment_close(attachment);
  remora_snapshot_release(all);
  close_scene();
}

static void an_old_snapshot_names_the_old_one(void) {
  open_attachments(NULL);
  loopback_publish(server, 3000, "[]", 0, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_OPEN_REFUSED(REMORA_ERR_NOT_FOUND, "small", of_record("small"), -1);
  remora_attachment_options options = of_record("small");
  options.snapshot = snapshot;
  remora_attachment *attachment = NULL;
  CHECK_STATUS(REMORA_OK, open_with(options, PATIENCE_MS, &attachment, &error));
  check_text_of(small_text, attachment);
  remora_attachment_close(attachment);
  remora_source *second = open_untrusted(client, "second", NULL);
  loopback_publish(server, 4000, "[{\"id\":\"small\",\"last_modified\":4000}]", 0, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, second);
  remora_snapshot *other = acquire(second);
  options.snapshot = other;
  CHECK_OPEN_REFUSED(REMORA_ERR_INVALID_ARGUMENT, "snapshot", options, -1);
  remora_snapshot_release(other);
  remora_source_close(second);
  close_scene();
}

static void lies_are_refused(void) {
  char directory[64];
  temporary_directory(directory);
  open_attachments(directory);
  CHECK_OPEN_REFUSED(REMORA_ERR_ATTACHMENT_MISMATCH, "more bytes", of_record("short"), PATIENCE_MS);
  CHECK_OPEN_REFUSED(REMORA_ERR_ATTACHMENT_MISMATCH, "17 bytes", of_record("long"), PATIENCE_MS);
  CHECK_OPEN_REFUSED(REMORA_ERR_ATTACHMENT_MISMATCH, "SHA-256", of_record("other"), PATIENCE_MS);
  CHECK_OPEN_REFUSED(REMORA_ERR_HTTP, "404", of_record("absent"), PATIENCE_MS);
  int before = loopback_requests(server);
  CHECK_OPEN_REFUSED(REMORA_ERR_FORMAT, "attachment.size of record negative", of_record("negative"), -1);
  CHECK_OPEN_REFUSED(REMORA_ERR_FORMAT, "attachment.location of record climbing", of_record("climbing"), -1);
  CHECK_OPEN_REFUSED(REMORA_ERR_FORMAT, "attachment.location of record elsewhere", of_record("elsewhere"), -1);
  CHECK_OPEN_REFUSED(REMORA_ERR_FORMAT, "attachment.hash of record cut-hash", of_record("cut-hash"), -1);
  remora_attachment_options options = of_record("huge");
  CHECK_OPEN_REFUSED(REMORA_ERR_TOO_LARGE, "99999999999", options, -1);
  options.max_bytes = -1;
  CHECK_OPEN_REFUSED(REMORA_ERR_TOO_LARGE, "99999999999", options, -1);
  options = of_record("small");
  options.max_bytes = SMALL_BYTES - 1;
  CHECK_OPEN_REFUSED(REMORA_ERR_TOO_LARGE, "limit is 16", options, -1);
  CHECK_INT(before, loopback_requests(server));
  options.max_bytes = SMALL_BYTES;
  remora_attachment *attachment = NULL;
  CHECK_STATUS(REMORA_OK, open_with(options, PATIENCE_MS, &attachment, &error));
  remora_attachment_close(attachment);
  close_scene();
  remove_directory(directory);
}

static void a_server_without_attachments(void) {
  open_attachments(NULL);
  loopback_say(server, "{\"capabilities\":{}}");
  CHECK_OPEN_REFUSED(REMORA_ERR_FORMAT, "announces no attachments", of_record("small"), PATIENCE_MS);
  close_scene();
}

static void time_limits(void) {
  open_attachments(NULL);
  CHECK_OPEN_REFUSED(REMORA_ERR_TIMEOUT, "0 ms", of_record("large"), 0);
  remora_attachment_options local = of_record("large");
  local.flags = REMORA_ATTACHMENT_LOCAL;
  CHECK_OPEN_REFUSED(REMORA_ERR_NOT_FOUND, "main/large.txt", local, -1);
  CHECK_INT(1, loopback_requests(server));
  loopback_stall(server, 1000);
  int64_t before = now_ms();
  CHECK_OPEN_REFUSED(REMORA_ERR_TIMEOUT, "100 ms", of_record("large"), 100);
  CHECK(now_ms() - before >= 95 && now_ms() - before < 1100);
  loopback_flow(server);
  remora_attachment *attachment = NULL;
  CHECK_STATUS(REMORA_OK, open_with(of_record("large"), -1, &attachment, &error));
  check_text_of(large_text(), attachment);
  remora_attachment_close(attachment);
  close_scene();
}

static void continued_after_breaks(void) {
  char directory[64];
  opening told;
  opening_init(&told);
  temporary_directory(directory);
  open_attachments(directory);
  loopback_cut(server, 100000, 2);
  remora_attachment_options options = of_record("large");
  options.progress = opening_progress;
  options.progress_user_data = &told;
  options.progress_free_user_data = opening_progress_freed;
  remora_attachment *attachment = NULL;
  CHECK_STATUS(REMORA_OK, open_with(options, PATIENCE_MS, &attachment, &error));
  check_text_of(large_text(), attachment);
  remora_attachment_close(attachment);
  CHECK_INT(3, loopback_downloads(server));
  CHECK_INT(LARGE_BYTES, told.received);
  CHECK_INT(LARGE_BYTES, told.total);
  CHECK(tally_count(&told.progress) >= 1 && tally_count(&told.progress) <= 110);
  CHECK_INT(1, tally_count(&told.progress_freed));
  int count = tally_count(&told.progress);
  CHECK_STATUS(REMORA_OK, open_with(options, -1, &attachment, &error));
  remora_attachment_close(attachment);
  CHECK_INT(count, tally_count(&told.progress));
  CHECK_INT(2, tally_count(&told.progress_freed));
  close_scene();
  remove_directory(directory);
}

static void packaged_ones_are_opened_in_place(void) {
  char directory[64], path[96];
  temporary_directory(directory);
  REQUIRE(chmod(directory, 0755) == 0);
  snprintf(path, sizeof path, "%s/small", directory);
  FILE *file = fopen(path, "w");
  REQUIRE(file != NULL && fputs(small_text, file) >= 0 && fclose(file) == 0);
  REQUIRE(chmod(path, 0644) == 0);
  remora_collection_options options = untrusted("sample", NULL);
  options.packaged_attachments = directory;
  open_attachments_with(NULL, &options);
  remora_attachment_options local = of_record("small");
  local.flags = REMORA_ATTACHMENT_LOCAL;
  remora_attachment *attachment = NULL;
  CHECK_STATUS(REMORA_OK, open_with(local, 0, &attachment, &error));
  check_text_of(small_text, attachment);
  CHECK_TEXT(path, remora_attachment_path(attachment));
  remora_attachment_close(attachment);
  CHECK_INT(1, loopback_requests(server));
  close_scene();
  remove_directory(directory);
}

/* The members of a record, as remora_record_fields has them; NULL for a value that is none. */
static void check_fields(const char *id, const char *expected) {
  char text[128];
  size_t length = 0;
  remora_value record;
  REQUIRE_OK(remora_snapshot_get(snapshot, id, &record, &error));
  CHECK_STATUS(REMORA_OK, remora_record_fields(record, text, sizeof text, &length, &error));
  CHECK_TEXT(expected, text);
  CHECK_INT((int64_t)strlen(expected), (int64_t)length);
  CHECK_STATUS(REMORA_OK, remora_record_fields(record, NULL, 0, &length, &error));
  CHECK_INT((int64_t)strlen(expected), (int64_t)length);
  CHECK_STATUS(REMORA_OK, remora_record_fields(record, text, 4, &length, &error));
  CHECK_INT(3, (int64_t)strlen(text));
}

static void fields_of_records(void) {
  open_attachments(NULL);
  check_fields("small", "{\"title\":\"small\"}");
  check_fields("plain", "{\"n\":1.5E0}");
  close_scene();
}

const check_test attachments_tests[] = {
    {"an attachment is fetched once, stored, and opened from its file", fetched_once_and_stored},
    {"what is stored is opened without a server", opened_from_disk_without_a_server},
    {"a damaged file is fetched anew, and corrupt without a request", a_damaged_file_is_corrupt_or_fetched_anew},
    {"without a directory the bytes are in memory, and outlive the client", without_a_directory_it_is_in_memory},
    {"an attachment without bytes has an address and a file", an_empty_one_has_an_address},
    {"records are found by id, or by location where a filter hides them", records_and_locations},
    {"an old snapshot names the old attachment, and one of another source is refused", an_old_snapshot_names_the_old_one},
    {"what records and servers lie about is refused by name", lies_are_refused},
    {"a server without attachments is an error of format", a_server_without_attachments},
    {"a limit of 0 sends no request, another ends the wait, -1 waits", time_limits},
    {"a download that breaks off is continued, and tells how far it is", continued_after_breaks},
    {"packaged attachments are opened in place", packaged_ones_are_opened_in_place},
    {"the fields of a record are its members without the ones of every record", fields_of_records},
    {NULL, NULL},
};
