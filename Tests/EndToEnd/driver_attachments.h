/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands that open attachments and tell what they are. Included by driver.c only. */
#ifndef DRIVER_ATTACHMENTS_H
#define DRIVER_ATTACHMENTS_H

#include "driver_format.h"
#include "driver_state.h"
#include "driver_words.h"

/* What the progress of one opening was. */
struct progress {
  int64_t calls;
  int64_t received;
  int64_t total;
  int fell;
};

static void on_progress(const remora_progress *now, void *user_data) {
  struct progress *progress = user_data;
  progress->fell = progress->fell || now->received < progress->received;
  progress->calls++;
  progress->received = now->received;
  progress->total = now->total;
}

/* FNV-1a: enough to tell bytes apart. */
static void format_hash(struct text *text, const remora_attachment *attachment) {
  const unsigned char *data = remora_attachment_data(attachment);
  uint64_t hash = 0xcbf29ce484222325;
  char digits[24];
  for (size_t i = 0; i < remora_attachment_size(attachment); i++) hash = (hash ^ data[i]) * 0x100000001b3;
  snprintf(digits, sizeof digits, "%016" PRIx64, hash);
  text_member_string(text, "fnv1a", digits);
}

static void format_attachment(struct text *text, const remora_attachment *attachment) {
  const char *path = remora_attachment_path(attachment);
  text_member_int(text, "size", (int64_t)remora_attachment_size(attachment));
  text_add_name(text, "path");
  if (path == NULL) {
    text_add(text, "null");
  } else {
    text_add_string(text, path, strlen(path));
  }
}

/* attachment TIMEOUT_MS [record=] [location=] [max_bytes=] [local=1] [held=1] [unread=1] */
static void run_attachment(char **words, struct text *answer) {
  struct progress progress = {0, 0, 0, 0};
  const char *record = option(words, "record");
  remora_attachment_options options;
  remora_attachment *attachment = NULL;
  remora_error error;
  REMORA_INIT(&options);
  options.by_location = record == NULL;
  options.max_bytes = number_option(words, "max_bytes");
  options.local_only = option(words, "local") != NULL;
  options.snapshot = option(words, "held") != NULL ? held : NULL;
  options.on_progress = on_progress;
  options.on_progress_user_data = &progress;
  remora_status status = remora_attachment_open(source, record != NULL ? record : option(words, "location"), &options,
                                                number_word(words, 0), &attachment, &error);
  format_result(answer, status, &error);
  text_member_int(answer, "progress_calls", progress.calls);
  text_member_int(answer, "progress_fell", progress.fell);
  text_member_int(answer, "received", progress.received);
  text_member_int(answer, "total", progress.total);
  if (status == REMORA_OK) format_attachment(answer, attachment);
  if (status == REMORA_OK && option(words, "unread") == NULL) format_hash(answer, attachment);
  remora_attachment_release(attachment);
}

/* fields KEY: what the record says beside what every record has. */
static void run_fields(char **words, struct text *answer) {
  remora_error error;
  remora_snapshot *snapshot = NULL;
  remora_value record;
  size_t length = 0;
  remora_status status = remora_snapshot_acquire(source, 0, &snapshot, &error);
  if (status == REMORA_OK) status = remora_snapshot_get(snapshot, word(words, 0), NULL, &record, &error);
  if (status == REMORA_OK) status = remora_value_record_fields(record, NULL, 0, &length, &error);
  if (status == REMORA_OK) {
    text_add_name(answer, "fields");
    remora_value_record_fields(record, text_reserve(answer, length), length + 1, &length, &error);
    answer->length += length;
  }
  format_result(answer, status, &error);
  remora_snapshot_release(snapshot);
}

#endif
