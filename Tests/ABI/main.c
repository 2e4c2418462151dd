/* SPDX-License-Identifier: Apache-2.0 */

/* The tests of the C API: all of them, or one suite by its name. */
#include "suites.h"

int main(int argc, char **argv) {
  const check_suite suites[] = {
      {"names", names_tests},
      {"lifecycle", lifecycle_tests},
      {"preconnect", preconnect_tests},
      {"setup_arguments", setup_arguments_tests},
      {"close", close_tests},
      {"sources", sources_tests},
      {"open_arguments", open_arguments_tests},
      {"bundles", bundles_tests},
      {"settings", settings_tests},
      {"seeds", seeds_tests},
      {"experiments", experiments_tests},
      {"refresh", refresh_tests},
      {"async", async_tests},
      {"sync", sync_tests},
      {"interval", interval_tests},
      {"expiry", expiry_tests},
      {"attempts", attempts_tests},
      {"await", await_tests},
      {"many_waits", many_waits_tests},
      {"activation", activation_tests},
      {"getters", getters_tests},
      {"snapshots", snapshots_tests},
      {"snapshot_arguments", snapshot_arguments_tests},
      {"diff", diff_tests},
      {"values", values_tests},
      {"attachments", attachments_tests},
      {"attachment_waits", attachment_waits_tests},
      {"attachment_arguments", attachment_arguments_tests},
      {"context", context_tests},
      {"overrides", overrides_tests},
      {"override_life", override_life_tests},
      {"subscribe", subscribe_tests},
      {"callbacks", callbacks_tests},
      {"dispatch", dispatch_tests},
      {"races", races_tests},
      {"forks", forks_tests},
      {"log_lines", log_lines_tests},
      {"attendance", attendance_tests},
      {"at_exit", at_exit_tests},
  };
  return check_run(suites, sizeof suites / sizeof *suites, argc > 1 ? argv[1] : 0);
}
