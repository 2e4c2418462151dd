/* SPDX-License-Identifier: Apache-2.0 */

/* Reading all that a source has: what a hostile document brought must be readable, or refused before. */
#include "fuzz.h"

/* A forged image can nest deeper than any document. */
enum { TEXT_BYTES = 1 << 16, MOST_DEPTH = 1000 };

static char text[TEXT_BYTES];
/* Whether each read must find what the one before it named. Not of an image whose tables are damaged. */
static int is_whole;

/* A read that may fail only if the data is damaged. */
static int found(remora_status status, const remora_error *error) {
  int is_found = succeeded(status, error);
  if (is_whole) REQUIRE(is_found);
  return is_found;
}

static void read_value(remora_value value, int depth) {
  remora_error error = {0};
  int32_t boolean;
  int64_t integer;
  double number;
  const char *string;
  size_t length;
  remora_value inner;
  int32_t type = remora_value_type(value);
  succeeded(remora_value_get_bool(value, &boolean, &error), &error);
  succeeded(remora_value_get_int(value, &integer, &error), &error);
  succeeded(remora_value_get_double(value, &number, &error), &error);
  if (succeeded(remora_value_get_string(value, &string, &length, &error), &error)) REQUIRE(string[length] == '\0');
  if (depth > MOST_DEPTH) return;
  size_t count = type == REMORA_TYPE_OBJECT || type == REMORA_TYPE_ARRAY ? remora_value_count(value) : 0;
  for (size_t i = 0; i < count; i++) {
    if (!found(remora_value_item(value, i, &string, &length, &inner, &error), &error)) return;
    REQUIRE((type == REMORA_TYPE_OBJECT) == (string != NULL));
    read_value(inner, depth + 1);
  }
}

static void read_key(remora_source *source, const remora_snapshot *snapshot, size_t index) {
  remora_error error = {0};
  const char *key;
  remora_value value;
  int32_t origin;
  size_t length;
  if (!found(remora_snapshot_item(snapshot, index, &key, &length, &value, &error), &error)) return;
  REQUIRE(key[length] == '\0');
  found(remora_snapshot_get_n(snapshot, key, length, NULL, 0, &value, &error), &error);
  succeeded(remora_snapshot_get_origin(snapshot, key, &origin, &error), &error);
  succeeded(remora_snapshot_get_json(snapshot, key, NULL, text, sizeof text, &length, &error), &error);
  succeeded(remora_value_record_fields(value, text, sizeof text, &length, &error), &error);
  remora_get_int(source, key, "/a", 1);
  remora_get_string(source, key, NULL, text, sizeof text, NULL);
  read_value(value, 0);
}

void read_and_close(remora_source *source, int whole) {
  remora_snapshot *snapshot = NULL;
  remora_error error = {0};
  remora_snapshot_info info = {0};
  size_t length = 0;
  is_whole = whole;
  if (succeeded(remora_snapshot_acquire(source, 0, &snapshot, &error), &error)) {
    info.struct_size = sizeof info;
    REQUIRE(succeeded(remora_snapshot_get_info(snapshot, &info, &error), &error));
    REQUIRE(info.count == remora_snapshot_count(snapshot));
    for (size_t i = 0; i < info.count; i++) read_key(source, snapshot, i);
    succeeded(remora_snapshot_get_json(snapshot, NULL, NULL, text, sizeof text, &length, &error), &error);
    remora_snapshot_release(snapshot);
  }
  remora_source_close(source);
}
