/* SPDX-License-Identifier: Apache-2.0 */
/* Linux's descriptor for wake-ups. */
#include <sys/eventfd.h>

#include "remora_support.h"

int32_t remora_wakeup_open(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
