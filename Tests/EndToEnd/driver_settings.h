/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands for settings. Included by driver.c only. */
#ifndef DRIVER_SETTINGS_H
#define DRIVER_SETTINGS_H

#include "driver_activation.h"
#include "driver_bundles.h"

/* open-settings param=NAME/VALUE, as often as there are parameters. */
static void read_parameters(char **words, const char **list, size_t most) {
  size_t count = 0;
  for (; *words != NULL && count + 2 < most; words++) {
    char *slash = strncmp(*words, "param=", 6) == 0 ? strchr(*words, '/') : NULL;
    if (slash == NULL) continue;
    *slash = 0;
    list[count++] = *words + 6;
    list[count++] = slash + 1;
  }
  list[count] = NULL;
}

static void run_open_settings(char **words, struct text *answer) {
  const char *parameters[16];
  char *tag = read_file(option(words, "tag"));
  remora_settings_options settings;
  remora_source_options options = source_options(words);
  remora_error error;
  REMORA_INIT(&settings);
  settings.url = option(words, "url");
  settings.root_key = option(words, "root_key");
  settings.tag = tag;
  settings.tag_item = option(words, "tag_item");
  settings.activation = activation_option(words);
  settings.memory_only = option(words, "memory") != NULL;
  settings.packaged_file = option(words, "packaged");
  settings.ttl_ms = number_option(words, "ttl");
  read_parameters(words, parameters, sizeof parameters / sizeof *parameters);
  settings.request_params = parameters;
  if (source != NULL && other_count < sizeof others / sizeof *others) others[other_count++] = source;
  format_result(answer, remora_open_settings(client, &settings, &options, &source, &error), &error);
  free(tag);
}

static int32_t add_experiment(const remora_experiment *experiment, void *raw) {
  struct text *text = raw;
  if (text->bytes[text->length - 1] != '[') text_add(text, ",");
  format_experiment(text, experiment);
  return 0;
}

/* experiments: those of the live snapshot, in their order. */
static void run_experiments(char **words, struct text *answer) {
  remora_error error;
  remora_snapshot *live = NULL;
  remora_status status = remora_snapshot_acquire(source, 0, &live, &error);
  (void)words;
  text_add_name(answer, "experiments");
  text_add(answer, "[");
  if (status == REMORA_OK) status = remora_experiment_foreach(live, add_experiment, answer, &error);
  text_add(answer, "]");
  remora_snapshot_release(live);
  format_result(answer, status, &error);
}

#endif
