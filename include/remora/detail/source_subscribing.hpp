// SPDX-License-Identifier: Apache-2.0

/// @file detail/source_subscribing.hpp The functions of remora::source that register callbacks.
#ifndef REMORA_DETAIL_SOURCE_SUBSCRIBING_HPP
#define REMORA_DETAIL_SOURCE_SUBSCRIBING_HPP

#include <string_view>

#include <remora/event.hpp>

namespace remora {

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

} // namespace remora

#endif // REMORA_DETAIL_SOURCE_SUBSCRIBING_HPP
