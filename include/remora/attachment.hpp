// SPDX-License-Identifier: Apache-2.0

/// @file attachment.hpp Attachments of records, and the options to open them.
#ifndef REMORA_ATTACHMENT_HPP
#define REMORA_ATTACHMENT_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <remora/callback.hpp>
#include <remora/snapshot.hpp>

namespace remora {

/// The verified bytes of an attachment. Copies share them. They stay readable after the source and client are closed.
/// A default-constructed or moved-from object has no attachment and no bytes.
class attachment {
  using handle = detail::shared<remora_attachment, remora_attachment_retain, remora_attachment_release>;

 public:
  attachment() noexcept = default;
  /// Takes ownership of one reference.
  explicit attachment(remora_attachment *owned) noexcept : handle_(owned) {}
  /// Adds a reference to an attachment that belongs to another owner. NULL makes an object without an attachment.
  static attachment retain(const remora_attachment *borrowed) noexcept {
    return attachment(remora_attachment_retain(borrowed));
  }
  /// Returns the handle for functions of remora.h. It stays owned by this object.
  remora_attachment *native_handle() const noexcept { return handle_.get(); }
  explicit operator bool() const noexcept { return native_handle() != nullptr; }

  /// Returns the number of bytes.
  std::size_t size() const noexcept { return remora_attachment_size(native_handle()); }
  /// Returns the first of size() bytes; nullptr without an attachment. Valid as long as an owner exists.
  const std::byte *data() const & noexcept {
    return static_cast<const std::byte *>(remora_attachment_data(native_handle()));
  }
  /// Returns the bytes as text. Valid as long as an owner exists.
  std::string_view text() const & noexcept { return {reinterpret_cast<const char *>(data()), size()}; }
  /// Returns the path of the file that holds the bytes; empty if they are in memory only. Do not write to the file.
  std::optional<std::string_view> path() const & noexcept {
    const char *path = remora_attachment_path(native_handle());
    return path != nullptr ? std::optional<std::string_view>(path) : std::nullopt;
  }

  // The results of these functions would outlive a temporary attachment.
  void data() const && = delete;
  void text() const && = delete;
  void path() const && = delete;

 private:
  handle handle_;
};

/// The progress of a download; see remora_progress.
struct progress {
  explicit progress(const remora_progress *raw) noexcept : received(raw->received), total(raw->total) {}

  std::int64_t received; ///< Bytes received so far. Decreases if the server starts from the beginning.
  std::int64_t total;    ///< The size that the record states.
};

/// How to open an attachment. A timeout converts to it: `source.open_attachment("id", 10s)`.
struct attachment_options {
  /// @param limit The longest time to wait; remora::no_limit: without a limit of its own; 0: no request is sent.
  template <class Number, class Period>
  attachment_options(std::chrono::duration<Number, Period> limit) : timeout(detail::to_milliseconds(limit)) {}

  std::chrono::milliseconds timeout;
  remora::snapshot snapshot;      ///< Snapshot that contains the record; default: the live one.
  std::int64_t max_bytes = 0;     ///< Larger attachments are not opened; default 64 MiB, -1 = no limit.
  bool by_location = false;       ///< The record is named by the location of its attachment.
  bool local_only = false;        ///< No request is sent.
  callback<progress> on_progress; ///< Is called on the calling thread; for open_attachment_async as subscribers are.
};

namespace detail {
/// The options of an attachment as the C API takes them.
struct c_attachment_options {
  explicit c_attachment_options(const attachment_options &options)
      : raw(initialised<remora_attachment_options>()), on_progress(options.on_progress) {
    raw.snapshot = options.snapshot.native_handle();
    raw.max_bytes = options.max_bytes;
    raw.by_location = options.by_location ? 1 : 0;
    raw.local_only = options.local_only ? 1 : 0;
    raw.on_progress = on_progress.function();
    raw.on_progress_free_user_data = on_progress.free_user_data();
  }
  /// Returns the options, and passes ownership of the callback to the function that receives them.
  const remora_attachment_options *hand_over() noexcept {
    raw.on_progress_user_data = on_progress.release();
    return &raw;
  }
  remora_attachment_options raw;
  registration<progress, remora_progress> on_progress;
};
} // namespace detail
} // namespace remora

#endif // REMORA_ATTACHMENT_HPP
