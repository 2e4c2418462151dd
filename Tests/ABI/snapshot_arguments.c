/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "snapshots": what its functions refuse, and how they say so. */
#include <stdlib.h>
#include <string.h>

#include "scene.h"

/* Outputs of every type, and what a NULL stands for beside them. */
static int32_t boolean;
static int64_t integer;
static double number;
static const char *text;
static size_t length;
static remora_value value;
static char buffer[64];

static int32_t go_on(const remora_change *change, void *user_data) {
  (void)change;
  (void)user_data;
  return 0;
}

TEST("an error about a NULL argument of any snapshot function names the argument") {
  remora_snapshot_info info = {.struct_size = sizeof info};
  remora_snapshot *out = NULL;
  open_local(sample_data);
  CHECK_INVALID("source", remora_snapshot_acquire(NULL, 0, &out, &error));
  CHECK_INVALID("out_snapshot", remora_snapshot_acquire(source, 0, NULL, &error));
  CHECK_INVALID("flags", remora_snapshot_acquire(source, 2, &out, &error));
  CHECK(out == NULL);
  CHECK_INVALID("snapshot", remora_snapshot_get_info(NULL, &info, &error));
  CHECK_INVALID("out_info", remora_snapshot_get_info(snapshot, NULL, &error));
  CHECK_INVALID("snapshot", remora_snapshot_get(NULL, "flags", NULL, &value, &error));
  CHECK_INVALID("key", remora_snapshot_get(snapshot, NULL, NULL, &value, &error));
  CHECK_INVALID("out_value", remora_snapshot_get(snapshot, "flags", NULL, NULL, &error));
  CHECK_INVALID("snapshot", remora_snapshot_get_n(NULL, "flags", 5, NULL, 0, &value, &error));
  CHECK_INVALID("key", remora_snapshot_get_n(snapshot, NULL, 5, NULL, 0, &value, &error));
  CHECK_INVALID("out_value", remora_snapshot_get_n(snapshot, "flags", 5, NULL, 0, NULL, &error));
  CHECK_INVALID("snapshot", remora_snapshot_item(NULL, 0, &text, &length, &value, &error));
  CHECK_INVALID("snapshot", remora_snapshot_get_bool(NULL, "flags", "/on", &boolean, &error));
  CHECK_INVALID("key", remora_snapshot_get_bool(snapshot, NULL, "/on", &boolean, &error));
  CHECK_INVALID("out_value", remora_snapshot_get_bool(snapshot, "flags", "/on", NULL, &error));
  CHECK_INVALID("snapshot", remora_snapshot_get_int(NULL, "limits", "/int", &integer, &error));
  CHECK_INVALID("key", remora_snapshot_get_int(snapshot, NULL, "/int", &integer, &error));
  CHECK_INVALID("out_value", remora_snapshot_get_int(snapshot, "limits", "/int", NULL, &error));
  CHECK_INVALID("snapshot", remora_snapshot_get_double(NULL, "limits", "/half", &number, &error));
  CHECK_INVALID("key", remora_snapshot_get_double(snapshot, NULL, "/half", &number, &error));
  CHECK_INVALID("out_value", remora_snapshot_get_double(snapshot, "limits", "/half", NULL, &error));
  CHECK_INVALID("snapshot", remora_snapshot_get_string(NULL, "texts", "/plain", &text, &length, &error));
  CHECK_INVALID("key", remora_snapshot_get_string(snapshot, NULL, "/plain", &text, &length, &error));
  CHECK_INVALID("out_string", remora_snapshot_get_string(snapshot, "texts", "/plain", NULL, &length, &error));
  CHECK_INVALID("snapshot", remora_snapshot_get_url(NULL, "texts", "/plain", &text, &length, &error));
  CHECK_INVALID("key", remora_snapshot_get_url(snapshot, NULL, "/plain", &text, &length, &error));
  CHECK_INVALID("out_url", remora_snapshot_get_url(snapshot, "texts", "/plain", NULL, &length, &error));
  CHECK_REFUSED(REMORA_ERR_WRONG_TYPE, "URL",
                remora_snapshot_get_url(snapshot, "texts", "/plain", &text, &length, &error));
  CHECK_INVALID("snapshot", remora_snapshot_get_json(NULL, "flags", NULL, buffer, sizeof buffer, &length, &error));
  CHECK_INVALID("buffer", remora_snapshot_get_json(snapshot, "flags", NULL, NULL, 1, &length, &error));
  CHECK_INVALID("pointer", remora_snapshot_get_json(snapshot, NULL, "/on", buffer, sizeof buffer, &length, &error));
  CHECK_INVALID("visitor", remora_snapshot_diff(NULL, snapshot, NULL, NULL, &error));
  close_scene();
}

TEST("every snapshot function accepts NULL as its argument for the error") {
  remora_snapshot_info info = {.struct_size = sizeof info};
  const remora_status invalid = REMORA_ERR_INVALID_ARGUMENT;
  remora_snapshot *out = NULL;
  open_local(sample_data);
  CHECK_INT(invalid, remora_snapshot_acquire(NULL, 0, NULL, NULL));
  CHECK_INT(invalid, remora_snapshot_get_info(NULL, NULL, NULL));
  CHECK_INT(invalid, remora_snapshot_get(NULL, NULL, NULL, NULL, NULL));
  CHECK_INT(invalid, remora_snapshot_get_n(NULL, NULL, 0, NULL, 0, NULL, NULL));
  CHECK_INT(invalid, remora_snapshot_item(NULL, 0, NULL, NULL, NULL, NULL));
  CHECK_INT(invalid, remora_snapshot_get_bool(NULL, NULL, NULL, NULL, NULL));
  CHECK_INT(invalid, remora_snapshot_get_int(NULL, NULL, NULL, NULL, NULL));
  CHECK_INT(invalid, remora_snapshot_get_double(NULL, NULL, NULL, NULL, NULL));
  CHECK_INT(invalid, remora_snapshot_get_string(NULL, NULL, NULL, NULL, NULL, NULL));
  CHECK_INT(invalid, remora_snapshot_get_json(NULL, NULL, NULL, NULL, 0, NULL, NULL));
  CHECK_INT(invalid, remora_snapshot_diff(NULL, NULL, NULL, NULL, NULL));
  CHECK_INT(REMORA_OK, remora_snapshot_acquire(source, 0, &out, NULL));
  CHECK_INT(REMORA_OK, remora_snapshot_get_info(out, &info, NULL));
  CHECK_INT(REMORA_ERR_NOT_FOUND, remora_snapshot_get(out, "absent", NULL, &value, NULL));
  CHECK_INT(REMORA_ERR_WRONG_TYPE, remora_snapshot_get_int(out, "flags", "/on", &integer, NULL));
  CHECK_INT(REMORA_OK, remora_snapshot_diff(NULL, out, go_on, NULL, NULL));
  remora_snapshot_release(out);
  close_scene();
}

TEST("reads of a snapshot refuse a key that is empty, too long or not UTF-8") {
  open_local(sample_data);
  char *too_long = long_text(65536), *huge = long_text(1024 * 1024);
  const char *const keys[] = {"", "\xff", "a\xc3", "\xc0\xaf", "\xed\xa0\x80", too_long, huge};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const char *key = keys[i];
    CHECK_INVALID("key", remora_snapshot_get(snapshot, key, NULL, &value, &error));
    CHECK_INVALID("key", remora_snapshot_get_n(snapshot, key, strlen(key), NULL, 0, &value, &error));
    CHECK_INVALID("key", remora_snapshot_get_bool(snapshot, key, NULL, &boolean, &error));
    CHECK_INVALID("key", remora_snapshot_get_int(snapshot, key, NULL, &integer, &error));
    CHECK_INVALID("key", remora_snapshot_get_double(snapshot, key, NULL, &number, &error));
    CHECK_INVALID("key", remora_snapshot_get_string(snapshot, key, NULL, &text, &length, &error));
    CHECK_INVALID("key", remora_snapshot_get_json(snapshot, key, NULL, buffer, sizeof buffer, &length, &error));
  }
  CHECK_INVALID("key", remora_snapshot_get_n(snapshot, "flags", SIZE_MAX, NULL, 0, &value, &error));
  CHECK_STATUS(REMORA_ERR_NOT_FOUND, remora_snapshot_get_n(snapshot, too_long, 65535, NULL, 0, &value, &error));
  CHECK_STATUS(REMORA_ERR_NOT_FOUND, remora_snapshot_get_n(snapshot, "fl\0gs", 5, NULL, 0, &value, &error));
  free(too_long);
  free(huge);
  close_scene();
}

TEST("reads of a snapshot refuse a malformed JSON Pointer") {
  const char *const pointers[] = {"x", "/~2", "/a/~", "/~", "on", "~0", "/a~3b", "/\xff"};
  open_local(sample_data);
  CHECK_INVALID("pointer", remora_snapshot_get_n(snapshot, "flags", 5, NULL, 3, &value, &error));
  for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++) {
    const char *pointer = pointers[i];
    CHECK_INVALID("pointer", remora_snapshot_get(snapshot, "flags", pointer, &value, &error));
    CHECK_INVALID("pointer", remora_snapshot_get(snapshot, "absent", pointer, &value, &error));
    CHECK_INVALID("pointer", remora_snapshot_get_n(snapshot, "flags", 5, pointer, strlen(pointer), &value, &error));
    CHECK_INVALID("pointer", remora_snapshot_get_bool(snapshot, "flags", pointer, &boolean, &error));
    CHECK_INVALID("pointer", remora_snapshot_get_int(snapshot, "flags", pointer, &integer, &error));
    CHECK_INVALID("pointer", remora_snapshot_get_double(snapshot, "flags", pointer, &number, &error));
    CHECK_INVALID("pointer", remora_snapshot_get_string(snapshot, "flags", pointer, &text, &length, &error));
    CHECK_INVALID("pointer",
                  remora_snapshot_get_json(snapshot, "flags", pointer, buffer, sizeof buffer, &length, &error));
  }
  close_scene();
}

TEST("a remora_snapshot_info structure may be larger than the library knows, but not smaller") {
  union {
    remora_snapshot_info known;
    unsigned char bytes[sizeof(remora_snapshot_info) + 16];
  } grown;
  const size_t too_small[] = {0, 1, sizeof(remora_snapshot_info) - 1};
  open_local(sample_data);
  memset(&grown, 0, sizeof grown);
  for (size_t i = 0; i < sizeof too_small / sizeof *too_small; i++) {
    grown.known.struct_size = too_small[i];
    CHECK_PARAMETER("out_info", remora_snapshot_get_info(snapshot, &grown.known, &error));
  }
  grown.known.struct_size = sizeof grown;
  CHECK_STATUS(REMORA_OK, remora_snapshot_get_info(snapshot, &grown.known, &error));
  CHECK_INT(SAMPLE_COUNT, (int64_t)grown.known.count);
  for (size_t i = sizeof(remora_snapshot_info); i < sizeof grown; i++) CHECK_INT(0, grown.bytes[i]);
  close_scene();
}
