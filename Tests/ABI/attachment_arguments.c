/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "attachments": every argument wrong in turn. */
#include "attachment_scene.h"

static opening told;
static remora_attachment *attachment;

/* Both functions, with one thing wrong in good arguments. */
#define CHECK_BAD(word, change)                                                                             \
  do {                                                                                                      \
    const char *record = "small";                                                                           \
    int64_t timeout_ms = PATIENCE_MS;                                                                       \
    remora_attachment_options options = progress_to(&told);                                                 \
    opening_init(&told);                                                                                    \
    change;                                                                                                 \
    CHECK_INVALID(word, remora_attachment_open(source, record, &options, timeout_ms, &attachment, &error)); \
    CHECK_INT(1, tally_count(&told.progress_freed));                                                        \
    CHECK_INVALID(word, open_async(record, &options, timeout_ms, &told, &error));                           \
    CHECK_INT(2, tally_count(&told.progress_freed));                                                        \
    CHECK_INT(1, tally_count(&told.freed));                                                                 \
    CHECK_INT(0, tally_count(&told.calls));                                                                 \
    CHECK(attachment == NULL);                                                                              \
  } while (0)

TEST("an error about a NULL argument of an attachment function names the argument") {
  opening_init(&told);
  open_attachments(NULL);
  CHECK_INVALID("source", remora_attachment_open(NULL, "small", NULL, -1, &attachment, &error));
  CHECK_INVALID("out_attachment", remora_attachment_open(source, "small", NULL, -1, NULL, &error));
  CHECK_INVALID("source", remora_attachment_open_async(NULL, "small", NULL, -1, opening_told, &told, opening_freed,
                                                       NULL, &error));
  CHECK_INT(1, tally_count(&told.freed));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_attachment_open(NULL, NULL, NULL, -2, NULL, NULL));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT,
            remora_attachment_open_async(NULL, NULL, NULL, -2, NULL, NULL, NULL, NULL, NULL));
  CHECK(attachment == NULL);
  CHECK_INT(1, loopback_requests(server));
  close_scene();
}

TEST("an error about an invalid argument or option of an attachment names it, and user data is freed") {
  open_attachments(NULL);
  CHECK_BAD("record", record = NULL);
  CHECK_BAD("record", record = "\xff");
  CHECK_BAD("record", (record = "\xff", options.by_location = 1));
  CHECK_BAD("timeout_ms", timeout_ms = -2);
  CHECK_BAD("timeout_ms", timeout_ms = INT64_MIN);
  CHECK_BAD("by_location", options.by_location = 2);
  CHECK_BAD("by_location", options.by_location = -1);
  CHECK_BAD("local_only", options.local_only = 2);
  CHECK_BAD("local_only", options.local_only = -1);
  CHECK_BAD("max_bytes", options.max_bytes = -2);
  CHECK_OPEN_REFUSED(REMORA_ERR_NOT_FOUND, "record", "", NULL, -1);
  CHECK_INT(1, loopback_requests(server));
  close_scene();
}

TEST("a too small remora_attachment_options is refused, and a larger one is accepted only if the extra bytes are 0") {
  open_attachments(NULL);
  CHECK_STRUCT_SIZES(remora_attachment_options, REMORA_INIT(options),
                     remora_attachment_open(source, "small", options, PATIENCE_MS, &attachment, &error));
  remora_attachment_release(attachment);
  CHECK_INIT_STAYS_INSIDE(remora_attachment_options);
  close_scene();
}

TEST("a NULL attachment has no bytes and no path, and can be released") {
  CHECK(remora_attachment_retain(NULL) == NULL);
  CHECK(remora_attachment_data(NULL) == NULL);
  CHECK_INT(0, (int64_t)remora_attachment_size(NULL));
  CHECK(remora_attachment_path(NULL) == NULL);
  remora_attachment_release(NULL);
}

TEST("requesting the fields of a value that is not a record is an error") {
  char text[8];
  size_t length = 99;
  remora_value record, member, none = {NULL, NULL};
  open_attachments(NULL);
  REQUIRE_OK(remora_snapshot_get(snapshot, "small", NULL, &record, &error));
  REQUIRE_OK(remora_value_member(record, "title", &member, &error));
  CHECK_INVALID("record", remora_value_record_fields(none, text, sizeof text, &length, &error));
  CHECK_INVALID("buffer", remora_value_record_fields(record, NULL, 1, &length, &error));
  CHECK_REFUSED(REMORA_ERR_WRONG_TYPE, "object",
                remora_value_record_fields(member, text, sizeof text, &length, &error));
  CHECK_INT(99, (int64_t)length);
  close_scene();
}

TEST("the folder of packaged attachments does not need to exist") {
  remora_collection_options second = untrusted("second", NULL);
  remora_source *opened = NULL;
  open_attachments(NULL);
  second.packaged_attachments = "\xff";
  CHECK_INVALID("packaged_attachments", remora_open_collection(client, &second, NULL, &opened, &error));
  second.packaged_attachments = "/nowhere/at/all";
  REQUIRE_OK(remora_open_collection(client, &second, NULL, &opened, &error));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, opened);
  CHECK_STATUS(REMORA_OK, remora_attachment_open(opened, "small", NULL, PATIENCE_MS, &attachment, &error));
  check_text_of(small_text, attachment);
  remora_attachment_release(attachment);
  remora_source_close(opened);
  close_scene();
}
