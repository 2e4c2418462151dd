/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "attachments": what the end of a client or of a source does to openings. */
#include "attachment_scene.h"

/* The header promises 200 ms. The rest is slack. */
enum { CLOSE_MS = 1200 };

TEST("closing the client ends a download, and frees its user data without calling its callback") {
  open_attachments(NULL);
  remora_request *request = start_stalled(&first_opening);
  int64_t before = now_ms();
  remora_client_close(client);
  CHECK(now_ms() - before < CLOSE_MS);
  client = NULL;
  CHECK_INT(0, tally_count(&first_opening.calls));
  CHECK_INT(1, tally_count(&first_opening.freed));
  CHECK_INT(1, tally_count(&first_opening.progress_freed));
  remora_request_cancel(request);
  remora_request_release(request);
  CHECK_OPEN_REFUSED(REMORA_ERR_CLOSED, "closed", "large", NULL, -1);
  CHECK_REFUSED(REMORA_ERR_CLOSED, "closed", open_async("large", NULL, -1, &second_opening, &error));
  CHECK_INT(1, tally_count(&second_opening.freed));
  close_scene();
}

TEST("closing a source handle ends its attachment openings in progress; another handle can still open attachments") {
  open_attachments(NULL);
  remora_source *handle = source;
  source = open_untrusted(client, "sample", NULL);
  remora_request *request = start_stalled(&first_opening);
  remora_source_close(source);
  source = handle;
  CHECK_INT(0, tally_count(&first_opening.calls));
  CHECK_INT(1, tally_count(&first_opening.freed));
  CHECK_INT(1, tally_count(&first_opening.progress_freed));
  remora_request_release(request);
  loopback_flow(server);
  remora_attachment_release(open_record("large"));
  close_scene();
  CHECK_INT(0, tally_count(&first_opening.calls));
}

static void close_the_client(void) {
  remora_client_close(client);
  client = NULL;
}

static void close_the_source(void) {
  remora_source_close(source);
  source = NULL;
}

TEST("a callback of an attachment opening can close its source and its client") {
  open_attachments(NULL);
  first_opening.during = close_the_source;
  remora_request_release(start_opening("small", &first_opening));
  CHECK(tally_await(&first_opening.freed, 1));
  CHECK_INT(REMORA_OK, first_opening.status);
  source = open_untrusted(client, "sample", NULL);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  second_opening.during = close_the_client;
  remora_request_release(start_opening("small", &second_opening));
  CHECK(tally_await(&second_opening.freed, 1));
  CHECK_INT(REMORA_OK, second_opening.status);
  close_scene();
}

static void check_progress_may(void (*close)(void)) {
  open_attachments(NULL);
  loopback_stall(server, 150000);
  first_opening.during_progress = close;
  remora_attachment_options options = progress_to(&first_opening);
  remora_attachment *attachment = NULL;
  remora_error error;
  CHECK_INT(REMORA_ERR_CLOSED, remora_attachment_open(source, "large", &options, -1, &attachment, &error));
  CHECK_TEXT("main/sample", error.source_name);
  CHECK(attachment == NULL);
  CHECK_INT(1, tally_count(&first_opening.progress));
  CHECK_INT(1, tally_count(&first_opening.progress_freed));
  close_scene();
}

TEST("a progress callback can close the client") { check_progress_may(close_the_client); }

TEST("a progress callback can close the source, and the error still names the source") {
  check_progress_may(close_the_source);
}
