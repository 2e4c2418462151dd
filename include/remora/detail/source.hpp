// SPDX-License-Identifier: Apache-2.0

/// @file detail/source.hpp The definitions of the functions of remora::source.
#ifndef REMORA_DETAIL_SOURCE_HPP
#define REMORA_DETAIL_SOURCE_HPP

#include <utility>

#include <remora/event.hpp>

namespace remora {

namespace detail {

/// Calls a getter of the C API. If the key or the pointer contains a NUL, no value can exist, so returns the fallback.
template <class Result, class Get>
Result get_or(std::string_view key, std::string_view pointer, Result fallback, Get get) {
  call call(ignored);
  const c_string key_text(key, "key", call);
  const c_string pointer_text(pointer, "pointer", call);
  return call.refused() ? fallback : get(key_text, pointer_text);
}

/// Calls a getter of the C API that copies a text.
template <class Get>
std::string copied(std::string_view key, std::string_view pointer, Get get) {
  return get_or(key, pointer, std::string(), [&](const char *k, const char *p) {
    return written([&](char *buffer, std::size_t size) { return get(k, p, buffer, size); });
  });
}

/// Starts an asynchronous operation, and returns its handle.
template <class Start>
request start(error_target errors, Start start) {
  call call(errors);
  remora_request *raw = nullptr;
  call([&](remora_error *error) { return start(&raw, error); });
  return request(raw);
}

} // namespace detail

inline bool source::get_bool(std::string_view key, std::string_view pointer, bool fallback) const {
  return detail::get_or(key, pointer, fallback, [&](const char *k, const char *p) {
    return remora_get_bool(native_handle(), k, p, fallback ? 1 : 0) != 0;
  });
}
inline std::int64_t source::get_int(std::string_view key, std::string_view pointer, std::int64_t fallback) const {
  return detail::get_or(key, pointer, fallback,
                        [&](const char *k, const char *p) { return remora_get_int(native_handle(), k, p, fallback); });
}
inline double source::get_double(std::string_view key, std::string_view pointer, double fallback) const {
  return detail::get_or(key, pointer, fallback, [&](const char *k, const char *p) {
    return remora_get_double(native_handle(), k, p, fallback);
  });
}
inline std::string source::get_string(std::string_view key, std::string_view pointer, std::string_view fallback) const {
  std::optional<std::string> text = get_string(key, pointer);
  return text ? *std::move(text) : std::string(fallback);
}
inline std::string source::get_url(std::string_view key, std::string_view pointer, std::string_view fallback) const {
  std::optional<std::string> url = get_url(key, pointer);
  return url ? *std::move(url) : std::string(fallback);
}
inline std::string source::get_json(std::string_view key, std::string_view pointer, std::string_view fallback) const {
  std::optional<std::string> json = get_json(key, pointer);
  return json ? *std::move(json) : std::string(fallback);
}

// These functions return an empty result if the value does not exist. To detect this, they pass a default that no value
// can have to the getter of the C API, or they look the value up in a snapshot.

inline std::optional<bool> source::get_bool(std::string_view key, std::string_view pointer) const {
  if (get_bool(key, pointer, false)) return true;
  return snapshot(ignored).get_bool(key, pointer);
}
inline std::optional<std::int64_t> source::get_int(std::string_view key, std::string_view pointer) const {
  constexpr std::int64_t rare = std::numeric_limits<std::int64_t>::min();
  const std::int64_t number = get_int(key, pointer, rare);
  if (number != rare) return number;
  return snapshot(ignored).get_int(key, pointer);
}
inline std::optional<double> source::get_double(std::string_view key, std::string_view pointer) const {
  const double number = get_double(key, pointer, std::numeric_limits<double>::quiet_NaN());
  return std::isnan(number) ? std::nullopt : std::optional<double>(number);
}
inline std::optional<std::string> source::get_string(std::string_view key, std::string_view pointer) const {
  std::string text = detail::copied(key, pointer, [&](const char *k, const char *p, char *buffer, std::size_t size) {
    return remora_get_string(native_handle(), k, p, buffer, size, nullptr);
  });
  if (!text.empty()) return text;
  const remora::snapshot live = snapshot(ignored);
  const std::optional<std::string_view> found = live.get_string(key, pointer);
  return found ? std::optional<std::string>(*found) : std::nullopt;
}
inline std::optional<std::string> source::get_url(std::string_view key, std::string_view pointer) const {
  std::string url = detail::copied(key, pointer, [&](const char *k, const char *p, char *buffer, std::size_t size) {
    return remora_get_url(native_handle(), k, p, buffer, size, nullptr);
  });
  return url.empty() ? std::nullopt : std::optional<std::string>(std::move(url));
}
inline std::optional<std::string> source::get_json(std::string_view key, std::string_view pointer) const {
  std::string json = detail::copied(key, pointer, [&](const char *k, const char *p, char *buffer, std::size_t size) {
    return remora_get_json(native_handle(), k, p, buffer, size, nullptr);
  });
  return json.empty() ? std::nullopt : std::optional<std::string>(std::move(json));
}

inline remora::snapshot source::snapshot(view view, error_target errors) const {
  detail::call call(errors);
  remora_snapshot *raw = nullptr;
  call([&](auto error) {
    return remora_snapshot_acquire(native_handle(), static_cast<remora_flags>(view), &raw, error);
  });
  return remora::snapshot(raw);
}
inline remora::key source::bind(std::string_view key, std::string_view pointer, error_target errors) const {
  return detail::at_place(key, pointer, errors, [&](auto &call, auto k, auto p) {
    remora_key *raw = nullptr;
    call([&](auto error) { return remora_key_bind(native_handle(), k, p, &raw, error); });
    return remora::key(raw);
  });
}
inline remora::revision source::revision(error_target errors) const {
  detail::call call(errors);
  const std::int64_t *number = nullptr;
  call([&](auto error) { return remora_source_get_revision(native_handle(), &number, error); });
  return remora::revision(number);
}
inline source_info source::info(error_target errors) const {
  detail::call call(errors);
  auto raw = detail::initialised<remora_source_info>();
  const bool succeeded = call([&](auto error) { return remora_source_get_info(native_handle(), &raw, error); });
  return succeeded ? source_info(raw) : source_info();
}
inline std::vector<namespace_info> source::namespaces_of(const remora_snapshot *snapshot, error_target errors) const {
  using collector = detail::collector<namespace_info, remora_namespace>;
  detail::call call(errors);
  collector found;
  call(
      [&](auto error) { return remora_namespace_foreach(native_handle(), snapshot, collector::visit, &found, error); });
  return found.take();
}

inline outcome source::refresh(const refresh_options &options, error_target errors) const {
  detail::call call(errors);
  const remora_refresh_options raw = detail::to_c(options);
  remora_outcome reached = REMORA_OUTCOME_NONE;
  call([&](auto error) {
    return remora_refresh(native_handle(), &raw, detail::timeout(options.timeout), &reached, error);
  });
  return static_cast<outcome>(reached);
}
inline request source::refresh_async(const refresh_options &options, callback<result> completion,
                                     error_target errors) const {
  const remora_refresh_options raw = detail::to_c(options);
  detail::registration<result, remora_result> target(completion);
  return detail::start(errors, [&](auto handle, auto error) {
    return remora_refresh_async(native_handle(), &raw, detail::timeout(options.timeout), target.function(),
                                target.release(), target.free_user_data(), handle, error);
  });
}
inline remora::snapshot source::await(const refresh_options &options, error_target errors) const {
  detail::call call(errors);
  const remora_refresh_options raw = detail::to_c(options);
  remora_snapshot *fresh = nullptr;
  call(
      [&](auto error) { return remora_await(native_handle(), &raw, detail::timeout(options.timeout), &fresh, error); });
  return remora::snapshot(fresh);
}
inline request source::await_async(const refresh_options &options, callback<result> completion,
                                   error_target errors) const {
  const remora_refresh_options raw = detail::to_c(options);
  detail::registration<result, remora_result> target(completion);
  return detail::start(errors, [&](auto handle, auto error) {
    return remora_await_async(native_handle(), &raw, detail::timeout(options.timeout), target.function(),
                              target.release(), target.free_user_data(), handle, error);
  });
}
inline void source::reset_data(error_target errors) const {
  detail::call call(errors);
  call([&](auto error) { return remora_reset(native_handle(), error); });
}
inline outcome source::activate(error_target errors) const {
  detail::call call(errors);
  remora_outcome reached = REMORA_OUTCOME_NONE;
  call([&](auto error) { return remora_activate(native_handle(), nullptr, &reached, error); });
  return static_cast<outcome>(reached);
}
inline outcome source::activate(const remora::snapshot &judged, error_target errors) const {
  detail::call call(errors);
  if (!judged) call.refuse("snapshot", "is an object without a snapshot"); // NULL would activate any version.
  remora_outcome reached = REMORA_OUTCOME_NONE;
  call([&](auto error) { return remora_activate(native_handle(), judged.native_handle(), &reached, error); });
  return static_cast<outcome>(reached);
}
inline void source::freeze(error_target errors) const {
  detail::call call(errors);
  call([&](auto error) { return remora_freeze(native_handle(), error); });
}

inline subscription source::subscribe(callback<event> subscriber, replay first, error_target errors) const {
  detail::call call(errors);
  detail::registration<event, remora_event> target(subscriber);
  remora_subscription *raw = nullptr;
  call([&](auto error) {
    return remora_subscribe(native_handle(), nullptr, static_cast<remora_flags>(first), target.function(),
                            target.release(), target.free_user_data(), &raw, error);
  });
  return subscription(raw);
}
inline subscription source::subscribe(std::string_view key, callback<event> subscriber, replay first,
                                      error_target errors) const {
  detail::call call(errors);
  const detail::c_string text(key, "key", call);
  detail::registration<event, remora_event> target(subscriber);
  remora_subscription *raw = nullptr;
  call([&](auto error) {
    return remora_subscribe(native_handle(), text, static_cast<remora_flags>(first), target.function(),
                            target.release(), target.free_user_data(), &raw, error);
  });
  return subscription(raw);
}
inline void source::subscribe_until_close(callback<event> subscriber, replay first, error_target errors) const {
  detail::call call(errors);
  detail::registration<event, remora_event> target(subscriber);
  call([&](auto error) {
    return remora_subscribe(native_handle(), nullptr, static_cast<remora_flags>(first), target.function(),
                            target.release(), target.free_user_data(), nullptr, error);
  });
}

namespace detail {

/// Calls the function of the C API for each type of an override.
struct override_setter {
  bool operator()(bool value) const {
    return call(
        [&](auto error) { return remora_override_set_bool(source, key, pointer, value ? 1 : 0, flags, error); });
  }
  bool operator()(std::int64_t value) const {
    return call([&](auto error) { return remora_override_set_int(source, key, pointer, value, flags, error); });
  }
  bool operator()(double value) const {
    return call([&](auto error) { return remora_override_set_double(source, key, pointer, value, flags, error); });
  }
  bool operator()(std::string_view value) const {
    const c_string text(value, "value", call);
    return call([&](auto error) { return remora_override_set_string(source, key, pointer, text, flags, error); });
  }
  bool operator()(json value) const {
    const c_string text(value.text(), "value", call);
    return call([&](auto error) { return remora_override_set(source, key, pointer, text, flags, error); });
  }

  detail::call &call;
  remora_source *source;
  const char *key;
  const char *pointer;
  remora_flags flags;
};

} // namespace detail

inline void source::set_override(std::string_view key, std::string_view pointer, const override_value &value,
                                 override_mode mode, error_target errors) const {
  detail::at_place(key, pointer, errors, [&](auto &call, auto k, auto p) {
    return value.visit(detail::override_setter{call, native_handle(), k, p, static_cast<remora_flags>(mode)});
  });
}
inline void source::clear_override(std::string_view key, std::string_view pointer, error_target errors) const {
  detail::at_place(key, pointer, errors, [&](auto &call, auto k, auto p) {
    call([&](auto error) { return remora_override_clear(native_handle(), k, p, error); });
  });
}
inline void source::clear_overrides(error_target errors) const {
  detail::call call(errors);
  call([&](auto error) { return remora_override_clear_all(native_handle(), error); });
}
inline std::vector<override_info> source::overrides(error_target errors) const {
  using collector = detail::collector<override_info, remora_override>;
  detail::call call(errors);
  collector found;
  call([&](auto error) { return remora_override_foreach(native_handle(), collector::visit, &found, error); });
  return found.take();
}

inline attachment source::open_attachment(std::string_view record, const attachment_options &options,
                                          error_target errors) const {
  detail::call call(errors);
  const detail::c_string text(record, "record", call);
  detail::c_attachment_options raw(options);
  remora_attachment *opened = nullptr;
  call([&](auto error) {
    return remora_attachment_open(native_handle(), text, raw.hand_over(), detail::timeout(options.timeout), &opened,
                                  error);
  });
  return attachment(opened);
}
inline request source::open_attachment_async(std::string_view record, const attachment_options &options,
                                             callback<result> completion, error_target errors) const {
  detail::call call(errors);
  const detail::c_string text(record, "record", call);
  detail::c_attachment_options raw(options);
  detail::registration<result, remora_result> target(completion);
  remora_request *started = nullptr;
  call([&](auto error) {
    return remora_attachment_open_async(native_handle(), text, raw.hand_over(), detail::timeout(options.timeout),
                                        target.function(), target.release(), target.free_user_data(), &started, error);
  });
  return request(started);
}

} // namespace remora

#endif // REMORA_DETAIL_SOURCE_HPP
