/* SPDX-License-Identifier: Apache-2.0
 *
 * The words that sources of all kinds are opened with. Included by driver.c only. */
#ifndef DRIVER_OPTIONS_H
#define DRIVER_OPTIONS_H

#include "driver_state.h"
#include "driver_words.h"

static void on_event(const remora_event *event, void *user_data);

/* fetch=yes|no persist=1 interval= on_event=1 */
static remora_source_options source_options(char **words) {
  const char *fetch = option(words, "fetch");
  remora_source_options options;
  REMORA_INIT(&options);
  if (fetch != NULL) {
    options.first_fetch = strcmp(fetch, "no") == 0 ? REMORA_FIRST_FETCH_ON_REQUEST : REMORA_FIRST_FETCH_AT_OPEN;
  }
  options.persist_overrides = option(words, "persist") != NULL;
  options.refresh_interval_ms = number_option(words, "interval");
  if (option(words, "on_event") != NULL) {
    options.on_event = on_event;
    options.on_event_user_data = "open";
  }
  return options;
}

#endif
