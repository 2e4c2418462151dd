/* SPDX-License-Identifier: Apache-2.0 */

/* remora_activate with the snapshot that the program has judged. */
#include "activation_scene.h"

/* Passes a judged snapshot to remora_activate, checks the outcome, and releases the snapshot. */
static void check_judged(remora_snapshot *judged, int32_t expected) {
  int32_t outcome = -1;
  CHECK_STATUS(REMORA_OK, remora_activate(source, judged, &outcome, &error));
  CHECK_INT(expected, outcome);
  remora_snapshot_release(judged);
}

static remora_snapshot *judged_snapshot;
static tally judgements;

static void judge(const remora_event *event, void *unused) {
  (void)unused;
  if (event->outcome != REMORA_OUTCOME_STAGED) return;
  remora_snapshot_release(judged_snapshot);
  judged_snapshot = remora_snapshot_retain(event->staged_snapshot);
  tally_add(&judgements);
}

/* Refreshes, and returns the staged snapshot of the event. */
static remora_snapshot *stage(void) {
  tally_init(&judgements);
  recorder_do(&source_events, judge, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_STAGED, source);
  REQUIRE(tally_await(&judgements, 1));
  return remora_snapshot_retain(judged_snapshot);
}

TEST("remora_activate makes the staged snapshot live that the program has judged") {
  open_with(REMORA_ACTIVATION_MANUAL, NULL);
  check_judged(stage(), REMORA_OUTCOME_UPDATED);
  CHECK_INT(2000, live_version(source));
  CHECK_INT(0, has_staged());
  check_judged(remora_snapshot_retain(judged_snapshot), REMORA_OUTCOME_UNCHANGED);
  remora_snapshot_release(judged_snapshot);
  close_scene();
}

TEST("remora_activate with the live snapshot changes nothing, even if another version is staged") {
  open_with(REMORA_ACTIVATION_MANUAL, NULL);
  check_judged(acquire(source), REMORA_OUTCOME_UNCHANGED);
  remora_snapshot_release(stage());
  check_judged(acquire(source), REMORA_OUTCOME_UNCHANGED);
  CHECK_INT(1000, live_version(source));
  CHECK_INT(1, has_staged());
  remora_snapshot_release(judged_snapshot);
  close_scene();
}

TEST("remora_activate ignores overrides when it compares snapshots") {
  open_with(REMORA_ACTIVATION_MANUAL, NULL);
  remora_snapshot *staged = stage();
  REQUIRE_OK(remora_override_set(source, "x", NULL, "1", 0, &error));
  check_judged(acquire(source), REMORA_OUTCOME_UNCHANGED);
  check_judged(staged, REMORA_OUTCOME_UPDATED);
  remora_snapshot_release(judged_snapshot);
  close_scene();
}

TEST("remora_activate does not activate a version that has replaced the judged one") {
  int32_t outcome = -1;
  open_with(REMORA_ACTIVATION_MANUAL, NULL);
  remora_snapshot *judged = stage();
  loopback_publish(server, 3000, B_AT_3000, 0, NULL);
  remora_snapshot *replacement = stage();
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "neither staged nor live", remora_activate(source, judged, &outcome, &error));
  CHECK_INT(-1, outcome);
  CHECK_INT(1000, live_version(source));
  CHECK_INT(1, has_staged());
  check_judged(replacement, REMORA_OUTCOME_UPDATED);
  CHECK_INT(3000, live_version(source));
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "neither staged nor live", remora_activate(source, judged, NULL, &error));
  remora_snapshot_release(judged);
  remora_snapshot_release(judged_snapshot);
  close_scene();
}

TEST("remora_activate refuses a snapshot of another source") {
  int32_t outcome = -1;
  open_with(REMORA_ACTIVATION_MANUAL, NULL);
  remora_source *other = open_untrusted(client, "other", A_AT_1000);
  remora_snapshot *foreign = acquire(other);
  CHECK_PARAMETER("snapshot", remora_activate(source, foreign, &outcome, &error));
  remora_snapshot_release(stage());
  CHECK_PARAMETER("snapshot", remora_activate(source, foreign, &outcome, &error));
  CHECK_INT(-1, outcome);
  CHECK_INT(1, has_staged());
  remora_snapshot_release(foreign);
  remora_snapshot_release(judged_snapshot);
  remora_source_close(other);
  close_scene();
}
