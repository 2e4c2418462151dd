// SPDX-License-Identifier: Apache-2.0

/// @file source_info.hpp The state of a source, its namespaces and overrides, and its revision.
#ifndef REMORA_SOURCE_INFO_HPP
#define REMORA_SOURCE_INFO_HPP

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include <remora/error.hpp>
#include <remora/types.hpp>

namespace remora {

/// The state of a source; see remora_source_info. The structure owns its texts.
struct source_info {
  source_info() = default;
  explicit source_info(const remora_source_info &raw)
      : name(raw.name),
        server(raw.server),
        kind(static_cast<source_kind>(raw.kind)),
        origin(static_cast<remora::origin>(raw.origin)),
        has_staged(raw.has_staged != 0),
        filter_failures(raw.filter_failures),
        version(raw.version),
        fetched_at(detail::to_time(raw.fetched_at_ms)),
        checked_at(detail::to_time(raw.checked_at_ms)),
        attempted_at(detail::to_time(raw.attempted_at_ms)),
        retry_after(raw.retry_after_ms),
        generation(raw.generation),
        last_error(raw.last_error),
        storage_error(raw.storage_error),
        freshness(static_cast<remora::freshness>(raw.freshness)),
        rejected_version(raw.rejected_version) {
    if (raw.checked_age_ms >= 0) checked_age = std::chrono::milliseconds(raw.checked_age_ms);
  }

  std::string name;
  std::string server;
  source_kind kind = source_kind::none;
  remora::origin origin = remora::origin::none;
  bool has_staged = false;          ///< Whether a newer version is stored, but is not live yet.
  std::int32_t filter_failures = 0; ///< Number of records hidden because their filter could not be evaluated.
  std::int64_t version = 0;         ///< A timestamp, or the version of a bundle; 0 if the data has no version.
  std::optional<time_point> fetched_at;
  std::optional<time_point> checked_at;                 ///< Time of the last successful refresh by any process.
  std::optional<std::chrono::milliseconds> checked_age; ///< Time since checked_at, if it is set.
  std::optional<time_point> attempted_at;               ///< Time of the last refresh attempt by any process.
  std::chrono::milliseconds retry_after{0};             ///< Remaining time of the pause that the server requested.
  std::uint64_t generation = 0;                         ///< Increases each time a version of the source is stored.
  failure last_error;                                   ///< Failure of the last refresh; "no failure" if it succeeded.
  failure storage_error;                                ///< The last storage failure, until a later access succeeds.
  remora::freshness freshness = remora::freshness::none;
  std::int64_t rejected_version = 0; ///< The newest version that any process has rejected; 0 if none.
};

/// A namespace of a bundle, with the origin of its value; see remora_namespace.
struct namespace_info {
  explicit namespace_info(const remora_namespace &raw)
      : name(raw.name, raw.name_length),
        in_bundle(raw.in_bundle != 0),
        is_default(raw.is_default != 0),
        origin(static_cast<remora::origin>(raw.origin)),
        has_override(raw.has_override != 0) {}

  std::string name;
  bool in_bundle;  ///< true: in the live bundle. false: kept from an earlier bundle, or created by an override.
  bool is_default; ///< Whether this is the first namespace of the default bundle.
  remora::origin origin;
  bool has_override; ///< Whether the value of the namespace contains an override.
};

/// An override: a value that the program has set for a key, or for a part of its value.
struct override_info {
  explicit override_info(const remora_override &raw)
      : key(raw.key, raw.key_length), pointer(raw.pointer, raw.pointer_length), json(raw.json, raw.json_length) {}

  std::string key;
  std::string pointer; ///< "" is the whole value.
  std::string json;    ///< Canonical JSON text.
};

/// The reason why a read returns its value; see remora_explain.
struct explanation {
  std::string json; ///< One line of JSON, for programs and logs. Empty if explain() failed.
  std::string text; ///< The explanation in lines of up to 80 columns, for people.
};

/// A number that stays the same while the live snapshot stays the same; see remora_source_get_revision. Use a revision
/// to cache values that were computed from a snapshot: read the number, then acquire the snapshot. If the number is
/// negative, do not cache. Otherwise keep the number and the values until the number changes. A revision is valid until
/// the source handle is closed.
class revision {
 public:
  revision() noexcept = default;
  /// @param number The address that remora_source_get_revision returns.
  explicit revision(const std::int64_t *number) noexcept : number_(number) {}
  /// Reads the number. -1 while the live snapshot is being replaced, or if the object is default-constructed.
  std::int64_t load() const noexcept {
    const std::int64_t number = number_ != nullptr ? __atomic_load_n(number_, __ATOMIC_ACQUIRE) : -1;
    return number % 2 == 0 ? number : -1;
  }

 private:
  const std::int64_t *number_ = nullptr;
};

} // namespace remora

#endif // REMORA_SOURCE_INFO_HPP
