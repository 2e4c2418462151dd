// SPDX-License-Identifier: Apache-2.0

// Sources: their state, bundles, settings, overrides, context and activation.
#include <cstring>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support.hpp"

namespace {

using remora::errc;

const char *const bundle =
    R"({"$schema":"https://iglucentral.com/schemas/com.snowplowanalytics.mobile/remote_config/jsonschema/1-0-1",)"
    R"("configurationVersion":3,"configurationBundle":[)"
    R"({"namespace":"main","networkConfiguration":{"endpoint":"https://e.example"}},)"
    R"({"namespace":"next","networkConfiguration":{"endpoint":"https://f.example"}}]})";

TEST("the info of a source has its origin and version, the times of refreshes and the last error") {
  served_scene scene;
  loopback_publish(scene.server.get(), 2000, R"([{"id":"a","last_modified":2000}])", 0, nullptr);
  remora::source_info info = scene.source.info();
  CHECK_VIEW("main/sample", info.name);
  CHECK(info.kind == remora::source_kind::collection && info.origin == remora::origin::none);
  CHECK(!info.fetched_at && !info.checked_at && !info.checked_age && !info.attempted_at && !info.last_error);
  CHECK_SAME(remora::outcome::updated, scene.source.refresh(deadline));
  info = scene.source.info();
  CHECK(info.origin == remora::origin::fetched && info.version == 2000 && !info.has_staged);
  CHECK(info.fetched_at && info.checked_at && info.attempted_at && info.checked_age);
  const auto age = std::chrono::system_clock::now() - *info.fetched_at;
  CHECK(age > -1s && age < 1min);
  CHECK(info.server.find("http://127.0.0.1:") == 0);
  loopback_fail(scene.server.get(), 503, "Retry-After: 30");
  std::error_code code;
  scene.source.refresh(deadline, code);
  info = scene.source.info();
  CHECK(info.last_error.code == errc::http && info.last_error.http_status == 503);
  CHECK(info.retry_after > 25s && info.retry_after <= 30s);
}

TEST("an explanation names the layer that wins, as JSON and as lines for people") {
  local_scene scene;
  scene.source.set_override("mine", "/a", 5);
  const remora::explanation found = scene.source.explain("mine", "/a");
  CHECK(found.json.find(R"({"key":"mine","layers":[{"layer":"override",)") == 0);
  CHECK(found.json.find(R"("type":"int","value":5})") != std::string::npos);
  CHECK(found.text.find("mine /a: 5\n") == 0 && found.text.find("* override     5\n") != std::string::npos);
  CHECK(scene.source.explain("none").json.find(R"("reason":"the key does not exist")") != std::string::npos);
  CHECK_THROWS(errc::invalid_argument, scene.source.explain("mine", "a"));
  std::error_code code;
  CHECK(scene.source.explain(std::string_view("a\0b", 3), "", code).text.empty());
  CHECK_SAME(errc::invalid_argument, code);
}

TEST("a client lists its open sources") {
  local_scene scene;
  const remora::source second = scene.client.open_collection(unsigned_collection("second"));
  const std::vector<remora::source_info> sources = scene.client.sources();
  REQUIRE(sources.size() == 2);
  CHECK_VIEW("main/sample", sources[0].name);
  CHECK_VIEW("main/second", sources[1].name);
}

TEST("the namespaces of a bundle are listed") {
  const remora::client client(in_memory());
  remora::bundle_options options;
  options.default_bundle = bundle;
  const remora::source source = client.open_bundle(options);
  source.set_override("own", "", remora::json("{}"));
  const std::vector<remora::namespace_info> namespaces = source.namespaces();
  REQUIRE(namespaces.size() == 3);
  CHECK(namespaces[0].name == "main" && namespaces[0].in_bundle && namespaces[0].is_default);
  CHECK(namespaces[1].name == "next" && !namespaces[1].is_default && !namespaces[1].has_override);
  CHECK(namespaces[2].name == "own" && !namespaces[2].in_bundle && namespaces[2].has_override);
  CHECK(namespaces[2].origin == remora::origin::override);
  CHECK(source.get_string("next", "/networkConfiguration/endpoint") == "https://f.example");
  const remora::snapshot snapshot = source.snapshot();
  source.clear_overrides();
  CHECK_SIZE(3, source.namespaces(snapshot).size());
  CHECK_SIZE(2, source.namespaces().size());
  CHECK_THROWS(errc::invalid_argument, source.refresh(deadline));
}

TEST("an event of a bundle has the configuration that a tracker passes to onSuccess") {
  const remora::client client(in_memory());
  counter events;
  std::optional<remora::origin> state;
  std::string names;
  remora::bundle_options options;
  options.default_bundle = bundle;
  options.on_event = [&](const remora::event &event) {
    if (const std::optional<remora::configuration> live = event.configuration()) {
      state = live->state;
      for (const std::string_view name : live->namespaces) names.append(name).append(" ");
    }
    events.add();
  };
  const remora::source source = client.open_bundle(options);
  CHECK(events.await(1) && state == remora::origin::default_bundle);
  CHECK_VIEW("main next ", names);
  state.reset();
  source.set_override("main", "/x", 1);
  CHECK(events.await(2) && !state);
}

TEST("the experiments of settings are listed") {
  const remora::client client(in_memory());
  const std::string data =
      R"({"a":1,"experiments":[{"name":"paint","variant":"v1","trackable":1,"settings":["brush"]},{"name":"save"}]})";
  remora::settings_options options("http://127.0.0.1:1/settings");
  options.packaged_data = data;
  options.first_fetch = remora::first_fetch::on_request;
  const remora::source source = client.open_settings(options);
  const remora::snapshot snapshot = source.snapshot();
  CHECK(source.get_int("a") == 1);
  const std::optional<remora::experiment> paint = snapshot.experiment("paint");
  REQUIRE(paint.has_value());
  CHECK(paint->variant == "v1" && paint->trackable == 1 && paint->settings.item(0).value.get_string() == "brush");
  CHECK(!snapshot.experiment("missing"));
  CHECK_THROWS(errc::not_found, snapshot.experiment("missing", remora::throws));
  const std::vector<remora::experiment> all = snapshot.experiments();
  REQUIRE(all.size() == 2);
  CHECK(all[1].name == "save" && all[1].variant.empty() && !all[1].settings);
}

TEST("a tag of settings has its own data, and is usable after the settings were closed") {
  const remora::client client(in_memory());
  remora::settings_options options("http://127.0.0.1:1/settings");
  options.packaged_data = R"({"a":1})";
  options.first_fetch = remora::first_fetch::on_request;
  remora::source settings = client.open_settings(options);
  const remora::source tag = settings.open_tag("x");
  CHECK(settings.get_int("a") == 1 && !tag.get_int("a") && tag.info().name == "http://127.0.0.1:1/settings#x");
  CHECK_THROWS(errc::invalid_argument, settings.open_tag(""));
  CHECK_THROWS(errc::invalid_argument, settings.open_tag(std::string_view("a\0b", 3)));
  CHECK_THROWS(errc::invalid_argument, settings.open_tag("x", -2ms));
  CHECK_THROWS(errc::invalid_argument, tag.open_tag("y", 1s));
  settings.close();
  tag.set_override("a", "", 2);
  CHECK(tag.get_int("a") == 2);
}

TEST("overrides take precedence until they are cleared") {
  local_scene scene;
  const remora::source &source = scene.source;
  source.set_override("limits", "/int", 8);
  source.set_override("new", "", remora::json(R"({"a":"b"})"));
  CHECK(source.get_int("limits", "/int") == 8 && source.get_string("new", "/a") == "b");
  const std::vector<remora::override_info> overrides = source.overrides();
  REQUIRE(overrides.size() == 2);
  CHECK(overrides[0].key == "limits" && overrides[0].pointer == "/int" && overrides[0].json == "8");
  CHECK(overrides[1].key == "new" && overrides[1].pointer.empty());
  source.clear_override("limits", "/int");
  CHECK(source.get_int("limits", "/int") == 7);
  CHECK_THROWS(errc::not_found, source.clear_override("limits"));
  CHECK_THROWS(errc::not_found, source.set_override("other", "", 1, remora::override_mode::if_exists));
  source.set_override("limits", "/int", 9, remora::override_mode::if_exists);
  source.clear_overrides();
  CHECK(source.overrides().empty() && source.get_int("limits", "/int") == 7);
}

TEST("the filters of records are evaluated in the context of the client") {
  const remora::client client(in_memory());
  const std::string data =
      R"({"data":[{"id":"german","last_modified":1,"n":2,"filter_expression":"env.locale == 'de'"}],"timestamp":1})";
  const remora::source source = client.open_collection(unsigned_collection("filtered", &data));
  CHECK(!source.get_int("german", "/n"));
  CHECK_SIZE(1, source.snapshot(remora::view::unfiltered).size());
  client.set_context(R"({"locale":"de"})");
  CHECK(source.get_int("german", "/n") == 2);
  client.clear_context();
  CHECK_SIZE(0, source.snapshot().size());
  CHECK_THROWS(errc::invalid_argument, client.set_context("{"));
}

TEST("a client certificate that cannot be read is refused") {
  remora::config config = in_memory();
  config.client_key_file = "/missing.key";
  CHECK_THROWS(errc::invalid_argument, remora::client{config});
  config.client_certificate_file = "/missing.pem";
  CHECK_THROWS(errc::invalid_argument, remora::client{config});
}

TEST("set_headers replaces the headers of later requests") {
  local_server server;
  loopback_publish(server.get(), 2000, "[]", 0, nullptr);
  const remora::client client(in_memory(server.url()));
  const remora::source source = client.open_collection(unsigned_collection("sample", &sample));
  char head[4096];
  for (const std::vector<std::string> &headers : {std::vector<std::string>{"X-Token: 1"}, {}}) {
    client.set_headers(headers);
    source.refresh(deadline);
    loopback_last_head(server.get(), head, sizeof head);
    CHECK((std::strstr(head, "X-Token: 1") != nullptr) == !headers.empty());
  }
  CHECK_THROWS(errc::invalid_argument, client.set_headers({"Range: x"}));
  CHECK_THROWS(errc::invalid_argument, client.set_headers({std::string("A: \0", 4)}));
}

TEST("filter_matches evaluates an expression in a context of its own") {
  CHECK(remora::filter_matches("env.plan == 'pro'", R"({"plan":"pro"})"));
  CHECK(!remora::filter_matches("env.plan == 'pro'", ""));
  CHECK_THROWS(errc::invalid_argument, remora::filter_matches("plan", ""));
  CHECK_THROWS(errc::invalid_argument, remora::filter_matches("true\0"sv, ""));
  CHECK_THROWS(errc::invalid_argument, remora::filter_matches("true", "[]"));
  std::error_code code;
  CHECK(!remora::filter_matches("(", "", code) && code == errc::invalid_argument);
}

TEST("with manual activation, reads return fetched data only after activate is called") {
  local_server server;
  loopback_publish(server.get(), 2000, R"([{"id":"a","last_modified":2000}])", 0, nullptr);
  const remora::client client(in_memory(server.url()));
  remora::collection_options options = unsigned_collection("sample", &sample);
  options.activation = remora::activation::manual;
  const remora::source source = client.open_collection(options);
  CHECK_SAME(remora::outcome::staged, source.refresh(deadline));
  CHECK(source.info().has_staged && source.snapshot().info().version == 1000);
  CHECK_SAME(remora::outcome::updated, source.activate());
  CHECK_INT(2000, source.snapshot().info().version);
  CHECK_SAME(remora::outcome::unchanged, source.activate());
  CHECK_SAME(remora::outcome::unchanged, source.activate(source.snapshot()));
}

TEST("activate does not activate a version that has replaced the judged one") {
  local_server server;
  const remora::client client(in_memory(server.url()));
  remora::collection_options options = unsigned_collection("sample", &sample);
  options.activation = remora::activation::manual;
  counter events;
  remora::snapshot judged;
  options.on_event = [&](const remora::event &event) {
    if (!judged) judged = event.staged_snapshot();
    events.add();
  };
  const remora::source source = client.open_collection(options);
  loopback_publish(server.get(), 2000, R"([{"id":"a","last_modified":2000}])", 0, nullptr);
  CHECK_SAME(remora::outcome::staged, source.refresh(deadline));
  CHECK(events.await(2) && judged);
  loopback_publish(server.get(), 3000, R"([{"id":"a","last_modified":3000}])", 0, nullptr);
  CHECK_SAME(remora::outcome::staged, source.refresh(deadline));
  CHECK(events.await(3));
  CHECK_THROWS(remora::errc::not_found, source.activate(judged));
  CHECK_INT(1000, source.snapshot().info().version);
  remora::failure details;
  CHECK_SAME(remora::outcome::none, source.activate(remora::snapshot(), details));
  CHECK_VIEW("snapshot", details.parameter);
  CHECK_INT(1000, source.snapshot().info().version);
}

TEST("an override can be a bool, a number, a string or JSON") {
  local_scene scene;
  const remora::source &source = scene.source;
  source.set_override("own", "/bool", true);
  source.set_override("own", "/int", std::numeric_limits<std::int64_t>::min());
  source.set_override("own", "/short", static_cast<unsigned short>(7));
  source.set_override("own", "/double", 0.5);
  source.set_override("own", "/float", 0.25f);
  source.set_override("own", "/literal", "say \"hi\"\n");
  source.set_override("own", "/string", std::string("1"));
  source.set_override("own", "/view", "abc"sv.substr(1));
  source.set_override("own", "/json", remora::json("[1]"));
  CHECK(source.get_json("own") == R"({"bool":true,"double":5E-1,"float":2.5E-1,"int":-9223372036854775808,"json":[1],)"
                                  R"("literal":"say \"hi\"\n","short":7,"string":"1","view":"bc"})");
  CHECK_THROWS(remora::errc::invalid_argument, source.set_override("own", "", std::nan("")));
  CHECK_THROWS(remora::errc::invalid_argument, source.set_override("own", "", remora::json("[")));
  static_assert(!std::is_convertible_v<std::uint64_t, remora::override_value>);
  static_assert(!std::is_convertible_v<std::nullptr_t, remora::override_value>);
  static_assert(!std::is_convertible_v<void *, remora::override_value>);
}

TEST("the change count of a source grows when another snapshot becomes live") {
  local_scene scene;
  const std::int64_t before = scene.source.change_count();
  CHECK_INT(before, scene.source.change_count());
  scene.source.set_override("limits", "/int", 8);
  CHECK(scene.source.change_count() > before);
}

TEST("after freeze, reads return the old data although a refresh fetched new data") {
  served_scene scene;
  loopback_publish(scene.server.get(), 2000, R"([{"id":"a","last_modified":2000}])", 0, nullptr);
  scene.source.freeze();
  CHECK_SAME(remora::outcome::staged, scene.source.refresh(deadline));
  CHECK(!scene.source.get_json("a"));
}

TEST("a reset deletes fetched data and keeps the source handle valid") {
  served_scene scene;
  loopback_publish(scene.server.get(), 2000, R"([{"id":"a","last_modified":2000}])", 0, nullptr);
  CHECK_SAME(remora::outcome::updated, scene.source.refresh(deadline));
  CHECK(scene.source.get_json("a"));
  scene.source.reset_data();
  CHECK(!scene.source.get_json("a") && scene.source);
}

} // namespace
