// SPDX-License-Identifier: Apache-2.0

// Typed reads of sources, snapshots and keys.
#include <limits>
#include <vector>

#include "support.hpp"

namespace {

using remora::errc;

TEST("a source reads typed values") {
  local_scene scene;
  const remora::source &source = scene.source;
  CHECK(source.get_bool("flags", "/on") == true);
  CHECK(source.get_bool("flags", "/off") == false);
  CHECK(source.get_int("limits", "/int") == 7);
  CHECK(source.get_int("limits", "/zero") == 0);
  CHECK(source.get_int("limits", "/min") == std::numeric_limits<std::int64_t>::min());
  CHECK(source.get_double("limits", "/half") == 3.5);
  CHECK(source.get_double("limits", "/int") == 7.0);
  CHECK(source.get_string("texts", "/plain") == "hello");
  CHECK(source.get_string("texts", "/empty") == "");
  CHECK(source.get_string("texts", "/nul") == "a\0b"sv);
  CHECK(source.get_url("texts", "/url") == "https://a.example/b");
  CHECK(source.get_json("tree", "/inner") == R"({"a":1,"b":{"c":2}})");
}

TEST("a read of a missing value, of null or of a value of another type returns an empty result") {
  local_scene scene;
  const remora::source &source = scene.source;
  for (const char *pointer : {"/nothing", "/missing", "/on/x", "no pointer"}) {
    CHECK(!source.get_bool("flags", pointer));
    CHECK(!source.get_int("flags", pointer));
    CHECK(!source.get_double("flags", pointer));
    CHECK(!source.get_string("flags", pointer));
    CHECK(!source.get_url("flags", pointer));
    CHECK(!source.get_json("flags", pointer));
  }
  CHECK(!source.get_bool("limits", "/int") && !source.get_int("flags", "/on") && !source.get_int("limits", "/half"));
  CHECK(!source.get_string("limits", "/int") && !source.get_url("texts", "/plain"));
  CHECK(!source.get_int("nowhere") && !source.get_int(""));
}

TEST("a read with a default argument returns the default for a missing value") {
  local_scene scene;
  const remora::source &source = scene.source;
  CHECK(source.get_bool("flags", "/on", false));
  CHECK(source.get_bool("flags", "/missing", true));
  CHECK_INT(7, source.get_int("limits", "/int", 1));
  CHECK_INT(1, source.get_int("limits", "/missing", 1));
  CHECK(source.get_double("limits", "/half", 1) == 3.5 && source.get_double("limits", "/missing", 1) == 1);
  CHECK_VIEW("hello", source.get_string("texts", "/plain", "x"));
  CHECK_VIEW("", source.get_string("texts", "/empty", "x"));
  CHECK(source.get_string("texts", "/missing", "x\0y"sv) == "x\0y"sv);
  CHECK_VIEW("https://a.example/b", source.get_url("texts", "/url", "x"));
  CHECK_VIEW("x", source.get_url("texts", "/plain", "x"));
  CHECK_VIEW("7", source.get_json("limits", "/int", "x"));
  CHECK_VIEW("x", source.get_json("limits", "/missing", "x"));
}

TEST("a snapshot reports the reason that a value is missing") {
  local_scene scene;
  const remora::snapshot snapshot = scene.source.snapshot();
  std::error_code code = errc::internal;
  CHECK(snapshot.get_int("limits", "/int", code) == 7);
  CHECK(!code);
  CHECK(!snapshot.get_int("limits", "/missing", code));
  CHECK_SAME(errc::not_found, code);
  CHECK(!snapshot.get_int("flags", "/nothing", code));
  CHECK_SAME(errc::not_found, code);
  CHECK(!snapshot.get_int("flags", "/on", code));
  CHECK_SAME(errc::wrong_type, code);
  CHECK(!snapshot.get_int("flags", "on", code));
  CHECK_SAME(errc::invalid_argument, code);
  CHECK_THROWS(errc::wrong_type, snapshot.get_bool("limits", "/int", remora::throws));
  CHECK_THROWS(errc::wrong_type, snapshot.get_double("flags", "/on", remora::throws));
  CHECK_THROWS(errc::not_found, snapshot.get_string("texts", "/missing", remora::throws));
  CHECK_THROWS(errc::wrong_type, snapshot.get_url("texts", "/plain", remora::throws));
  CHECK_THROWS(errc::not_found, snapshot.get_json("missing", "", remora::throws));
  CHECK_THROWS(errc::not_found, snapshot.get("missing", "", remora::throws));
  CHECK_THROWS(errc::not_found, snapshot.get_origin("missing", remora::throws));
  CHECK_THROWS(errc::not_found, snapshot.item(4, remora::throws));
}

TEST("strings are read from a snapshot without a copy") {
  local_scene scene;
  const remora::snapshot snapshot = scene.source.snapshot();
  CHECK(snapshot.get_bool("flags", "/off") == false);
  CHECK(snapshot.get_double("limits", "/half") == 3.5);
  CHECK(snapshot.get_string("texts", "/nul") == "a\0b"sv);
  CHECK(snapshot.get_url("texts", "/url") == "https://a.example/b");
  CHECK(snapshot.get_string("texts", "/plain")->data() == snapshot.get_string("texts", "/plain")->data());
  CHECK(snapshot.get_json("limits", "/zero") == "0");
  CHECK(snapshot.get_origin("limits") == remora::origin::packaged);
  CHECK(snapshot.json()->find(R"("limits":{)") != std::string::npos);
  const remora::snapshot_info info = snapshot.info();
  CHECK_SIZE(4, info.count);
  CHECK_INT(1000, info.version);
  CHECK(info.origin == remora::origin::packaged && !info.verified && !info.fetched_at);
}

TEST("keys and JSON Pointers need no NUL terminator") {
  local_scene scene;
  const remora::snapshot snapshot = scene.source.snapshot();
  const std::string_view text = "limits/int/zero";
  CHECK(scene.source.get_int(text.substr(0, 6), text.substr(6, 4)) == 7);
  CHECK(snapshot.get_int(text.substr(0, 6), text.substr(6, 4)) == 7);
  CHECK(snapshot.get(text.substr(0, 6), text.substr(6, 4)).get_int() == 7);
  CHECK(snapshot.get(text.substr(0, 6)).size() == snapshot.get("limits", ""sv).size());
  CHECK(snapshot.get(std::string_view()).type() == remora::type::none);
}

TEST("long keys and strings are read completely") {
  const std::string key(300, 'k'), text(5000, 't');
  const std::string data =
      R"({"data":[{"id":")" + key + R"(","last_modified":1,")" + key + R"(":")" + text + R"("}],"timestamp":1})";
  const remora::client client(in_memory());
  const remora::source source = client.open_collection(unsigned_collection("long", &data));
  CHECK(source.get_string(key, "/" + key) == text);
  CHECK(source.get_json(key, "/" + key) == "\"" + text + "\"");
  CHECK(source.bind(key, "/" + key).get_string() == text);
  CHECK(source.get_string(key, "/" + key + "x", text) == text);
}

TEST("a key handle reads typed values") {
  local_scene scene;
  const auto bound = [&](const char *key, const char *pointer) { return scene.source.bind(key, pointer); };
  CHECK(bound("flags", "/on").get_bool() == true && bound("flags", "/off").get_bool() == false);
  CHECK(!bound("flags", "/nothing").get_bool() && bound("flags", "/nothing").get_bool(true));
  CHECK(bound("limits", "/int").get_int() == 7 && bound("limits", "/int").get_int(1) == 7);
  CHECK(bound("limits", "/min").get_int() == std::numeric_limits<std::int64_t>::min());
  CHECK(!bound("limits", "/missing").get_int() && bound("limits", "/missing").get_int(1) == 1);
  CHECK(bound("limits", "/half").get_double() == 3.5 && bound("limits", "/half").get_double(1) == 3.5);
  CHECK(!bound("flags", "/on").get_double() && bound("flags", "/on").get_double(1) == 1);
  CHECK(bound("texts", "/plain").get_string() == "hello" && bound("texts", "/empty").get_string() == "");
  CHECK(!bound("texts", "/missing").get_string());
  CHECK_VIEW("x", bound("texts", "/missing").get_string("x"));
  CHECK_VIEW("hello", bound("texts", "/plain").get_string("x"));
  CHECK(bound("texts", "/url").get_url() == "https://a.example/b" && !bound("texts", "/plain").get_url());
  CHECK_VIEW("b:c", bound("texts", "/plain").get_url("b:c"));
  CHECK(bound("tree", "/list").get_json() == R"([10,"ten",null])" && !bound("tree", "/missing").get_json());
  CHECK_VIEW("[]", bound("tree", "/missing").get_json("[]"));
}

TEST("a key handle counts changes") {
  local_scene scene;
  const remora::key key = scene.source.bind("limits", "/int");
  CHECK_INT(0, key.change_count());
  scene.source.set_override("limits", "/int", 8);
  CHECK_INT(8, key.get_int(0));
  CHECK_INT(1, key.change_count());
  scene.source.close();
  CHECK(key.get_string("x") == "x");
}

TEST("the revision of a source changes when an override changes its data") {
  local_scene scene;
  const remora::revision revision = scene.source.revision();
  (void)scene.source.snapshot();
  const std::int64_t before = revision.load();
  CHECK_INT(before, revision.load());
  scene.source.set_override("limits", "/int", 8);
  CHECK(revision.load() != before);
}

} // namespace
