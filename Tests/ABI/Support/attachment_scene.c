/* SPDX-License-Identifier: Apache-2.0 */

/* Records with attachments, and who is told of them. */
#include "attachment_scene.h"

#include <stdlib.h>

#define SMALL_HASH "2852d7262f1fd6339a426560101d5840edf5b8999b90eb6b2eea86c8b9f7e298"
#define LARGE_HASH "74a8d63ec8ba5a16de466d54cafe9fd0f6c3a8a4baba2316e1333461623513fc"
#define EMPTY_HASH "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define WITH(id, location, hash, size, more)                  \
  "{\"id\":\"" id "\",\"last_modified\":2000,\"title\":\"" id \
  "\",\"attachment\":{\"filename\":\"f\",\"mimetype\":"       \
  "\"text/plain\",\"location\":\"" location "\",\"hash\":\"" hash "\",\"size\":" size "}" more "}"

const char small_text[] = "hello attachment\n";

opening first_opening, second_opening;

static const char records[] =
    "[" WITH("small", "main/small.txt", SMALL_HASH, "17", "") "," /* As it should be. */
    WITH("large", "main/large.txt", LARGE_HASH, "300000", "") "," WITH("empty", "main/empty.txt", EMPTY_HASH, "0", "")
    "," WITH("hidden", "main/hidden.txt", SMALL_HASH, "17", ",\"filter_expression\":\"false\"") /* Lies: */
    "," WITH("short", "main/small.txt", SMALL_HASH, "16", "") "," WITH("long", "main/small.txt", SMALL_HASH, "18", "")
    "," WITH("other", "main/small.txt", LARGE_HASH, "17", "") "," WITH("absent", "main/absent.txt", LARGE_HASH, "3", "")
    "," WITH("negative", "main/small.txt", SMALL_HASH, "-1", "") "," WITH("climbing", "../small.txt", SMALL_HASH, "17", "")
    "," WITH("elsewhere", "https://127.0.0.1:1/small.txt", SMALL_HASH, "17", "")
    "," WITH("cut-hash", "main/small.txt", "2852", "17", "") "," WITH("huge", "main/huge.txt", SMALL_HASH, "99999999999", "")
    ",{\"id\":\"plain\",\"last_modified\":2000,\"n\":1.5,\"attachment\":null}]";

const char *large_text(void) {
  static char text[LARGE_BYTES + 1];
  for (int i = 0; i < LARGE_BYTES; i++) text[i] = (char)('a' + (i * 7 + i / 251) % 26);
  return text;
}

void open_attachments_with(const char *directory, const remora_collection_options *collection) {
  opening_init(&first_opening);
  opening_init(&second_opening);
  server = loopback_start();
  loopback_publish(server, 2000, records, 0, NULL);
  loopback_attach(server, "main/small.txt", small_text);
  loopback_attach(server, "main/hidden.txt", small_text);
  loopback_attach(server, "main/large.txt", large_text());
  client = directory ? client_in_directory(directory, loopback_url(server)) : client_in_memory(loopback_url(server));
  REQUIRE_OK(remora_open_collection(client, collection, NULL, &source, &error));
  REQUIRE_OK(remora_refresh(source, NULL, PATIENCE_MS, NULL, &error));
  snapshot = acquire(source);
}

void open_attachments(const char *directory) {
  remora_collection_options collection = untrusted("sample", NULL);
  open_attachments_with(directory, &collection);
}

remora_attachment *open_record(const char *id) {
  remora_attachment *attachment = NULL;
  REQUIRE_OK(remora_attachment_open(source, id, NULL, PATIENCE_MS, &attachment, &error));
  REQUIRE(attachment != NULL);
  return attachment;
}

void check_text_of(const char *expected, const remora_attachment *attachment) {
  size_t length = strlen(expected);
  REQUIRE(remora_attachment_data(attachment) != NULL);
  CHECK_INT((int64_t)length, (int64_t)remora_attachment_size(attachment));
  CHECK(remora_attachment_size(attachment) == length &&
        memcmp(expected, remora_attachment_data(attachment), length) == 0);
}

void opening_init(opening *opening) {
  memset(opening, 0, sizeof *opening);
  tally_init(&opening->calls);
  tally_init(&opening->freed);
  tally_init(&opening->progress);
  tally_init(&opening->progress_freed);
}

void opening_told(const remora_result *result, void *user_data) {
  opening *out = user_data;
  out->status = result->status;
  out->error = result->error ? result->error->status : REMORA_OK;
  out->has_attachment = result->attachment != NULL;
  if (out->keeps) out->kept = remora_attachment_retain(result->attachment);
  if (out->during) out->during();
  tally_add(&out->calls);
}

void opening_freed(void *user_data) { tally_add(&((opening *)user_data)->freed); }

void opening_progress(const remora_progress *now, void *user_data) {
  opening *out = user_data;
  out->received = now->received;
  out->total = now->total;
  if (out->during_progress) out->during_progress();
  tally_add(&out->progress);
}

void opening_progress_freed(void *user_data) { tally_add(&((opening *)user_data)->progress_freed); }

remora_attachment_options progress_to(opening *opening) {
  remora_attachment_options options;
  REMORA_INIT(&options);
  options.on_progress = opening_progress;
  options.on_progress_user_data = opening;
  options.on_progress_free_user_data = opening_progress_freed;
  return options;
}

remora_status open_async(const char *record, const remora_attachment_options *options, int64_t timeout_ms,
                         opening *opening, remora_error *error) {
  return remora_attachment_open_async(source, record, options, timeout_ms, opening_told, opening, opening_freed, NULL,
                                      error);
}

remora_request *start_opening(const char *id, opening *opening) {
  remora_request *request = NULL;
  remora_attachment_options options = progress_to(opening);
  REQUIRE_OK(
      remora_attachment_open_async(source, id, &options, -1, opening_told, opening, opening_freed, &request, &error));
  REQUIRE(request != NULL);
  return request;
}

remora_request *start_stalled(opening *opening) {
  loopback_stall(server, 150000);
  remora_request *request = start_opening("large", opening);
  REQUIRE(loopback_await_downloads(server, 1));
  return request;
}

void check_end(opening *end, remora_status status) {
  REQUIRE(tally_await(&end->calls, 1));
  CHECK_INT(status, end->status);
  CHECK_INT(status, end->error);
  CHECK_INT(status == REMORA_OK, end->has_attachment);
  CHECK(tally_await(&end->freed, 1));
  CHECK(tally_await(&end->progress_freed, 1));
}

void check_once(opening *end) {
  CHECK_INT(1, tally_count(&end->calls));
  CHECK_INT(1, tally_count(&end->freed));
  CHECK_INT(1, tally_count(&end->progress_freed));
}
