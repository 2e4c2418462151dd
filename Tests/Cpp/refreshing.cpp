// SPDX-License-Identifier: Apache-2.0

// Refresh, await and sync on the calling thread.
#include "suites.hpp"

namespace {

using remora::errc;
using remora::outcome;

const char *const one_record = R"([{"id":"a","last_modified":2000,"n":5}])";

void a_refresh_returns_its_outcome() {
  served_scene scene;
  loopback_publish(scene.server.get(), 2000, one_record, 0, nullptr);
  CHECK_SAME(outcome::updated, scene.source.refresh(deadline));
  CHECK_SAME(outcome::unchanged, scene.source.refresh(remora::no_limit));
  CHECK(scene.source.get_int("a", "/n") == 5);
  loopback_publish(scene.server.get(), 1000, "[]", 0, nullptr);
  CHECK_SAME(outcome::not_newer, scene.source.refresh(deadline));
  CHECK_VIEW("not_newer", remora::to_string(outcome::not_newer));
  CHECK_VIEW("fetched", remora::to_string(scene.source.info().origin));
  CHECK_VIEW("refreshed", remora::to_string(remora::cause::refreshed));
}

void a_failed_refresh_keeps_the_data() {
  served_scene scene;
  loopback_publish(scene.server.get(), 2000, one_record, 0, nullptr);
  scene.source.refresh(deadline);
  loopback_say(scene.server.get(), "no JSON");
  std::error_code code;
  CHECK_SAME(outcome::refused, scene.source.refresh(deadline, code));
  CHECK(code == errc::parse && code == remora::family::document);
  CHECK(scene.source.get_int("a", "/n") == 5);
}

void a_refresh_ends_with_its_timeout() {
  served_scene scene;
  loopback_hang(scene.server.get(), 1);
  CHECK_THROWS(errc::timeout, scene.source.refresh(20ms));
  CHECK_THROWS(errc::timeout, scene.source.refresh(0s));
  CHECK_THROWS(errc::timeout, scene.source.refresh(-5s));
  loopback_hang(scene.server.get(), 0);
}

void an_option_that_is_not_used_is_refused() {
  local_scene scene;
  remora::refresh_options options(deadline);
  options.only_if_empty = true;
  CHECK_THROWS(errc::invalid_argument, scene.source.refresh(options));
}

void an_await_returns_the_fresh_snapshot() {
  served_scene scene;
  loopback_publish(scene.server.get(), 2000, one_record, 0, nullptr);
  const remora::awaited fresh = scene.source.await(deadline);
  CHECK(!fresh.reason && fresh.snapshot.get_int("a", "/n") == 5);
  remora::refresh_options options(deadline);
  options.only_if_empty = true;
  loopback_fail(scene.server.get(), 500, nullptr);
  CHECK(!scene.source.await(options).reason);
}

void an_await_that_fails_returns_the_live_snapshot_and_the_reason() {
  served_scene scene;
  loopback_publish(scene.server.get(), 2000, one_record, 0, nullptr);
  scene.source.refresh(deadline);
  loopback_fail(scene.server.get(), 500, nullptr);
  std::error_code code = errc::internal;
  const remora::awaited live = scene.source.await(deadline, code);
  CHECK(!code);
  CHECK(live.reason.code == errc::http && live.reason.http_status == 500);
  CHECK(live.snapshot.get_int("a", "/n") == 5);
  scene.client.close();
  CHECK_THROWS(errc::closed, scene.source.await(deadline));
}

void a_sync_reports_each_source() {
  served_scene scene;
  const char *const monitor = R"([{"id":"sample","last_modified":2000,"bucket":"main","collection":"sample"},)"
                              R"({"id":"strict","last_modified":2000,"bucket":"main","collection":"strict"}])";
  loopback_publish(scene.server.get(), 2000, monitor, 0, nullptr);
  remora::sync_report report = scene.client.sync(deadline);
  CHECK(report.updated == 1 && report.failed == 0 && !report.reason);
  const remora::source strict = scene.client.open_collection(remora::collection_options("strict"));
  std::error_code code = errc::internal;
  report = scene.client.sync(deadline, code);
  CHECK(!code);
  CHECK(report.updated == 0 && report.unchanged == 1 && report.failed == 1 && report.staged == 0);
  REQUIRE(report.items.size() == 2);
  CHECK(report.items[0].source_name == "main/sample" && report.items[0].outcome == outcome::unchanged);
  CHECK(report.items[0].kind == remora::source_kind::collection && !report.items[0].reason);
  CHECK(report.items[1].source_name == "main/strict" && report.items[1].outcome == outcome::refused);
  CHECK(report.items[1].reason.code == errc::signature_missing && report.reason.code == errc::signature_missing);
  CHECK(report.items[1].server.find("http://127.0.0.1:") == 0);
}

void a_sync_that_cannot_run_is_an_error() {
  local_scene scene;
  remora::refresh_options options(deadline);
  options.force = true;
  CHECK_THROWS(errc::invalid_argument, scene.client.sync(options));
}

} // namespace

const check_test refreshing_tests[] = {
    {"a refresh returns its outcome", a_refresh_returns_its_outcome},
    {"after a failed refresh, reads return the previous data", a_failed_refresh_keeps_the_data},
    {"a refresh ends at its timeout", a_refresh_ends_with_its_timeout},
    {"a refresh refuses an option that it does not use", an_option_that_is_not_used_is_refused},
    {"await returns the newly fetched snapshot", an_await_returns_the_fresh_snapshot},
    {"await returns the previous snapshot and the reason if the refresh fails",
     an_await_that_fails_returns_the_live_snapshot_and_the_reason},
    {"a sync reports the outcome and reason of each source", a_sync_reports_each_source},
    {"a sync refuses an option that it does not use", a_sync_that_cannot_run_is_an_error},
    {nullptr, nullptr},
};
