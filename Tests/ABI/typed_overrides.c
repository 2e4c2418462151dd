/* SPDX-License-Identifier: Apache-2.0 */

/* The header's remora_override_set_bool, _int, _double and _string. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "override_scene.h"

TEST("an override of each type is read with the same value") {
  char text[16];
  open_local(two_records);
  REQUIRE_OK(remora_override_set_bool(source, "a", "/true", 1, 0, &error));
  REQUIRE_OK(remora_override_set_bool(source, "a", "/false", 0, 0, &error));
  REQUIRE_OK(remora_override_set_int(source, "a", "/min", INT64_MIN, 0, &error));
  REQUIRE_OK(remora_override_set_int(source, "a", "/max", INT64_MAX, 0, &error));
  REQUIRE_OK(remora_override_set_double(source, "a", "/half", -0.5, 0, &error));
  REQUIRE_OK(remora_override_set_double(source, "a", "/tiny", 5e-324, 0, &error));
  REQUIRE_OK(remora_override_set_double(source, "a", "/huge", 1.7976931348623157e308, 0, &error));
  REQUIRE_OK(remora_override_set_string(source, "b", NULL, "whole", 0, &error));
  CHECK_INT(1, remora_get_bool(source, "a", "/true", 0));
  CHECK_INT(0, remora_get_bool(source, "a", "/false", 1));
  CHECK(remora_get_int(source, "a", "/min", 0) == INT64_MIN);
  CHECK(remora_get_int(source, "a", "/max", 0) == INT64_MAX);
  CHECK(remora_get_double(source, "a", "/half", 0) == -0.5);
  CHECK(remora_get_double(source, "a", "/tiny", 0) == 5e-324);
  CHECK(remora_get_double(source, "a", "/huge", 0) == 1.7976931348623157e308);
  remora_get_string(source, "b", NULL, text, sizeof text, "");
  CHECK_TEXT("whole", text);
  close_scene();
}

TEST("an override with a whole double is read as an integer too") {
  open_local(two_records);
  REQUIRE_OK(remora_override_set_double(source, "a", "/n", 3.0, 0, &error));
  CHECK_INT(3, remora_get_int(source, "a", "/n", 0));
  CHECK(remora_get_double(source, "a", "/n", 0) == 3.0);
  REQUIRE_OK(remora_override_set_double(source, "a", "/n", -0.0, 0, &error));
  CHECK(remora_get_double(source, "a", "/n", 1) == 0.0);
  close_scene();
}

TEST("a string of an override is read unchanged, whatever characters it has") {
  const char *const texts[] = {"",
                               "say \"hi\"",
                               "back\\slash/ and \\u0041",
                               "\x01\x02\b\t\n\x0b\f\r\x1f\x7f",
                               "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
                               "\xe2\x80\xa8\xef\xbb\xbf\xef\xbf\xbf",
                               "{\"a\":1}",
                               "null"};
  char text[64];
  open_local(two_records);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    REQUIRE_OK(remora_override_set_string(source, "a", "/s", texts[i], 0, &error));
    CHECK_INT((int64_t)strlen(texts[i]), (int64_t)remora_get_string(source, "a", "/s", text, sizeof text, "none"));
    CHECK_TEXT(texts[i], text);
  }
  close_scene();
}

TEST("a long string of an override is accepted up to the limit of JSON text") {
  enum { LIMIT = 1 << 20 };
  open_local(two_records);
  char *text = long_text(LIMIT - 2); /* And two quotes. */
  REQUIRE_OK(remora_override_set_string(source, "a", "/s", text, 0, &error));
  CHECK_INT(LIMIT - 2, (int64_t)remora_get_string(source, "a", "/s", NULL, 0, ""));
  free(text);
  text = long_text(LIMIT - 1);
  CHECK_PARAMETER("value", remora_override_set_string(source, "a", "/s", text, 0, &error));
  CHECK_INT(LIMIT - 2, (int64_t)remora_get_string(source, "a", "/s", NULL, 0, ""));
  free(text);
  close_scene();
}

TEST("with the flag IF_EXISTS, a typed override of a missing key is refused, and changes nothing") {
  const remora_flags flags = REMORA_OVERRIDE_IF_EXISTS;
  open_local(two_records);
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "", remora_override_set_bool(source, "x", "/n", 1, flags, &error));
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "", remora_override_set_int(source, "x", "/n", 1, flags, &error));
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "", remora_override_set_double(source, "x", "/n", 1, flags, &error));
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "", remora_override_set_string(source, "x", "/n", "1", flags, &error));
  CHECK_LIST("");
  REQUIRE_OK(remora_override_set_bool(source, "a", "/b", 1, flags, &error));
  REQUIRE_OK(remora_override_set_int(source, "a", "/i", 1, flags, &error));
  REQUIRE_OK(remora_override_set_double(source, "a", "/d", 0.5, flags, &error));
  REQUIRE_OK(remora_override_set_string(source, "a", "/s", "1", flags, &error));
  CHECK_LIST("a/b=true a/d=5E-1 a/i=1 a/s=\"1\"");
  close_scene();
}

/* Calls a typed function with one wrong argument besides the value; it must be named. */
#define CHECK_ARGUMENTS(function, value)                                                \
  do {                                                                                  \
    CHECK_PARAMETER("source", function(NULL, "a", "/n", value, 0, &error));             \
    CHECK_PARAMETER("key", function(source, NULL, "/n", value, 0, &error));             \
    CHECK_PARAMETER("key", function(source, "", "/n", value, 0, &error));               \
    CHECK_PARAMETER("pointer", function(source, "a", "n", value, 0, &error));           \
    CHECK_PARAMETER("flags", function(source, "a", "/n", value, 2, &error));            \
    CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, function(NULL, NULL, NULL, value, 0, NULL)); \
  } while (0)

TEST("an error of a typed override names the argument, and no override changes") {
  const int32_t bools[] = {2, -1, INT32_MAX, INT32_MIN};
  const double doubles[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
  char deep[200] = "";
  open_local(two_records);
  CHECK_ARGUMENTS(remora_override_set_bool, 1);
  CHECK_ARGUMENTS(remora_override_set_int, 1);
  CHECK_ARGUMENTS(remora_override_set_double, 1);
  CHECK_ARGUMENTS(remora_override_set_string, "1");
  for (int i = 0; i < 4; i++)
    CHECK_PARAMETER("value", remora_override_set_bool(source, "a", "/n", bools[i], 0, &error));
  for (int i = 0; i < 3; i++)
    CHECK_PARAMETER("value", remora_override_set_double(source, "a", "/n", doubles[i], 0, &error));
  CHECK_PARAMETER("value", remora_override_set_string(source, "a", "/n", NULL, 0, &error));
  CHECK_PARAMETER("value", remora_override_set_string(source, "a", "/n", "\xff", 0, &error));
  CHECK_PARAMETER("value", remora_override_set_string(source, "a", "/n", "\xed\xa0\x80", 0, &error));
  for (int i = 0; i < 65; i++) strcat(deep, "/n");
  CHECK_PARAMETER("value", remora_override_set_int(source, "a", deep, 1, 0, &error));
  CHECK_REFUSED(REMORA_ERR_WRONG_TYPE, "", remora_override_set_int(source, "a", "/n/x", 1, 0, &error));
  CHECK_LIST("");
  close_scene();
}
