/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "snapshots": typed reads, order, JSON text, lifetime. */
#include <stdlib.h>
#include <string.h>

#include "scene.h"

TEST("typed reads of a snapshot convert numbers only if the conversion is exact") {
  int32_t boolean = -1;
  int64_t integer = 0;
  double number = 0;
  const char *text = NULL;
  size_t length = 0;
  open_local(sample_data);
  CHECK_STATUS(REMORA_OK, remora_snapshot_get_bool(snapshot, "flags", "/on", &boolean, &error));
  CHECK_INT(1, boolean);
  CHECK_STATUS(REMORA_OK, remora_snapshot_get_int(snapshot, "limits", "/min", &integer, &error));
  CHECK_INT(INT64_MIN, integer);
  CHECK_STATUS(REMORA_OK, remora_snapshot_get_int(snapshot, "limits", "/whole", &integer, &error));
  CHECK_INT(3, integer);
  CHECK_STATUS(REMORA_OK, remora_snapshot_get_double(snapshot, "limits", "/half", &number, &error));
  CHECK(number == 3.5);
  CHECK_STATUS(REMORA_OK, remora_snapshot_get_double(snapshot, "limits", "/exact", &number, &error));
  CHECK(number == 9007199254740992.0);
  CHECK_STATUS(REMORA_OK, remora_snapshot_get_string(snapshot, "texts", "/nul", &text, &length, &error));
  CHECK_INT(3, (int64_t)length);
  CHECK(text && memcmp(text, "a\0b", 4) == 0);
  CHECK_STATUS(REMORA_OK, remora_snapshot_get_string(snapshot, "tree", "/nested/deep/er", &text, NULL, &error));
  CHECK_TEXT("yes", text);
  close_scene();
}

TEST("a read of a missing value or null returns NOT_FOUND, and leaves the output unchanged") {
  int64_t integer = -5;
  int32_t boolean = -5;
  double number = -5;
  const char *text = "before";
  remora_value value;
  open_local(sample_data);
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "absent", remora_snapshot_get(snapshot, "absent", NULL, &value, &error));
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "/flags", remora_snapshot_get(snapshot, "/flags", NULL, &value, &error));
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "absent", remora_snapshot_get_int(snapshot, "absent", NULL, &integer, &error));
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "/absent",
                remora_snapshot_get_int(snapshot, "limits", "/absent", &integer, &error));
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "/nothing",
                remora_snapshot_get_int(snapshot, "flags", "/nothing", &integer, &error));
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "/nothing",
                remora_snapshot_get_bool(snapshot, "flags", "/nothing", &boolean, &error));
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "/nothing",
                remora_snapshot_get_double(snapshot, "flags", "/nothing", &number, &error));
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "/nothing",
                remora_snapshot_get_string(snapshot, "flags", "/nothing", &text, NULL, &error));
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "/int/x",
                remora_snapshot_get_int(snapshot, "limits", "/int/x", &integer, &error));
  CHECK_INT(-5, integer);
  CHECK_INT(-5, boolean);
  CHECK(number == -5.0);
  CHECK_TEXT("before", text);
  close_scene();
}

TEST("a read of a value of another type returns WRONG_TYPE, and leaves the output unchanged") {
  int64_t integer = -5;
  int32_t boolean = -5;
  double number = -5;
  const char *text = "before";
  open_local(sample_data);
  CHECK_REFUSED(REMORA_ERR_WRONG_TYPE, "/int", remora_snapshot_get_bool(snapshot, "limits", "/int", &boolean, &error));
  CHECK_REFUSED(REMORA_ERR_WRONG_TYPE, "/half", remora_snapshot_get_int(snapshot, "limits", "/half", &integer, &error));
  CHECK_REFUSED(REMORA_ERR_WRONG_TYPE, "/beyond",
                remora_snapshot_get_int(snapshot, "limits", "/beyond", &integer, &error));
  CHECK_REFUSED(REMORA_ERR_WRONG_TYPE, "/huge", remora_snapshot_get_int(snapshot, "limits", "/huge", &integer, &error));
  CHECK_REFUSED(REMORA_ERR_WRONG_TYPE, "/on", remora_snapshot_get_int(snapshot, "flags", "/on", &integer, &error));
  CHECK_REFUSED(REMORA_ERR_WRONG_TYPE, "/inexact",
                remora_snapshot_get_double(snapshot, "limits", "/inexact", &number, &error));
  CHECK_REFUSED(REMORA_ERR_WRONG_TYPE, "/plain",
                remora_snapshot_get_double(snapshot, "texts", "/plain", &number, &error));
  CHECK_REFUSED(REMORA_ERR_WRONG_TYPE, "/int",
                remora_snapshot_get_string(snapshot, "limits", "/int", &text, NULL, &error));
  CHECK_REFUSED(REMORA_ERR_WRONG_TYPE, "tree", remora_snapshot_get_string(snapshot, "tree", NULL, &text, NULL, &error));
  CHECK_INT(-5, integer);
  CHECK_INT(-5, boolean);
  CHECK(number == -5.0);
  CHECK_TEXT("before", text);
  close_scene();
}

TEST("the keys of a snapshot are listed in the order of their bytes") {
  const char *const packaged =
      "{\"data\":["
      "{\"id\":\"b\",\"last_modified\":1},{\"id\":\"a\",\"last_modified\":2},{\"id\":\"A\",\"last_modified\":3},"
      "{\"id\":\"a-1\",\"last_modified\":4},{\"id\":\"10\",\"last_modified\":5},{\"id\":\"9\",\"last_modified\":6}"
      "],\"timestamp\":6}";
  const char *const expected[] = {"10", "9", "A", "a", "a-1", "b"};
  const char *key = NULL;
  size_t length = 0;
  remora_value value;
  open_local(packaged);
  CHECK_INT(6, (int64_t)remora_snapshot_count(snapshot));
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    CHECK_STATUS(REMORA_OK, remora_snapshot_item(snapshot, i, &key, &length, &value, &error));
    CHECK_TEXT(expected[i], key);
    CHECK_INT((int64_t)strlen(expected[i]), (int64_t)length);
    CHECK_INT(REMORA_TYPE_OBJECT, remora_value_type(value));
  }
  CHECK_STATUS(REMORA_OK, remora_snapshot_item(snapshot, 0, NULL, NULL, NULL, &error));
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "6", remora_snapshot_item(snapshot, 6, &key, &length, &value, &error));
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "", remora_snapshot_item(snapshot, SIZE_MAX, &key, &length, &value, &error));
  close_scene();
}

TEST("a key whose length is passed needs no NUL terminator") {
  remora_value value;
  int64_t integer = 0;
  open_local(sample_data);
  CHECK_STATUS(REMORA_OK, remora_snapshot_get_n(snapshot, "limitsXYZ", 6, NULL, 0, &value, &error));
  CHECK_STATUS(REMORA_OK, remora_value_resolve(value, "/int", &value, &error));
  CHECK_STATUS(REMORA_OK, remora_value_get_int(value, &integer, &error));
  CHECK_INT(7, integer);
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "", remora_snapshot_get_n(snapshot, "limitsXYZ", 5, NULL, 0, &value, &error));
  close_scene();
}

TEST("a JSON Pointer selects a value inside the value of a key") {
  const char pointer[] = "/list/2/0 and more";
  int64_t integer = 0;
  remora_value value;
  open_local(sample_data);
  CHECK_STATUS(REMORA_OK, remora_snapshot_get(snapshot, "tree", "/list/2/0", &value, &error));
  CHECK_STATUS(REMORA_OK, remora_value_get_int(value, &integer, &error));
  CHECK_INT(30, integer);
  CHECK_STATUS(REMORA_OK, remora_snapshot_get(snapshot, "tree", "/~01", &value, &error));
  CHECK_STATUS(REMORA_OK, remora_value_get_int(value, &integer, &error));
  CHECK_INT(4, integer);
  CHECK_STATUS(REMORA_OK, remora_snapshot_get(snapshot, "tree", "", &value, &error));
  CHECK_INT(REMORA_TYPE_OBJECT, remora_value_type(value));
  CHECK_STATUS(REMORA_OK, remora_snapshot_get(snapshot, "flags", "/nothing", &value, &error));
  CHECK_INT(REMORA_TYPE_NULL, remora_value_type(value));
  CHECK_STATUS(REMORA_OK, remora_snapshot_get_n(snapshot, "tree...", 4, pointer, 9, &value, &error));
  CHECK_STATUS(REMORA_OK, remora_value_get_int(value, &integer, &error));
  CHECK_INT(30, integer);
  CHECK_STATUS(REMORA_OK, remora_snapshot_get_n(snapshot, "tree", 4, pointer, 0, &value, &error));
  CHECK_INT(REMORA_TYPE_OBJECT, remora_value_type(value));
  close_scene();
}

TEST("a read with a JSON Pointer to a missing value returns NOT_FOUND, and leaves the output unchanged") {
  const remora_value before = {"a", "b"};
  remora_value value = before;
  open_local(sample_data);
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "/absent", remora_snapshot_get(snapshot, "tree", "/absent", &value, &error));
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "/list/4", remora_snapshot_get(snapshot, "tree", "/list/4", &value, &error));
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "absent", remora_snapshot_get(snapshot, "absent", "/list", &value, &error));
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "/lis", remora_snapshot_get_n(snapshot, "tree", 4, "/list", 4, &value, &error));
  CHECK(value.node == before.node && value.region == before.region);
  close_scene();
}

TEST("the JSON text of a value is canonical") {
  const char flags[] = "{\"id\":\"flags\",\"last_modified\":1000,\"nothing\":null,\"off\":false,\"on\":true}";
  char buffer[256], small[8];
  size_t length = 0;
  open_local(sample_data);
  CHECK_STATUS(REMORA_OK, remora_snapshot_get_json(snapshot, "flags", NULL, buffer, sizeof buffer, &length, &error));
  CHECK_TEXT(flags, buffer);
  CHECK_INT((int64_t)strlen(flags), (int64_t)length);
  CHECK_STATUS(REMORA_OK, remora_snapshot_get_json(snapshot, "flags", "", buffer, sizeof buffer, &length, &error));
  CHECK_TEXT(flags, buffer);
  CHECK_STATUS(REMORA_OK, remora_snapshot_get_json(snapshot, "texts", "/wide", buffer, sizeof buffer, &length, &error));
  CHECK_TEXT("\"a\\u00e9\\u20ac\\ud83d\\ude00\"", buffer);
  CHECK_STATUS(REMORA_OK, remora_snapshot_get_json(snapshot, "texts", "/nul", buffer, sizeof buffer, &length, &error));
  CHECK_TEXT("\"a\\u0000b\"", buffer);
  CHECK_STATUS(REMORA_OK,
               remora_snapshot_get_json(snapshot, "limits", "/half", buffer, sizeof buffer, &length, &error));
  CHECK_TEXT("3.5E0", buffer);
  CHECK_STATUS(REMORA_OK, remora_snapshot_get_json(snapshot, "flags", NULL, NULL, 0, &length, &error));
  CHECK_INT((int64_t)strlen(flags), (int64_t)length);
  CHECK_STATUS(REMORA_OK, remora_snapshot_get_json(snapshot, "flags", NULL, small, sizeof small, &length, &error));
  CHECK_TEXT("{\"id\":\"", small);
  CHECK_INT((int64_t)strlen(flags), (int64_t)length);
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "absent",
                remora_snapshot_get_json(snapshot, "absent", NULL, buffer, sizeof buffer, &length, &error));
  close_scene();
}

TEST("the JSON text of a snapshot is one object") {
  const char *const packaged =
      "{\"data\":[{\"last_modified\":2,\"id\":\"b\"},{\"id\":\"a\",\"last_modified\":1}],\"timestamp\":2}";
  char buffer[256];
  size_t length = 0;
  open_local(packaged);
  CHECK_STATUS(REMORA_OK, remora_snapshot_get_json(snapshot, NULL, NULL, buffer, sizeof buffer, &length, &error));
  CHECK_TEXT("{\"a\":{\"id\":\"a\",\"last_modified\":1},\"b\":{\"id\":\"b\",\"last_modified\":2}}", buffer);
  CHECK_INT((int64_t)strlen(buffer), (int64_t)length);
  close_scene();
}

TEST("a snapshot can be read until its last reference is released") {
  int64_t integer = 0;
  open_local(sample_data);
  remora_snapshot *second = remora_snapshot_retain(snapshot);
  CHECK(second != NULL);
  remora_snapshot_release(snapshot);
  snapshot = NULL;
  CHECK_STATUS(REMORA_OK, remora_snapshot_get_int(second, "limits", "/int", &integer, &error));
  CHECK_INT(7, integer);
  remora_snapshot_release(second);
  CHECK(remora_snapshot_retain(NULL) == NULL);
  remora_snapshot_release(NULL);
  close_scene();
}

TEST("the info of a snapshot has its origin, version and count") {
  remora_snapshot_info info = {.struct_size = sizeof info};
  open_local(sample_data);
  CHECK_STATUS(REMORA_OK, remora_snapshot_get_info(snapshot, &info, &error));
  CHECK_INT(REMORA_ORIGIN_PACKAGED, info.origin);
  CHECK_INT(0, info.verified);
  CHECK_INT(SAMPLE_VERSION, info.version);
  CHECK_INT(0, info.fetched_at_ms);
  CHECK_INT(SAMPLE_COUNT, (int64_t)info.count);
  CHECK_INT(SAMPLE_COUNT, (int64_t)remora_snapshot_count(snapshot));
  CHECK_INT(0, (int64_t)remora_snapshot_count(NULL));
  close_scene();
}
