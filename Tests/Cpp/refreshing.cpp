// SPDX-License-Identifier: Apache-2.0

// Refresh, await and sync on the calling thread.
#include "support.hpp"

namespace {

using remora::errc;
using remora::outcome;

const char *const one_record = R"([{"id":"a","last_modified":2000,"n":5}])";

TEST("a refresh returns its outcome") {
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

TEST("after a failed refresh, reads return the previous data") {
  served_scene scene;
  loopback_publish(scene.server.get(), 2000, one_record, 0, nullptr);
  scene.source.refresh(deadline);
  loopback_say(scene.server.get(), "no JSON");
  std::error_code code;
  CHECK_SAME(outcome::none, scene.source.refresh(deadline, code));
  CHECK(code == errc::parse && code == remora::family::document);
  CHECK(scene.source.get_int("a", "/n") == 5);
}

TEST("a refresh ends at its timeout") {
  served_scene scene;
  loopback_hang(scene.server.get(), 1);
  CHECK_THROWS(errc::timeout, scene.source.refresh(20ms));
  CHECK_THROWS(errc::timeout, scene.source.refresh(0s));
  CHECK_THROWS(errc::timeout, scene.source.refresh(-5s));
  loopback_hang(scene.server.get(), 0);
}

TEST("a refresh with only_if_empty sends no request if the source has data") {
  served_scene scene;
  remora::refresh_options options(deadline);
  options.only_if_empty = true;
  loopback_publish(scene.server.get(), 2000, one_record, 0, nullptr);
  CHECK_SAME(outcome::updated, scene.source.refresh(options));
  CHECK_SAME(outcome::none, scene.source.refresh(options));
  CHECK_INT(1, loopback_requests(scene.server.get()));
  options.force = true;
  CHECK_THROWS(errc::invalid_argument, scene.source.refresh(options));
}

TEST("await returns the newly fetched snapshot") {
  served_scene scene;
  loopback_publish(scene.server.get(), 2000, one_record, 0, nullptr);
  const remora::snapshot fresh = scene.source.await(deadline);
  CHECK(fresh.get_int("a", "/n") == 5);
  remora::refresh_options options(deadline);
  options.only_if_empty = true;
  loopback_fail(scene.server.get(), 500, nullptr);
  CHECK(scene.source.await(options));
}

TEST("if an await fails, the program can use the live snapshot instead") {
  served_scene scene;
  loopback_publish(scene.server.get(), 2000, one_record, 0, nullptr);
  scene.source.refresh(deadline);
  loopback_fail(scene.server.get(), 500, nullptr);
  remora::failure reason;
  remora::snapshot values = scene.source.await(deadline, reason);
  CHECK(!values && reason.code == errc::http && reason.http_status == 500);
  if (!values) values = scene.source.snapshot();
  CHECK(values.get_int("a", "/n") == 5);
  CHECK_THROWS(errc::http, scene.source.await(deadline));
  CHECK_THROWS(errc::timeout, scene.source.await(0s));
  scene.client.close();
  CHECK_THROWS(errc::closed, scene.source.await(deadline));
}

TEST("a sync reports the outcome and reason of each source") {
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

TEST("an event reports that a refresh made data fresh") {
  local_server server;
  remora::config config = in_memory(server.url());
  config.max_stale = 90s;
  const remora::client client(config);
  const remora::source source = client.open_collection(unsigned_collection());
  CHECK(source.info().freshness == remora::freshness::never);
  counter events;
  const remora::subscription subscription = source.subscribe([&](const remora::event &event) {
    if (event.cause() != remora::cause::freshness) return;
    CHECK(event.old_freshness() == remora::freshness::never && event.freshness() == remora::freshness::fresh);
    events.add();
  });
  loopback_publish(server.get(), 2000, R"([{"id":"a","last_modified":2000}])", 0, nullptr);
  CHECK_SAME(remora::outcome::updated, source.refresh(deadline));
  REQUIRE(events.await(1));
  CHECK(source.info().freshness == remora::freshness::fresh);
  CHECK_VIEW("fresh", remora::to_string(source.info().freshness));
}

TEST("a forced sync refreshes the sources that the server lists as unchanged") {
  served_scene scene;
  const char *const monitor = R"([{"id":"sample","last_modified":2000,"bucket":"main","collection":"sample"}])";
  loopback_publish(scene.server.get(), 2000, monitor, 0, nullptr);
  CHECK_INT(1, static_cast<int>(scene.client.sync(deadline).updated));
  const int requests = loopback_requests(scene.server.get());
  remora::refresh_options options(deadline);
  options.force = true;
  CHECK_INT(1, static_cast<int>(scene.client.sync(options).unchanged));
  CHECK_INT(requests + 2, loopback_requests(scene.server.get()));
}

} // namespace
