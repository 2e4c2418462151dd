/* SPDX-License-Identifier: Apache-2.0 */

/* Two collections of one server, and the report of their last sync. */
#ifndef SYNC_SCENE_H
#define SYNC_SCENE_H

#include "recorder.h"
#include "scene.h"

#define LISTED(name, time) \
  "{\"id\":\"" name "\",\"last_modified\":" #time ",\"bucket\":\"main\",\"collection\":\"" name "\"}"
#define BOTH_AT_2000 "[" LISTED("other", 2000) "," LISTED("sample", 2000) "]"
#define ONE_AT_3000 "[" LISTED("other", 2000) "," LISTED("sample", 3000) "]"

/* What is kept of the last report. */
typedef struct kept_report {
  tally calls;
  tally freed;
  size_t struct_size;
  size_t item_count, updated, unchanged, staged, failed;
  remora_status error; /* REMORA_OK without one. */
  char message[sizeof((remora_error *)0)->message];
  char items[512]; /* "SERVER main/sample 1 REMORA_OK; " and so on. */
  void (*during)(void);
} kept_report;

extern kept_report kept;
extern remora_source *second;

/* The callbacks of a sync whose user data is a kept_report. */
void keep(const remora_sync_report *report, void *user_data);
void freed(void *user_data);

/* Waits until so many reports have arrived and their user data is freed. Returns 0 on timeout.
 * The wait for the report itself is needed too: ThreadSanitizer does not see that the library frees the data later. */
int await_reports(int count);

/* Opens two sources of one server that both are at 2000. */
void open_two(void);
void close_two(void);

remora_status sync_now(remora_error *error);
remora_request *start(void);
void check_counts(size_t updated, size_t unchanged, size_t failed);

#endif /* SYNC_SCENE_H */
