// SPDX-License-Identifier: Apache-2.0

// What the compiler refuses and accepts: texts and values of temporary objects, copies and moves.
#include <functional>
#include <type_traits>

#include "support.hpp"

namespace {

// Whether an expression compiles for an object of this type.
template <class Object, class Expression, class = void>
struct compiles : std::false_type {};
template <class Object, class Expression>
struct compiles<Object, Expression, std::void_t<decltype(std::declval<Expression>()(std::declval<Object>()))>>
    : std::true_type {};

#define EXPRESSION(name, ...)                                                                     \
  struct name {                                                                                   \
    template <class Object>                                                                       \
    auto operator()(Object &&object) const -> decltype(std::forward<Object>(object).__VA_ARGS__); \
  }

EXPRESSION(get_string, get_string("a", "/b"));
EXPRESSION(get_string_with_code, get_string("a", "/b", std::declval<std::error_code &>()));
EXPRESSION(get_url, get_url("a"));
EXPRESSION(get_value, get("a"));
EXPRESSION(get_item, item(0));
EXPRESSION(get_begin, begin());
EXPRESSION(get_end, end());
EXPRESSION(get_experiment, experiment("a"));
EXPRESSION(get_experiments, experiments());
EXPRESSION(get_int, get_int("a"));
EXPRESSION(get_json, get_json("a"));
EXPRESSION(get_data, data());
EXPRESSION(get_text, text());
EXPRESSION(get_path, path());
EXPRESSION(get_size, size());

template <class Object, class Expression>
constexpr bool only_of_lasting = compiles<Object &, Expression>::value && compiles<const Object &, Expression>::value &&
                                 !compiles<Object, Expression>::value && !compiles<const Object, Expression>::value;
template <class Object, class Expression>
constexpr bool of_any = compiles<Object &, Expression>::value && compiles<Object, Expression>::value;

// Borrowed results cannot be read from a temporary snapshot or attachment.
static_assert(only_of_lasting<remora::snapshot, get_string>);
static_assert(only_of_lasting<remora::snapshot, get_string_with_code>);
static_assert(only_of_lasting<remora::snapshot, get_url>);
static_assert(only_of_lasting<remora::snapshot, get_value>);
static_assert(only_of_lasting<remora::snapshot, get_item>);
static_assert(only_of_lasting<remora::snapshot, get_begin>);
static_assert(only_of_lasting<remora::snapshot, get_end>);
static_assert(only_of_lasting<remora::snapshot, get_experiment>);
static_assert(only_of_lasting<remora::snapshot, get_experiments>);
static_assert(only_of_lasting<remora::attachment, get_data>);
static_assert(only_of_lasting<remora::attachment, get_text>);
static_assert(only_of_lasting<remora::attachment, get_path>);

// Results that are copies can.
static_assert(of_any<remora::snapshot, get_int>);
static_assert(of_any<remora::snapshot, get_json>);
static_assert(of_any<remora::snapshot, get_size>);
static_assert(of_any<remora::attachment, get_size>);
static_assert(of_any<remora::source, get_int>);
static_assert(of_any<remora::source, get_string>);
static_assert(std::is_same_v<decltype(std::declval<remora::source>().get_string("a")), std::optional<std::string>>);

// A difference refers to both snapshots.
template <class Older, class Newer, class = void>
struct can_diff : std::false_type {};
template <class Older, class Newer>
struct can_diff<Older, Newer, std::void_t<decltype(remora::diff(std::declval<Older>(), std::declval<Newer>()))>>
    : std::true_type {};
static_assert(can_diff<remora::snapshot &, const remora::snapshot &>::value);
static_assert(!can_diff<remora::snapshot, remora::snapshot &>::value);
static_assert(!can_diff<remora::snapshot &, remora::snapshot>::value);
static_assert(!can_diff<remora::snapshot, remora::snapshot>::value);

// Packaged data is not copied before the source is opened.
static_assert(std::is_convertible_v<std::string &, remora::borrowed_bytes>);
static_assert(std::is_convertible_v<const std::string &, remora::borrowed_bytes>);
static_assert(std::is_convertible_v<const char *, remora::borrowed_bytes>);
static_assert(!std::is_convertible_v<std::string, remora::borrowed_bytes>);
static_assert(!std::is_constructible_v<remora::borrowed_bytes, const std::string>);

// An error_code must outlive the call: a temporary one cannot be a target.
static_assert(std::is_convertible_v<std::error_code &, remora::error_target>);
static_assert(!std::is_convertible_v<std::error_code, remora::error_target>);
static_assert(!std::is_convertible_v<remora::failure, remora::error_target>);

template <class Handle>
constexpr bool move_only = std::is_nothrow_move_constructible_v<Handle> && std::is_nothrow_move_assignable_v<Handle> &&
                           !std::is_copy_constructible_v<Handle> && !std::is_copy_assignable_v<Handle>;
template <class Handle>
constexpr bool shareable = std::is_nothrow_move_constructible_v<Handle> &&
                           std::is_nothrow_copy_constructible_v<Handle> && std::is_nothrow_copy_assignable_v<Handle>;
static_assert(move_only<remora::client> && move_only<remora::source> && move_only<remora::key>);
static_assert(move_only<remora::subscription> && move_only<remora::request>);
static_assert(shareable<remora::snapshot> && shareable<remora::attachment>);
static_assert(!std::is_copy_constructible_v<remora::event> && !std::is_move_constructible_v<remora::event>);
static_assert(!std::is_copy_constructible_v<remora::result> && !std::is_move_constructible_v<remora::result>);
static_assert(std::is_nothrow_copy_constructible_v<remora::error>);
static_assert(std::is_base_of_v<std::system_error, remora::error>);

// Callables of every kind are callbacks, if they take the argument.
static_assert(std::is_convertible_v<std::function<void(const remora::event &)>, remora::callback<remora::event>>);
static_assert(std::is_convertible_v<void (*)(const remora::event &), remora::callback<remora::event>>);
static_assert(std::is_convertible_v<std::nullptr_t, remora::callback<remora::event>>);
static_assert(!std::is_convertible_v<void (*)(const remora::result &), remora::callback<remora::event>>);
static_assert(!std::is_convertible_v<int, remora::callback<remora::event>>);

TEST("a snapshot and its strings stay valid after the source and the client are closed") {
  std::optional<local_scene> scene(std::in_place);
  const remora::snapshot first = scene->source.snapshot();
  remora::snapshot second = first;
  const std::string_view text = *second.get_string("texts", "/plain");
  scene.reset();
  CHECK_VIEW("hello", text);
  second = remora::snapshot();
  CHECK_VIEW("hello", text);
  CHECK_VIEW("hello", *first.get_string("texts", "/plain"));
}

TEST("a snapshot can still be read after it was assigned to itself") {
  local_scene scene;
  remora::snapshot snapshot = scene.source.snapshot();
  const remora::snapshot &alias = snapshot;
  snapshot = alias;
  CHECK_SIZE(4, snapshot.size());
}

TEST("a client, a source, a key and a subscription can be closed in any order") {
  local_scene scene;
  remora::key key = scene.source.bind("limits", "/int");
  remora::subscription subscription = scene.source.subscribe([](const remora::event &) {});
  scene.client.close();
  CHECK_THROWS(remora::errc::closed, scene.source.snapshot());
  scene.source.close();
  CHECK(!scene.source && !scene.client);
  subscription.unsubscribe();
  CHECK(!subscription);
  CHECK_INT(7, key.get_int(7));
}

TEST("a source can be passed to the C API and back") {
  local_scene scene;
  CHECK_INT(7, remora_get_int(scene.source.native_handle(), "limits", "/int", 0));
  remora::source adopted(scene.source.release());
  CHECK(!scene.source);
  CHECK_INT(7, adopted.get_int("limits", "/int", 0));
}

} // namespace
