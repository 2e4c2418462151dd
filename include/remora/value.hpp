// SPDX-License-Identifier: Apache-2.0

/// @file value.hpp Values inside a snapshot, and structures that contain values: items, changes and experiments.
#ifndef REMORA_VALUE_HPP
#define REMORA_VALUE_HPP

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include <remora/detail/base.hpp>
#include <remora/types.hpp>

namespace remora {

struct item;

namespace detail {
/// Iterates over a container that has item(index), by position.
template <class Container>
class item_iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = item;
  using difference_type = std::ptrdiff_t;
  using pointer = const item *;
  using reference = item;

  item_iterator(const Container *container, std::size_t index) noexcept : container_(container), index_(index) {}
  item operator*() const;
  item_iterator &operator++() noexcept {
    ++index_;
    return *this;
  }
  item_iterator operator++(int) noexcept {
    item_iterator before = *this;
    ++index_;
    return before;
  }
  bool operator==(const item_iterator &other) const noexcept { return index_ == other.index_; }
  bool operator!=(const item_iterator &other) const noexcept { return index_ != other.index_; }

 private:
  const Container *container_;
  std::size_t index_;
};
} // namespace detail

/// A value inside a snapshot: two pointers that refer to the snapshot, as a std::string_view refers to a string.
/// Values, and the texts that they return, are valid as long as the snapshot. A default-constructed value is empty.
///
/// Reads return an empty result if the value is empty, null, or of another type. Pass a std::error_code, a
/// remora::failure or remora::throws as the last argument to receive the reason.
class value {
 public:
  value() noexcept = default;
  explicit value(remora_value raw) noexcept : raw_(raw) {}
  /// Returns the value for functions of remora.h.
  remora_value native_handle() const noexcept { return raw_; }
  /// Returns whether the value is part of a snapshot, which is also true for a JSON null.
  explicit operator bool() const noexcept { return type() != remora::type::none; }

  /// Returns the type of the value.
  remora::type type() const noexcept { return static_cast<remora::type>(remora_value_type(raw_)); }
  /// Returns the number of elements of an array, or of members of an object; 0 for any other type.
  std::size_t size() const noexcept { return remora_value_count(raw_); }

  /// Reads a boolean.
  std::optional<bool> get_bool(error_target errors = ignored) const {
    detail::call call(errors);
    return detail::read<bool, remora_bool>(
        call, [&](auto out, auto error) { return remora_value_get_bool(raw_, out, error); });
  }
  /// Reads an integer. A double that is exactly a 64-bit integer is converted.
  std::optional<std::int64_t> get_int(error_target errors = ignored) const {
    detail::call call(errors);
    return detail::read<std::int64_t, std::int64_t>(
        call, [&](auto out, auto error) { return remora_value_get_int(raw_, out, error); });
  }
  /// Reads a number. An integer that is exactly a double is converted.
  std::optional<double> get_double(error_target errors = ignored) const {
    detail::call call(errors);
    return detail::read<double, double>(
        call, [&](auto out, auto error) { return remora_value_get_double(raw_, out, error); });
  }
  /// Reads a string without copying the string.
  std::optional<std::string_view> get_string(error_target errors = ignored) const {
    detail::call call(errors);
    return detail::read_view(
        call, [&](auto text, auto length, auto error) { return remora_value_get_string(raw_, text, length, error); });
  }
  /// Reads a string that is an absolute URI, without copying the string. remora_get_url lists the rules for URIs.
  std::optional<std::string_view> get_url(error_target errors = ignored) const {
    detail::call call(errors);
    return detail::read_view(
        call, [&](auto text, auto length, auto error) { return remora_value_get_url(raw_, text, length, error); });
  }
  /// Returns the canonical JSON text of the value.
  std::optional<std::string> get_json(error_target errors = ignored) const {
    detail::call call(errors);
    return detail::read_text(call, [&](char *buffer, std::size_t size, std::size_t *length, remora_error *error) {
      return remora_value_get_json(raw_, buffer, size, length, error);
    });
  }
  /// Returns the members of a record of a collection, except for `id`, `last_modified` and `attachment`, as JSON text.
  std::optional<std::string> record_fields(error_target errors = ignored) const {
    detail::call call(errors);
    return detail::read_text(call, [&](char *buffer, std::size_t size, std::size_t *length, remora_error *error) {
      return remora_value_record_fields(raw_, buffer, size, length, error);
    });
  }

  /// Finds a member of an object. The result can be a JSON null. If the member does not exist, the result is empty.
  value member(std::string_view name, error_target errors = ignored) const {
    detail::call call(errors);
    const detail::c_string text(name, "name", call);
    return find(call, [&](auto out, auto error) { return remora_value_member(raw_, text, out, error); });
  }
  /// Finds the part of the value that a JSON Pointer (RFC 6901) names. "" names the value itself.
  value resolve(std::string_view pointer, error_target errors = ignored) const {
    detail::call call(errors);
    const detail::c_string text(pointer, "pointer", call);
    return find(call, [&](auto out, auto error) { return remora_value_resolve(raw_, text, out, error); });
  }
  /// Gets the element of an array, or a member of an object and its name, by position.
  remora::item item(std::size_t index, error_target errors = ignored) const;

  /// Iterates over the elements of an array, or over the members of an object in the order of their names:
  /// `for (auto [name, element] : value)`.
  detail::item_iterator<value> begin() const noexcept { return {this, 0}; }
  detail::item_iterator<value> end() const noexcept { return {this, size()}; }

 private:
  template <class Find>
  static value find(detail::call &call, Find find) {
    value found;
    call([&](remora_error *error) { return find(&found.raw_, error); });
    return found;
  }
  remora_value raw_{nullptr, nullptr};
};

/// A key or member with its value, or an element of an array, whose name is empty. Valid as long as the snapshot.
struct item {
  std::string_view name;
  remora::value value;
};

inline item value::item(std::size_t index, error_target errors) const {
  detail::call call(errors);
  const char *name = nullptr;
  std::size_t length = 0;
  const value found =
      find(call, [&](auto out, auto error) { return remora_value_item(raw_, index, &name, &length, out, error); });
  return {std::string_view(name, length), found};
}

template <class Container>
item detail::item_iterator<Container>::operator*() const {
  return container_->item(index_);
}

/// A changed key, with its old and new value. In a callback, a change is valid during the call. The changes that
/// remora::diff returns are valid as long as both snapshots.
struct change {
  explicit change(const remora_change &raw)
      : kind(static_cast<change_kind>(raw.kind)),
        origin(static_cast<remora::origin>(raw.origin)),
        key(raw.key, raw.key_length),
        old_value(raw.old_value),
        new_value(raw.new_value) {}

  change_kind kind;
  remora::origin origin; ///< Origin of the new value; `none` if the key was deleted.
  std::string_view key;
  value old_value; ///< Empty if the key was created.
  value new_value; ///< Empty if the key was deleted.
};

/// An A/B experiment of settings; see remora_experiment_find. Valid as long as its snapshot.
struct experiment {
  explicit experiment(const remora_experiment &raw)
      : name(raw.name, raw.name_length),
        variant(raw.variant, raw.variant_length),
        trackable(raw.trackable),
        settings(raw.settings) {}

  std::string_view name;
  std::string_view variant; ///< "" if the server sent no variant.
  double trackable;         ///< 0 if the server sent no number.
  value settings;           ///< The keys that the experiment affects: an array of strings, or the empty value.
};

} // namespace remora

#endif // REMORA_VALUE_HPP
