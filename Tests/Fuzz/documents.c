/* SPDX-License-Identifier: Apache-2.0 */

/* Documents, overrides and filters: what a server or a host hands over as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static remora_error error;

void feed_settings(const char *bytes, size_t length) {
  remora_settings_options settings;
  remora_source_options options = without_fetch();
  remora_source *source = NULL;
  REMORA_INIT(&settings);
  settings.url = "http://127.0.0.1:9/settings";
  settings.packaged_data = bytes;
  settings.packaged_size = length;
  if (succeeded(remora_open_settings(client, &settings, &options, &source, &error), &error)) read_and_close(source, 1);
}

void feed_bundle(const char *bytes, size_t length) {
  remora_bundle_options bundle;
  remora_source_options options = without_fetch();
  remora_source *source = NULL;
  char *text = malloc(length + 1);
  memcpy(text, bytes, length);
  text[length] = '\0';
  REMORA_INIT(&bundle);
  bundle.url = "http://127.0.0.1:9/bundle";
  bundle.default_bundle = text;
  if (succeeded(remora_open_bundle(client, &bundle, &options, &source, &error), &error)) read_and_close(source, 1);
  free(text);
}

/* A collection of unsigned records; NULL if they are refused. */
static remora_source *open_collection(const char *bytes, size_t length) {
  remora_collection_options collection;
  remora_source *source = NULL;
  REMORA_INIT(&collection);
  collection.name = "fuzz";
  collection.trust = REMORA_TRUST_OFF;
  collection.packaged_data = bytes;
  collection.packaged_size = length;
  return succeeded(remora_open_collection(client, &collection, NULL, &source, &error), &error) ? source : NULL;
}

void feed_collection(const char *bytes, size_t length) {
  remora_source *source = open_collection(bytes, length);
  if (source) read_and_close(source, 1);
}

/* Three lines: a key, a JSON Pointer, a JSON text, over a collection that has something at some places. */
void feed_override(const char *bytes, size_t length) {
  static const char records[] =
      "{\"data\":[{\"id\":\"a\",\"last_modified\":1,\"list\":[1,[2,{\"x\":\"y\"}]],\"o\":{\"a/"
      "b\":1}}],\"timestamp\":2}";
  remora_source *source = open_collection(records, sizeof records - 1);
  REQUIRE(source != NULL);
  char *text = malloc(length + 1), *rest = text;
  memcpy(text, bytes, length);
  text[length] = '\0';
  char *key = strsep(&rest, "\n"), *pointer = strsep(&rest, "\n");
  int is_set = succeeded(remora_override_set(source, key, pointer ? pointer : "", rest ? rest : "", 0, &error), &error);
  if (is_set) succeeded(remora_override_set(source, "a", "/list/1", "{\"over\":[]}", 0, &error), &error);
  if (is_set) succeeded(remora_override_clear(source, key, pointer, &error), &error);
  free(text);
  read_and_close(source, 1);
}

/* A filter expression, as a record has it. */
void feed_filter(const char *bytes, size_t length) {
  static const char before[] = "{\"data\":[{\"id\":\"a\",\"last_modified\":1,\"filter_expression\":\"";
  static const char after[] = "\"}],\"timestamp\":2}";
  char *text = malloc(6 * length + sizeof before + sizeof after), *end = text;
  end += sprintf(end, "%s", before);
  for (size_t i = 0; i < length; i++) {
    /* Bytes above ASCII as the characters of Latin-1. */
    unsigned char byte = (unsigned char)bytes[i];
    int is_plain = byte >= ' ' && byte < 127 && byte != '"' && byte != '\\';
    end += sprintf(end, is_plain ? "%c" : "\\u%04x", byte);
  }
  end += sprintf(end, "%s", after);
  remora_source *source = open_collection(text, (size_t)(end - text));
  free(text);
  if (source) read_and_close(source, 1);
}
