/* SPDX-License-Identifier: Apache-2.0 */

/* The suites of the C API's tests, one for each file of tests. */
#ifndef SUITES_H
#define SUITES_H

#include "check.h"

extern const check_test names_tests[];
extern const check_test lifecycle_tests[];
extern const check_test preconnect_tests[];
extern const check_test setup_arguments_tests[];
extern const check_test close_tests[];
extern const check_test close_log_lines_tests[];
extern const check_test sources_tests[];
extern const check_test open_arguments_tests[];
extern const check_test first_fetch_tests[];
extern const check_test source_infos_tests[];
extern const check_test bundles_tests[];
extern const check_test bundle_arguments_tests[];
extern const check_test settings_tests[];
extern const check_test seeds_tests[];
extern const check_test experiments_tests[];
extern const check_test refresh_tests[];
extern const check_test refresh_options_tests[];
extern const check_test async_tests[];
extern const check_test async_cancel_tests[];
extern const check_test async_arguments_tests[];
extern const check_test async_limits_tests[];
extern const check_test sync_tests[];
extern const check_test interval_tests[];
extern const check_test expiry_tests[];
extern const check_test attempts_tests[];
extern const check_test await_tests[];
extern const check_test many_waits_tests[];
extern const check_test activation_tests[];
extern const check_test stop_listening_tests[];
extern const check_test activation_arguments_tests[];
extern const check_test getters_tests[];
extern const check_test keys_tests[];
extern const check_test locale_tests[];
extern const check_test snapshots_tests[];
extern const check_test snapshot_arguments_tests[];
extern const check_test diff_tests[];
extern const check_test values_tests[];
extern const check_test attachments_tests[];
extern const check_test attachment_downloads_tests[];
extern const check_test record_fields_tests[];
extern const check_test attachment_waits_tests[];
extern const check_test attachment_close_tests[];
extern const check_test attachment_forks_tests[];
extern const check_test attachment_arguments_tests[];
extern const check_test context_tests[];
extern const check_test overrides_tests[];
extern const check_test override_life_tests[];
extern const check_test subscribe_tests[];
extern const check_test callbacks_tests[];
extern const check_test dispatch_tests[];
extern const check_test dispatch_nested_tests[];
extern const check_test log_lines_tests[];
extern const check_test races_tests[];
extern const check_test forks_tests[];
extern const check_test daemons_tests[];
extern const check_test polling_tests[];
extern const check_test transport_tests[];
extern const check_test transport_life_tests[];
extern const check_test host_clock_tests[];
extern const check_test test_kit_tests[];
extern const check_test at_exit_tests[];

#endif /* SUITES_H */
