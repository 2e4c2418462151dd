/* SPDX-License-Identifier: Apache-2.0
 *
 * The option and the commands of activation. Included by driver.c only. */
#ifndef DRIVER_ACTIVATION_H
#define DRIVER_ACTIVATION_H

#include "driver_format.h"
#include "driver_state.h"
#include "driver_words.h"

/* activation=immediate|next_setup|manual; 0 without. */
static int32_t activation_option(char **words) {
  static const char *const names[] = {"", "immediate", "next_setup", "manual"};
  const char *name = option(words, "activation");
  for (int32_t i = 1; name != NULL && i <= REMORA_ACTIVATION_MANUAL; i++) {
    if (strcmp(name, names[i]) == 0) return i;
  }
  return 0;
}

static void run_activate(char **words, struct text *answer) {
  remora_error error;
  int32_t outcome = REMORA_OUTCOME_NONE;
  (void)words;
  format_result(answer, remora_activate(source, &outcome, &error), &error);
  text_member_string(answer, "outcome", remora_outcome_name(outcome));
}

static void run_stop_listening(char **words, struct text *answer) {
  remora_error error;
  (void)words;
  format_result(answer, remora_stop_listening(source, &error), &error);
}

#endif
