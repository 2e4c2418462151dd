// SPDX-License-Identifier: Apache-2.0

// Objects without a handle: each function fails with invalid_argument, or returns its default.
#include <functional>
#include <string>
#include <vector>

#include "support.hpp"

namespace {

using call = std::function<void(remora::error_target)>;

// Each call reports invalid_argument in a std::error_code, in a failure, and by an exception.
void check_invalid(const std::vector<call> &calls) {
  for (const call &function : calls) {
    std::error_code code;
    remora::failure details;
    function(code);
    CHECK_SAME(remora::errc::invalid_argument, code);
    function(details);
    CHECK_SAME(remora::errc::invalid_argument, details.code);
    CHECK(!details.message.empty());
    CHECK_THROWS(remora::errc::invalid_argument, function(remora::throws));
    function(remora::ignored);
  }
}

// Returns a source that was moved from.
remora::source moved_source() {
  local_scene scene;
  remora::source source = std::move(scene.source);
  return std::move(scene.source);
}

TEST("a call on a moved-from client is an invalid argument") {
  remora::client client(in_memory());
  remora::client target = std::move(client);
  CHECK(!client && target);
  const remora::collection_options collection = unsigned_collection();
  check_invalid({
      [&](auto errors) { CHECK(!client.open_collection(collection, errors)); },
      [&](auto errors) { CHECK(!client.open_bundle(remora::bundle_options(), errors)); },
      [&](auto errors) { CHECK(!client.open_settings(remora::settings_options(), errors)); },
      [&](auto errors) { CHECK(client.sources(errors).empty()); },
      [&](auto errors) { client.set_context("{}", errors); },
      [&](auto errors) { client.clear_context(errors); },
      [&](auto errors) { CHECK(client.sync(0s, errors).items.empty()); },
      [&](auto errors) { CHECK(!client.sync_async(0s, nullptr, errors)); },
      [&](auto errors) { CHECK_INT(-1, client.fd(errors)); },
      [&](auto errors) { CHECK_SIZE(0, client.dispatch(errors)); },
  });
  client.close();
  client = std::move(target);
  CHECK(client.sources().empty());
}

TEST("a call on a moved-from source is an invalid argument") {
  const remora::source source = moved_source();
  CHECK(!source);
  check_invalid({
      [&](auto errors) { CHECK(!source.snapshot(errors)); },
      [&](auto errors) { CHECK(!source.snapshot(remora::view::unfiltered, errors)); },
      [&](auto errors) { CHECK(!source.bind("a", "", errors)); },
      [&](auto errors) { CHECK_INT(-1, source.revision(errors).load()); },
      [&](auto errors) { CHECK(source.info(errors).name.empty()); },
      [&](auto errors) { CHECK(source.explain("a", "", errors).json.empty()); },
      [&](auto errors) { CHECK(!source.open_tag("x", 0ms, errors)); },
      [&](auto errors) { CHECK(source.namespaces(errors).empty()); },
      [&](auto errors) { CHECK(source.namespaces(remora::snapshot(), errors).empty()); },
      [&](auto errors) { CHECK_SAME(remora::outcome::none, source.refresh(0s, errors)); },
      [&](auto errors) { CHECK(!source.refresh_async(0s, nullptr, errors)); },
      [&](auto errors) { CHECK(!source.await(0s, errors)); },
      [&](auto errors) { CHECK(!source.await_async(0s, nullptr, errors)); },
      [&](auto errors) { source.reset_data(errors); },
      [&](auto errors) { CHECK_SAME(remora::outcome::none, source.activate(errors)); },
      [&](auto errors) { CHECK_SAME(remora::outcome::none, source.activate(remora::snapshot(), errors)); },
      [&](auto errors) { source.reject(remora::snapshot(), "", errors); },
      [&](auto errors) { source.freeze(errors); },
      [&](auto errors) { CHECK(!source.subscribe([](const auto &) {}, remora::replay::no, errors)); },
      [&](auto errors) { CHECK(!source.subscribe("a", [](const auto &) {}, remora::replay::no, errors)); },
      [&](auto errors) { source.subscribe_until_close([](const auto &) {}, remora::replay::no, errors); },
      [&](auto errors) { source.set_override("a", "", 1, remora::override_mode::always, errors); },
      [&](auto errors) { source.clear_override("a", "", errors); },
      [&](auto errors) { source.clear_overrides(errors); },
      [&](auto errors) { CHECK(source.overrides(errors).empty()); },
      [&](auto errors) { CHECK(!source.open_attachment("a", 0s, errors)); },
      [&](auto errors) { CHECK(!source.open_attachment_async("a", 0s, nullptr, errors)); },
  });
}

TEST("reads of a moved-from source return empty results") {
  const remora::source source = moved_source();
  CHECK_INT(0, source.change_count());
  CHECK(!source.get_bool("a") && !source.get_int("a") && !source.get_double("a"));
  CHECK(!source.get_string("a") && !source.get_url("a") && !source.get_json("a"));
  CHECK(source.get_bool("a", "", true));
  CHECK_INT(3, source.get_int("a", "", 3));
  CHECK(source.get_double("a", "", 0.5) == 0.5);
  CHECK_VIEW("b", source.get_string("a", "", "b"));
  CHECK_VIEW("c", source.get_url("a", "", "c"));
  CHECK_VIEW("d", source.get_json("a", "", "d"));
}

TEST("a call on a moved-from snapshot is an invalid argument") {
  local_scene scene;
  remora::snapshot snapshot = scene.source.snapshot();
  const remora::snapshot target = std::move(snapshot);
  CHECK(!snapshot && target);
  CHECK_SIZE(0, snapshot.size());
  CHECK(snapshot.begin() == snapshot.end());
  check_invalid({
      [&](auto errors) { CHECK_SIZE(0, snapshot.info(errors).count); },
      [&](auto errors) { CHECK(!snapshot.get_bool("a", "", errors)); },
      [&](auto errors) { CHECK(!snapshot.get_int("a", "", errors)); },
      [&](auto errors) { CHECK(!snapshot.get_double("a", "", errors)); },
      [&](auto errors) { CHECK(!snapshot.get_string("a", "", errors)); },
      [&](auto errors) { CHECK(!snapshot.get_url("a", "", errors)); },
      [&](auto errors) { CHECK(!snapshot.get_json("a", "", errors)); },
      [&](auto errors) { CHECK(!snapshot.json(errors)); },
      [&](auto errors) { CHECK(!snapshot.get_origin("a", errors)); },
      [&](auto errors) { CHECK(!snapshot.get("a", "", errors)); },
      [&](auto errors) { CHECK(!snapshot.item(0, errors).value); },
      [&](auto errors) { CHECK(!snapshot.experiment("a", errors)); },
      [&](auto errors) { CHECK(snapshot.experiments(errors).empty()); },
  });
  CHECK_SIZE(4, remora::diff(snapshot, target).size());
}

TEST("a read of the empty value is an invalid argument") {
  const remora::value value;
  CHECK(!value);
  CHECK_SIZE(0, value.size());
  CHECK(value.begin() == value.end());
  check_invalid({
      [&](auto errors) { CHECK(!value.get_bool(errors)); },
      [&](auto errors) { CHECK(!value.get_int(errors)); },
      [&](auto errors) { CHECK(!value.get_double(errors)); },
      [&](auto errors) { CHECK(!value.get_string(errors)); },
      [&](auto errors) { CHECK(!value.get_url(errors)); },
      [&](auto errors) { CHECK(!value.get_json(errors)); },
      [&](auto errors) { CHECK(!value.record_fields(errors)); },
      [&](auto errors) { CHECK(!value.member("a", errors)); },
      [&](auto errors) { CHECK(!value.resolve("/a", errors)); },
      [&](auto errors) { CHECK(!value.item(0, errors).value); },
  });
}

TEST("moved-from keys, subscriptions and other objects return defaults") {
  local_scene scene;
  remora::key key = scene.source.bind("limits", "/int");
  const remora::key target = std::move(key);
  CHECK(!key && target.get_int() == 7);
  CHECK(!key.get_bool() && !key.get_int() && !key.get_double() && !key.get_string());
  CHECK_INT(5, key.get_int(5));
  CHECK_INT(0, key.change_count());
  remora::subscription subscription, other = std::move(subscription);
  subscription.unsubscribe();
  remora::request request, next = std::move(request);
  request.cancel();
  remora::attachment attachment, copy = attachment;
  CHECK(!copy && copy.data() == nullptr && copy.size() == 0 && copy.text().empty() && !copy.path());
  CHECK_INT(-1, remora::revision().load());
}

TEST("a callable that is passed to a refused call is destroyed") {
  counter ends;
  const remora::source source = moved_source();
  std::error_code code;
  (void)source.subscribe([end = end_counter(ends)](const remora::event &) {}, remora::replay::no, code);
  (void)source.subscribe("a\0b"sv, [end = end_counter(ends)](const remora::event &) {}, remora::replay::no, code);
  source.refresh_async(0s, [end = end_counter(ends)](const remora::result &) {}, code);
  remora::attachment_options options(0s);
  options.on_progress = [end = end_counter(ends)](const remora::progress &) {};
  (void)source.open_attachment("a", options, code);
  options.on_progress = nullptr;
  CHECK_INT(4, ends.count());
}

} // namespace
