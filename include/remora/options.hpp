// SPDX-License-Identifier: Apache-2.0

/// @file options.hpp The configuration of a client, and the options of collections, bundles and settings.
#ifndef REMORA_OPTIONS_HPP
#define REMORA_OPTIONS_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <remora/callback.hpp>
#include <remora/error.hpp>
#include <remora/types.hpp>

namespace remora {

class event;

// In all options, an empty text, an empty list or 0 selects the default, which remora.h states for the member of the
// same name. remora::disabled turns a limit or an interval off.

/// A log line, valid during the callback.
struct log_entry {
  explicit log_entry(const remora_log_entry *raw) noexcept
      : level(static_cast<log_level>(raw->level)),
        kind(static_cast<source_kind>(raw->kind)),
        source_name(raw->source_name != nullptr ? raw->source_name : ""),
        message(raw->message) {}

  log_level level;
  source_kind kind;
  std::string_view source_name; ///< "" if the line concerns no single source.
  std::string_view message;
};

/// A completed attempt to refresh a source; see remora_attempt. Valid during the callback.
struct attempt {
  explicit attempt(const remora_attempt *raw)
      : source_name(raw->source_name),
        server(raw->server),
        kind(static_cast<source_kind>(raw->kind)),
        outcome(static_cast<remora::outcome>(raw->outcome)),
        code(raw->status, category()),
        http_status(raw->http_status),
        duration(raw->duration_ms),
        bytes(raw->bytes),
        reason(raw->error) {}

  std::string_view source_name;
  std::string_view server;
  source_kind kind;
  remora::outcome outcome;
  std::error_code code; ///< Zero for `updated`, `unchanged`, `not_newer` and `staged`.
  int http_status;      ///< HTTP status of the last request; 0 if no response arrived.
  std::chrono::milliseconds duration;
  std::int64_t bytes; ///< Size of all response bodies in bytes, after decompression.
  failure reason;
};

/// The configuration of a client; see remora_config.
struct config {
  config() = default;
  /// @param directory The directory for all stored data, or remora::storage_memory.
  explicit config(std::string directory) : storage_dir(std::move(directory)) {}

  std::string storage_dir; ///< Required.
  std::string application_name;
  std::string application_version;
  std::string application_build;
  std::string server;
  std::string bucket;
  std::string proxy;
  std::string ca_file;
  std::vector<std::string> headers; ///< "Name: value", sent with every request to the source's own server.
  std::string user_agent;
  std::chrono::milliseconds connect_timeout{0};
  std::chrono::milliseconds stall_timeout{0};
  std::chrono::milliseconds total_timeout{0};
  std::int64_t max_body_bytes = 0;
  std::chrono::milliseconds max_stale{0}; ///< Data is stale this long after its last successful refresh. 0: off.
  remora::log_level log_level = remora::log_level::standard;
  callback_mode callbacks = callback_mode::on_thread;
  callback<log_entry> on_log;
  callback<attempt> on_attempt;
  const remora_transport *transport = nullptr; ///< Sends the requests; see remora_transport. Null: libcurl.
  const remora_clock *clock = nullptr;         ///< The client's clock; see remora_clock. Null: the machine's.
  std::string client_certificate_file;         ///< PEM file, read for each new connection.
  std::string client_key_file;                 ///< PEM file; "": the key is in the file of the certificate.
};

/// A pointer to bytes of the caller, and their number. The bytes must exist until the function that receives them has
/// returned. A temporary std::string does not convert to this type.
class borrowed_bytes {
 public:
  borrowed_bytes() noexcept = default;
  /// Refers to a number of bytes.
  borrowed_bytes(const void *data, std::size_t size) noexcept : data_(static_cast<const char *>(data)), size_(size) {}
  /// Refers to the bytes of a text.
  borrowed_bytes(std::string_view text) noexcept : data_(text.data()), size_(text.size()) {}
  borrowed_bytes(const char *text) noexcept : borrowed_bytes(std::string_view(text)) {}
  borrowed_bytes(const std::string &text) noexcept : borrowed_bytes(std::string_view(text)) {}
  borrowed_bytes(const std::string &&) = delete;
  /// Returns the address of the bytes.
  const char *data() const noexcept { return data_; }
  /// Returns the number of bytes.
  std::size_t size() const noexcept { return size_; }

 private:
  const char *data_ = nullptr;
  std::size_t size_ = 0;
};

/// Options that sources of all kinds share; see remora_source_options.
struct source_options {
  remora::first_fetch first_fetch = remora::first_fetch::standard;
  bool persist_overrides = false; ///< true: overrides are stored, and restored at the next opening.
  std::chrono::milliseconds refresh_interval{0};
  callback<event> on_event;          ///< The first subscriber, whose first event reports the state at opening.
  std::int32_t min_keys = 0;         ///< A fetched version with fewer keys is refused with errc::schema.
  std::int32_t min_keys_percent = 0; ///< A fetched version with less than this percentage of the previous version's
                                     ///< keys is refused with errc::schema.
  std::string schema; ///< JSON Schema that fetched records, elements of a bundle or the dictionary must satisfy.
};

/// A collection of a Remote Settings server; see remora_collection_options.
struct collection_options : source_options {
  /// @param collection The name of the collection.
  explicit collection_options(std::string collection) : name(std::move(collection)) {}

  std::string name;
  std::string bucket;
  std::string server;
  std::string root_sha256;
  std::string signer;
  remora::trust trust = remora::trust::required;
  remora::activation activation = remora::activation::standard;
  std::vector<std::string> previous_roots; ///< At most 8 earlier values of root_sha256.
  std::vector<std::string> trusted_hosts;  ///< More hosts of certificate chains: "host" or "host:port".
  std::chrono::milliseconds max_future{0};
  std::string packaged_file;
  borrowed_bytes packaged_data;
  std::string packaged_attachments;
};

/// A bundle; see remora_bundle_options.
struct bundle_options : source_options {
  bundle_options() = default;
  /// @param address The URL of the bundle.
  explicit bundle_options(std::string address) : url(std::move(address)) {}

  std::string url; ///< Empty: nothing is fetched; the bundle has only defaults and overrides.
  std::string name;
  std::string accepted_schema;
  remora::method method = remora::method::get;
  remora::activation activation = remora::activation::standard;
  std::string default_bundle;
  std::int64_t default_version = 0;
};

/// Settings; see remora_settings_options.
struct settings_options : source_options {
  settings_options() = default;
  /// @param address The URL of the settings.
  explicit settings_options(std::string address) : url(std::move(address)) {}

  std::string url;
  std::vector<std::pair<std::string, std::string>> request_params; ///< Names and values for the query of each request.
  std::string root_key;
  std::string tag;
  std::string tag_item;
  remora::activation activation = remora::activation::standard;
  bool memory_only = false; ///< true: nothing of these settings is stored.
  std::chrono::milliseconds ttl{0};
  std::string packaged_file;
  borrowed_bytes packaged_data;
  std::vector<std::string> required_keys; ///< Fetched data that lacks any of these is refused (errc::schema).
};

} // namespace remora

#endif // REMORA_OPTIONS_HPP
