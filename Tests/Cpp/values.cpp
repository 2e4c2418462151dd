// SPDX-License-Identifier: Apache-2.0

// Values, iteration and differences.
#include <iterator>
#include <vector>

#include "support.hpp"

namespace {

using remora::errc;

TEST("a value has a type, and its members are found by name or JSON Pointer") {
  local_scene scene;
  const remora::snapshot snapshot = scene.source.snapshot();
  const remora::value tree = snapshot.get("tree");
  CHECK(tree.type() == remora::type::object);
  CHECK(tree.member("inner").member("a").get_int() == 1);
  CHECK(tree.resolve("/inner/b/c").get_int() == 2);
  CHECK(tree.resolve("/list/1").get_string() == "ten");
  CHECK(tree.resolve("/list/2").type() == remora::type::null && tree.resolve("/list/2"));
  CHECK(tree.resolve("").size() == tree.size());
  CHECK(!tree.member("missing") && !tree.member("missing").member("deeper").get_int());
  CHECK_SIZE(3, tree.member("list").size());
  CHECK(snapshot.get("flags", "/on").get_bool() == true);
  CHECK(snapshot.get("limits", "/half").get_double() == 3.5);
  CHECK(snapshot.get("texts", "/url").get_url() == "https://a.example/b");
  CHECK(tree.member("list").get_json() == R"([10,"ten",null])");
  CHECK(tree.record_fields() == R"({"inner":{"a":1,"b":{"c":2}},"list":[10,"ten",null]})");
}

TEST("a read of a value reports the reason that a value cannot be returned") {
  local_scene scene;
  const remora::snapshot snapshot = scene.source.snapshot();
  const remora::value tree = snapshot.get("tree");
  CHECK_THROWS(errc::not_found, tree.member("missing", remora::throws));
  CHECK_THROWS(errc::not_found, tree.resolve("/list/9", remora::throws));
  CHECK_THROWS(errc::invalid_argument, tree.resolve("list", remora::throws));
  CHECK_THROWS(errc::wrong_type, tree.get_int(remora::throws));
  CHECK_THROWS(errc::wrong_type, tree.member("list").member("a", remora::throws));
  CHECK_THROWS(errc::wrong_type, tree.member("list").record_fields(remora::throws));
  std::error_code code;
  CHECK(tree.item(9, code).name.empty());
  CHECK_SAME(errc::not_found, code);
}

TEST("a range-based for statement visits each key, element and member") {
  local_scene scene;
  const remora::snapshot snapshot = scene.source.snapshot();
  std::string text;
  for (const auto &[key, value] : snapshot) text += std::string(key) + ":" + std::to_string(value.size()) + " ";
  CHECK_VIEW("flags:5 limits:6 texts:6 tree:4 ", text);
  text.clear();
  for (const auto &[name, element] : snapshot.get("tree", "/list")) {
    CHECK(name.empty());
    text += *element.get_json() + " ";
  }
  CHECK_VIEW("10 \"ten\" null ", text);
  text.clear();
  for (const remora::item &member : snapshot.get("tree", "/inner")) text += std::string(member.name) + " ";
  CHECK_VIEW("a b ", text);
  CHECK_INT(4, std::distance(snapshot.begin(), snapshot.end()));
  CHECK_VIEW("limits", snapshot.item(1).name);
}

TEST("a range-based for statement over a temporary snapshot is safe") {
  local_scene scene;
  std::size_t count = 0;
  for (const auto &[key, value] : scene.source.snapshot()) count += key.size() + value.size();
  CHECK_SIZE(5 + 6 + 5 + 4 + 21, count);
}

TEST("the difference of two snapshots lists changed keys with both values") {
  local_scene scene;
  const remora::snapshot before = scene.source.snapshot();
  scene.source.set_override("limits", "/int", 8);
  scene.source.set_override("new", "", true);
  const remora::snapshot after = scene.source.snapshot();
  const std::vector<remora::change> changes = remora::diff(before, after);
  REQUIRE(changes.size() == 2);
  CHECK(changes[0].kind == remora::change_kind::updated && changes[0].key == "limits");
  CHECK(changes[0].old_value.member("int").get_int() == 7 && changes[0].new_value.member("int").get_int() == 8);
  CHECK(changes[1].kind == remora::change_kind::created && changes[1].origin == remora::origin::override);
  CHECK(!changes[1].old_value && changes[1].new_value.get_bool() == true);
  CHECK(remora::diff(after, before)[1].kind == remora::change_kind::deleted);
  CHECK(remora::diff(after, after).empty());
}

} // namespace
