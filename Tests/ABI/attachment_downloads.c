/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "attachments": downloads that are refused, that end by a limit, and that continue after a
 * break. */
#include "attachment_scene.h"

TEST("an attachment that does not match its record is refused with an error that says why") {
  char directory[64];
  temporary_directory(directory);
  open_attachments(directory);
  CHECK_OPEN_REFUSED(REMORA_ERR_ATTACHMENT_MISMATCH, "more than the", "short", NULL, PATIENCE_MS);
  CHECK_OPEN_REFUSED(REMORA_ERR_ATTACHMENT_MISMATCH, "17 bytes", "long", NULL, PATIENCE_MS);
  CHECK_OPEN_REFUSED(REMORA_ERR_ATTACHMENT_MISMATCH, "SHA-256", "other", NULL, PATIENCE_MS);
  CHECK_OPEN_REFUSED(REMORA_ERR_HTTP, "404", "absent", NULL, PATIENCE_MS);
  int before = loopback_requests(server);
  CHECK_OPEN_REFUSED(REMORA_ERR_FORMAT, "attachment.size of record negative", "negative", NULL, -1);
  CHECK_OPEN_REFUSED(REMORA_ERR_FORMAT, "attachment.location of record climbing", "climbing", NULL, -1);
  CHECK_OPEN_REFUSED(REMORA_ERR_FORMAT, "attachment.location of record elsewhere", "elsewhere", NULL, -1);
  CHECK_OPEN_REFUSED(REMORA_ERR_FORMAT, "attachment.hash of record cut-hash", "cut-hash", NULL, -1);
  CHECK_OPEN_REFUSED(REMORA_ERR_TOO_LARGE, "99999999999", "huge", NULL, -1);
  CHECK_OPEN_REFUSED(REMORA_ERR_TOO_LARGE, "99999999999", "huge", ATTACHMENT_WITH(max_bytes, -1), -1);
  CHECK_OPEN_REFUSED(REMORA_ERR_TOO_LARGE, "limit is 16", "small", ATTACHMENT_WITH(max_bytes, SMALL_BYTES - 1), -1);
  CHECK_INT(before, loopback_requests(server));
  const remora_attachment_options *exact = ATTACHMENT_WITH(max_bytes, SMALL_BYTES);
  remora_attachment *attachment = NULL;
  CHECK_STATUS(REMORA_OK, remora_attachment_open(source, "small", exact, PATIENCE_MS, &attachment, &error));
  remora_attachment_release(attachment);
  close_scene();
  remove_directory(directory);
}

TEST("opening an attachment fails with a format error if the server lists no base URL") {
  open_attachments(NULL);
  loopback_say(server, "{\"capabilities\":{}}");
  CHECK_OPEN_REFUSED(REMORA_ERR_FORMAT, "does not state the base URL of attachments", "small", NULL, PATIENCE_MS);
  close_scene();
}

TEST("with time limit 0 no request is sent, a positive limit ends a download, and -1 means no time limit") {
  open_attachments(NULL);
  CHECK_OPEN_REFUSED(REMORA_ERR_TIMEOUT, "0 ms", "large", NULL, 0);
  CHECK_OPEN_REFUSED(REMORA_ERR_NOT_FOUND, "main/large.txt", "large", ATTACHMENT_WITH(local_only, 1), -1);
  CHECK_INT(1, loopback_requests(server));
  loopback_stall(server, 1000);
  int64_t before = now_ms();
  CHECK_OPEN_REFUSED(REMORA_ERR_TIMEOUT, "100 ms", "large", NULL, 100);
  CHECK(now_ms() - before >= 95 && now_ms() - before < 1100);
  loopback_flow(server);
  remora_attachment *attachment = NULL;
  CHECK_STATUS(REMORA_OK, remora_attachment_open(source, "large", NULL, -1, &attachment, &error));
  check_text_of(large_text(), attachment);
  remora_attachment_release(attachment);
  close_scene();
}

TEST("a download whose connection breaks is resumed, and its progress is reported") {
  char directory[64];
  opening told;
  opening_init(&told);
  temporary_directory(directory);
  open_attachments(directory);
  loopback_cut(server, 100000, 2);
  remora_attachment_options options = progress_to(&told);
  remora_attachment *attachment = NULL;
  CHECK_STATUS(REMORA_OK, remora_attachment_open(source, "large", &options, PATIENCE_MS, &attachment, &error));
  check_text_of(large_text(), attachment);
  remora_attachment_release(attachment);
  CHECK_INT(3, loopback_downloads(server));
  CHECK_INT(LARGE_BYTES, told.received);
  CHECK_INT(LARGE_BYTES, told.total);
  CHECK(tally_count(&told.progress) >= 1 && tally_count(&told.progress) <= 110);
  CHECK_INT(1, tally_count(&told.progress_freed));
  int count = tally_count(&told.progress);
  CHECK_STATUS(REMORA_OK, remora_attachment_open(source, "large", &options, -1, &attachment, &error));
  remora_attachment_release(attachment);
  CHECK_INT(count, tally_count(&told.progress));
  CHECK_INT(2, tally_count(&told.progress_freed));
  close_scene();
  remove_directory(directory);
}
