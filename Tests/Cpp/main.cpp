// SPDX-License-Identifier: Apache-2.0

// The tests of the C++ API: all of them, or one suite by its name.
#include "suites.hpp"

int main(int argc, char **argv) {
  const check_suite suites[] = {
      {"coverage", coverage_tests},     {"lifetimes", lifetimes_tests},
      {"moved_from", moved_from_tests}, {"errors", errors_tests},
      {"reading", reading_tests},       {"values", values_tests},
      {"sources", sources_tests},       {"options", options_tests},
      {"refreshing", refreshing_tests}, {"asynchronous", asynchronous_tests},
      {"callbacks", callbacks_tests},   {"attachments", attachments_tests},
      {"seeds", seeds_tests},
  };
  return check_run(suites, sizeof suites / sizeof *suites, argc > 1 ? argv[1] : nullptr);
}
