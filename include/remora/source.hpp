// SPDX-License-Identifier: Apache-2.0

/// @file source.hpp Sources: reading, refreshing, subscribing, activating and overriding.
#ifndef REMORA_SOURCE_HPP
#define REMORA_SOURCE_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <remora/attachment.hpp>
#include <remora/callback.hpp>
#include <remora/key.hpp>
#include <remora/refresh.hpp>
#include <remora/source_info.hpp>

namespace remora {

class event;
class result;

/// A registered callback. Destroying it unsubscribes.
///
/// When the destructor or unsubscribe() returns, the callback is not running and will not run again; so it waits for a
/// callback that is running on another thread. Inside a callback of Remora it does not wait.
class [[nodiscard]] subscription {
 public:
  subscription() noexcept = default;
  /// Takes ownership of the handle.
  explicit subscription(remora_subscription *owned) noexcept : handle_(owned) {}
  /// Returns the handle for functions of remora.h. It stays owned by this object.
  remora_subscription *native_handle() const noexcept { return handle_.get(); }
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  void unsubscribe() noexcept { handle_.reset(); }

 private:
  detail::unique<remora_subscription, remora_unsubscribe> handle_;
};

/// A set of settings that is refreshed together, opened by remora::client. Destroying it closes the handle, which waits
/// for a callback of this handle that is running on another thread. Its results stay valid, except for a revision.
///
/// All functions are const: they do not change the object, which is a handle. Any thread may call them at the same
/// time; none may use the handle while it is closed, moved or assigned. Functions that act throw remora::error by
/// default; see error_target. A default-constructed or moved-from source fails with errc::invalid_argument, and its
/// reads are empty.
class source {
 public:
  source() noexcept = default;
  /// Takes ownership of the handle.
  explicit source(remora_source *owned) noexcept : handle_(owned) {}
  /// Returns the handle for functions of remora.h. It stays owned by this object.
  remora_source *native_handle() const noexcept { return handle_.get(); }
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  void close() noexcept { handle_.reset(); }
  /// Returns the handle, and leaves closing it to the caller.
  [[nodiscard]] remora_source *release() noexcept { return handle_.release(); }

  // Reading. `key` is the id of a record, a namespace, or a member of the dictionary. `pointer` is a JSON Pointer into
  // its value; "" is the whole value. The result is empty, or the fallback, if the value does not exist or has another
  // type. These functions copy; read from a snapshot to get values that belong together, or the reason.

  std::optional<bool> get_bool(std::string_view key, std::string_view pointer = {}) const;
  std::optional<std::int64_t> get_int(std::string_view key, std::string_view pointer = {}) const;
  std::optional<double> get_double(std::string_view key, std::string_view pointer = {}) const;
  std::optional<std::string> get_string(std::string_view key, std::string_view pointer = {}) const;
  std::optional<std::string> get_url(std::string_view key, std::string_view pointer = {}) const;
  std::optional<std::string> get_json(std::string_view key, std::string_view pointer = {}) const;

  bool get_bool(std::string_view key, std::string_view pointer, bool fallback) const;
  std::int64_t get_int(std::string_view key, std::string_view pointer, std::int64_t fallback) const;
  double get_double(std::string_view key, std::string_view pointer, double fallback) const;
  std::string get_string(std::string_view key, std::string_view pointer, std::string_view fallback) const;
  std::string get_url(std::string_view key, std::string_view pointer, std::string_view fallback) const;
  std::string get_json(std::string_view key, std::string_view pointer, std::string_view fallback) const;

  /// Acquires the live snapshot.
  remora::snapshot snapshot(error_target errors = throws) const { return snapshot(view::filtered, errors); }
  remora::snapshot snapshot(view view, error_target errors = throws) const;
  /// Binds a place that is read often. The key stays valid when the source is closed.
  remora::key bind(std::string_view key, std::string_view pointer = {}, error_target errors = throws) const;
  /// Gets a number that stays the same while the live snapshot stays the same.
  remora::revision revision(error_target errors = throws) const;
  source_info info(error_target errors = throws) const;
  /// Returns the active namespaces of a bundle, of the live snapshot or of another one.
  std::vector<namespace_info> namespaces(error_target errors = throws) const { return namespaces_of(nullptr, errors); }
  std::vector<namespace_info> namespaces(const remora::snapshot &snapshot, error_target errors = throws) const {
    return namespaces_of(snapshot.native_handle(), errors);
  }

  // Refreshing. A callback receives a remora::result, is optional, and is called as subscribers are.

  /// Requests newer settings, and waits until they are live or staged. On failure the outcome is `refused` or `failed`.
  /// Blocking: at most options.timeout.
  outcome refresh(const refresh_options &options, error_target errors = throws) const;
  request refresh_async(const refresh_options &options, callback<result> completion = {},
                        error_target errors = throws) const;
  /// Waits for a fresh snapshot. A refresh that fails or is late is not an error of the call: the result then has the
  /// live snapshot, and the reason. Blocking: at most options.timeout.
  awaited await(const refresh_options &options, error_target errors = throws) const;
  request await_async(const refresh_options &options, callback<result> completion = {},
                      error_target errors = throws) const;
  /// Deletes everything that was fetched for the source; see remora_reset. The handle stays open.
  void reset_data(error_target errors = throws) const;
  /// Makes the staged version live.
  outcome activate(error_target errors = throws) const;
  /// Freezes the live version for the rest of the client's life.
  void stop_listening(error_target errors = throws) const;

  // Subscribing. Callbacks run on the thread "remora-events", or inside client::dispatch. They may call every function.
  // An exception that leaves a callback is passed to the exception handler; see set_exception_handler.

  /// Registers a callback for the events of the source.
  subscription subscribe(callback<event> subscriber, replay first = replay::no, error_target errors = throws) const;
  /// Registers a callback for the changes of one key.
  subscription subscribe(std::string_view key, callback<event> subscriber, replay first = replay::no,
                         error_target errors = throws) const;
  /// Registers a callback for the events of the source until the source handle is closed.
  void subscribe_until_close(callback<event> subscriber, replay first = replay::no, error_target errors = throws) const;

  // Overrides: values that take precedence over all others; see remora_override_set.

  /// Sets a value. `json` is JSON text.
  void set_override(std::string_view key, std::string_view pointer, std::string_view json,
                    override_mode mode = override_mode::always, error_target errors = throws) const;
  /// Clears the override at a place and the overrides below it.
  void clear_override(std::string_view key, std::string_view pointer = {}, error_target errors = throws) const;
  void clear_overrides(error_target errors = throws) const;
  std::vector<override_info> overrides(error_target errors = throws) const;

  /// Opens the attachment of a record: from the storage directory, the packaged attachments, or the server. Blocking:
  /// at most options.timeout; see remora_attachment_open.
  attachment open_attachment(std::string_view record, const attachment_options &options,
                             error_target errors = throws) const;
  request open_attachment_async(std::string_view record, const attachment_options &options,
                                callback<result> completion = {}, error_target errors = throws) const;

 private:
  std::vector<namespace_info> namespaces_of(const remora_snapshot *snapshot, error_target errors) const;
  detail::unique<remora_source, remora_source_close> handle_;
};

} // namespace remora

#endif // REMORA_SOURCE_HPP
