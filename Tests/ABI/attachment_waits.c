/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "attachments": asynchronous openings, and what they report. */
#include "attachment_scene.h"
#include "host_loop.h"

TEST("the callback of an attachment opening is called once, and can retain the attachment") {
  open_attachments(NULL);
  first_opening.keeps = 1;
  remora_request *request = start_opening("large", &first_opening);
  check_end(&first_opening, REMORA_OK);
  CHECK_INT(LARGE_BYTES, first_opening.received);
  CHECK_INT(LARGE_BYTES, first_opening.total);
  remora_request_cancel(request);
  remora_request_release(request);
  close_scene();
  check_once(&first_opening);
  check_text_of(large_text(), first_opening.kept);
  remora_attachment_release(remora_attachment_retain(first_opening.kept));
  check_text_of(large_text(), first_opening.kept);
  remora_attachment_release(first_opening.kept);
}

TEST("an asynchronous opening of an attachment that fails reports its error") {
  open_attachments(NULL);
  remora_request_release(start_opening("other", &first_opening));
  check_end(&first_opening, REMORA_ERR_ATTACHMENT_MISMATCH);
  loopback_fail(server, 503, "Retry-After: 60");
  remora_request_release(start_opening("large", &second_opening));
  check_end(&second_opening, REMORA_ERR_HTTP);
  close_scene();
}

TEST("remora_attachment_open_async checks the record before it returns") {
  open_attachments(NULL);
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "nobody", open_async("nobody", NULL, -1, &first_opening, &error));
  CHECK_REFUSED(REMORA_ERR_FORMAT, "climbing", open_async("climbing", NULL, -1, &first_opening, &error));
  CHECK_REFUSED(REMORA_ERR_TOO_LARGE, "limit", open_async("huge", NULL, -1, &first_opening, &error));
  CHECK_INT(3, tally_count(&first_opening.freed));
  CHECK_INT(0, tally_count(&first_opening.calls));
  REQUIRE_OK(open_async("large", ATTACHMENT_WITH(local_only, 1), -1, &first_opening, &error));
  REQUIRE(tally_await(&first_opening.calls, 1));
  CHECK_INT(REMORA_ERR_NOT_FOUND, first_opening.status);
  close_scene();
}

TEST("an attachment can be opened asynchronously without a callback and without a request handle") {
  char directory[64];
  temporary_directory(directory);
  open_attachments(directory);
  CHECK_STATUS(REMORA_OK, remora_attachment_open_async(source, "small", NULL, -1, NULL, NULL, NULL, NULL, &error));
  REQUIRE(loopback_await_downloads(server, 1));
  remora_attachment *attachment = open_record("small");
  check_text_of(small_text, attachment);
  CHECK_INT(1, loopback_downloads(server));
  remora_attachment_release(attachment);
  close_scene();
  remove_directory(directory);
}

TEST("two concurrent openings of an attachment share a download") {
  open_attachments(NULL);
  remora_request *request = start_stalled(&first_opening);
  remora_request_release(start_opening("large", &second_opening));
  loopback_flow(server);
  check_end(&first_opening, REMORA_OK);
  check_end(&second_opening, REMORA_OK);
  CHECK_INT(LARGE_BYTES, second_opening.received);
  CHECK_INT(1, loopback_downloads(server));
  remora_request_release(request);
  close_scene();
}

TEST("cancelling one of two openings of an attachment keeps the download, and cancelling both ends it") {
  open_attachments(NULL);
  remora_request *request = start_stalled(&first_opening);
  remora_request *other = start_opening("large", &second_opening);
  remora_request_cancel(request);
  check_end(&first_opening, REMORA_ERR_CANCELLED);
  CHECK_INT(0, tally_count(&second_opening.calls));
  remora_request_cancel(other);
  remora_request_cancel(other);
  check_end(&second_opening, REMORA_ERR_CANCELLED);
  remora_request_release(request);
  remora_request_release(other);
  loopback_flow(server);
  remora_attachment *attachment = open_record("large");
  check_text_of(large_text(), attachment);
  remora_attachment_release(attachment);
  close_scene();
  check_once(&first_opening);
  check_once(&second_opening);
}

TEST("with manual dispatch, an event loop receives the progress and result of an attachment opening") {
  opening_init(&first_opening);
  open_host(REMORA_STORAGE_MEMORY, REMORA_CALLBACKS_ON_DISPATCH);
  loopback_publish(server, 5000,
                   "[{\"id\":\"small\",\"last_modified\":5000,\"attachment\":{\"location\":\"s\",\"size\":17,\"hash\":"
                   "\"2852d7262f1fd6339a426560101d5840edf5b8999b90eb6b2eea86c8b9f7e298\"}}]",
                   0, NULL);
  loopback_attach(server, "s", small_text);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  dispatch();
  remora_request_release(start_opening("small", &first_opening));
  REQUIRE(loopback_await_downloads(server, 1));
  while (tally_count(&first_opening.calls) == 0) {
    REQUIRE(is_readable(descriptor(), PATIENCE_MS));
    dispatch();
  }
  check_end(&first_opening, REMORA_OK);
  CHECK_INT(1, tally_count(&first_opening.progress));
  close_host();
}
