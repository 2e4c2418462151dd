// SPDX-License-Identifier: Apache-2.0

// A part of a host in a shared library that hides its symbols.
#ifndef PLUGIN_HPP
#define PLUGIN_HPP

#include <remora.hpp>

[[gnu::visibility("default")]] std::error_code plugin_code();
[[gnu::visibility("default")]] std::error_condition plugin_condition();
[[gnu::visibility("default")]] void plugin_throw();
[[gnu::visibility("default")]] remora::exception_handler plugin_handler();

#endif // PLUGIN_HPP
