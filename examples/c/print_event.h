/* SPDX-License-Identifier: Apache-2.0 */

/* Prints the events of a subscriber, one line per item. Used by watch.c and event_loop.c. */
#ifndef PRINT_EVENT_H
#define PRINT_EVENT_H

#include <inttypes.h>
#include <remora.h>
#include <stdio.h>
#include <stdlib.h>

static void print_json(remora_value value) {
  size_t length = 0;
  if (remora_value_get_json(value, NULL, 0, &length, NULL) != REMORA_OK) return;
  char *text = malloc(length + 1);
  if (!text) abort();
  if (remora_value_get_json(value, text, length + 1, &length, NULL) == REMORA_OK) printf(" %s", text);
  free(text);
}

/* Prints the state at the start, and every key. */
static void print_state(const remora_event *event) {
  const char *key = NULL;
  remora_value value;
  printf("state origin=%s version=%" PRId64 " keys=%zu\n", remora_origin_name(event->origin), event->version,
         remora_snapshot_count(event->new_snapshot));
  for (size_t i = 0; remora_snapshot_item(event->new_snapshot, i, &key, NULL, &value, NULL) == REMORA_OK; i++) {
    printf("key %s", key);
    print_json(value);
    printf("\n");
  }
}

/* Prints an event and its changes. */
static void print_event(const remora_event *event) {
  printf("event cause=%s outcome=%s origin=%s version=%" PRId64 " changes=%zu\n", remora_cause_name(event->cause),
         remora_outcome_name(event->outcome), remora_origin_name(event->origin), event->version, event->change_count);
  if (event->error) printf("error %s %s\n", remora_status_name(event->error->status), event->error->message);
  if (event->storage_error) printf("storage %s\n", event->storage_error->message);
  for (size_t i = 0; i < event->change_count; i++) {
    printf("change %s %s", remora_change_kind_name(event->changes[i]->kind), event->changes[i]->key);
    print_json(event->changes[i]->new_value);
    printf("\n");
  }
}

#endif /* PRINT_EVENT_H */
