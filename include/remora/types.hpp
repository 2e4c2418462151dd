// SPDX-License-Identifier: Apache-2.0

/// @file types.hpp Constants, enumerations, durations and times.
#ifndef REMORA_TYPES_HPP
#define REMORA_TYPES_HPP

#include <remora.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <ratio>
#include <string_view>

namespace remora {

/// Returns the version of the loaded library, "major.minor.patch".
inline std::string_view version() noexcept { return remora_version(); }

inline constexpr const char *server_prod = REMORA_SERVER_PROD;   ///< Mozilla's production server.
inline constexpr const char *server_stage = REMORA_SERVER_STAGE; ///< Mozilla's staging server.
inline constexpr const char *server_dev = REMORA_SERVER_DEV;     ///< Mozilla's development server.

/// A storage_dir that keeps everything in memory: nothing is stored, and nothing is shared with other processes.
inline constexpr const char *storage_memory = REMORA_STORAGE_MEMORY;

/// A timeout that never expires.
inline constexpr std::chrono::milliseconds no_limit = std::chrono::milliseconds::max();

/// A value for options: disables a limit or an interval.
inline constexpr std::chrono::milliseconds disabled{-1};

/// A point in time. Functions return an empty std::optional for "never".
using time_point = std::chrono::time_point<std::chrono::system_clock, std::chrono::milliseconds>;

// Enumerations have the values of remora.h. Later versions can add values.

enum class source_kind : remora_source_kind {
  none = 0, ///< For a log line that concerns no single source.
  collection = REMORA_KIND_COLLECTION,
  bundle = REMORA_KIND_BUNDLE,
  settings = REMORA_KIND_SETTINGS,
};

enum class origin : remora_origin {
  none = REMORA_ORIGIN_NONE,
  default_bundle = REMORA_ORIGIN_DEFAULT,
  packaged = REMORA_ORIGIN_PACKAGED,
  cached = REMORA_ORIGIN_CACHED,
  fetched = REMORA_ORIGIN_FETCHED,
  override = REMORA_ORIGIN_OVERRIDE,
};

enum class outcome : remora_outcome {
  none = REMORA_OUTCOME_NONE,
  updated = REMORA_OUTCOME_UPDATED,
  unchanged = REMORA_OUTCOME_UNCHANGED,
  not_newer = REMORA_OUTCOME_NOT_NEWER,
  staged = REMORA_OUTCOME_STAGED,
  refused = REMORA_OUTCOME_REFUSED,
  failed = REMORA_OUTCOME_FAILED,
};

enum class cause : remora_cause {
  opened = REMORA_CAUSE_OPENED,
  refreshed = REMORA_CAUSE_REFRESHED,
  adopted = REMORA_CAUSE_ADOPTED,
  reset = REMORA_CAUSE_RESET,
  context = REMORA_CAUSE_CONTEXT,
  override = REMORA_CAUSE_OVERRIDE,
  activated = REMORA_CAUSE_ACTIVATED,
  rejected = REMORA_CAUSE_REJECTED,
  freshness = REMORA_CAUSE_FRESHNESS,
};

/// Whether the last successful refresh is recent enough; see config::max_stale.
enum class freshness : remora_freshness {
  none = REMORA_FRESHNESS_NONE,
  never = REMORA_FRESHNESS_NEVER,
  fresh = REMORA_FRESHNESS_FRESH,
  stale = REMORA_FRESHNESS_STALE,
};

enum class log_level : remora_log_level {
  standard = 0, ///< The default: errors and warnings.
  error = REMORA_LOG_ERROR,
  warning = REMORA_LOG_WARNING,
  info = REMORA_LOG_INFO,
  debug = REMORA_LOG_DEBUG,
};

enum class callback_mode : remora_callback_mode {
  on_thread = REMORA_CALLBACKS_ON_THREAD,
  on_dispatch = REMORA_CALLBACKS_ON_DISPATCH,
};

enum class change_kind : remora_change_kind {
  created = REMORA_CHANGE_CREATED,
  updated = REMORA_CHANGE_UPDATED,
  deleted = REMORA_CHANGE_DELETED,
};

enum class activation : remora_activation {
  standard = REMORA_ACTIVATION_DEFAULT,
  immediate = REMORA_ACTIVATION_IMMEDIATE,
  next_setup = REMORA_ACTIVATION_NEXT_SETUP,
  manual = REMORA_ACTIVATION_MANUAL,
};

enum class first_fetch : remora_first_fetch {
  standard = REMORA_FIRST_FETCH_DEFAULT,
  at_open = REMORA_FIRST_FETCH_AT_OPEN,
  on_request = REMORA_FIRST_FETCH_ON_REQUEST,
};

enum class trust : remora_trust { required = REMORA_TRUST_REQUIRED, off = REMORA_TRUST_OFF };

enum class method : remora_method { get = REMORA_METHOD_GET, post = REMORA_METHOD_POST };

/// The type of a value. `none` is the empty value, which is not part of any snapshot.
enum class type : remora_type {
  none = REMORA_TYPE_NONE,
  null = REMORA_TYPE_NULL,
  boolean = REMORA_TYPE_BOOL,
  integer = REMORA_TYPE_INT,
  floating = REMORA_TYPE_DOUBLE,
  string = REMORA_TYPE_STRING,
  array = REMORA_TYPE_ARRAY,
  object = REMORA_TYPE_OBJECT,
};

/// Whether a new subscriber first receives the current state, as an event with cause `opened`.
enum class replay : remora_flags { no = 0, yes = REMORA_SUBSCRIBE_REPLAY };

/// Whether an override creates a key that the live snapshot does not have.
enum class override_mode : remora_flags { always = 0, if_exists = REMORA_OVERRIDE_IF_EXISTS };

/// Selects whether a snapshot contains the data that reads return, or the data as the server sent it; see
/// REMORA_SNAPSHOT_UNFILTERED.
enum class view : remora_flags { filtered = 0, unfiltered = REMORA_SNAPSHOT_UNFILTERED };

/// Returns the name of an enumerator for logs, such as "fetched"; "unknown" for a value of a later version.
inline std::string_view to_string(source_kind value) noexcept {
  return remora_source_kind_name(static_cast<remora_source_kind>(value));
}
inline std::string_view to_string(origin value) noexcept {
  return remora_origin_name(static_cast<remora_origin>(value));
}
inline std::string_view to_string(outcome value) noexcept {
  return remora_outcome_name(static_cast<remora_outcome>(value));
}
inline std::string_view to_string(cause value) noexcept { return remora_cause_name(static_cast<remora_cause>(value)); }
inline std::string_view to_string(freshness value) noexcept {
  return remora_freshness_name(static_cast<remora_freshness>(value));
}
inline std::string_view to_string(change_kind value) noexcept {
  return remora_change_kind_name(static_cast<remora_change_kind>(value));
}
inline std::string_view to_string(type value) noexcept { return remora_type_name(static_cast<remora_type>(value)); }

namespace detail {

/// Converts a duration to milliseconds, rounded up, so that a short wait does not become "do not wait".
template <class Number, class Period>
std::chrono::milliseconds to_milliseconds(std::chrono::duration<Number, Period> duration) {
  using std::chrono::milliseconds;
  using floating = std::chrono::duration<long double, std::milli>;
  const long double exact = floating(duration).count();
  if (!(exact > 0)) return milliseconds::zero(); // Also if the duration is NaN.
  if (exact >= floating(milliseconds::max()).count()) return milliseconds::max();
  return std::chrono::ceil<milliseconds>(duration);
}

/// Converts a timeout to an argument of the C API, where -1 means "no limit".
inline std::int64_t timeout(std::chrono::milliseconds duration) noexcept {
  return duration == no_limit ? -1 : duration.count();
}

/// Converts a time of the C API, where 0 means "never".
inline std::optional<time_point> to_time(std::int64_t milliseconds) {
  if (milliseconds == 0) return std::nullopt;
  return time_point(std::chrono::milliseconds(milliseconds));
}

} // namespace detail
} // namespace remora

#endif // REMORA_TYPES_HPP
