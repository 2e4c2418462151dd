// SPDX-License-Identifier: Apache-2.0

// The suites of the tests of the C++ API, each in a file of its name.
#ifndef SUITES_HPP
#define SUITES_HPP

#include "support.hpp"

extern const check_test coverage_tests[];
extern const check_test lifetimes_tests[];
extern const check_test moved_from_tests[];
extern const check_test errors_tests[];
extern const check_test reading_tests[];
extern const check_test values_tests[];
extern const check_test sources_tests[];
extern const check_test options_tests[];
extern const check_test refreshing_tests[];
extern const check_test asynchronous_tests[];
extern const check_test callbacks_tests[];
extern const check_test attachments_tests[];
extern const check_test seeds_tests[];

#endif // SUITES_HPP
