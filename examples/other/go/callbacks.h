/* SPDX-License-Identifier: Apache-2.0 */

/* Calls that take callbacks. The user data of each callback is the number of a cgo.Handle, which is never a pointer. */
#ifndef REMORA_GO_CALLBACKS_H
#define REMORA_GO_CALLBACKS_H

#include <remora.h>

/* Go's exported functions have no const in their parameters, except inside of a type. */
typedef const remora_event const_event;
typedef const remora_result const_result;

remora_status remora_go_subscribe(remora_source *source, const char *key, remora_flags flags, uintptr_t handle,
                                  remora_subscription **out_subscription, remora_error *error);

remora_status remora_go_refresh(remora_source *source, uintptr_t handle, remora_request **out_request,
                                remora_error *error);

#endif /* REMORA_GO_CALLBACKS_H */
