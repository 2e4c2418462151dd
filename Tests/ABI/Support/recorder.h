/* SPDX-License-Identifier: Apache-2.0 */

/* Callbacks that write down what they are told, for a test to wait for and look at. */
#ifndef RECORDER_H
#define RECORDER_H

#include <remora.h>

#include "tally.h"

enum { SEEN_MAX = 16 };

/* What is kept of one event. */
typedef struct seen_event {
  size_t struct_size;
  int32_t cause;
  int32_t outcome;
  int32_t origin;
  int64_t version;
  int64_t old_version;    /* Of old_snapshot. */
  int64_t new_version;    /* Of new_snapshot. */
  int64_t staged_version; /* Of staged_snapshot; -1 without one. */
  size_t change_count;
  char changes[128];   /* Such as "+created ~updated -deleted". */
  remora_status error; /* REMORA_OK without one. */
  remora_status storage_error;
  int32_t old_freshness;
  int32_t new_freshness;
} seen_event;

/* The user data of recorder_event and recorder_freed. `during`, when set, is called
 * inside the callback after the event was written down. */
typedef struct recorder {
  tally events;
  tally freed;
  seen_event seen[SEEN_MAX];
  void (*during)(const remora_event *event, void *context);
  void *context;
} recorder;

void recorder_init(recorder *recorder);
/* Sets `during` of a recorder whose callback may run meanwhile. */
void recorder_do(recorder *recorder, void (*during)(const remora_event *event, void *context), void *context);
void recorder_event(const remora_event *event, void *recorder);
void recorder_freed(void *recorder);

/* Options of an opening that begins no refresh and whose first subscriber is this recorder. */
remora_source_options recorded(recorder *recorder);

/* A `during` that holds the callback at the gate which is its context. */
void recorder_hold(const remora_event *event, void *gate);

/* "+" for created, "~" for updated, "-" for deleted, "?" for anything else. */
const char *change_mark(int32_t kind);

/* Waits for event number `count` and returns it; the test ends when it does not come. */
const seen_event *recorder_await(recorder *recorder, int count);

/* The user data of completion_told and completion_freed: one asynchronous refresh. */
typedef struct completion {
  tally calls;
  tally freed;
  remora_status status;
  int32_t outcome;
  remora_status error; /* REMORA_OK without one. */
} completion;

void completion_init(completion *completion);
void completion_told(const remora_result *result, void *completion);
void completion_freed(void *completion);

#endif /* RECORDER_H */
