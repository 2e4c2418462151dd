/* SPDX-License-Identifier: Apache-2.0 */

/* Calls that take callbacks. The user data of each callback is the number of a cgo.Handle, which is never a pointer. */
#ifndef REMORA_GO_CALLBACKS_H
#define REMORA_GO_CALLBACKS_H

#include <remora.h>

/* Go's exported functions have no const in their parameters, except inside of a type. */
typedef const remora_event const_event;
typedef const remora_result const_result;
typedef const remora_log_entry const_log_entry;
typedef const remora_override const_override;
typedef const remora_change const_change;
typedef const remora_attempt const_attempt;
typedef const remora_namespace const_namespace;
typedef const remora_experiment const_experiment;
typedef const remora_http_request const_http_request;
typedef const remora_source_info const_source_info;
typedef const remora_sync_report const_sync_report;

/* Calls remora_setup, with the callbacks whose handles are not 0. */
remora_status remora_go_setup(const remora_config *config, uintptr_t log_handle, uintptr_t attempt_handle,
                              remora_client **out_client, remora_error *error);

remora_status remora_go_subscribe(remora_source *source, const char *key, remora_flags flags, uintptr_t handle,
                                  remora_subscription **out_subscription, remora_error *error);

/* Starts a refresh, or a wait if is_wait is not 0. */
remora_status remora_go_refresh(remora_source *source, const remora_refresh_options *options, int is_wait,
                                uintptr_t handle, remora_request **out_request, remora_error *error);

/* Starts to open an attachment, with a progress callback if its handle is not 0. */
remora_status remora_go_attachment(remora_source *source, const char *record, const remora_attachment_options *options,
                                   uintptr_t progress_handle, uintptr_t handle, remora_request **out_request,
                                   remora_error *error);

remora_status remora_go_sync(remora_client *client, const remora_refresh_options *options, uintptr_t handle,
                             remora_request **out_request, remora_error *error);

/* Calls remoraOnOverride for each override. */
remora_status remora_go_overrides(remora_source *source, uintptr_t handle, remora_error *error);

/* Calls remoraOnChange for each difference. */
remora_status remora_go_diff(const remora_snapshot *old_snapshot, const remora_snapshot *new_snapshot, uintptr_t handle,
                             remora_error *error);

/* Calls remoraOnSource for each open source. */
remora_status remora_go_sources(remora_client *client, uintptr_t handle, remora_error *error);

/* Calls remoraOnSeedRequest once. */
remora_status remora_go_seed_request(const remora_config *config, const remora_seed_options *options, uintptr_t handle,
                                     remora_error *error);

/* Calls remoraOnLog for warnings if the handle is not 0, and does not forget it. */
remora_status remora_go_seed_save(const remora_config *config, uintptr_t log_handle, const remora_seed_options *options,
                                  const char *file, remora_error *error);

/* Calls remoraOnNamespace for each namespace. */
remora_status remora_go_namespaces(remora_source *source, const remora_snapshot *snapshot, uintptr_t handle,
                                   remora_error *error);

/* Calls remoraOnExperiment for each experiment. */
remora_status remora_go_experiments(const remora_snapshot *snapshot, uintptr_t handle, remora_error *error);

#endif /* REMORA_GO_CALLBACKS_H */
