// SPDX-License-Identifier: Apache-2.0

/// @file key.hpp Bound keys: handles for values of a source that are read often.
#ifndef REMORA_KEY_HPP
#define REMORA_KEY_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <remora/detail/base.hpp>

namespace remora {

/// A handle for one value of a source that is read often, created by remora::source::bind. If the value does not exist
/// or has another type, a read returns an empty result, or the fallback if one was passed. Reads with a fallback are
/// faster. A default-constructed or moved-from key has no value.
///
/// Thread: any number of threads may read one key. No thread may use a key while another thread destroys, moves or
/// assigns the key. Blocking: no.
class key {
 public:
  key() noexcept = default;
  /// Takes ownership of the handle.
  explicit key(remora_key *owned) noexcept : handle_(owned) {}
  /// Returns the handle, for functions of remora.h. This object still owns the handle.
  remora_key *native_handle() const noexcept { return handle_.get(); }
  explicit operator bool() const noexcept { return handle_ != nullptr; }

  /// Reads a boolean, or returns the fallback.
  bool get_bool(bool fallback) const noexcept { return remora_key_get_bool(native_handle(), fallback ? 1 : 0) != 0; }
  /// Reads an integer, or returns the fallback.
  std::int64_t get_int(std::int64_t fallback) const noexcept { return remora_key_get_int(native_handle(), fallback); }
  /// Reads a number, or returns the fallback.
  double get_double(double fallback) const noexcept { return remora_key_get_double(native_handle(), fallback); }
  /// Reads a string, or returns the fallback.
  std::string get_string(std::string_view fallback) const { return get_string().value_or(std::string(fallback)); }
  /// Reads a string that is an absolute URI, or returns the fallback.
  std::string get_url(std::string_view fallback) const { return get_url().value_or(std::string(fallback)); }
  /// Returns the canonical JSON text of a value, or returns the fallback.
  std::string get_json(std::string_view fallback) const { return get_json().value_or(std::string(fallback)); }

  /// Reads a boolean.
  std::optional<bool> get_bool() const noexcept {
    return find(false, true, [&](bool fallback) { return get_bool(fallback); });
  }
  /// Reads an integer. A double that is exactly a 64-bit integer is converted.
  std::optional<std::int64_t> get_int() const noexcept {
    using limits = std::numeric_limits<std::int64_t>;
    return find(limits::min(), limits::max(), [&](std::int64_t fallback) { return get_int(fallback); });
  }
  /// Reads a number. An integer that is exactly a double is converted.
  std::optional<double> get_double() const noexcept {
    const double number = get_double(std::numeric_limits<double>::quiet_NaN()); // No JSON number is NaN.
    return std::isnan(number) ? std::nullopt : std::optional<double>(number);
  }
  /// Reads a string.
  std::optional<std::string> get_string() const {
    return find(std::string(), std::string("-"), [&](const std::string &fallback) {
      return detail::written([&](char *buffer, std::size_t size) {
        return remora_key_get_string(native_handle(), buffer, size, fallback.c_str());
      });
    });
  }

  /// Reads a string that is an absolute URI. remora_get_url lists the rules for URIs.
  std::optional<std::string> get_url() const { return find_text(remora_key_get_url); }
  /// Returns the canonical JSON text of a value.
  std::optional<std::string> get_json() const { return find_text(remora_key_get_json); }

  /// Returns a counter that increases when the value has changed since the previous call; see
  /// remora_key_get_change_count.
  std::int64_t change_count() const noexcept { return remora_key_get_change_count(native_handle()); }

 private:
  /// Reads a text that is never empty if the value exists.
  template <class Get>
  std::optional<std::string> find_text(Get get) const {
    std::string text =
        detail::written([&](char *buffer, std::size_t size) { return get(native_handle(), buffer, size, nullptr); });
    return text.empty() ? std::nullopt : std::optional<std::string>(std::move(text));
  }
  /// Reads the value with two different fallbacks. If both fallbacks are returned, and the value has not changed
  /// between the two reads, the value does not exist.
  template <class Result, class Read>
  std::optional<Result> find(const Result &one, const Result &other, Read read) const {
    for (;;) {
      const std::int64_t changes = change_count();
      if (Result found = read(one); found != one) return found;
      if (Result found = read(other); found != other) return found;
      if (change_count() == changes) return std::nullopt;
    }
  }
  detail::unique<remora_key, remora_key_release> handle_;
};

} // namespace remora

#endif // REMORA_KEY_HPP
