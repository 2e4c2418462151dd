// SPDX-License-Identifier: Apache-2.0

/// @file detail/source_reading.hpp The functions of remora::source that read values, and the state of the source.
#ifndef REMORA_DETAIL_SOURCE_READING_HPP
#define REMORA_DETAIL_SOURCE_READING_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <remora/source.hpp>

namespace remora {

namespace detail {

/// Calls a getter of the C API. If the key or the pointer contains a NUL, no value can exist, so returns the fallback.
template <class Result, class Get>
Result get_or(std::string_view key, std::string_view pointer, Result fallback, Get get) {
  call call(ignored);
  const c_string key_text(key, "key", call);
  const c_string pointer_text(pointer, "pointer", call);
  return call.refused() ? fallback : get(key_text, pointer_text);
}

/// Calls a getter of the C API that copies a text.
template <class Get>
std::string copied(std::string_view key, std::string_view pointer, Get get) {
  return get_or(key, pointer, std::string(), [&](const char *k, const char *p) {
    return written([&](char *buffer, std::size_t size) { return get(k, p, buffer, size); });
  });
}

} // namespace detail

inline bool source::get_bool(std::string_view key, std::string_view pointer, bool fallback) const {
  return detail::get_or(key, pointer, fallback, [&](const char *k, const char *p) {
    return remora_get_bool(native_handle(), k, p, fallback ? 1 : 0) != 0;
  });
}
inline std::int64_t source::get_int(std::string_view key, std::string_view pointer, std::int64_t fallback) const {
  return detail::get_or(key, pointer, fallback,
                        [&](const char *k, const char *p) { return remora_get_int(native_handle(), k, p, fallback); });
}
inline double source::get_double(std::string_view key, std::string_view pointer, double fallback) const {
  return detail::get_or(key, pointer, fallback, [&](const char *k, const char *p) {
    return remora_get_double(native_handle(), k, p, fallback);
  });
}
inline std::string source::get_string(std::string_view key, std::string_view pointer, std::string_view fallback) const {
  std::optional<std::string> text = get_string(key, pointer);
  return text ? *std::move(text) : std::string(fallback);
}
inline std::string source::get_url(std::string_view key, std::string_view pointer, std::string_view fallback) const {
  std::optional<std::string> url = get_url(key, pointer);
  return url ? *std::move(url) : std::string(fallback);
}
inline std::string source::get_json(std::string_view key, std::string_view pointer, std::string_view fallback) const {
  std::optional<std::string> json = get_json(key, pointer);
  return json ? *std::move(json) : std::string(fallback);
}

// These functions return an empty result if the value does not exist. To detect this, they pass a default that no value
// can have to the getter of the C API, or they look the value up in a snapshot.

inline std::optional<bool> source::get_bool(std::string_view key, std::string_view pointer) const {
  if (get_bool(key, pointer, false)) return true;
  return snapshot(ignored).get_bool(key, pointer);
}
inline std::optional<std::int64_t> source::get_int(std::string_view key, std::string_view pointer) const {
  constexpr std::int64_t rare = std::numeric_limits<std::int64_t>::min();
  const std::int64_t number = get_int(key, pointer, rare);
  if (number != rare) return number;
  return snapshot(ignored).get_int(key, pointer);
}
inline std::optional<double> source::get_double(std::string_view key, std::string_view pointer) const {
  const double number = get_double(key, pointer, std::numeric_limits<double>::quiet_NaN());
  return std::isnan(number) ? std::nullopt : std::optional<double>(number);
}
inline std::optional<std::string> source::get_string(std::string_view key, std::string_view pointer) const {
  std::string text = detail::copied(key, pointer, [&](const char *k, const char *p, char *buffer, std::size_t size) {
    return remora_get_string(native_handle(), k, p, buffer, size, nullptr);
  });
  if (!text.empty()) return text;
  const remora::snapshot live = snapshot(ignored);
  const std::optional<std::string_view> found = live.get_string(key, pointer);
  return found ? std::optional<std::string>(*found) : std::nullopt;
}
inline std::optional<std::string> source::get_url(std::string_view key, std::string_view pointer) const {
  std::string url = detail::copied(key, pointer, [&](const char *k, const char *p, char *buffer, std::size_t size) {
    return remora_get_url(native_handle(), k, p, buffer, size, nullptr);
  });
  return url.empty() ? std::nullopt : std::optional<std::string>(std::move(url));
}
inline std::optional<std::string> source::get_json(std::string_view key, std::string_view pointer) const {
  std::string json = detail::copied(key, pointer, [&](const char *k, const char *p, char *buffer, std::size_t size) {
    return remora_get_json(native_handle(), k, p, buffer, size, nullptr);
  });
  return json.empty() ? std::nullopt : std::optional<std::string>(std::move(json));
}

inline remora::snapshot source::snapshot(view view, error_target errors) const {
  detail::call call(errors);
  remora_snapshot *raw = nullptr;
  call([&](auto error) {
    return remora_snapshot_acquire(native_handle(), static_cast<remora_flags>(view), &raw, error);
  });
  return remora::snapshot(raw);
}
inline remora::key source::bind(std::string_view key, std::string_view pointer, error_target errors) const {
  return detail::at_place(key, pointer, errors, [&](auto &call, auto k, auto p) {
    remora_key *raw = nullptr;
    call([&](auto error) { return remora_key_bind(native_handle(), k, p, &raw, error); });
    return remora::key(raw);
  });
}
inline remora::revision source::revision(error_target errors) const {
  detail::call call(errors);
  const std::int64_t *number = nullptr;
  call([&](auto error) { return remora_source_get_revision(native_handle(), &number, error); });
  return remora::revision(number);
}
inline source source::open_tag(std::string_view tag, std::chrono::milliseconds ttl, error_target errors) const {
  detail::call call(errors);
  const detail::c_string name(tag, "tag", call);
  remora_source *opened = nullptr;
  call([&](auto error) { return remora_open_tag(native_handle(), name, ttl.count(), &opened, error); });
  return source(opened);
}
inline source_info source::info(error_target errors) const {
  detail::call call(errors);
  auto raw = detail::initialised<remora_source_info>();
  const bool succeeded = call([&](auto error) { return remora_source_get_info(native_handle(), &raw, error); });
  return succeeded ? source_info(raw) : source_info();
}
inline explanation source::explain(std::string_view key, std::string_view pointer, error_target errors) const {
  return detail::at_place(key, pointer, errors, [&](auto &call, auto k, auto p) {
    const auto read = [&](remora_flags flags) {
      return detail::read_text(call, [&](char *buffer, std::size_t size, std::size_t *length, remora_error *error) {
        return remora_explain(native_handle(), k, p, flags, buffer, size, length, error);
      });
    };
    std::optional<std::string> json = read(0);
    std::optional<std::string> text = json ? read(REMORA_EXPLAIN_TEXT) : std::nullopt;
    return text ? explanation{*std::move(json), *std::move(text)} : explanation();
  });
}
inline std::vector<namespace_info> source::namespaces_of(const remora_snapshot *snapshot, error_target errors) const {
  using collector = detail::collector<namespace_info, remora_namespace>;
  detail::call call(errors);
  collector found;
  call(
      [&](auto error) { return remora_namespace_foreach(native_handle(), snapshot, collector::visit, &found, error); });
  return found.take();
}

} // namespace remora

#endif // REMORA_DETAIL_SOURCE_READING_HPP
