/* SPDX-License-Identifier: Apache-2.0 */

#include "callbacks.h"

#include "_cgo_export.h"

static void on_log(const remora_log_entry *entry, void *user_data) { remoraOnLog(entry, (uintptr_t)user_data); }

static void on_attempt(const remora_attempt *attempt, void *user_data) {
  remoraOnAttempt(attempt, (uintptr_t)user_data);
}

static void on_event(const remora_event *event, void *user_data) { remoraOnEvent(event, (uintptr_t)user_data); }

static void on_result(const remora_result *result, void *user_data) { remoraOnResult(result, (uintptr_t)user_data); }

static void on_sync(const remora_sync_report *report, void *user_data) { remoraOnSync(report, (uintptr_t)user_data); }

static void on_progress(const remora_progress *progress, void *user_data) {
  remoraOnProgress(progress->received, progress->total, (uintptr_t)user_data);
}

static int32_t on_override(const remora_override *entry, void *user_data) {
  remoraOnOverride(entry, (uintptr_t)user_data);
  return 0;
}

static int32_t on_change(const remora_change *change, void *user_data) {
  remoraOnChange(change, (uintptr_t)user_data);
  return 0;
}

static int32_t on_source(const remora_source_info *info, void *user_data) {
  remoraOnSource(info, (uintptr_t)user_data);
  return 0;
}

static int32_t on_namespace(const remora_namespace *entry, void *user_data) {
  remoraOnNamespace(entry, (uintptr_t)user_data);
  return 0;
}

static int32_t on_experiment(const remora_experiment *experiment, void *user_data) {
  remoraOnExperiment(experiment, (uintptr_t)user_data);
  return 0;
}

static void on_seed_request(const remora_http_request *request, void *user_data) {
  remoraOnSeedRequest(request, (uintptr_t)user_data);
}

static void forget(void *user_data) { remoraForget((uintptr_t)user_data); }

remora_status remora_go_setup(const remora_config *config, uintptr_t log_handle, uintptr_t attempt_handle,
                              remora_client **out_client, remora_error *error) {
  remora_config with_callbacks = *config;
  if (log_handle != 0) {
    with_callbacks.on_log = on_log;
    with_callbacks.on_log_user_data = (void *)log_handle;
    with_callbacks.on_log_free_user_data = forget;
  }
  if (attempt_handle != 0) {
    with_callbacks.on_attempt = on_attempt;
    with_callbacks.on_attempt_user_data = (void *)attempt_handle;
    with_callbacks.on_attempt_free_user_data = forget;
  }
  return remora_setup(&with_callbacks, out_client, error);
}

remora_status remora_go_subscribe(remora_source *source, const char *key, remora_flags flags, uintptr_t handle,
                                  remora_subscription **out_subscription, remora_error *error) {
  return remora_subscribe(source, key, flags, on_event, (void *)handle, forget, out_subscription, error);
}

remora_status remora_go_refresh(remora_source *source, const remora_refresh_options *options, int is_wait,
                                uintptr_t handle, remora_request **out_request, remora_error *error) {
  return (is_wait ? remora_await_async : remora_refresh_async)(source, options, -1, on_result, (void *)handle, forget,
                                                               out_request, error);
}

remora_status remora_go_attachment(remora_source *source, const char *record, const remora_attachment_options *options,
                                   uintptr_t progress_handle, uintptr_t handle, remora_request **out_request,
                                   remora_error *error) {
  remora_attachment_options with_progress = *options;
  if (progress_handle != 0) {
    with_progress.on_progress = on_progress;
    with_progress.on_progress_user_data = (void *)progress_handle;
    with_progress.on_progress_free_user_data = forget;
  }
  return remora_attachment_open_async(source, record, &with_progress, -1, on_result, (void *)handle, forget,
                                      out_request, error);
}

remora_status remora_go_sync(remora_client *client, const remora_refresh_options *options, uintptr_t handle,
                             remora_request **out_request, remora_error *error) {
  return remora_sync_async(client, options, -1, on_sync, (void *)handle, forget, out_request, error);
}

remora_status remora_go_overrides(remora_source *source, uintptr_t handle, remora_error *error) {
  return remora_override_foreach(source, on_override, (void *)handle, error);
}

remora_status remora_go_diff(const remora_snapshot *old_snapshot, const remora_snapshot *new_snapshot, uintptr_t handle,
                             remora_error *error) {
  return remora_snapshot_diff(old_snapshot, new_snapshot, on_change, (void *)handle, error);
}

remora_status remora_go_sources(remora_client *client, uintptr_t handle, remora_error *error) {
  return remora_source_foreach(client, on_source, (void *)handle, error);
}

remora_status remora_go_namespaces(remora_source *source, const remora_snapshot *snapshot, uintptr_t handle,
                                   remora_error *error) {
  return remora_namespace_foreach(source, snapshot, on_namespace, (void *)handle, error);
}

remora_status remora_go_experiments(const remora_snapshot *snapshot, uintptr_t handle, remora_error *error) {
  return remora_experiment_foreach(snapshot, on_experiment, (void *)handle, error);
}

remora_status remora_go_seed_request(const remora_config *config, const remora_seed_options *options, uintptr_t handle,
                                     remora_error *error) {
  return remora_seed_request(config, options, on_seed_request, (void *)handle, error);
}

remora_status remora_go_seed_save(const remora_config *config, uintptr_t log_handle, const remora_seed_options *options,
                                  const char *file, remora_error *error) {
  remora_config with_log = *config;
  if (log_handle != 0) {
    with_log.on_log = on_log;
    with_log.on_log_user_data = (void *)log_handle;
  }
  return remora_seed_save(&with_log, options, file, error);
}
