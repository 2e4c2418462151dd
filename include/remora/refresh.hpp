// SPDX-License-Identifier: Apache-2.0

/// @file refresh.hpp Options and results of refresh, await and sync.
#ifndef REMORA_REFRESH_HPP
#define REMORA_REFRESH_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include <remora/snapshot.hpp>

namespace remora {

/// Options of a refresh, await or sync, with the same meaning in each. A timeout converts to these options:
/// `source.refresh(5s)`.
struct refresh_options {
  /// @param limit The longest time to wait. remora::no_limit: only the limits of remora::config apply. 0 or less: no
  ///              request is sent. The time is rounded up to milliseconds.
  template <class Number, class Period>
  refresh_options(std::chrono::duration<Number, Period> limit) : timeout(detail::to_milliseconds(limit)) {}

  std::chrono::milliseconds timeout;
  bool force = false;                ///< Sends a request even if the data is fresh, the server has asked for a pause,
                                     ///< or the server lists the collection as unchanged.
  bool only_if_empty = false;        ///< Sends no request for a source that has any data; the outcome is then `none`.
  std::int64_t expected_version = 0; ///< Timestamp of a push message; 0 if unknown. Collections only.
};

/// A handle of an asynchronous operation. The destructor does not cancel the operation. A default-constructed or
/// moved-from object has no operation, and its cancel() does nothing.
class request {
 public:
  request() noexcept = default;
  /// Takes ownership of the handle.
  explicit request(remora_request *owned) noexcept : handle_(owned) {}
  /// Returns the handle, for functions of remora.h. This object still owns the handle.
  remora_request *native_handle() const noexcept { return handle_.get(); }
  explicit operator bool() const noexcept { return handle_ != nullptr; }

  /// Cancels the operation: its callback receives errc::cancelled, unless the operation has completed.
  void cancel() const noexcept { remora_request_cancel(handle_.get()); }

 private:
  detail::unique<remora_request, remora_request_release> handle_;
};

/// The result of a sync for one source.
struct sync_item {
  explicit sync_item(const remora_sync_item &raw)
      : source_name(raw.source_name),
        server(raw.server),
        kind(static_cast<source_kind>(raw.kind)),
        outcome(static_cast<remora::outcome>(raw.outcome)),
        reason(raw.error) {}

  std::string source_name;
  std::string server;
  source_kind kind;
  remora::outcome outcome;
  failure reason; ///< The reason if the outcome is `refused` or `failed`; otherwise "no failure".
};

/// The result of a sync. The report owns its texts, so it can be kept after the callback.
struct sync_report {
  sync_report() = default;
  explicit sync_report(const remora_sync_report *raw)
      : items(detail::list<sync_item>(raw->items, raw->item_count)),
        updated(raw->updated),
        unchanged(raw->unchanged),
        staged(raw->staged),
        failed(raw->failed),
        reason(raw->error) {}

  std::vector<sync_item> items; ///< One item for each source that was open at the call, except bundles without url, in
                                ///< the order of opening.
  std::size_t updated = 0;
  std::size_t unchanged = 0; ///< Sources with outcome `unchanged`, `not_newer`, or (with only_if_empty) `none`.
  std::size_t staged = 0;
  std::size_t failed = 0; ///< Sources with outcome `refused` or `failed`.
  failure reason;         ///< The first failure; its message contains the counts. Otherwise "no failure".
};

namespace detail {

inline remora_refresh_options to_c(const refresh_options &options) noexcept {
  auto raw = initialised<remora_refresh_options>();
  raw.force = options.force ? 1 : 0;
  raw.only_if_empty = options.only_if_empty ? 1 : 0;
  raw.expected_version = options.expected_version;
  return raw;
}

/// Copies the report of a sync inside the callback of the C API. No exception leaves the callback.
class kept_report {
 public:
  static void keep(const remora_sync_report *raw, void *user_data) noexcept {
    auto &self = *static_cast<kept_report *>(user_data);
    self.arrived_ = true;
    try {
      self.report_ = sync_report(raw);
    } catch (...) {
      self.thrown_ = std::current_exception();
    }
  }
  bool arrived() const noexcept { return arrived_; }
  sync_report take() {
    if (thrown_) std::rethrow_exception(thrown_);
    return std::move(report_);
  }

 private:
  bool arrived_ = false;
  sync_report report_;
  std::exception_ptr thrown_;
};

} // namespace detail
} // namespace remora

#endif // REMORA_REFRESH_HPP
