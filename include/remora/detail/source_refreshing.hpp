// SPDX-License-Identifier: Apache-2.0

/// @file detail/source_refreshing.hpp The functions of remora::source that refresh, activate, reject and freeze.
#ifndef REMORA_DETAIL_SOURCE_REFRESHING_HPP
#define REMORA_DETAIL_SOURCE_REFRESHING_HPP

#include <remora/event.hpp>

namespace remora {

namespace detail {

/// Starts an asynchronous operation, and returns its handle.
template <class Start>
request start(error_target errors, Start start) {
  call call(errors);
  remora_request *raw = nullptr;
  call([&](remora_error *error) { return start(&raw, error); });
  return request(raw);
}

} // namespace detail

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
inline void source::reject(const remora::snapshot &judged, std::string_view reason, error_target errors) const {
  detail::call call(errors);
  const detail::c_string text(reason, "reason", call);
  const char *const passed = reason.empty() ? nullptr : static_cast<const char *>(text);
  call([&](auto error) { return remora_reject(native_handle(), judged.native_handle(), passed, error); });
}
inline void source::freeze(error_target errors) const {
  detail::call call(errors);
  call([&](auto error) { return remora_freeze(native_handle(), error); });
}

} // namespace remora

#endif // REMORA_DETAIL_SOURCE_REFRESHING_HPP
