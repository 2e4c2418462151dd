// SPDX-License-Identifier: Apache-2.0

/// @file client.hpp Clients, which open sources.
#ifndef REMORA_CLIENT_HPP
#define REMORA_CLIENT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <remora/detail/options.hpp>
#include <remora/detail/source_attachments.hpp>
#include <remora/detail/source_overrides.hpp>
#include <remora/detail/source_reading.hpp>
#include <remora/detail/source_refreshing.hpp>
#include <remora/detail/source_subscribing.hpp>

namespace remora {

/// A client owns a storage directory, network settings and sources. The destructor closes the client: requests end
/// within 200 ms, waiting calls fail with errc::closed, and callbacks are destroyed. The destructor waits for a
/// callback of the client that is running on another thread. Other objects may outlive the client: snapshots, values
/// and attachments stay readable, and calls of sources fail with errc::closed.
///
/// All functions are const, and any thread may call them at the same time. The functions of a
/// default-constructed or moved-from client fail with errc::invalid_argument.
class client {
 public:
  client() noexcept = default;
  /// Takes ownership of the handle.
  explicit client(remora_client *owned) noexcept : handle_(owned) {}
  /// Creates a client, without a request. If the call fails and does not throw, the object is empty.
  explicit client(const config &config, error_target errors = throws) {
    detail::call call(errors);
    detail::c_config raw(config, call);
    remora_client *created = nullptr;
    call([&](auto error) { return remora_setup(raw.hand_over(), &created, error); });
    handle_.reset(created);
  }
  /// Returns the handle, for functions of remora.h. This object still owns the handle.
  remora_client *native_handle() const noexcept { return handle_.get(); }
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  /// Closes the client, as the destructor does.
  void close() noexcept { handle_.reset(); }

  /// Opens a collection of a Remote Settings server; see remora_open_collection.
  source open_collection(const collection_options &options, error_target errors = throws) const {
    detail::call call(errors);
    const detail::c_collection_options collection(options, call);
    detail::c_source_options shared(options, call);
    remora_source *opened = nullptr;
    call([&](auto error) {
      return remora_open_collection(native_handle(), &collection.raw, shared.hand_over(), &opened, error);
    });
    return source(opened);
  }
  /// Opens a bundle, and by default starts a refresh if the bundle has a url; see remora_open_bundle.
  source open_bundle(const bundle_options &options, error_target errors = throws) const {
    detail::call call(errors);
    const detail::c_bundle_options bundle(options, call);
    detail::c_source_options shared(options, call);
    remora_source *opened = nullptr;
    call([&](auto error) {
      return remora_open_bundle(native_handle(), &bundle.raw, shared.hand_over(), &opened, error);
    });
    return source(opened);
  }
  /// Opens settings, and by default starts a refresh; see remora_open_settings.
  source open_settings(const settings_options &options, error_target errors = throws) const {
    detail::call call(errors);
    const detail::c_settings_options settings(options, call);
    detail::c_source_options shared(options, call);
    remora_source *opened = nullptr;
    call([&](auto error) {
      return remora_open_settings(native_handle(), &settings.raw, shared.hand_over(), &opened, error);
    });
    return source(opened);
  }
  /// Returns the state of each open source, in the order of opening.
  std::vector<source_info> sources(error_target errors = throws) const {
    using collector = detail::collector<source_info, remora_source_info>;
    detail::call call(errors);
    collector found;
    call([&](auto error) { return remora_source_foreach(native_handle(), collector::visit, &found, error); });
    return found.take();
  }

  /// Replaces the headers of requests that start from now on, such as after a token was renewed; an empty list removes
  /// them. See remora_set_headers.
  void set_headers(const std::vector<std::string> &headers, error_target errors = throws) const {
    detail::call call(errors);
    detail::c_array lines;
    lines.add_all(headers, "headers", call);
    call([&](auto error) { return remora_set_headers(native_handle(), lines.get(), error); });
  }

  /// Sets the context in which the filters of collections are evaluated: a JSON object.
  void set_context(std::string_view context_json, error_target errors = throws) const {
    detail::call call(errors);
    const detail::c_string text(context_json, "context_json", call);
    call([&](auto error) { return remora_set_context(native_handle(), text, error); });
  }
  /// Removes the context; see remora_set_context.
  void clear_context(error_target errors = throws) const {
    detail::call call(errors);
    call([&](auto error) { return remora_set_context(native_handle(), nullptr, error); });
  }

  /// Refreshes the open sources that have changed on their servers, and waits for the result; see remora_sync. If a
  /// source fails, the call does not fail: the report contains the reason. Blocking: at most options.timeout.
  sync_report sync(const refresh_options &options, error_target errors = throws) const {
    detail::call call(errors);
    const remora_refresh_options raw = detail::to_c(options);
    detail::kept_report kept;
    call([&](auto error) {
      const remora_status status =
          remora_sync(native_handle(), &raw, detail::timeout(options.timeout), detail::kept_report::keep, &kept, error);
      return kept.arrived() ? REMORA_OK : status;
    });
    return kept.take();
  }
  /// Starts a sync without waiting for it. The callback, which is optional, receives the report after all events.
  request sync_async(const refresh_options &options, callback<sync_report> completion = {},
                     error_target errors = throws) const {
    const remora_refresh_options raw = detail::to_c(options);
    detail::registration<sync_report, remora_sync_report> target(completion);
    return detail::start(errors, [&](auto handle, auto error) {
      return remora_sync_async(native_handle(), &raw, detail::timeout(options.timeout), target.function(),
                               target.release(), target.free_user_data(), handle, error);
    });
  }

  /// Returns a file descriptor that becomes readable when callbacks are queued for dispatch(); -1 on failure. Never
  /// close the descriptor. After fork(), call this function again in the child.
  int fd(error_target errors = throws) const {
    detail::call call(errors);
    std::int32_t descriptor = -1;
    call([&](auto error) { return remora_client_get_fd(native_handle(), &descriptor, error); });
    return descriptor;
  }
  /// Runs the callbacks that were queued before the call, and returns their number. A callback may destroy the client.
  std::size_t dispatch(error_target errors = throws) const {
    detail::call call(errors);
    std::size_t count = 0;
    call([&, client = native_handle()](auto error) { return remora_dispatch(client, &count, error); });
    return count;
  }

 private:
  detail::unique<remora_client, remora_client_close> handle_;
};

/// Returns whether a filter expression is true in a context, for decisions per request or user. Returns false on
/// failure; see remora_filter_matches.
/// @param context_json A JSON object; "" is the context of a client without set_context().
inline bool filter_matches(std::string_view expression, std::string_view context_json, error_target errors = throws) {
  detail::call call(errors);
  const detail::c_string tested(expression, "expression", call);
  const detail::c_string context(context_json, "context_json", call);
  const char *const given = context_json.empty() ? nullptr : static_cast<const char *>(context);
  remora_bool matches = 0;
  call([&](auto error) { return remora_filter_matches(tested, given, &matches, error); });
  return matches != 0;
}

/// Opens a connection before it is needed; see remora_preconnect.
/// @param platform The value of the query item "platform"; "" means "linux".
inline void preconnect(const config &config, std::string_view url, std::string_view platform = {},
                       error_target errors = throws) {
  detail::call call(errors);
  const detail::c_config raw(config, call);
  const detail::c_string address(url, "url", call);
  const detail::c_string name(platform, "platform", call);
  const char *const chosen = platform.empty() ? nullptr : static_cast<const char *>(name);
  call([&](auto error) { return remora_preconnect(&raw.raw, address, chosen, error); });
}

} // namespace remora

#endif // REMORA_CLIENT_HPP
