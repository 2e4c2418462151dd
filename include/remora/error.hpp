// SPDX-License-Identifier: Apache-2.0

/// @file error.hpp Error codes, their families, details of a failure, the exception class, and its alternatives.
#ifndef REMORA_ERROR_HPP
#define REMORA_ERROR_HPP

#include <remora.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace remora {

/// The error codes of remora.h, for use as a std::error_code: `code == remora::errc::timeout`. Later versions can add
/// codes.
enum class errc : remora_status {
  invalid_argument = REMORA_ERR_INVALID_ARGUMENT,
  not_found = REMORA_ERR_NOT_FOUND,
  wrong_type = REMORA_ERR_WRONG_TYPE,
  timeout = REMORA_ERR_TIMEOUT,
  cancelled = REMORA_ERR_CANCELLED,
  closed = REMORA_ERR_CLOSED,
  busy = REMORA_ERR_BUSY,
  network = REMORA_ERR_NETWORK,
  tls = REMORA_ERR_TLS,
  http = REMORA_ERR_HTTP,
  redirect = REMORA_ERR_REDIRECT,
  backoff = REMORA_ERR_BACKOFF,
  parse = REMORA_ERR_PARSE,
  format = REMORA_ERR_FORMAT,
  too_large = REMORA_ERR_TOO_LARGE,
  rejected = REMORA_ERR_REJECTED,
  schema = REMORA_ERR_SCHEMA,
  signature_missing = REMORA_ERR_SIGNATURE_MISSING,
  signature_malformed = REMORA_ERR_SIGNATURE_MALFORMED,
  signature_mismatch = REMORA_ERR_SIGNATURE_MISMATCH,
  chain_malformed = REMORA_ERR_CHAIN_MALFORMED,
  chain_invalid = REMORA_ERR_CHAIN_INVALID,
  chain_location = REMORA_ERR_CHAIN_LOCATION,
  certificate_expired = REMORA_ERR_CERTIFICATE_EXPIRED,
  certificate_subject = REMORA_ERR_CERTIFICATE_SUBJECT,
  root_mismatch = REMORA_ERR_ROOT_MISMATCH,
  attachment_mismatch = REMORA_ERR_ATTACHMENT_MISMATCH,
  future = REMORA_ERR_FUTURE,
  equivocation = REMORA_ERR_EQUIVOCATION,
  storage = REMORA_ERR_STORAGE,
  permission = REMORA_ERR_PERMISSION,
  corrupt = REMORA_ERR_CORRUPT,
  unavailable = REMORA_ERR_UNAVAILABLE,
  internal = REMORA_ERR_INTERNAL,
};

/// Families (groups) of error codes, as a std::error_condition. For example, `code == remora::family::network` is true
/// for each network error, even for a code that this header does not contain. Success has the family `none`.
enum class family : remora_family {
  none = REMORA_FAMILY_NONE,
  network = REMORA_FAMILY_NETWORK,
  document = REMORA_FAMILY_DOCUMENT,
  trust = REMORA_FAMILY_TRUST,
  freshness = REMORA_FAMILY_FRESHNESS,
  storage = REMORA_FAMILY_STORAGE,
  system = REMORA_FAMILY_SYSTEM,
  call = REMORA_FAMILY_CALL,
};

/// Returns the std::error_category of the codes. Its messages are names, such as "REMORA_ERR_TIMEOUT"; remora::failure
/// has a readable sentence. A process has one category, even if its shared libraries hide their symbols.
[[gnu::visibility("default")]] const std::error_category &category() noexcept;

/// Returns the std::error_category of the families of codes.
[[gnu::visibility("default")]] const std::error_category &family_category() noexcept;

/// Makes a std::error_code of an errc; the standard library calls this function when it converts an errc.
inline std::error_code make_error_code(errc code) noexcept { return {static_cast<int>(code), category()}; }
/// Makes a std::error_condition of a family; the standard library calls this function when it converts a family.
inline std::error_condition make_error_condition(family family) noexcept {
  return {static_cast<int>(family), family_category()};
}

/// Returns the family of a code, for a switch. Success, and codes of other categories, have the family `none`.
inline family family_of(const std::error_code &code) noexcept {
  return code.category() == category() ? static_cast<family>(remora_status_family(code.value())) : family::none;
}

/// Returns the name of a family for logs, such as "network".
inline std::string_view to_string(family value) noexcept {
  return remora_family_name(static_cast<remora_family>(value));
}

namespace detail {
/// Returns the C++ name of a parameter or field of the C API: durations lack the suffix "_ms".
inline std::string_view cpp_name(std::string_view name) noexcept {
  constexpr std::string_view suffix = "_ms";
  const bool is_suffixed = name.size() > suffix.size() && name.substr(name.size() - suffix.size()) == suffix;
  return is_suffixed ? name.substr(0, name.size() - suffix.size()) : name;
}
} // namespace detail

/// The details of a failure. A default-constructed object is "no failure".
struct failure {
  std::error_code code;                     ///< Zero if nothing has failed.
  int http_status = 0;                      ///< The HTTP status; 0 if no response arrived.
  std::chrono::milliseconds retry_after{0}; ///< Time to wait before a retry; 0 if unknown.
  int system_code = 0;                      ///< The errno of a storage error, or libcurl's code of a network error.
  std::string parameter;                    ///< For errc::invalid_argument, the parameter or option; otherwise "".
  std::string source_name;                  ///< The name of the source; "" if the failure concerns no single source.
  std::string message;                      ///< A sentence that describes the failure. It begins with `parameter`.

  failure() = default;
  /// Copies a remora_error of the C API.
  explicit failure(const remora_error &raw)
      : code(raw.status, category()),
        http_status(raw.http_status),
        retry_after(raw.retry_after_ms),
        system_code(raw.system_code),
        parameter(detail::cpp_name(raw.parameter)),
        source_name(raw.source_name),
        message(parameter + (raw.message + std::string_view(raw.parameter).size())) {}
  /// Copies a remora_error of the C API. NULL means "no failure".
  explicit failure(const remora_error *raw) : failure(raw != nullptr ? failure(*raw) : failure()) {}

  /// Returns the name of the source, if there is one, and the message.
  std::string text() const { return source_name.empty() ? message : source_name + ": " + message; }

  /// Returns whether there is a failure.
  explicit operator bool() const noexcept { return static_cast<bool>(code); }
};

/// The exception that functions throw. Copying does not throw.
class error : public std::system_error {
 public:
  /// Creates an exception with the details of a failure.
  explicit error(failure details)
      : std::system_error(details.code),
        text_(std::make_shared<const std::string>(details.text())),
        details_(std::make_shared<const failure>(std::move(details))) {}

  /// Returns details().text(): the name of the source, if there is one, and a sentence that describes the failure.
  const char *what() const noexcept override { return text_->c_str(); }
  /// Returns the details of the failure.
  const failure &details() const noexcept { return *details_; }
  /// Returns the name of the source; "" if the failure concerns no single source.
  const std::string &source_name() const noexcept { return details_->source_name; }
  /// Returns the HTTP status; 0 if no response arrived.
  int http_status() const noexcept { return details_->http_status; }
  /// Returns the time to wait before a retry; 0 if unknown.
  std::chrono::milliseconds retry_after() const noexcept { return details_->retry_after; }
  /// Returns the errno of a storage error, or libcurl's code of a network error; 0 if unknown.
  int system_code() const noexcept { return details_->system_code; }
  /// Returns the name of the invalid parameter or option; "" for other errors.
  const std::string &parameter() const noexcept { return details_->parameter; }

 private:
  std::shared_ptr<const std::string> text_;
  std::shared_ptr<const failure> details_;
};

/// What a function does on failure if the caller passes neither a std::error_code nor a remora::failure.
enum class on_error { throws, ignored };
inline constexpr on_error throws = on_error::throws;   ///< Throws remora::error.
inline constexpr on_error ignored = on_error::ignored; ///< Returns an empty result, without the reason.

namespace detail {
class call;
}

/// The last parameter of each function that can fail. Pass a std::error_code or a remora::failure to receive the reason
/// instead of an exception; on success, the passed object is cleared. By default, functions that read a value return an
/// empty result on failure, and all other functions throw. `remora::throws` and `remora::ignored` override the default.
class error_target {
 public:
  /// Chooses between an exception and an empty result: remora::throws or remora::ignored.
  error_target(on_error action) noexcept : throws_(action == throws) {}
  /// Reports the error code. The object must exist until the call has returned.
  error_target(std::error_code &code) noexcept : code_(&code) {}
  /// Reports all details. The object must exist until the call has returned.
  error_target(failure &details) noexcept : details_(&details) {}

 private:
  friend class detail::call;
  std::error_code *code_ = nullptr;
  failure *details_ = nullptr;
  bool throws_ = false;
};

namespace detail {

/// Makes one call of the C API, and reports its status to the caller as an error_target requires.
class call {
 public:
  explicit call(error_target target) noexcept : target_(target) {}

  /// Makes the call fail with errc::invalid_argument. By default the reason is a text with a NUL character.
  void refuse(const char *argument, const char *problem = "contains a NUL character") noexcept {
    if (status_ != REMORA_OK) return;
    status_ = REMORA_ERR_INVALID_ARGUMENT;
    error_ = remora_error{};
    error_.status = status_;
    std::snprintf(error_.parameter, sizeof error_.parameter, "%s", argument);
    std::snprintf(error_.message, sizeof error_.message, "%s %s", argument, problem);
  }
  bool refused() const noexcept { return status_ != REMORA_OK; }

  /// Calls a function with a remora_error *, unless refuse() was called. Reports the status.
  template <class Function>
  bool operator()(Function function) {
    const bool needs_details = target_.throws_ || target_.details_ != nullptr;
    if (!refused()) status_ = function(needs_details ? &error_ : nullptr);
    if (target_.code_ != nullptr) *target_.code_ = std::error_code(status_, category());
    if (target_.details_ != nullptr) *target_.details_ = refused() ? failure(error_) : failure();
    if (target_.throws_ && refused()) throw error(failure(error_));
    return !refused();
  }

 private:
  error_target target_;
  remora_status status_ = REMORA_OK;
  remora_error error_;
};

class code_category final : public std::error_category {
 public:
  const char *name() const noexcept override { return "remora"; }
  std::string message(int code) const override { return remora_status_name(code); }
  std::error_condition default_error_condition(int code) const noexcept override {
    switch (code) {
      case REMORA_ERR_INVALID_ARGUMENT: return std::errc::invalid_argument;
      case REMORA_ERR_TIMEOUT: return std::errc::timed_out;
      case REMORA_ERR_CANCELLED: return std::errc::operation_canceled;
      case REMORA_ERR_BUSY: return std::errc::device_or_resource_busy;
      default: return std::error_category::default_error_condition(code);
    }
  }
};

class condition_category final : public std::error_category {
 public:
  const char *name() const noexcept override { return "remora family"; }
  std::string message(int family) const override {
    switch (family) {
      case REMORA_FAMILY_NONE: return "no failure";
      case REMORA_FAMILY_NETWORK: return "no usable response arrived";
      case REMORA_FAMILY_DOCUMENT: return "the document is unusable";
      case REMORA_FAMILY_TRUST: return "a check of a signature, chain or hash has failed";
      case REMORA_FAMILY_FRESHNESS: return "the timestamp of the document is not acceptable";
      case REMORA_FAMILY_STORAGE: return "the storage directory is unusable, or a file is damaged";
      case REMORA_FAMILY_SYSTEM: return "a system resource is missing, or Remora has a bug";
      case REMORA_FAMILY_CALL: return "the call is wrong or was cancelled, its time is over, or its object is closed";
      default: return "a family of a later version";
    }
  }
  bool equivalent(const std::error_code &code, int family) const noexcept override {
    const bool is_known = !code || code.category() == remora::category();
    return is_known && static_cast<int>(family_of(code)) == family;
  }
};

} // namespace detail

inline const std::error_category &category() noexcept {
  static const detail::code_category instance;
  return instance;
}
inline const std::error_category &family_category() noexcept {
  static const detail::condition_category instance;
  return instance;
}

} // namespace remora

namespace std {
template <>
struct is_error_code_enum<remora::errc> : true_type {};
template <>
struct is_error_condition_enum<remora::family> : true_type {};
} // namespace std

#endif // REMORA_ERROR_HPP
