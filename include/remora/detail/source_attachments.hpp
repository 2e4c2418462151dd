// SPDX-License-Identifier: Apache-2.0

/// @file detail/source_attachments.hpp The functions of remora::source that open attachments.
#ifndef REMORA_DETAIL_SOURCE_ATTACHMENTS_HPP
#define REMORA_DETAIL_SOURCE_ATTACHMENTS_HPP

#include <string_view>

#include <remora/event.hpp>

namespace remora {

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

#endif // REMORA_DETAIL_SOURCE_ATTACHMENTS_HPP
