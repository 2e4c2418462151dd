/* SPDX-License-Identifier: Apache-2.0 */

/* The header's remora_refresh_options: each field means the same for a refresh, an await and a sync. */
#include "bundle_scene.h"
#include "recorder.h"
#include "settings_scene.h"
#include "sync_scene.h"

TEST("the option expected_version is sent with its refresh, and with no later refresh") {
  completion end;
  open_served(NULL);
  loopback_publish(server, 2000, "[]", 0, NULL);
  REQUIRE_OK(remora_refresh(source, REFRESH_WITH(expected_version, 4321), PATIENCE_MS, NULL, &error));
  CHECK(was_asked("/collections/sample/changeset?_expected=4321 "));
  completion_init(&end);
  REQUIRE_OK(remora_refresh_async(source, REFRESH_WITH(expected_version, 5432), -1, completion_told, &end,
                                  completion_freed, NULL, &error));
  REQUIRE(tally_await(&end.freed, 1));
  CHECK_INT(REMORA_OUTCOME_UNCHANGED, end.outcome);
  CHECK(was_asked("/collections/sample/changeset?_expected=5432&_since=2000 "));
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  CHECK(!was_asked("5432"));
  close_scene();
}

TEST("the option expected_version is sent even while a refresh without the option is running") {
  completion before, pushed;
  open_served(NULL);
  loopback_hang(server, 1);
  completion_init(&before);
  completion_init(&pushed);
  REQUIRE_OK(remora_refresh_async(source, NULL, -1, completion_told, &before, completion_freed, NULL, &error));
  REQUIRE(loopback_await_requests(server, 1));
  REQUIRE_OK(remora_refresh_async(source, REFRESH_WITH(expected_version, 4321), -1, completion_told, &pushed,
                                  completion_freed, NULL, &error));
  loopback_hang(server, 0);
  REQUIRE(tally_await(&before.freed, 1) && tally_await(&pushed.freed, 1));
  CHECK_INT(REMORA_OK, before.status);
  CHECK_INT(REMORA_OK, pushed.status);
  CHECK(was_asked("_expected=4321"));
  close_scene();
}

/* Refused by the waiting and by the asynchronous function, whose user data is freed without a call. */
static void check_refresh_refuses(remora_source *from, const char *word, const remora_refresh_options *options) {
  completion end;
  completion_init(&end);
  CHECK_PARAMETER(word, remora_refresh(from, options, PATIENCE_MS, NULL, &error));
  CHECK_PARAMETER(
      word, remora_refresh_async(from, options, PATIENCE_MS, completion_told, &end, completion_freed, NULL, &error));
  CHECK_INT(1, tally_count(&end.freed));
  CHECK_INT(0, tally_count(&end.calls));
}

static void check_await_refuses(const char *word, const remora_refresh_options *options) {
  remora_snapshot *given = NULL;
  completion end;
  completion_init(&end);
  CHECK_PARAMETER(word, remora_await(source, options, PATIENCE_MS, &given, &error));
  CHECK(given == NULL);
  CHECK_PARAMETER(
      word, remora_await_async(source, options, PATIENCE_MS, completion_told, &end, completion_freed, NULL, &error));
  CHECK_INT(1, tally_count(&end.freed));
  CHECK_INT(0, tally_count(&end.calls));
}

static void check_sync_refuses(const char *word, const remora_refresh_options *options) {
  tally_init(&kept.calls);
  tally_init(&kept.freed);
  CHECK_PARAMETER(word, remora_sync(client, options, PATIENCE_MS, keep, &kept, &error));
  CHECK_PARAMETER(word, remora_sync_async(client, options, PATIENCE_MS, keep, &kept, freed, NULL, &error));
  CHECK_INT(1, tally_count(&kept.freed));
  CHECK_INT(0, tally_count(&kept.calls));
}

TEST("a forced call that is only for an empty source is refused") {
  remora_refresh_options both = {.struct_size = sizeof both, .force = 1, .only_if_empty = 1};
  open_served(NULL);
  check_refresh_refuses(source, "only_if_empty", &both);
  check_await_refuses("only_if_empty", &both);
  check_sync_refuses("only_if_empty", &both);
  CHECK_INT(0, loopback_requests(server));
  close_scene();
}

TEST("an error about an invalid value of a refresh option names the option") {
  open_served(NULL);
  const int32_t flags[] = {2, -1, INT32_MIN};
  const int64_t versions[] = {-1, INT64_MIN};
  for (size_t i = 0; i < 3; i++) {
    check_refresh_refuses(source, "force", REFRESH_WITH(force, flags[i]));
    check_await_refuses("force", REFRESH_WITH(force, flags[i]));
    check_sync_refuses("force", REFRESH_WITH(force, flags[i]));
    check_refresh_refuses(source, "only_if_empty", REFRESH_WITH(only_if_empty, flags[i]));
    check_await_refuses("only_if_empty", REFRESH_WITH(only_if_empty, flags[i]));
    check_sync_refuses("only_if_empty", REFRESH_WITH(only_if_empty, flags[i]));
  }
  for (size_t i = 0; i < 2; i++) {
    check_refresh_refuses(source, "expected_version", REFRESH_WITH(expected_version, versions[i]));
    check_await_refuses("expected_version", REFRESH_WITH(expected_version, versions[i]));
    check_sync_refuses("expected_version", REFRESH_WITH(expected_version, versions[i]));
  }
  CHECK_INT(0, loopback_requests(server));
  close_scene();
}

TEST("a refresh with only_if_empty sends a request only if the source has no data, and has no outcome otherwise") {
  int32_t outcome = -1;
  completion end;
  open_served(NULL);
  loopback_publish(server, 2000, "[]", 0, NULL);
  REQUIRE_OK(remora_refresh(source, REFRESH_WITH(only_if_empty, 1), PATIENCE_MS, &outcome, &error));
  CHECK_INT(REMORA_OUTCOME_UPDATED, outcome);
  REQUIRE_OK(remora_refresh(source, REFRESH_WITH(only_if_empty, 1), PATIENCE_MS, &outcome, &error));
  CHECK_INT(REMORA_OUTCOME_NONE, outcome);
  outcome = -1;
  REQUIRE_OK(remora_refresh(source, REFRESH_WITH(only_if_empty, 1), 0, &outcome, &error));
  CHECK_INT(REMORA_OUTCOME_NONE, outcome);
  completion_init(&end);
  REQUIRE_OK(remora_refresh_async(source, REFRESH_WITH(only_if_empty, 1), -1, completion_told, &end, completion_freed,
                                  NULL, &error));
  REQUIRE(tally_await(&end.freed, 1));
  CHECK_INT(REMORA_OK, end.status);
  CHECK_INT(REMORA_OUTCOME_NONE, end.outcome);
  CHECK_INT(1, loopback_requests(server));
  close_scene();
}

TEST("packaged data counts as data for only_if_empty, and so does a staged version") {
  int32_t outcome = -1;
  open_served(sample_data);
  REQUIRE_OK(remora_refresh(source, REFRESH_WITH(only_if_empty, 1), PATIENCE_MS, &outcome, &error));
  CHECK_INT(REMORA_OUTCOME_NONE, outcome);
  remora_collection_options manual = untrusted("manual", NULL);
  manual.activation = REMORA_ACTIVATION_MANUAL;
  remora_source *staged = NULL;
  REQUIRE_OK(remora_open_collection(client, &manual, NULL, &staged, &error));
  loopback_publish(server, 2000, "[]", 0, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_STAGED, staged);
  int requests = loopback_requests(server);
  REQUIRE_OK(remora_refresh(staged, REFRESH_WITH(only_if_empty, 1), PATIENCE_MS, &outcome, &error));
  CHECK_INT(REMORA_OUTCOME_NONE, outcome);
  CHECK_INT(requests, loopback_requests(server));
  remora_source_close(staged);
  close_scene();
}

TEST("a sync with only_if_empty refreshes only the sources that have no data") {
  open_two();
  REQUIRE_OK(remora_refresh(source, NULL, PATIENCE_MS, NULL, &error));
  int requests = loopback_requests(server);
  CHECK_STATUS(REMORA_OK, remora_sync(client, REFRESH_WITH(only_if_empty, 1), PATIENCE_MS, keep, &kept, &error));
  check_counts(1, 1, 0);
  CHECK_TEXT("main/sample 0 REMORA_OK; main/other 1 REMORA_OK; ", kept.items);
  CHECK(loopback_requests(server) > requests);
  requests = loopback_requests(server);
  CHECK_STATUS(REMORA_OK, remora_sync(client, REFRESH_WITH(only_if_empty, 1), 0, keep, &kept, &error));
  check_counts(0, 2, 0);
  CHECK_INT(requests, loopback_requests(server));
  close_two();
}

TEST("a sync with force refreshes also the sources that the server lists as unchanged") {
  open_two();
  REQUIRE_OK(sync_now(&error));
  check_counts(2, 0, 0);
  int requests = loopback_requests(server);
  REQUIRE_OK(sync_now(&error));
  check_counts(0, 2, 0);
  CHECK_INT(requests + 1, loopback_requests(server));
  CHECK_STATUS(REMORA_OK, remora_sync(client, REFRESH_WITH(force, 1), PATIENCE_MS, keep, &kept, &error));
  check_counts(0, 2, 0);
  CHECK_INT(requests + 4, loopback_requests(server));
  close_two();
}

TEST("a sync with force sends requests although the server asked for a pause") {
  open_two();
  loopback_fail(server, 503, "Retry-After: 3600");
  CHECK_INT(REMORA_ERR_HTTP, sync_now(NULL));
  CHECK_INT(REMORA_ERR_BACKOFF, sync_now(NULL));
  loopback_fail(server, 0, NULL);
  CHECK_STATUS(REMORA_OK, remora_sync(client, REFRESH_WITH(force, 1), PATIENCE_MS, keep, &kept, &error));
  check_counts(2, 0, 0);
  close_two();
}

TEST("the option expected_version is refused for bundles and settings") {
  open_served(NULL);
  remora_bundle_options bundle = bundle_at(loopback_url(server));
  remora_settings_options settings = settings_at(loopback_url(server));
  remora_source *others[] = {open_bundle(client, &bundle), open_settings(client, &settings)};
  for (int i = 0; i < 2; i++) {
    check_refresh_refuses(others[i], "expected_version", REFRESH_WITH(expected_version, 4321));
    remora_source_close(others[i]);
  }
  CHECK_INT(0, loopback_requests(server));
  close_scene();
}

TEST("a too small remora_refresh_options is refused, and a larger one is accepted only if the extra bytes are 0") {
  open_served(NULL);
  CHECK_STRUCT_SIZES(remora_refresh_options, REMORA_INIT(options),
                     remora_refresh(source, options, PATIENCE_MS, NULL, &error));
  CHECK_STRUCT_SIZES(remora_refresh_options, REMORA_INIT(options),
                     remora_await_async(source, options, -1, NULL, NULL, NULL, NULL, &error));
  CHECK_STRUCT_SIZES(remora_refresh_options, REMORA_INIT(options),
                     remora_sync(client, options, PATIENCE_MS, NULL, NULL, &error));
  CHECK_INIT_STAYS_INSIDE(remora_refresh_options);
  close_scene();
}
