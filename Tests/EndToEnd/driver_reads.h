/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands that read: they call what never blocks and never fetches. Included by
 * driver.c only. */
#ifndef DRIVER_READS_H
#define DRIVER_READS_H

#include "driver_format.h"
#include "driver_state.h"
#include "driver_words.h"

/* get TYPE KEY POINTER DEFAULT: the getters that never fail. */
static void run_get(char **words, struct text *answer) {
  const char *type = word(words, 0);
  const char *key = word(words, 1);
  const char *pointer = word(words, 2);
  const char *fallback = word(words, 3);
  char buffer[4096];
  format_result(answer, REMORA_OK, NULL);
  if (type != NULL && strcmp(type, "bool") == 0) {
    text_member_int(answer, "value", remora_get_bool(source, key, pointer, (int32_t)number_word(words, 3)));
  } else if (type != NULL && strcmp(type, "int") == 0) {
    text_member_int(answer, "value", remora_get_int(source, key, pointer, number_word(words, 3)));
  } else if (type != NULL && strcmp(type, "double") == 0) {
    text_member_double(answer, "value",
                       remora_get_double(source, key, pointer, fallback == NULL ? 0 : strtod(fallback, NULL)));
  } else if (type != NULL && strcmp(type, "url") == 0) {
    remora_get_url(source, key, pointer, buffer, sizeof buffer, fallback);
    text_member_string(answer, "value", buffer);
  } else {
    remora_get_string(source, key, pointer, buffer, sizeof buffer, fallback);
    text_member_string(answer, "value", buffer);
  }
}

/* has TYPE KEY [POINTER]: the status of the getter that says why there is no value. */
static void run_has(char **words, struct text *answer) {
  const char *type = word(words, 0);
  const char *key = word(words, 1);
  const char *pointer = word(words, 2);
  int32_t boolean;
  int64_t integer;
  double number;
  const char *string;
  size_t length;
  remora_error error;
  remora_snapshot *snapshot = NULL;
  remora_status status = remora_snapshot_acquire(source, 0, &snapshot, &error);
  if (status == REMORA_OK && strcmp(type, "bool") == 0) {
    status = remora_snapshot_get_bool(snapshot, key, pointer, &boolean, &error);
  } else if (status == REMORA_OK && strcmp(type, "int") == 0) {
    status = remora_snapshot_get_int(snapshot, key, pointer, &integer, &error);
  } else if (status == REMORA_OK && strcmp(type, "double") == 0) {
    status = remora_snapshot_get_double(snapshot, key, pointer, &number, &error);
  } else if (status == REMORA_OK && strcmp(type, "url") == 0) {
    status = remora_snapshot_get_url(snapshot, key, pointer, &string, &length, &error);
  } else if (status == REMORA_OK) {
    status = remora_snapshot_get_string(snapshot, key, pointer, &string, &length, &error);
  }
  format_result(answer, status, &error);
  remora_snapshot_release(snapshot);
}

static void answer_live(uint32_t flags, char **words, struct text *answer) {
  remora_error error;
  remora_snapshot *snapshot = NULL;
  remora_status status = remora_snapshot_acquire(source, flags, &snapshot, &error);
  if (status == REMORA_OK) {
    status = format_snapshot_json(answer, snapshot, word(words, 0), word(words, 1), &error);
    format_snapshot_info(answer, snapshot);
  }
  format_result(answer, status, &error);
  remora_snapshot_release(snapshot);
}

static void run_json(char **words, struct text *answer) { answer_live(0, words, answer); }

static void run_unfiltered(char **words, struct text *answer) {
  answer_live(REMORA_SNAPSHOT_UNFILTERED, words, answer);
}

static void run_hold(char **words, struct text *answer) {
  remora_error error;
  (void)words;
  remora_snapshot_release(held);
  held = NULL;
  format_result(answer, remora_snapshot_acquire(source, 0, &held, &error), &error);
}

static void run_held(char **words, struct text *answer) {
  remora_error error;
  remora_status status = format_snapshot_json(answer, held, word(words, 0), word(words, 1), &error);
  format_snapshot_info(answer, held);
  format_result(answer, status, &error);
}

static void run_info(char **words, struct text *answer) {
  remora_error error;
  remora_source_info info;
  remora_status status;
  (void)words;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  status = remora_source_get_info(source, &info, &error);
  format_result(answer, status, &error);
  if (status == REMORA_OK) {
    format_source_info(answer, &info);
  }
}

#endif
