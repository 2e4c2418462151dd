/* SPDX-License-Identifier: Apache-2.0 */

/* remora_reject: what a program reads afterwards, and what is not accepted again. */
#include "activation_scene.h"

/* Opens the source with version 1000 live and stored, and fetches version 2000. */
static void open_with_bad(int32_t activation) {
  open_with(activation, NULL);
  CHECK_REFRESH(activation == REMORA_ACTIVATION_MANUAL ? REMORA_OUTCOME_STAGED : REMORA_OUTCOME_UPDATED, source);
}

static int64_t rejected_version(void) {
  remora_source_info info;
  REMORA_INIT(&info);
  REQUIRE_OK(remora_source_get_info(source, &info, &error));
  return info.rejected_version;
}

static void reject_live(void) {
  remora_snapshot *live = acquire(source);
  CHECK_STATUS(REMORA_OK, remora_reject(source, live, "it does not work", &error));
  remora_snapshot_release(live);
}

static tally rejections;

static void count_rejections(const remora_event *event, void *unused) {
  (void)unused;
  if (event->cause != REMORA_CAUSE_REJECTED) return;
  CHECK_INT(REMORA_OUTCOME_NONE, event->outcome);
  tally_add(&rejections);
}

TEST("remora_reject replaces the live version by the one before it, and reports an event with the cause REJECTED") {
  open_with_bad(REMORA_ACTIVATION_IMMEDIATE);
  tally_init(&rejections);
  recorder_do(&source_events, count_rejections, NULL);
  CHECK_INT(0, rejected_version());
  reject_live();
  CHECK_INT(1000, live_version(source));
  CHECK_INT(2000, rejected_version());
  REQUIRE(tally_await(&rejections, 1));
  close_scene();
}

TEST("after remora_reject, a refresh returns REJECTED until the server has a newer version") {
  remora_outcome outcome = -1;
  open_with_bad(REMORA_ACTIVATION_IMMEDIATE);
  reject_live();
  CHECK_REFUSED(REMORA_ERR_REJECTED, "version 2000 was rejected", remora_refresh(source, NULL, -1, &outcome, &error));
  CHECK_INT(REMORA_OUTCOME_NONE, outcome < 0 ? 0 : outcome);
  loopback_publish(server, 3000, B_AT_3000, 0, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_INT(3000, live_version(source));
  close_scene();
}

TEST("remora_reject refuses NULL, packaged data and snapshots that were replaced") {
  open_with_bad(REMORA_ACTIVATION_IMMEDIATE);
  remora_snapshot *old = acquire(source);
  CHECK_REFUSED(REMORA_ERR_INVALID_ARGUMENT, "snapshot", remora_reject(source, NULL, NULL, &error));
  CHECK_REFUSED(REMORA_ERR_INVALID_ARGUMENT, "source", remora_reject(NULL, old, NULL, &error));
  loopback_publish(server, 3000, B_AT_3000, 0, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "neither live nor staged", remora_reject(source, old, NULL, &error));
  CHECK_INT(3000, live_version(source));
  remora_snapshot_release(old);
  close_scene();
}

static void reject_in_callback(const remora_event *event, void *unused) {
  (void)unused;
  if (event->outcome != REMORA_OUTCOME_UPDATED) return;
  CHECK_STATUS(REMORA_OK, remora_reject(source, event->new_snapshot, NULL, NULL));
  tally_add(&rejections);
}

TEST("remora_reject works in the callback of the event that reports the version") {
  open_with(REMORA_ACTIVATION_IMMEDIATE, NULL);
  tally_init(&rejections);
  recorder_do(&source_events, reject_in_callback, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  REQUIRE(tally_await(&rejections, 1));
  CHECK_INT(1000, live_version(source));
  close_scene();
}

TEST("remora_reject rejects the staged version, which is not staged again") {
  open_with_bad(REMORA_ACTIVATION_MANUAL);
  remora_outcome outcome = -1;
  CHECK_STATUS(REMORA_OK, remora_activate(source, NULL, &outcome, &error));
  reject_live();
  CHECK_INT(1000, live_version(source));
  CHECK_INT(0, has_staged());
  CHECK_STATUS(REMORA_ERR_REJECTED, remora_refresh(source, NULL, -1, &outcome, &error));
  CHECK_INT(0, has_staged());
  close_scene();
}
