/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "attachments": which attachment is opened, and from where. */
#include <stdio.h>
#include <sys/stat.h>

#include "attachment_scene.h"

TEST("an attachment is fetched once, stored, and opened from its file") {
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
  remora_attachment_release(first);
  check_text_of(small_text, second);
  remora_attachment_release(second);
  close_scene();
  remove_directory(directory);
}

TEST("a stored attachment is opened without a server") {
  char directory[64];
  temporary_directory(directory);
  open_attachments(directory);
  remora_attachment_release(open_record("large"));
  remora_source_close(source);
  remora_client_close(client);
  client = client_in_directory(directory, loopback_url(server));
  source = open_untrusted(client, "sample", NULL);
  loopback_fail(server, 503, NULL);
  int before = loopback_requests(server);
  remora_attachment *attachment = NULL;
  REQUIRE_OK(remora_attachment_open(source, "large", ATTACHMENT_WITH(local_only, 1), -1, &attachment, &error));
  check_text_of(large_text(), attachment);
  remora_attachment_release(attachment);
  attachment = NULL;
  CHECK_STATUS(REMORA_OK, remora_attachment_open(source, "large", NULL, 0, &attachment, &error));
  remora_attachment_release(attachment);
  CHECK_INT(before, loopback_requests(server));
  close_scene();
  remove_directory(directory);
}

TEST("a damaged attachment file is fetched again, or is an error if no request is allowed") {
  char directory[64];
  temporary_directory(directory);
  open_attachments(directory);
  remora_attachment *attachment = open_record("small");
  FILE *file = fopen(remora_attachment_path(attachment), "r+");
  REQUIRE(file != NULL && fputs("J", file) >= 0 && fclose(file) == 0);
  remora_attachment_release(attachment);
  remora_source_close(source);
  remora_client_close(client);
  client = client_in_directory(directory, loopback_url(server));
  source = open_untrusted(client, "sample", NULL);
  CHECK_OPEN_REFUSED(REMORA_ERR_CORRUPT, "SHA-256", "small", ATTACHMENT_WITH(local_only, 1), -1);
  attachment = open_record("small");
  check_text_of(small_text, attachment);
  remora_attachment_release(attachment);
  close_scene();
  remove_directory(directory);
}

TEST("without a storage directory, attachments are in memory, and outlive the client") {
  open_attachments(NULL);
  remora_attachment *attachment = open_record("large");
  check_text_of(large_text(), attachment);
  CHECK(remora_attachment_path(attachment) == NULL);
  remora_client_close(client);
  client = NULL;
  check_text_of(large_text(), attachment);
  remora_attachment_release(attachment);
  close_scene();
}

TEST("an empty attachment has a pointer that is not NULL, and a file") {
  char directory[64];
  temporary_directory(directory);
  open_attachments(directory);
  remora_attachment *attachment = open_record("empty");
  check_text_of("", attachment);
  CHECK(remora_attachment_path(attachment) != NULL);
  remora_attachment_release(attachment);
  close_scene();
  remove_directory(directory);
}

TEST("an attachment is found by the id of its record, or by its location if a filter hides the record") {
  open_attachments(NULL);
  CHECK_OPEN_REFUSED(REMORA_ERR_NOT_FOUND, "nobody", "nobody", NULL, -1);
  CHECK_OPEN_REFUSED(REMORA_ERR_NOT_FOUND, "plain", "plain", NULL, -1);
  CHECK_OPEN_REFUSED(REMORA_ERR_NOT_FOUND, "hidden", "hidden", NULL, -1);
  const remora_attachment_options *by_location = ATTACHMENT_WITH(by_location, 1);
  remora_attachment *attachment = NULL;
  REQUIRE_OK(remora_attachment_open(source, "main/hidden.txt", by_location, PATIENCE_MS, &attachment, &error));
  check_text_of(small_text, attachment);
  remora_attachment_release(attachment);
  CHECK_OPEN_REFUSED(REMORA_ERR_NOT_FOUND, "main/nothing.txt", "main/nothing.txt", by_location, -1);
  CHECK_OPEN_REFUSED(REMORA_ERR_NOT_FOUND, "small", "small", by_location, -1);
  CHECK_OPEN_REFUSED(REMORA_ERR_NOT_FOUND, "main/small.txt", "main/small.txt", NULL, -1);
  CHECK_OPEN_REFUSED(REMORA_ERR_FORMAT, "climbing", "../small.txt", by_location, -1);
  remora_snapshot *all = NULL;
  REQUIRE_OK(remora_snapshot_acquire(source, REMORA_SNAPSHOT_UNFILTERED, &all, &error));
  const remora_attachment_options *of_all = ATTACHMENT_WITH(snapshot, all);
  CHECK_STATUS(REMORA_OK, remora_attachment_open(source, "hidden", of_all, PATIENCE_MS, &attachment, &error));
  remora_attachment_release(attachment);
  remora_snapshot_release(all);
  close_scene();
}

TEST("an attachment of an old snapshot can be opened, and a snapshot of another source is refused") {
  open_attachments(NULL);
  loopback_publish(server, 3000, "[]", 0, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_OPEN_REFUSED(REMORA_ERR_NOT_FOUND, "small", "small", NULL, -1);
  remora_attachment *attachment = NULL;
  const remora_attachment_options *of_old = ATTACHMENT_WITH(snapshot, snapshot);
  CHECK_STATUS(REMORA_OK, remora_attachment_open(source, "small", of_old, PATIENCE_MS, &attachment, &error));
  check_text_of(small_text, attachment);
  remora_attachment_release(attachment);
  remora_source *second = open_untrusted(client, "second", NULL);
  loopback_publish(server, 4000, "[{\"id\":\"small\",\"last_modified\":4000}]", 0, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, second);
  remora_snapshot *other = acquire(second);
  CHECK_OPEN_REFUSED(REMORA_ERR_INVALID_ARGUMENT, "snapshot", "small", ATTACHMENT_WITH(snapshot, other), -1);
  remora_snapshot_release(other);
  remora_source_close(second);
  close_scene();
}

TEST("packaged attachments are opened without a copy") {
  char directory[64], path[96];
  temporary_directory(directory);
  REQUIRE(chmod(directory, 0755) == 0);
  snprintf(path, sizeof path, "%s/small", directory);
  FILE *file = fopen(path, "w");
  REQUIRE(file != NULL && fputs(small_text, file) >= 0 && fclose(file) == 0);
  REQUIRE(chmod(path, 0644) == 0);
  remora_collection_options collection = untrusted("sample", NULL);
  collection.packaged_attachments = directory;
  open_attachments_with(NULL, &collection);
  remora_attachment *attachment = NULL;
  REQUIRE_OK(remora_attachment_open(source, "small", ATTACHMENT_WITH(local_only, 1), 0, &attachment, &error));
  check_text_of(small_text, attachment);
  CHECK_TEXT(path, remora_attachment_path(attachment));
  remora_attachment_release(attachment);
  CHECK_INT(1, loopback_requests(server));
  close_scene();
  remove_directory(directory);
}

/* The members of a record, as remora_value_record_fields has them; NULL for a value that is none. */
static void check_fields(const char *id, const char *expected) {
  char text[128];
  size_t length = 0;
  remora_value record;
  REQUIRE_OK(remora_snapshot_get(snapshot, id, NULL, &record, &error));
  CHECK_STATUS(REMORA_OK, remora_value_record_fields(record, text, sizeof text, &length, &error));
  CHECK_TEXT(expected, text);
  CHECK_INT((int64_t)strlen(expected), (int64_t)length);
  CHECK_STATUS(REMORA_OK, remora_value_record_fields(record, NULL, 0, &length, &error));
  CHECK_INT((int64_t)strlen(expected), (int64_t)length);
  CHECK_STATUS(REMORA_OK, remora_value_record_fields(record, text, 4, &length, &error));
  CHECK_INT(3, (int64_t)strlen(text));
}

TEST("the fields of a record are its members without id, last_modified and attachment") {
  open_attachments(NULL);
  check_fields("small", "{\"title\":\"small\"}");
  check_fields("plain", "{\"n\":1.5E0}");
  close_scene();
}
