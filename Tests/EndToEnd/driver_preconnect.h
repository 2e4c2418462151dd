/* SPDX-License-Identifier: Apache-2.0
 *
 * The command that connects ahead of time. Included by driver.c only. */
#ifndef DRIVER_PRECONNECT_H
#define DRIVER_PRECONNECT_H

#include "driver_format.h"
#include "driver_state.h"
#include "driver_words.h"

static void run_preconnect(char **words, struct text *answer) {
  remora_config config;
  remora_error error;
  REMORA_INIT(&config);
  config.application_name = option(words, "app");
  format_result(answer, remora_preconnect(&config, option(words, "url"), NULL, &error), &error);
}

#endif
