/* SPDX-License-Identifier: Apache-2.0 */

#include "sync_scene.h"

#include <stdio.h>

kept_report kept;
remora_source *second;

void keep(const remora_sync_report *report, void *user_data) {
  kept_report *out = user_data;
  char base[128];
  size_t length = 0;
  out->struct_size = report->struct_size;
  out->item_count = report->item_count;
  out->updated = report->updated;
  out->unchanged = report->unchanged;
  out->staged = report->staged;
  out->failed = report->failed;
  out->error = report->error ? report->error->status : REMORA_OK;
  snprintf(out->message, sizeof out->message, "%s", report->error ? report->error->message : "");
  out->items[0] = '\0';
  for (size_t i = 0; i < report->item_count; i++) {
    const remora_sync_item *item = report->items[i];
    CHECK(!item->error == (item->outcome < REMORA_OUTCOME_REFUSED));
    snprintf(base, sizeof base, "%s/v2", loopback_url(server));
    CHECK_TEXT(base, item->server);
    length += (size_t)snprintf(out->items + length, sizeof out->items - length, "%s %d %s; ", item->source_name,
                               item->outcome, remora_status_name(item->error ? item->error->status : REMORA_OK));
  }
  if (out->during) out->during();
  tally_add(&out->calls);
}

void freed(void *user_data) { tally_add(&((kept_report *)user_data)->freed); }

int await_reports(int count) { return tally_await(&kept.calls, count) && tally_await(&kept.freed, count); }

void open_two(void) {
  tally_init(&kept.calls);
  tally_init(&kept.freed);
  open_served(NULL);
  second = open_untrusted(client, "other", NULL);
  loopback_publish(server, 2000, BOTH_AT_2000, 0, NULL);
}

void close_two(void) {
  remora_source_close(second);
  close_scene();
}

remora_status sync_now(remora_error *error) { return remora_sync(client, NULL, PATIENCE_MS, keep, &kept, error); }

void check_counts(size_t updated, size_t unchanged, size_t failed) {
  CHECK_INT((int64_t)updated, (int64_t)kept.updated);
  CHECK_INT((int64_t)unchanged, (int64_t)kept.unchanged);
  CHECK_INT((int64_t)failed, (int64_t)kept.failed);
  CHECK_INT((int64_t)(updated + unchanged + failed), (int64_t)kept.item_count);
}

remora_request *start(void) {
  remora_request *request = NULL;
  REQUIRE_OK(remora_sync_async(client, NULL, -1, keep, &kept, freed, &request, &error));
  REQUIRE(request != NULL);
  return request;
}
