// SPDX-License-Identifier: Apache-2.0

/// @file detail/options.hpp Conversion of options to structures of the C API, which refer to the caller's options. Not
/// for hosts.
#ifndef REMORA_DETAIL_OPTIONS_HPP
#define REMORA_DETAIL_OPTIONS_HPP

#include <remora/event.hpp>
#include <remora/options.hpp>

namespace remora::detail {

struct c_config {
  c_config(const config &config, call &call)
      : raw(initialised<remora_config>()), on_log(config.on_log), on_attempt(config.on_attempt) {
    raw.storage_dir = option(config.storage_dir, "storage_dir", call);
    raw.application_name = option(config.application_name, "application_name", call);
    raw.application_version = option(config.application_version, "application_version", call);
    raw.application_build = option(config.application_build, "application_build", call);
    raw.server = option(config.server, "server", call);
    raw.bucket = option(config.bucket, "bucket", call);
    raw.proxy = option(config.proxy, "proxy", call);
    raw.ca_file = option(config.ca_file, "ca_file", call);
    headers.add_all(config.headers, "headers", call);
    raw.headers = headers.get();
    raw.user_agent = option(config.user_agent, "user_agent", call);
    raw.connect_timeout_ms = config.connect_timeout.count();
    raw.stall_timeout_ms = config.stall_timeout.count();
    raw.total_timeout_ms = config.total_timeout.count();
    raw.max_body_bytes = config.max_body_bytes;
    raw.max_stale_ms = config.max_stale.count();
    raw.log_level = static_cast<remora_log_level>(config.log_level);
    raw.callbacks = static_cast<remora_callback_mode>(config.callbacks);
    raw.transport = config.transport;
    raw.clock = config.clock;
    raw.client_certificate_file = option(config.client_certificate_file, "client_certificate_file", call);
    raw.client_key_file = option(config.client_key_file, "client_key_file", call);
  }
  /// Returns the configuration, and passes ownership of the callbacks to the function that receives it.
  const remora_config *hand_over() noexcept {
    raw.on_log = on_log.function();
    raw.on_log_free_user_data = on_log.free_user_data();
    raw.on_log_user_data = on_log.release();
    raw.on_attempt = on_attempt.function();
    raw.on_attempt_free_user_data = on_attempt.free_user_data();
    raw.on_attempt_user_data = on_attempt.release();
    return &raw;
  }
  /// Returns the configuration, for a function that calls on_log only before it returns.
  const remora_config *lend() noexcept {
    raw.on_log = on_log.function();
    raw.on_log_user_data = on_log.lend();
    return &raw;
  }
  remora_config raw;
  c_array headers;
  registration<log_entry, remora_log_entry> on_log;
  registration<attempt, remora_attempt> on_attempt;
};

struct c_source_options {
  c_source_options(const source_options &options, call &call)
      : raw(initialised<remora_source_options>()), on_event(options.on_event) {
    raw.first_fetch = static_cast<remora_first_fetch>(options.first_fetch);
    raw.persist_overrides = options.persist_overrides ? 1 : 0;
    raw.refresh_interval_ms = options.refresh_interval.count();
    raw.min_keys = options.min_keys;
    raw.min_keys_percent = options.min_keys_percent;
    raw.schema = option(options.schema, "schema", call);
    raw.on_event = on_event.function();
    raw.on_event_free_user_data = on_event.free_user_data();
  }
  /// Returns the options, and passes ownership of the callback to the function that receives them.
  const remora_source_options *hand_over() noexcept {
    raw.on_event_user_data = on_event.release();
    return &raw;
  }
  remora_source_options raw;
  registration<event, remora_event> on_event;
};

struct c_collection_options {
  c_collection_options(const collection_options &options, call &call) : raw(initialised<remora_collection_options>()) {
    raw.name = option(options.name, "name", call);
    raw.bucket = option(options.bucket, "bucket", call);
    raw.server = option(options.server, "server", call);
    raw.root_sha256 = option(options.root_sha256, "root_sha256", call);
    raw.signer = option(options.signer, "signer", call);
    raw.trust = static_cast<remora_trust>(options.trust);
    raw.activation = static_cast<remora_activation>(options.activation);
    previous_roots.add_all(options.previous_roots, "previous_roots", call);
    raw.previous_roots = previous_roots.get();
    trusted_hosts.add_all(options.trusted_hosts, "trusted_hosts", call);
    raw.trusted_hosts = trusted_hosts.get();
    raw.max_future_ms = options.max_future.count();
    raw.packaged_file = option(options.packaged_file, "packaged_file", call);
    raw.packaged_data = options.packaged_data.data();
    raw.packaged_size = options.packaged_data.size();
    raw.packaged_attachments = option(options.packaged_attachments, "packaged_attachments", call);
  }
  remora_collection_options raw;
  c_array previous_roots;
  c_array trusted_hosts;
};

struct c_bundle_options {
  c_bundle_options(const bundle_options &options, call &call) : raw(initialised<remora_bundle_options>()) {
    raw.url = option(options.url, "url", call);
    raw.name = option(options.name, "name", call);
    raw.accepted_schema = option(options.accepted_schema, "accepted_schema", call);
    raw.method = static_cast<remora_method>(options.method);
    raw.activation = static_cast<remora_activation>(options.activation);
    raw.default_bundle = option(options.default_bundle, "default_bundle", call);
    raw.default_version = options.default_version;
  }
  remora_bundle_options raw;
};

struct c_settings_options {
  c_settings_options(const settings_options &options, call &call) : raw(initialised<remora_settings_options>()) {
    raw.url = option(options.url, "url", call);
    for (const auto &parameter : options.request_params) {
      request_params.add(parameter.first, "request_params", call);
      request_params.add(parameter.second, "request_params", call);
    }
    raw.request_params = request_params.get();
    raw.root_key = option(options.root_key, "root_key", call);
    raw.tag = option(options.tag, "tag", call);
    raw.tag_item = option(options.tag_item, "tag_item", call);
    raw.activation = static_cast<remora_activation>(options.activation);
    raw.memory_only = options.memory_only ? 1 : 0;
    raw.ttl_ms = options.ttl.count();
    raw.packaged_file = option(options.packaged_file, "packaged_file", call);
    raw.packaged_data = options.packaged_data.data();
    raw.packaged_size = options.packaged_data.size();
    required_keys.add_all(options.required_keys, "required_keys", call);
    raw.required_keys = required_keys.get();
  }
  remora_settings_options raw;
  c_array request_params;
  c_array required_keys;
};

} // namespace remora::detail

#endif // REMORA_DETAIL_OPTIONS_HPP
