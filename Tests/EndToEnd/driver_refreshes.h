/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands that ask a server: refreshes, awaits and syncs, with and without waiting. Included by driver.c only. */
#ifndef DRIVER_REFRESHES_H
#define DRIVER_REFRESHES_H

#include <pthread.h>

#include "driver_format.h"
#include "driver_state.h"
#include "driver_words.h"

static void on_completion(const remora_result *result, void *user_data) {
  struct text line = {NULL, 0, 0};
  (void)user_data;
  text_add(&line, "{");
  text_member_string(&line, "outcome", remora_outcome_name(result->outcome));
  text_member_string(&line, "completion", remora_status_name(result->status));
  format_error(&line, "error", result->error);
  queue_put(&completions, line.bytes);
}

static void *run_background(void *unused) {
  (void)unused;
  background.status = background.is_await
                          ? remora_await(source, NULL, background.timeout_ms, &background.snapshot, &background.error)
                          : remora_refresh(source, NULL, background.timeout_ms, &background.outcome, &background.error);
  return NULL;
}

static void on_sync(const remora_sync_report *report, void *user_data) {
  struct text *answer = user_data;
  text_member_int(answer, "item_count", (int64_t)report->item_count);
  text_member_int(answer, "updated", (int64_t)report->updated);
  text_member_int(answer, "unchanged", (int64_t)report->unchanged);
  text_member_int(answer, "staged", (int64_t)report->staged);
  text_member_int(answer, "failed", (int64_t)report->failed);
  text_add_name(answer, "items");
  text_add(answer, "[");
  for (size_t i = 0; i < report->item_count; i++) {
    const remora_sync_item *item = &report->items[i];
    text_add(answer, i == 0 ? "{" : ",{");
    text_member_string(answer, "server", item->server);
    text_member_string(answer, "source_name", item->source_name);
    text_member_string(answer, "outcome", remora_outcome_name(item->outcome));
    format_result(answer, item->error != NULL ? item->error->status : REMORA_OK, item->error);
    text_add(answer, "}");
  }
  text_add(answer, "]");
}

static void run_sync(char **words, struct text *answer) {
  remora_error error;
  remora_status status = remora_sync(client, NULL, number_word(words, 0), on_sync, answer, &error);
  format_result(answer, status, &error);
}

static void run_refresh(char **words, struct text *answer) {
  remora_error error;
  int32_t outcome = REMORA_OUTCOME_NONE;
  format_result(answer, remora_refresh(source, NULL, number_word(words, 0), &outcome, &error), &error);
  text_member_string(answer, "outcome", remora_outcome_name(outcome));
}

static void run_refresh_async(char **words, struct text *answer) {
  remora_refresh_options options;
  remora_error error;
  REMORA_INIT(&options);
  options.force = word(words, 0) != NULL;
  remora_request_release(request);
  request = NULL;
  format_result(answer, remora_refresh_async(source, &options, -1, on_completion, NULL, NULL, &request, &error),
                &error);
}

static void run_cancel(char **words, struct text *answer) {
  (void)words;
  remora_request_cancel(request);
  format_result(answer, REMORA_OK, NULL);
}

static void start_background(int is_await, char **words, struct text *answer) {
  background.is_await = is_await;
  background.timeout_ms = number_word(words, 0);
  if (pthread_create(&background.thread, NULL, run_background, NULL) != 0) {
    abort();
  }
  format_result(answer, REMORA_OK, NULL);
}

static void run_refresh_thread(char **words, struct text *answer) { start_background(0, words, answer); }

static void run_await_thread(char **words, struct text *answer) { start_background(1, words, answer); }

static void run_join(char **words, struct text *answer) {
  (void)words;
  pthread_join(background.thread, NULL);
  format_result(answer, background.status, &background.error);
  format_snapshot(answer, background.snapshot);
  remora_snapshot_release(background.snapshot);
  background.snapshot = NULL;
  text_member_string(answer, "outcome", remora_outcome_name(background.outcome));
}

static void run_await(char **words, struct text *answer) {
  remora_error error;
  remora_snapshot *snapshot = NULL;
  remora_refresh_options options;
  REMORA_INIT(&options);
  options.only_if_empty = word(words, 1) != NULL;
  format_result(answer, remora_await(source, &options, number_word(words, 0), &snapshot, &error), &error);
  format_snapshot(answer, snapshot);
  remora_snapshot_release(snapshot);
}

static void on_awaited(const remora_result *result, void *user_data) {
  struct text line = {NULL, 0, 0};
  (void)user_data;
  text_add(&line, "{");
  text_member_string(&line, "completion", remora_status_name(result->status));
  format_snapshot(&line, result->snapshot);
  format_error(&line, "error", result->error);
  queue_put(&completions, line.bytes);
}

static void run_await_async(char **words, struct text *answer) {
  remora_error error;
  remora_request_release(request);
  request = NULL;
  format_result(answer,
                remora_await_async(source, NULL, number_word(words, 0), on_awaited, NULL, NULL, &request, &error),
                &error);
}

#endif
