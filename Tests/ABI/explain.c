/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "explain": why a key has its value, as JSON and as lines. */
#include <stdlib.h>
#include <string.h>

#include "override_scene.h"

static const char *explained(const char *key, const char *pointer, remora_flags flags) {
  static char text[4096];
  size_t length = 0;
  REQUIRE_OK(remora_explain(source, key, pointer, flags, text, sizeof text, &length, &error));
  CHECK_INT((int64_t)strlen(text), (int64_t)length);
  return text;
}

TEST("an explanation names the layers of a value, and the one that wins") {
  open_local(two_records);
  set_override("a", "/n", "10");
  CHECK_TEXT(
      "{\"key\":\"a\",\"layers\":[{\"layer\":\"override\",\"reason\":null,\"value\":10,\"wins\":true},"
      "{\"fetched_at_ms\":0,\"layer\":\"packaged\",\"reason\":null,\"value\":1,\"verified\":false,\"version\":1000,"
      "\"wins\":false}],\"pointer\":\"/n\",\"reason\":null,\"type\":\"int\",\"value\":10}",
      explained("a", "/n", 0));
  CHECK_TEXT(
      "a /n: 10\n\n* override     10\n  packaged     1\n"
      "               version 1000, shipped with the host, not verified\n",
      explained("a", "/n", REMORA_EXPLAIN_TEXT));
  CHECK_TEXT("none: no value\n  the key does not exist\n", explained("none", NULL, REMORA_EXPLAIN_TEXT));
  close_scene();
}

TEST("an explanation that is longer than the buffer is truncated, and its length is returned") {
  char text[8];
  size_t length = 0, whole = 0;
  open_local(two_records);
  REQUIRE_OK(remora_explain(source, "a", NULL, 0, NULL, 0, &whole, &error));
  REQUIRE_OK(remora_explain(source, "a", NULL, 0, text, sizeof text, &length, &error));
  CHECK_TEXT("{\"key\":", text);
  CHECK_INT((int64_t)whole, (int64_t)length);
  REQUIRE_OK(remora_explain(source, "a", NULL, 0, text, sizeof text, NULL, NULL));
  close_scene();
}

TEST("an explanation with an invalid argument is refused, and writes nothing") {
  char text[8] = "before";
  size_t length = 99;
  open_local(two_records);
  CHECK_INVALID("source", remora_explain(NULL, "a", NULL, 0, text, sizeof text, &length, &error));
  CHECK_INVALID("key", remora_explain(source, NULL, NULL, 0, text, sizeof text, &length, &error));
  CHECK_INVALID("key", remora_explain(source, "", NULL, 0, text, sizeof text, &length, &error));
  CHECK_INVALID("pointer", remora_explain(source, "a", "n", 0, text, sizeof text, &length, &error));
  CHECK_INVALID("flags", remora_explain(source, "a", NULL, 2, text, sizeof text, &length, &error));
  CHECK_INVALID("buffer", remora_explain(source, "a", NULL, 0, NULL, 1, &length, &error));
  CHECK_TEXT("before", text);
  CHECK_INT(99, (int64_t)length);
  close_scene();
}
