// SPDX-License-Identifier: Apache-2.0

/// @file snapshot.hpp Snapshots: one immutable version of a source.
#ifndef REMORA_SNAPSHOT_HPP
#define REMORA_SNAPSHOT_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <remora/value.hpp>

namespace remora {

/// The properties of a snapshot.
struct snapshot_info {
  snapshot_info() = default;
  explicit snapshot_info(const remora_snapshot_info &raw)
      : origin(static_cast<remora::origin>(raw.origin)),
        verified(raw.verified != 0),
        version(raw.version),
        fetched_at(detail::to_time(raw.fetched_at_ms)),
        count(raw.count) {}

  remora::origin origin = remora::origin::none;
  bool verified = false;    ///< Whether a signature of this data was verified.
  std::int64_t version = 0; ///< A timestamp, or the version of a bundle; 0 if the data has no version.
  std::optional<time_point> fetched_at;
  std::size_t count = 0; ///< Number of keys.
};

/// An immutable view of one version of a source. Copies share the data, and threads may read one object at the same
/// time. A snapshot stays readable after its source and client are closed.
///
/// Reads return an empty result if the value does not exist, is null, or has another type. Pass a std::error_code, a
/// remora::failure or remora::throws as the last argument to receive the reason. Texts and values are not copied: they
/// are valid while an object owns the snapshot. So texts and values cannot be read from a temporary snapshot:
/// `source.snapshot().get_string("a")` does not compile.
///
/// A default-constructed or moved-from object has no snapshot. Reads of such an object fail with
/// errc::invalid_argument.
class snapshot {
  using handle = detail::shared<remora_snapshot, remora_snapshot_retain, remora_snapshot_release>;

 public:
  snapshot() noexcept = default;
  /// Takes ownership of one reference.
  explicit snapshot(remora_snapshot *owned) noexcept : handle_(owned) {}
  /// Adds a reference to a snapshot that belongs to another owner. NULL makes an object without a snapshot.
  static snapshot retain(const remora_snapshot *borrowed) noexcept {
    return snapshot(remora_snapshot_retain(borrowed));
  }
  /// Returns the handle, for functions of remora.h. This object still owns the handle.
  remora_snapshot *native_handle() const noexcept { return handle_.get(); }
  explicit operator bool() const noexcept { return native_handle() != nullptr; }

  /// Returns the properties of the snapshot.
  snapshot_info info(error_target errors = throws) const {
    detail::call call(errors);
    auto raw = detail::initialised<remora_snapshot_info>();
    return call([&](auto error) { return remora_snapshot_get_info(native_handle(), &raw, error); }) ? snapshot_info(raw)
                                                                                                    : snapshot_info();
  }
  /// Returns the number of keys; 0 without a snapshot.
  std::size_t size() const noexcept { return remora_snapshot_count(native_handle()); }

  // `key` is the id of a record, a namespace, or a member of the dictionary. `pointer` is a JSON Pointer into its
  // value; "" is the whole value.

  /// Reads a boolean.
  std::optional<bool> get_bool(std::string_view key, std::string_view pointer = {},
                               error_target errors = ignored) const {
    return detail::at_place(key, pointer, errors, [&](auto &call, auto k, auto p) {
      return detail::read<bool, remora_bool>(
          call, [&](auto out, auto error) { return remora_snapshot_get_bool(native_handle(), k, p, out, error); });
    });
  }
  /// Reads an integer. A double that is exactly a 64-bit integer is converted.
  std::optional<std::int64_t> get_int(std::string_view key, std::string_view pointer = {},
                                      error_target errors = ignored) const {
    return detail::at_place(key, pointer, errors, [&](auto &call, auto k, auto p) {
      return detail::read<std::int64_t, std::int64_t>(
          call, [&](auto out, auto error) { return remora_snapshot_get_int(native_handle(), k, p, out, error); });
    });
  }
  /// Reads a number. An integer that is exactly a double is converted.
  std::optional<double> get_double(std::string_view key, std::string_view pointer = {},
                                   error_target errors = ignored) const {
    return detail::at_place(key, pointer, errors, [&](auto &call, auto k, auto p) {
      return detail::read<double, double>(
          call, [&](auto out, auto error) { return remora_snapshot_get_double(native_handle(), k, p, out, error); });
    });
  }
  /// Reads a string without copying the string.
  std::optional<std::string_view> get_string(std::string_view key, std::string_view pointer = {},
                                             error_target errors = ignored) const & {
    return detail::at_place(key, pointer, errors, [&](auto &call, auto k, auto p) {
      return detail::read_view(call, [&](auto text, auto length, auto error) {
        return remora_snapshot_get_string(native_handle(), k, p, text, length, error);
      });
    });
  }
  /// Reads a string that is an absolute URI, without copying the string. remora_get_url lists the rules for URIs.
  std::optional<std::string_view> get_url(std::string_view key, std::string_view pointer = {},
                                          error_target errors = ignored) const & {
    return detail::at_place(key, pointer, errors, [&](auto &call, auto k, auto p) {
      return detail::read_view(call, [&](auto text, auto length, auto error) {
        return remora_snapshot_get_url(native_handle(), k, p, text, length, error);
      });
    });
  }
  /// Returns the canonical JSON text of a value.
  std::optional<std::string> get_json(std::string_view key, std::string_view pointer = {},
                                      error_target errors = ignored) const {
    return detail::at_place(key, pointer, errors, [&](auto &call, auto k, auto p) {
      return detail::read_text(call, [&](char *buffer, std::size_t size, std::size_t *length, remora_error *error) {
        return remora_snapshot_get_json(native_handle(), k, p, buffer, size, length, error);
      });
    });
  }
  /// Returns the canonical JSON text of the whole snapshot.
  std::optional<std::string> json(error_target errors = ignored) const {
    detail::call call(errors);
    return detail::read_text(call, [&](char *buffer, std::size_t size, std::size_t *length, remora_error *error) {
      return remora_snapshot_get_json(native_handle(), nullptr, nullptr, buffer, size, length, error);
    });
  }
  /// Gets the origin of the value of a key; see remora_snapshot_get_origin.
  std::optional<remora::origin> get_origin(std::string_view key, error_target errors = ignored) const {
    detail::call call(errors);
    const detail::c_string text(key, "key", call);
    return detail::read<remora::origin, remora_origin>(
        call, [&](auto out, auto error) { return remora_snapshot_get_origin(native_handle(), text, out, error); });
  }

  /// Finds the value of a key, or the part of the value that `pointer` names. The result can be a JSON null. If the
  /// value does not exist, the result is an empty value.
  remora::value get(std::string_view key, std::string_view pointer = {}, error_target errors = ignored) const & {
    detail::call call(errors);
    remora_value found{nullptr, nullptr};
    call([&](auto error) {
      // A view without text is passed as "", not as NULL. An empty key is an error; an empty pointer is the whole
      // value.
      return remora_snapshot_get_n(native_handle(), key.data() != nullptr ? key.data() : "", key.size(),
                                   pointer.data() != nullptr ? pointer.data() : "", pointer.size(), &found, error);
    });
    return remora::value(found);
  }
  /// Gets the key and value at a position. Keys are sorted by their bytes.
  remora::item item(std::size_t index, error_target errors = ignored) const & {
    detail::call call(errors);
    const char *key = nullptr;
    std::size_t length = 0;
    remora_value found{nullptr, nullptr};
    call([&](auto error) { return remora_snapshot_item(native_handle(), index, &key, &length, &found, error); });
    return {std::string_view(key, length), remora::value(found)};
  }
  /// Iterates over keys and values, sorted by the bytes of the keys: `for (auto [key, value] : snapshot)`.
  detail::item_iterator<snapshot> begin() const & noexcept { return {this, 0}; }
  detail::item_iterator<snapshot> end() const & noexcept { return {this, size()}; }

  /// Finds an A/B experiment of settings by its name.
  std::optional<remora::experiment> experiment(std::string_view name, error_target errors = ignored) const & {
    detail::call call(errors);
    const detail::c_string text(name, "name", call);
    auto raw = detail::initialised<remora_experiment>();
    if (!call([&](auto error) { return remora_experiment_find(native_handle(), text, &raw, error); }))
      return std::nullopt;
    return remora::experiment(raw);
  }
  /// Returns the A/B experiments of settings; see remora_experiment_foreach.
  std::vector<remora::experiment> experiments(error_target errors = throws) const & {
    using collector = detail::collector<remora::experiment, remora_experiment>;
    detail::call call(errors);
    collector found;
    call([&](auto error) { return remora_experiment_foreach(native_handle(), collector::visit, &found, error); });
    return found.take();
  }

  // These functions do not compile for a temporary snapshot, because their results would outlive the snapshot.
  template <class... Arguments>
  void get_string(Arguments &&...) const && = delete;
  template <class... Arguments>
  void get_url(Arguments &&...) const && = delete;
  template <class... Arguments>
  void get(Arguments &&...) const && = delete;
  template <class... Arguments>
  void item(Arguments &&...) const && = delete;
  void begin() const && = delete;
  void end() const && = delete;
  template <class... Arguments>
  void experiment(Arguments &&...) const && = delete;
  template <class... Arguments>
  void experiments(Arguments &&...) const && = delete;

 private:
  handle handle_;
};

/// Returns the differences between two snapshots, in the order of the keys; see remora_snapshot_diff. An object without
/// a snapshot is treated as an empty snapshot. The changes are valid as long as both snapshots, so neither can be
/// temporary.
inline std::vector<change> diff(const snapshot &older, const snapshot &newer, error_target errors = throws) {
  using collector = detail::collector<change, remora_change>;
  detail::call call(errors);
  collector found;
  call([&](auto error) {
    return remora_snapshot_diff(older.native_handle(), newer.native_handle(), collector::visit, &found, error);
  });
  return found.take();
}
std::vector<change> diff(const snapshot &&, const snapshot &, error_target = throws) = delete;
std::vector<change> diff(const snapshot &, const snapshot &&, error_target = throws) = delete;
std::vector<change> diff(const snapshot &&, const snapshot &&, error_target = throws) = delete;

} // namespace remora

#endif // REMORA_SNAPSHOT_HPP
