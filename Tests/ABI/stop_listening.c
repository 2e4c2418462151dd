/* SPDX-License-Identifier: Apache-2.0 */

/* The header's remora_stop_listening: events end, and what is fetched waits for the next client. */
#include "activation_scene.h"
TEST("after stop_listening, no event is delivered, and fetched data can be read only by the next client") {
  completion completed;
  recorder later;
  remora_subscription *subscription = NULL;
  char directory[64];
  temporary_directory(directory);
  completion_init(&completed);
  recorder_init(&later);
  open_with(0, directory);
  REQUIRE_OK(remora_stop_listening(source, &error));
  REQUIRE_OK(remora_stop_listening(source, &error));
  REQUIRE_OK(remora_refresh_async(source, NULL, -1, completion_told, &completed, completion_freed, NULL, &error));
  REQUIRE(tally_await(&completed.calls, 1));
  CHECK_INT(REMORA_OUTCOME_STAGED, completed.outcome);
  CHECK_INT(REMORA_OK, completed.status);
  CHECK_INT(1000, live_version(source));
  remora_flags options = REMORA_SUBSCRIBE_REPLAY;
  REQUIRE_OK(remora_subscribe(source, NULL, options, recorder_event, &later, recorder_freed, &subscription, &error));
  CHECK_INT(2000, recorder_await(&later, 1)->staged_version);
  remora_unsubscribe(subscription);
  CHECK_INT(1, tally_count(&source_events.events));
  close_client();
  open_with(0, directory);
  CHECK_INT(2000, live_version(source));
  close_scene();
  remove_directory(directory);
}

static void stop_inside(const remora_event *event, void *context) {
  if (event->outcome != REMORA_OUTCOME_UPDATED) return;
  REQUIRE_OK(remora_stop_listening(source, &error));
  tally_add(context);
}

TEST("remora_stop_listening can be called inside a callback") {
  tally stopped;
  tally_init(&stopped);
  open_with(0, NULL);
  recorder_do(&source_events, stop_inside, &stopped);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  REQUIRE(tally_await(&stopped, 1));
  loopback_publish(server, 3000, B_AT_3000, 0, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_STAGED, source);
  CHECK_INT(2, tally_count(&source_events.events));
  close_scene();
}
