// SPDX-License-Identifier: Apache-2.0

/// @file detail/source_overrides.hpp The functions of remora::source that set, clear and list overrides.
#ifndef REMORA_DETAIL_SOURCE_OVERRIDES_HPP
#define REMORA_DETAIL_SOURCE_OVERRIDES_HPP

#include <cstdint>
#include <string_view>
#include <vector>

#include <remora/source.hpp>

namespace remora {

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

} // namespace remora

#endif // REMORA_DETAIL_SOURCE_OVERRIDES_HPP
