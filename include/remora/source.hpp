// SPDX-License-Identifier: Apache-2.0

/// @file source.hpp Sources: reading, refreshing, subscribing, activating, rejecting and overriding.
#ifndef REMORA_SOURCE_HPP
#define REMORA_SOURCE_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include <remora/attachment.hpp>
#include <remora/callback.hpp>
#include <remora/key.hpp>
#include <remora/refresh.hpp>
#include <remora/source_info.hpp>

namespace remora {

class event;
class result;

/// A JSON text, as the value of an override: `remora::json("[1, 2]")`.
class json {
 public:
  /// @param text The JSON text. It must exist as long as this object.
  explicit json(std::string_view text) noexcept : text_(text) {}
  /// Returns the JSON text.
  std::string_view text() const noexcept { return text_; }

 private:
  std::string_view text_;
};

/// The value of an override: a bool, a number, a string or a remora::json. Texts are not copied. Unsigned 64-bit
/// integers do not convert, because JSON numbers of Remora are signed.
class override_value {
  template <class Number>
  static constexpr bool is_integer = std::is_integral_v<Number> && !std::is_same_v<Number, bool> &&
                                     (std::is_signed_v<Number> || sizeof(Number) < sizeof(std::int64_t));
  template <class Number>
  static constexpr bool is_real = std::is_same_v<Number, double> || std::is_same_v<Number, float>;

 public:
  /// Converts a bool, a number, a text or a remora::json.
  template <class Bool, std::enable_if_t<std::is_same_v<Bool, bool>, int> = 0>
  override_value(Bool value) noexcept : value_(value) {}
  template <class Number, std::enable_if_t<is_integer<Number>, int> = 0>
  override_value(Number value) noexcept : value_(static_cast<std::int64_t>(value)) {}
  template <class Number, std::enable_if_t<is_real<Number>, int> = 0>
  override_value(Number value) noexcept : value_(static_cast<double>(value)) {}
  override_value(std::string_view text) noexcept : value_(text) {}
  override_value(const std::string &text) noexcept : value_(std::string_view(text)) {}
  override_value(const char *text) noexcept : value_(std::string_view(text)) {}
  override_value(std::nullptr_t) = delete;
  override_value(json text) noexcept : value_(text) {}

  /// Calls a function with the value, which is a bool, std::int64_t, double, std::string_view or remora::json.
  template <class Function>
  auto visit(Function function) const {
    return std::visit(function, value_);
  }

 private:
  std::variant<bool, std::int64_t, double, std::string_view, json> value_;
};

/// A registered callback. The destructor and unsubscribe() end the subscription.
///
/// If the callback is running on another thread, the destructor and unsubscribe() wait until the callback has returned,
/// except inside a callback of Remora. Afterwards, the callback will not run again.
class [[nodiscard]] subscription {
 public:
  subscription() noexcept = default;
  /// Takes ownership of the handle.
  explicit subscription(remora_subscription *owned) noexcept : handle_(owned) {}
  /// Returns the handle, for functions of remora.h. This object still owns the handle.
  remora_subscription *native_handle() const noexcept { return handle_.get(); }
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  /// Ends the subscription, as the destructor does.
  void unsubscribe() noexcept { handle_.reset(); }

 private:
  detail::unique<remora_subscription, remora_unsubscribe> handle_;
};

/// A set of settings that is refreshed as a unit, opened by remora::client. The destructor closes the handle, and waits
/// for a callback of this handle that is running on another thread. Objects that functions of the source have
/// returned stay valid, except for a revision.
///
/// All functions are const, because the object is only a handle. Any thread may call functions at the same time, but
/// not while another thread closes, moves or assigns the object. If a read fails, its result is empty. Other functions
/// throw remora::error by default; see error_target. The functions of a default-constructed or moved-from source fail
/// with errc::invalid_argument.
class source {
 public:
  source() noexcept = default;
  /// Takes ownership of the handle.
  explicit source(remora_source *owned) noexcept : handle_(owned) {}
  /// Returns the handle, for functions of remora.h. This object still owns the handle.
  remora_source *native_handle() const noexcept { return handle_.get(); }
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  /// Closes the handle, as the destructor does.
  void close() noexcept { handle_.reset(); }
  /// Returns the handle. From then on the caller owns the handle, and must close it.
  [[nodiscard]] remora_source *release() noexcept { return handle_.release(); }

  // Reading. `key` is the id of a record, a namespace, or a member of the dictionary. `pointer` is a JSON Pointer into
  // its value; "" is the whole value. The result is empty, or the fallback, if the value does not exist or has another
  // type. A pointer that is not empty must begin with a slash; for any other pointer the library logs a warning, and
  // reads of a snapshot report errc::invalid_argument. These functions copy the value. To read values that belong
  // together, or to get the reason of a failure, read from a snapshot.

  /// Reads a boolean.
  std::optional<bool> get_bool(std::string_view key, std::string_view pointer = {}) const;
  /// Reads an integer. A double that is exactly a 64-bit integer is converted.
  std::optional<std::int64_t> get_int(std::string_view key, std::string_view pointer = {}) const;
  /// Reads a number. An integer that is exactly a double is converted.
  std::optional<double> get_double(std::string_view key, std::string_view pointer = {}) const;
  /// Reads a string.
  std::optional<std::string> get_string(std::string_view key, std::string_view pointer = {}) const;
  /// Reads a string that is an absolute URI. remora_get_url lists the rules for URIs.
  std::optional<std::string> get_url(std::string_view key, std::string_view pointer = {}) const;
  /// Returns the canonical JSON text of a value.
  std::optional<std::string> get_json(std::string_view key, std::string_view pointer = {}) const;

  /// Reads a boolean, or returns the fallback.
  bool get_bool(std::string_view key, std::string_view pointer, bool fallback) const;
  /// Reads an integer, or returns the fallback.
  std::int64_t get_int(std::string_view key, std::string_view pointer, std::int64_t fallback) const;
  /// Reads a number, or returns the fallback.
  double get_double(std::string_view key, std::string_view pointer, double fallback) const;
  /// Reads a string, or returns the fallback.
  std::string get_string(std::string_view key, std::string_view pointer, std::string_view fallback) const;
  /// Reads a string that is an absolute URI, or returns the fallback.
  std::string get_url(std::string_view key, std::string_view pointer, std::string_view fallback) const;
  /// Returns the canonical JSON text of a value, or returns the fallback.
  std::string get_json(std::string_view key, std::string_view pointer, std::string_view fallback) const;

  /// Acquires the live snapshot: an immutable view of the version that reads use.
  remora::snapshot snapshot(error_target errors = throws) const { return snapshot(view::filtered, errors); }
  remora::snapshot snapshot(view view, error_target errors = throws) const;
  /// Creates a handle for one value that is read often. The handle stays valid when the source is closed.
  remora::key bind(std::string_view key, std::string_view pointer = {}, error_target errors = throws) const;
  /// Returns a number that changes when the live snapshot changes; see remora::revision.
  remora::revision revision(error_target errors = throws) const;
  /// Returns a counter that increases each time another snapshot becomes live; 0 without a handle. Read the counter
  /// before the values, so that you miss no change.
  std::int64_t change_count() const noexcept { return remora_source_get_change_count(native_handle()); }
  /// Returns the state of the source.
  source_info info(error_target errors = throws) const;
  /// Returns why a read by key has its result, for debug pages and logs: the layers (such as overrides or fetched data)
  /// that have a value there, the layer that wins, or the reason for no value. Blocking: files.
  explanation explain(std::string_view key, std::string_view pointer = {}, error_target errors = throws) const;
  /// Returns the namespaces of a bundle in the live snapshot, or in the passed snapshot, except removed namespaces.
  std::vector<namespace_info> namespaces(error_target errors = throws) const { return namespaces_of(nullptr, errors); }
  std::vector<namespace_info> namespaces(const remora::snapshot &snapshot, error_target errors = throws) const {
    return namespaces_of(snapshot.native_handle(), errors);
  }

  /// Opens a tag of settings: an additional dictionary under the same url; see remora_open_tag. The tag stays usable
  /// after this handle is closed.
  /// @param ttl How long data of the tag is fresh. 0: as in these settings; -1 ms: never.
  source open_tag(std::string_view tag, std::chrono::milliseconds ttl = {}, error_target errors = throws) const;

  // Refreshing. A callback is optional. It receives a remora::result, on the thread on which subscribers are called.

  /// Requests a newer version, and waits until the version is live, or is stored for a later activation. Returns `none`
  /// if the refresh fails and the function does not throw. Blocking: at most options.timeout.
  outcome refresh(const refresh_options &options, error_target errors = throws) const;
  /// Starts a refresh without waiting for it; see refresh().
  request refresh_async(const refresh_options &options, callback<result> completion = {},
                        error_target errors = throws) const;
  /// Refreshes the source if its data is not fresh, and waits for the snapshot; see remora_await. If the refresh fails
  /// or times out, the function throws, or returns an object without a snapshot. Blocking: at most options.timeout.
  /// @code
  /// remora::snapshot values = source.await(2s, error);
  /// if (!values) values = source.snapshot();  // The refresh has failed: use the last good data.
  /// @endcode
  remora::snapshot await(const refresh_options &options, error_target errors = throws) const;
  /// Starts an await without waiting for it; see await().
  request await_async(const refresh_options &options, callback<result> completion = {},
                      error_target errors = throws) const;
  /// Deletes all fetched data of the source; see remora_reset. The handle stays open.
  void reset_data(error_target errors = throws) const;
  /// Makes the staged version live, if a refresh has stored one that reads do not return yet.
  outcome activate(error_target errors = throws) const;
  /// Makes the passed staged snapshot live, after the program has checked it. Fails with errc::not_found if another
  /// version has replaced the snapshot.
  outcome activate(const remora::snapshot &judged, error_target errors = throws) const;
  /// Rejects the live or the staged snapshot, because the program cannot work with it. An earlier version then replaces
  /// a rejected live version, and refreshes fail with errc::rejected until the server has another version; see
  /// remora_reject. Fails with errc::not_found if another version has replaced the snapshot, or if its data was not
  /// fetched. Blocking: files.
  /// @param reason For the log. May be empty.
  void reject(const remora::snapshot &judged, std::string_view reason = {}, error_target errors = throws) const;
  /// Freezes the live version until the client is closed: later versions are only stored. See remora_freeze.
  void freeze(error_target errors = throws) const;

  // Subscribing. Callbacks run on the thread "remora-events", or inside client::dispatch. They may call every function.
  // An exception that leaves a callback is passed to the exception handler; see set_exception_handler.

  /// Registers a callback for the events of the source.
  subscription subscribe(callback<event> subscriber, replay first = replay::no, error_target errors = throws) const;
  /// Registers a callback for the changes of one key.
  subscription subscribe(std::string_view key, callback<event> subscriber, replay first = replay::no,
                         error_target errors = throws) const;
  /// Registers a callback for the events of the source until the source handle is closed.
  void subscribe_until_close(callback<event> subscriber, replay first = replay::no, error_target errors = throws) const;

  // Overrides: values of the program that take precedence over default, packaged and fetched values; see
  // remora_override_set.

  /// Sets an override for a key, or for the part of its value that `pointer` names.
  /// @code
  /// source.set_override("limits", "/max_uploads", 50);
  /// source.set_override("limits", "", remora::json(R"({"max_uploads":50})"));
  /// @endcode
  void set_override(std::string_view key, std::string_view pointer, const override_value &value,
                    override_mode mode = override_mode::always, error_target errors = throws) const;
  /// Clears the override at `pointer` of a key, and the overrides inside this place. "" clears all overrides of the
  /// key.
  void clear_override(std::string_view key, std::string_view pointer = {}, error_target errors = throws) const;
  /// Clears all overrides of the source.
  void clear_overrides(error_target errors = throws) const;
  /// Returns all overrides of the source, sorted by the bytes of the key, then of the JSON Pointer.
  std::vector<override_info> overrides(error_target errors = throws) const;

  /// Opens the attachment of a record: from the storage directory, the packaged attachments, or the server. Blocking:
  /// at most options.timeout; see remora_attachment_open.
  attachment open_attachment(std::string_view record, const attachment_options &options,
                             error_target errors = throws) const;
  /// Starts to open an attachment without waiting for it; see open_attachment().
  request open_attachment_async(std::string_view record, const attachment_options &options,
                                callback<result> completion = {}, error_target errors = throws) const;

 private:
  std::vector<namespace_info> namespaces_of(const remora_snapshot *snapshot, error_target errors) const;
  detail::unique<remora_source, remora_source_close> handle_;
};

} // namespace remora

#endif // REMORA_SOURCE_HPP
