/* SPDX-License-Identifier: Apache-2.0
 *
 * The log as the driver keeps it: lines up to the level of its setup. Included by driver.c only. */
#ifndef DRIVER_LOG_H
#define DRIVER_LOG_H

#include "driver_format.h"
#include "driver_state.h"

static void on_log(const remora_log_entry *entry, void *unused) {
  struct text line = {NULL, 0, 0};
  (void)unused;
  text_add(&line, "{");
  text_member_int(&line, "level", entry->level);
  text_member_string(&line, "message", entry->message);
  queue_put(&log_lines, line.bytes);
}

#endif
