// SPDX-License-Identifier: Apache-2.0

/// @file remora.hpp Remora for C++17: an embeddable client for remote settings. It consists of headers only, on top of
/// remora.h.
///
/// @code
/// using namespace std::chrono_literals;
///
/// remora::client client(remora::config("/var/lib/host/remora"));
/// remora::source source = client.open_collection(remora::collection_options("search-config-v2"));
/// std::error_code error;
/// source.refresh(5s, error);  // On failure the last good data stays live.
/// std::int64_t limit = source.get_int("limits", "/max_uploads", 10);
/// @endcode
///
/// Conventions. They hold for every class and function unless its comment states otherwise:
/// - remora.h documents each function of the C API. Comments here state what differs.
/// - Objects own their handles. Clients, sources, keys, subscriptions and requests are move-only; snapshots and
///   attachments are shared by copies. Each has native_handle() for functions of remora.h.
/// - The last parameter of a function that can fail is an error_target. Functions that act throw remora::error;
///   functions that read return an empty result. With a std::error_code or a remora::failure, they do neither, and
///   report the reason. Memory that runs out in C++ code throws std::bad_alloc in all forms.
/// - A default-constructed or moved-from object has no handle. Its functions fail with errc::invalid_argument, or
///   return their default.
/// - Texts are passed as std::string_view, need no NUL, and are copied. A text that contains a NUL character fails with
///   errc::invalid_argument.
/// - Texts that belong to a snapshot or attachment are returned as std::string_view. They are valid as long as an owner
///   exists, and cannot be read from a temporary object.
/// - Thread: any, also inside callbacks. As with any C++ object, no other thread may use an object while it is moved,
///   assigned or destroyed.
/// - Exceptions of callbacks never enter the library; see set_exception_handler.
#ifndef REMORA_HPP
#define REMORA_HPP

#include <remora.h>
#include <remora/error.hpp>
#include <remora/types.hpp>
#include <remora/detail/base.hpp>
#include <remora/callback.hpp>
#include <remora/value.hpp>
#include <remora/snapshot.hpp>
#include <remora/attachment.hpp>
#include <remora/refresh.hpp>
#include <remora/key.hpp>
#include <remora/source_info.hpp>
#include <remora/source.hpp>
#include <remora/event.hpp>
#include <remora/detail/source_reading.hpp>
#include <remora/detail/source_refreshing.hpp>
#include <remora/detail/source_subscribing.hpp>
#include <remora/detail/source_overrides.hpp>
#include <remora/detail/source_attachments.hpp>
#include <remora/options.hpp>
#include <remora/detail/options.hpp>
#include <remora/client.hpp>
#include <remora/seed.hpp>

#endif // REMORA_HPP
