/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands for bundles and overrides. Included by driver.c only. */
#ifndef DRIVER_BUNDLES_H
#define DRIVER_BUNDLES_H

#include "driver_format.h"
#include "driver_options.h"
#include "driver_state.h"
#include "driver_words.h"

/* Whether the next event of a subscription is to do all that a callback may do. */
static int busy_subscriber;

static int32_t format_namespace(const remora_namespace *entry, void *raw) {
  struct text *text = raw;
  if (text->bytes[text->length - 1] != '[') text_add(text, ",");
  text_add(text, "{");
  text_add_name(text, "name");
  text_add_string(text, entry->name, entry->name_length);
  text_member_int(text, "in_bundle", entry->in_bundle);
  text_member_int(text, "is_default", entry->is_default);
  text_member_string(text, "origin", remora_origin_name(entry->origin));
  text_add(text, "}");
  return 0;
}

static remora_status format_namespaces(struct text *text, const remora_snapshot *snapshot, remora_error *error) {
  remora_status status;
  text_add_name(text, "namespaces");
  text_add(text, "[");
  status = remora_namespace_foreach(source, snapshot, format_namespace, text, error);
  text_add(text, "]");
  return status;
}

/* A whole file, for options that do not fit into a word; NULL without a path. */
static char *read_file(const char *path) {
  char *bytes;
  long size;
  FILE *file = path == NULL ? NULL : fopen(path, "rb");
  if (file == NULL) return NULL;
  fseek(file, 0, SEEK_END);
  size = ftell(file);
  rewind(file);
  bytes = calloc(1, (size_t)size + 1);
  if (bytes == NULL || fread(bytes, 1, (size_t)size, file) != (size_t)size) abort();
  fclose(file);
  return bytes;
}

static void run_open_bundle(char **words, struct text *answer) {
  const char *method = option(words, "method");
  char *defaults = read_file(option(words, "defaults"));
  remora_bundle_options bundle;
  remora_source_options options = source_options(words);
  remora_error error;
  REMORA_INIT(&bundle);
  bundle.url = option(words, "url");
  bundle.name = option(words, "name");
  bundle.method = method != NULL && strcmp(method, "post") == 0 ? REMORA_METHOD_POST : REMORA_METHOD_GET;
  bundle.accepted_schema = option(words, "schema");
  bundle.default_bundle = defaults;
  bundle.default_version = number_option(words, "default_version");
  options.on_event = on_event;
  options.on_event_user_data = "open";
  if (source != NULL && other_count < sizeof others / sizeof *others) others[other_count++] = source;
  format_result(answer, remora_open_bundle(client, &bundle, &options, &source, &error), &error);
  free(defaults);
}

static void run_namespaces(char **words, struct text *answer) {
  remora_error error;
  remora_status status;
  (void)words;
  status = format_namespaces(answer, NULL, &error);
  format_result(answer, status, &error);
}

/* override KEY POINTER JSON, or override KEY [POINTER] to clear, or override to clear all. */
static void run_override(char **words, struct text *answer) {
  remora_error error;
  const char *key = word(words, 0);
  const char *json = word(words, 2);
  if (json != NULL) {
    format_result(answer, remora_override_set(source, key, word(words, 1), json, 0, &error), &error);
  } else if (key != NULL) {
    format_result(answer, remora_override_clear(source, key, word(words, 1), &error), &error);
  } else {
    format_result(answer, remora_override_clear_all(source, &error), &error);
  }
}

#endif
