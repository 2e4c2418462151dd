// SPDX-License-Identifier: Apache-2.0

#include "plugin.hpp"

std::error_code plugin_code() { return remora::errc::http; }
std::error_condition plugin_condition() { return remora::family::network; }
void plugin_throw() { static_cast<void>(remora::source().info()); }
remora::exception_handler plugin_handler() { return remora::detail::current_exception_handler; }
