// SPDX-License-Identifier: Apache-2.0

/// @file event.hpp Events of a source, and results of asynchronous calls.
#ifndef REMORA_EVENT_HPP
#define REMORA_EVENT_HPP

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <remora/source.hpp>

namespace remora {

namespace detail {
/// Wraps a source handle of the host for the duration of a callback, without closing the handle.
class borrowed_source {
 public:
  explicit borrowed_source(remora_source *raw) noexcept : source_(raw) {}
  borrowed_source(const borrowed_source &) = delete;
  borrowed_source &operator=(const borrowed_source &) = delete;
  ~borrowed_source() { static_cast<void>(source_.release()); }
  const source &get() const noexcept { return source_; }

 private:
  source source_;
};
} // namespace detail

/// The live bundle, in an event for which a Snowplow tracker would call onSuccess.
struct configuration {
  origin state;                             ///< `default_bundle`, `cached` or `fetched`.
  std::vector<std::string_view> namespaces; ///< The namespaces, in the bundle's order.
};

/// An event of a source; see remora_event. The event, and all texts and values in it, are valid during the callback.
/// Copy a snapshot to keep it.
class event {
 public:
  explicit event(const remora_event *raw)
      : raw_(*raw),
        source_(raw->source),
        old_(snapshot::retain(raw->old_snapshot)),
        new_(snapshot::retain(raw->new_snapshot)),
        staged_(snapshot::retain(raw->staged_snapshot)) {}
  event(const event &) = delete;
  event &operator=(const event &) = delete;

  /// Returns the source with which the callback was registered. Use it in on_event, which can run before the function
  /// that opens the source has returned.
  const remora::source &source() const noexcept { return source_.get(); }
  /// Returns the name of the source.
  std::string_view source_name() const noexcept { return raw_.source_name; }
  /// Returns the kind of the source.
  source_kind kind() const noexcept { return static_cast<source_kind>(raw_.kind); }
  /// Returns the reason for the event.
  remora::cause cause() const noexcept { return static_cast<remora::cause>(raw_.cause); }
  /// Returns the outcome of the refresh, for the cause `refreshed`. For other causes, returns `staged` if the event
  /// reports a staged version, else `none`.
  remora::outcome outcome() const noexcept { return static_cast<remora::outcome>(raw_.outcome); }
  /// Returns whether the last successful refresh is recent enough.
  remora::freshness freshness() const noexcept { return static_cast<remora::freshness>(raw_.new_freshness); }
  /// Returns the freshness before the event, which differs from freshness() only if the cause is `freshness`.
  remora::freshness old_freshness() const noexcept { return static_cast<remora::freshness>(raw_.old_freshness); }
  /// Returns the origin of the new snapshot.
  remora::origin origin() const noexcept { return static_cast<remora::origin>(raw_.origin); }
  /// Returns the version of the new snapshot.
  std::int64_t version() const noexcept { return raw_.version; }
  /// Returns the changed keys, sorted. A subscriber of a key receives only that key.
  std::vector<change> changes() const { return detail::list<change>(raw_.changes, raw_.change_count); }
  /// Returns the snapshot that was live before the event.
  const snapshot &old_snapshot() const noexcept { return old_; }
  /// Returns the snapshot that is live now.
  const snapshot &new_snapshot() const noexcept { return new_; }
  /// Returns the staged version (stored, but not live yet); an object without a snapshot if no version is staged.
  const snapshot &staged_snapshot() const noexcept { return staged_; }
  /// Returns the A/B experiments that are new or have another variant. Each experiment is reported once.
  std::vector<experiment> new_experiments() const {
    return detail::list<experiment>(raw_.new_experiments, raw_.new_experiment_count);
  }
  /// Returns the live bundle if a Snowplow tracker would call onSuccess for this event; otherwise an empty result. See
  /// `namespaces` of remora_event.
  std::optional<remora::configuration> configuration() const {
    if (raw_.namespaces == nullptr) return std::nullopt;
    remora::configuration live{origin(), {}};
    for (const char *const *name = raw_.namespaces; *name != nullptr; ++name) live.namespaces.emplace_back(*name);
    return live;
  }
  /// Returns the reason if the outcome is `refused` or `failed`; otherwise "no failure".
  failure reason() const { return failure(raw_.error); }
  /// Returns the last storage failure, such as a full disk; otherwise "no failure".
  failure storage_error() const { return failure(raw_.storage_error); }

 private:
  const remora_event &raw_;
  detail::borrowed_source source_;
  snapshot old_;
  snapshot new_;
  snapshot staged_;
};

/// The result of an asynchronous call of a source, valid during the callback. Copy the snapshot or the attachment to
/// keep them. The callback is called exactly once, unless the client or the source handle is closed first.
class result {
 public:
  explicit result(const remora_result *raw)
      : raw_(*raw),
        source_(raw->source),
        snapshot_(remora::snapshot::retain(raw->snapshot)),
        attachment_(remora::attachment::retain(raw->attachment)) {}
  result(const result &) = delete;
  result &operator=(const result &) = delete;

  /// Returns the source of the call.
  const remora::source &source() const noexcept { return source_.get(); }
  /// Returns the error code of the operation; zero on success.
  std::error_code code() const noexcept { return {raw_.status, category()}; }
  /// Returns the outcome of a refresh; `none` for other operations.
  remora::outcome outcome() const noexcept { return static_cast<remora::outcome>(raw_.outcome); }
  /// Returns the live snapshot after a successful await; an object without a snapshot after a failed await or another
  /// operation.
  const remora::snapshot &snapshot() const noexcept { return snapshot_; }
  /// Returns the attachment that was opened; an object without an attachment if no attachment was opened.
  const remora::attachment &attachment() const noexcept { return attachment_; }
  /// Returns the details of the failure; "no failure" on success.
  failure reason() const { return failure(raw_.error); }

 private:
  const remora_result &raw_;
  detail::borrowed_source source_;
  remora::snapshot snapshot_;
  remora::attachment attachment_;
};

} // namespace remora

#endif // REMORA_EVENT_HPP
