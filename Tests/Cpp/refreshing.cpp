// SPDX-License-Identifier: Apache-2.0

// Refresh, await and sync on the calling thread. Rejected versions, and options that refuse versions.
#include "support.hpp"

namespace {

using remora::errc;
using remora::outcome;

const char *const one_record = R"([{"id":"a","last_modified":2000,"n":5}])";
const char *const next_record = R"([{"id":"a","last_modified":3000,"n":6}])";

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

// A client with storage. Its collection has version 1000, and after it a bad version 2000, which is live.
struct bad_scene {
  bad_scene() {
    publish(1000, R"([{"id":"a","last_modified":1000,"n":1}])");
    source.refresh(deadline);
    publish(2000, one_record);
    source.refresh(deadline);
  }
  void publish(std::int64_t version, const char *records) const {
    loopback_publish(server.get(), version, records, 0, nullptr);
  }
  remora::client open() const {
    remora::config config(directory.path());
    config.server = server.url();
    return remora::client(config);
  }
  local_server server;
  temporary_directory directory;
  remora::client client{open()};
  remora::source source{client.open_collection(unsigned_collection())};
};

TEST("reject replaces the live version by the one before it, and reports an event with the cause rejected") {
  const bad_scene scene;
  CHECK_INT(0, scene.source.info().rejected_version);
  counter events;
  const remora::subscription subscription = scene.source.subscribe([&](const remora::event &event) {
    CHECK(event.cause() == remora::cause::rejected && event.outcome() == outcome::none);
    CHECK_SIZE(1, event.changes().size());
    events.add();
  });
  scene.source.reject(scene.source.snapshot(), "it does not work");
  CHECK(scene.source.get_int("a", "/n") == 1);
  CHECK_INT(2000, scene.source.info().rejected_version);
  REQUIRE(events.await(1));
  CHECK_VIEW("rejected", remora::to_string(remora::cause::rejected));
}

TEST("after reject, a refresh fails until the server has another version, even in a later client") {
  bad_scene scene;
  scene.source.reject(scene.source.snapshot());
  remora::refresh_options forced(deadline);
  forced.force = true;
  remora::failure failure;
  CHECK_SAME(outcome::none, scene.source.refresh(forced, failure));
  CHECK(failure.code == errc::rejected && failure.code == remora::family::document);
  CHECK(failure.message.find("version 2000 was rejected") != std::string::npos);
  scene.client.close();
  const remora::client client = scene.open();
  const remora::source source = client.open_collection(unsigned_collection());
  CHECK(source.get_int("a", "/n") == 1 && source.info().rejected_version == 2000);
  CHECK_THROWS(errc::rejected, source.refresh(deadline));
  scene.publish(3000, next_record);
  CHECK_SAME(outcome::updated, source.refresh(deadline));
  CHECK(source.get_int("a", "/n") == 6);
}

TEST("reject refuses a snapshot that was replaced or was not fetched, and invalid arguments") {
  const bad_scene scene;
  const remora::snapshot old = scene.source.snapshot();
  scene.publish(3000, next_record);
  scene.source.refresh(deadline);
  CHECK_THROWS(errc::not_found, scene.source.reject(old));
  const local_scene packaged;
  CHECK_THROWS(errc::not_found, packaged.source.reject(packaged.source.snapshot()));
  CHECK_THROWS(errc::invalid_argument, packaged.source.reject(old));
  remora::failure failure;
  scene.source.reject(remora::snapshot(), "", failure);
  CHECK(failure.code == errc::invalid_argument);
  CHECK_VIEW("snapshot", failure.parameter);
  scene.source.reject(scene.source.snapshot(), "a\0b"sv, failure);
  CHECK_VIEW("reason", failure.parameter);
  CHECK(scene.source.get_int("a", "/n") == 6);
}

TEST("reject removes a staged version in the callback that has judged it") {
  local_server server;
  const remora::client client(in_memory(server.url()));
  remora::collection_options options = unsigned_collection("sample", &sample);
  options.activation = remora::activation::manual;
  const remora::source source = client.open_collection(options);
  counter rejections;
  const remora::subscription subscription = source.subscribe([&](const remora::event &event) {
    if (event.outcome() == outcome::staged) source.reject(event.staged_snapshot(), "it does not work");
    if (event.cause() == remora::cause::rejected) rejections.add();
  });
  loopback_publish(server.get(), 2000, one_record, 0, nullptr);
  CHECK_SAME(outcome::staged, source.refresh(deadline));
  REQUIRE(rejections.await(1));
  CHECK(!source.info().has_staged);
  CHECK_THROWS(errc::rejected, source.refresh(deadline));
}

TEST("min_keys and min_keys_percent refuse a version with fewer keys, unless the refresh is forced") {
  const char *const two = R"([{"id":"a","last_modified":2000},{"id":"b","last_modified":2000}])";
  for (const bool is_percentage : {false, true}) {
    local_server server;
    loopback_publish(server.get(), 2000, two, 0, nullptr);
    const remora::client client(in_memory(server.url()));
    remora::collection_options options = unsigned_collection();
    (is_percentage ? options.min_keys_percent : options.min_keys) = is_percentage ? 60 : 2;
    const remora::source source = client.open_collection(options);
    CHECK_SAME(outcome::updated, source.refresh(deadline));
    loopback_publish(server.get(), 3000, one_record, 0, nullptr);
    CHECK_THROWS(errc::schema, source.refresh(deadline));
    CHECK_SIZE(2, source.snapshot().size());
    remora::refresh_options forced(deadline);
    forced.force = true;
    CHECK_SAME(outcome::updated, source.refresh(forced));
    CHECK_SIZE(1, source.snapshot().size());
  }
}

TEST("required_keys refuse settings without one of them") {
  local_server server;
  const remora::client client(in_memory());
  remora::settings_options options(server.url());
  options.first_fetch = remora::first_fetch::on_request;
  options.required_keys = {"a", "b"};
  const remora::source source = client.open_settings(options);
  loopback_say(server.get(), R"({"a":1})");
  remora::failure failure;
  source.refresh(deadline, failure);
  CHECK(failure.code == errc::schema && failure.code == remora::family::document);
  CHECK(failure.message.find("no key b") != std::string::npos);
  loopback_say(server.get(), R"({"a":1,"b":2})");
  CHECK_SAME(outcome::updated, source.refresh(deadline));
}

TEST("an error about an invalid limit of the content names the option") {
  const remora::client client(in_memory());
  const auto refused = [&](const char *parameter, const remora::settings_options &options) {
    remora::failure failure;
    CHECK(!client.open_settings(options, failure) && failure.code == errc::invalid_argument);
    CHECK_VIEW(parameter, failure.parameter);
  };
  remora::settings_options options(no_server);
  options.first_fetch = remora::first_fetch::on_request;
  options.min_keys = -1;
  refused("min_keys", options);
  options.min_keys = 0;
  options.min_keys_percent = 101;
  refused("min_keys_percent", options);
  options.min_keys_percent = 0;
  options.schema = std::string(1, '\0');
  refused("schema", options);
  options.schema = "";
  options.required_keys = {std::string(1, '\0')};
  refused("required_keys", options);
}

} // namespace
