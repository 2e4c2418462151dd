/* SPDX-License-Identifier: Apache-2.0 */

/* The header's remora_value_record_fields: the members of a record as one JSON object. */
#include "attachment_scene.h"

/* The members of a record, as remora_value_record_fields has them; NULL for a value that is none. */
static void check_fields(const char *id, const char *expected) {
  char text[128];
  size_t length = 0;
  remora_value record;
  REQUIRE_OK(remora_snapshot_get(snapshot, id, NULL, &record, &error));
  CHECK_STATUS(REMORA_OK, remora_value_record_fields(record, text, sizeof text, &length, &error));
  CHECK_TEXT(expected, text);
  CHECK_INT((int64_t)strlen(expected), (int64_t)length);
  CHECK_STATUS(REMORA_OK, remora_value_record_fields(record, NULL, 0, &length, &error));
  CHECK_INT((int64_t)strlen(expected), (int64_t)length);
  CHECK_STATUS(REMORA_OK, remora_value_record_fields(record, text, 4, &length, &error));
  CHECK_INT(3, (int64_t)strlen(text));
}

TEST("the fields of a record are its members without id, last_modified and attachment") {
  open_attachments(NULL);
  check_fields("small", "{\"title\":\"small\"}");
  check_fields("plain", "{\"n\":1.5E0}");
  close_scene();
}
