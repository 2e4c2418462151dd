/* SPDX-License-Identifier: Apache-2.0 */

#include "callbacks.h"

#include "_cgo_export.h"

static void on_event(const remora_event *event, void *user_data) { remoraOnEvent(event, (uintptr_t)user_data); }

static void on_result(const remora_result *result, void *user_data) { remoraOnResult(result, (uintptr_t)user_data); }

static void forget(void *user_data) { remoraForget((uintptr_t)user_data); }

remora_status remora_go_subscribe(remora_source *source, const char *key, remora_flags flags, uintptr_t handle,
                                  remora_subscription **out_subscription, remora_error *error) {
  return remora_subscribe(source, key, flags, on_event, (void *)handle, forget, out_subscription, error);
}

remora_status remora_go_refresh(remora_source *source, uintptr_t handle, remora_request **out_request,
                                remora_error *error) {
  return remora_refresh_async(source, NULL, -1, on_result, (void *)handle, forget, out_request, error);
}
