/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "attachments": every argument wrong in turn. */
#include "suites.h"

#include "attachment_scene.h"

static opening told;
static remora_attachment *attachment;

static remora_status open_async(const remora_source *from, const remora_attachment_options *options,
                                remora_error *error) {
  return remora_attachment_open_async((remora_source *)from, options, opening_told, &told, opening_freed, NULL, error);
}

/* Both functions, with one thing wrong in good options. */
#define CHECK_BAD(word, change)                                                                      \
  do {                                                                                               \
    remora_attachment_options options = of_record("small");                                          \
    options.on_progress_user_data = &told;                                                           \
    options.on_progress_free_user_data = opening_progress_freed;                                     \
    opening_init(&told);                                                                             \
    change;                                                                                          \
    CHECK_INVALID(word, remora_attachment_open(source, &options, PATIENCE_MS, &attachment, &error)); \
    CHECK_INT(1, tally_count(&told.progress_freed));                                                 \
    CHECK_INVALID(word, open_async(source, &options, &error));                                       \
    CHECK_INT(2, tally_count(&told.progress_freed));                                                 \
    CHECK_INT(1, tally_count(&told.freed));                                                          \
    CHECK_INT(0, tally_count(&told.calls));                                                          \
    CHECK(attachment == NULL);                                                                       \
  } while (0)

static void null_arguments(void) {
  remora_attachment_options options = of_record("small");
  opening_init(&told);
  open_attachments(NULL);
  CHECK_INVALID("source", remora_attachment_open(NULL, &options, -1, &attachment, &error));
  CHECK_INVALID("options", remora_attachment_open(source, NULL, -1, &attachment, &error));
  CHECK_INVALID("out_attachment", remora_attachment_open(source, &options, -1, NULL, &error));
  CHECK_INVALID("timeout_ms", remora_attachment_open(source, &options, -2, &attachment, &error));
  CHECK_INVALID("source", open_async(NULL, &options, &error));
  CHECK_INVALID("options", open_async(source, NULL, &error));
  CHECK_INT(2, tally_count(&told.freed));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_attachment_open(NULL, NULL, -2, NULL, NULL));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_attachment_open_async(NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  CHECK(attachment == NULL);
  CHECK_INT(1, loopback_requests(server));
  close_scene();
}

static void bad_options(void) {
  open_attachments(NULL);
  CHECK_BAD("record", options.record = NULL);
  CHECK_BAD("record", options.location = "main/small.txt");
  CHECK_BAD("record", options.record = "\xff");
  CHECK_BAD("location", (options.record = NULL, options.location = "\xff"));
  CHECK_BAD("flags", options.flags = 2);
  CHECK_BAD("reserved", options.reserved = 1);
  CHECK_BAD("max_bytes", options.max_bytes = -2);
  remora_attachment_options empty = of_record("");
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "record", remora_attachment_open(source, &empty, -1, &attachment, &error));
  CHECK_INT(1, loopback_requests(server));
  close_scene();
}

static void struct_sizes(void) {
  open_attachments(NULL);
  CHECK_STRUCT_SIZES(remora_attachment_options, (REMORA_INIT(options), options->record = "small"),
                     remora_attachment_open(source, options, PATIENCE_MS, &attachment, &error));
  remora_attachment_release(attachment);
  CHECK_INIT_STAYS_INSIDE(remora_attachment_options);
  close_scene();
}

static void no_attachment(void) {
  CHECK(remora_attachment_retain(NULL) == NULL);
  CHECK(remora_attachment_data(NULL) == NULL);
  CHECK_INT(0, (int64_t)remora_attachment_size(NULL));
  CHECK(remora_attachment_path(NULL) == NULL);
  remora_attachment_release(NULL);
}

static void fields_of_what_is_no_record(void) {
  char text[8];
  size_t length = 99;
  remora_value record, member, none = {NULL, NULL};
  open_attachments(NULL);
  REQUIRE_OK(remora_snapshot_get(snapshot, "small", &record, &error));
  REQUIRE_OK(remora_value_member(record, "title", &member, &error));
  CHECK_INVALID("value", remora_value_record_fields(none, text, sizeof text, &length, &error));
  CHECK_INVALID("buffer", remora_value_record_fields(record, NULL, 1, &length, &error));
  CHECK_INVALID("out_length", remora_value_record_fields(record, text, sizeof text, NULL, &error));
  CHECK_REFUSED(REMORA_ERR_WRONG_TYPE, "object",
                remora_value_record_fields(member, text, sizeof text, &length, &error));
  CHECK_INT(99, (int64_t)length);
  close_scene();
}

static void a_bad_folder_is_refused_or_empty(void) {
  remora_collection_options options = untrusted("sample", NULL);
  remora_source *opened = NULL;
  open_attachments(NULL);
  options.collection = "second";
  options.packaged_attachments = "\xff";
  CHECK_INVALID("packaged_attachments", remora_open_collection(client, &options, &opened, &error));
  options.packaged_attachments = "/nowhere/at/all";
  REQUIRE_OK(remora_open_collection(client, &options, &opened, &error));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, opened);
  remora_attachment_options small = of_record("small");
  CHECK_STATUS(REMORA_OK, remora_attachment_open(opened, &small, PATIENCE_MS, &attachment, &error));
  check_text_of(small_text, attachment);
  remora_attachment_release(attachment);
  remora_source_close(opened);
  close_scene();
}

const check_test attachment_arguments_tests[] = {
    {"NULL and limits below -1 are refused by name", null_arguments},
    {"every option that is wrong is refused by name, and its user data freed", bad_options},
    {"the size of the options decides what is read of them", struct_sizes},
    {"NULL is an attachment of nothing", no_attachment},
    {"only a record has fields", fields_of_what_is_no_record},
    {"a folder of packaged attachments may be missing", a_bad_folder_is_refused_or_empty},
    {NULL, NULL},
};
