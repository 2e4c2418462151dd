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

/// The verified bytes of an attachment. Copies share the bytes, which stay readable after source and client are closed.
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
  /// Returns the handle, for functions of remora.h. This object still owns the handle.
  remora_attachment *native_handle() const noexcept { return handle_.get(); }
  explicit operator bool() const noexcept { return native_handle() != nullptr; }

  /// Returns the number of bytes; 0 without an attachment.
  std::size_t size() const noexcept { return remora_attachment_size(native_handle()); }
  /// Returns the address of the bytes; nullptr without an attachment. Valid while an object owns the attachment.
  const std::byte *data() const & noexcept {
    return static_cast<const std::byte *>(remora_attachment_data(native_handle()));
  }
  /// Returns the bytes as text. Valid while an object owns the attachment.
  std::string_view text() const & noexcept { return {reinterpret_cast<const char *>(data()), size()}; }
  /// Returns the path of the file that contains the bytes; empty if the bytes are in memory only. Never write to the
  /// file.
  std::optional<std::string_view> path() const & noexcept {
    const char *path = remora_attachment_path(native_handle());
    return path != nullptr ? std::optional<std::string_view>(path) : std::nullopt;
  }

  // These functions do not compile for a temporary attachment, because their results would outlive the attachment.
  void data() const && = delete;
  void text() const && = delete;
  void path() const && = delete;

 private:
  handle handle_;
};

/// The progress of a download; see remora_progress.
struct progress {
  explicit progress(const remora_progress *raw) noexcept : received(raw->received), total(raw->total) {}

  std::int64_t received; ///< Bytes received so far. Decreases if the server sends the file from the beginning again.
  std::int64_t total;    ///< Size of the attachment in bytes, as stated in its record.
};

/// Options for opening an attachment. A timeout converts to these options: `source.open_attachment("id", 10s)`.
struct attachment_options {
  /// @param limit The longest time to wait. remora::no_limit: the call adds no time limit. 0: no request is sent.
  template <class Number, class Period>
  attachment_options(std::chrono::duration<Number, Period> limit) : timeout(detail::to_milliseconds(limit)) {}

  std::chrono::milliseconds timeout;
  remora::snapshot snapshot;      ///< Snapshot that contains the record; default: the live snapshot.
  std::int64_t max_bytes = 0;     ///< Larger attachments are not opened; default 64 MiB, -1 = no limit.
  bool by_location = false;       ///< true: the location of the attachment is passed instead of the record's id.
  bool local_only = false;        ///< true: no request is sent; the attachment must be stored or packaged.
  callback<progress> on_progress; ///< Called on the calling thread; by open_attachment_async, on the subscribers'
                                  ///< thread.
};

namespace detail {
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
