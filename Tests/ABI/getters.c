/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "get by key": reads on a source, which never fail. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

TEST("a getter returns a value of the requested type") {
  open_local(sample_data);
  CHECK_INT(1, remora_get_bool(source, "flags", "/on", 0));
  CHECK_INT(0, remora_get_bool(source, "flags", "/off", 1));
  CHECK_INT(7, remora_get_int(source, "limits", "/int", 0));
  CHECK_INT(INT64_MAX, remora_get_int(source, "limits", "/max", 0));
  CHECK_INT(INT64_MIN, remora_get_int(source, "limits", "/min", 0));
  CHECK_INT(30, remora_get_int(source, "tree", "/list/2/0", 0));
  CHECK(remora_get_double(source, "limits", "/half", 0) == 3.5);
  CHECK(remora_get_double(source, "limits", "/huge", 0) == 1e300);
  close_scene();
}

TEST("a getter converts a number if the conversion is exact") {
  open_local(sample_data);
  CHECK_INT(3, remora_get_int(source, "limits", "/whole", -5));
  CHECK(remora_get_double(source, "limits", "/int", -5) == 7.0);
  CHECK(remora_get_double(source, "limits", "/exact", -5) == 9007199254740992.0);
  close_scene();
}

TEST("a getter returns the default for a number that cannot be converted exactly") {
  open_local(sample_data);
  CHECK_INT(-5, remora_get_int(source, "limits", "/half", -5));
  CHECK_INT(-5, remora_get_int(source, "limits", "/huge", -5));
  CHECK_INT(-5, remora_get_int(source, "limits", "/beyond", -5));
  CHECK(remora_get_double(source, "limits", "/inexact", -5) == -5.0);
  CHECK(remora_get_double(source, "limits", "/max", -5) == -5.0);
  close_scene();
}

TEST("a getter returns the default for a missing, too long or malformed key or JSON Pointer") {
  open_local(sample_data);
  char *long_key = long_text(1024 * 1024);
  const char *const keys[] = {NULL, "", "absent", "/flags", "flags/on", "\xff", long_key};
  const char *const pointers[] = {"on", "/~2", "/on/~", "/absent", "/on/deeper", "", NULL, "/nothing"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    CHECK_INT(9, remora_get_bool(source, keys[i], "/on", 9));
    CHECK_INT(-5, remora_get_int(source, keys[i], "/int", -5));
    CHECK(remora_get_double(source, keys[i], "/half", -5) == -5.0);
    CHECK_INT(1, (int64_t)remora_get_string(source, keys[i], "/plain", NULL, 0, "d"));
  }
  for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++) {
    CHECK_INT(9, remora_get_bool(source, "flags", pointers[i], 9));
    CHECK_INT(-5, remora_get_int(source, "flags", pointers[i], -5));
    CHECK(remora_get_double(source, "flags", pointers[i], -5) == -5.0);
    CHECK_INT(1, (int64_t)remora_get_string(source, "flags", pointers[i], NULL, 0, "d"));
  }
  CHECK_INT(9, remora_get_bool(NULL, "flags", "/on", 9));
  CHECK_INT(-5, remora_get_int(NULL, "limits", "/int", -5));
  CHECK(remora_get_double(NULL, "limits", "/half", -5) == -5.0);
  CHECK_INT(1, (int64_t)remora_get_string(NULL, "texts", "/plain", NULL, 0, "d"));
  CHECK_INT(9, remora_get_bool(source, "limits", "/int", 9));
  CHECK_INT(-5, remora_get_int(source, "flags", "/on", -5));
  CHECK_INT(-5, remora_get_int(source, "texts", "/plain", -5));
  free(long_key);
  close_scene();
}

TEST("a getter copies a string completely if it fits in the buffer") {
  char buffer[16];
  open_local(sample_data);
  CHECK_INT(5, (int64_t)remora_get_string(source, "texts", "/plain", buffer, sizeof buffer, NULL));
  CHECK_TEXT("hello", buffer);
  CHECK_INT(5, (int64_t)remora_get_string(source, "texts", "/plain", buffer, 6, NULL));
  CHECK_TEXT("hello", buffer);
  memset(buffer, 'x', sizeof buffer);
  CHECK_INT(5, (int64_t)remora_get_string(source, "texts", "/plain", buffer, SIZE_MAX, NULL));
  CHECK_TEXT("hello", buffer);
  CHECK_INT(0, (int64_t)remora_get_string(source, "texts", "/empty", buffer, sizeof buffer, "default"));
  CHECK_TEXT("", buffer);
  CHECK_INT(3, (int64_t)remora_get_string(source, "texts", "/nul", buffer, sizeof buffer, NULL));
  CHECK(memcmp(buffer, "a\0b", 4) == 0);
  close_scene();
}

TEST("like snprintf, a getter truncates a string that does not fit, and returns its whole length") {
  char buffer[16];
  open_local(sample_data);
  CHECK_INT(5, (int64_t)remora_get_string(source, "texts", "/plain", NULL, 0, NULL));
  memset(buffer, '#', sizeof buffer);
  CHECK_INT(5, (int64_t)remora_get_string(source, "texts", "/plain", buffer, 0, NULL));
  CHECK_INT('#', buffer[0]);
  CHECK_INT(5, (int64_t)remora_get_string(source, "texts", "/plain", buffer, 1, NULL));
  CHECK_TEXT("", buffer);
  CHECK_INT(5, (int64_t)remora_get_string(source, "texts", "/plain", buffer, 5, NULL));
  CHECK_TEXT("hell", buffer);
  CHECK_INT('#', buffer[5]);
  close_scene();
}

TEST("a getter truncates a string only between UTF-8 characters") {
  /* "a", two bytes, three bytes, four bytes: ten in all. */
  const char *const cut[] = {"", "", "a", "a", "a\xc3\xa9", "a\xc3\xa9", "a\xc3\xa9", "a\xc3\xa9\xe2\x82\xac"};
  char buffer[16];
  open_local(sample_data);
  for (size_t size = 1; size < sizeof cut / sizeof *cut; size++) {
    memset(buffer, '#', sizeof buffer);
    CHECK_INT(10, (int64_t)remora_get_string(source, "texts", "/wide", buffer, size, NULL));
    CHECK_TEXT(cut[size], buffer);
  }
  CHECK_INT(10, (int64_t)remora_get_string(source, "texts", "/wide", buffer, 11, NULL));
  CHECK_TEXT("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", buffer);
  close_scene();
}

TEST("a getter truncates a default string in the same way as a value") {
  char buffer[16] = "before";
  open_local(sample_data);
  CHECK_INT(7, (int64_t)remora_get_string(source, "absent", NULL, buffer, sizeof buffer, "default"));
  CHECK_TEXT("default", buffer);
  CHECK_INT(7, (int64_t)remora_get_string(source, "absent", NULL, buffer, 4, "default"));
  CHECK_TEXT("def", buffer);
  CHECK_INT(0, (int64_t)remora_get_string(source, "absent", NULL, buffer, sizeof buffer, NULL));
  CHECK_TEXT("", buffer);
  CHECK_INT(3, (int64_t)remora_get_string(source, "absent", NULL, buffer, 3, "a\xc3\xa9"));
  CHECK_TEXT("a", buffer);
  CHECK_INT(5, (int64_t)remora_get_string(source, "texts", "/plain", NULL, 10, "default"));
  close_scene();
}

static void check_json(const char *expected, const char *key, const char *pointer) {
  char buffer[128] = "before";
  CHECK_INT((int64_t)strlen(expected),
            (int64_t)remora_get_json(source, key, pointer, buffer, sizeof buffer, "default"));
  CHECK_TEXT(expected, buffer);
}

TEST("remora_get_json copies the JSON text of a value of any type") {
  open_local(sample_data);
  check_json("[10,\"ten\",[30],null]", "tree", "/list");
  check_json("{\"er\":\"yes\"}", "tree", "/nested/deep");
  check_json("true", "flags", "/on");
  check_json("3.5E0", "limits", "/half");
  check_json("-9223372036854775808", "limits", "/min");
  check_json("\"a\\u0000b\"", "texts", "/nul");
  check_json("{\"id\":\"flags\",\"last_modified\":1000,\"nothing\":null,\"off\":false,\"on\":true}", "flags", NULL);
  close_scene();
}

TEST("remora_get_json returns the default for a missing value and for null") {
  char buffer[16] = "before";
  open_local(sample_data);
  check_json("default", "flags", "/nothing");
  check_json("default", "flags", "/absent");
  check_json("default", "flags", "on");
  check_json("default", "absent", NULL);
  check_json("default", NULL, NULL);
  CHECK_INT(0, (int64_t)remora_get_json(source, "absent", NULL, buffer, sizeof buffer, NULL));
  CHECK_TEXT("", buffer);
  CHECK_INT(1, (int64_t)remora_get_json(NULL, "tree", NULL, NULL, 0, "d"));
  CHECK_INT(20, (int64_t)remora_get_json(source, "tree", "/list", buffer, 5, NULL));
  CHECK_TEXT("[10,", buffer);
  CHECK_INT(20, (int64_t)remora_get_json(source, "tree", "/list", NULL, 0, NULL));
  close_scene();
}

TEST("after a close of the client, getters return the default, and remora_snapshot_acquire returns CLOSED") {
  char text[8];
  open_local(sample_data);
  CHECK_INT(7, remora_get_int(source, "limits", "/int", 1));
  remora_client_close(client);
  client = NULL;
  CHECK_INT(1, remora_get_int(source, "limits", "/int", 1));
  CHECK_INT(1, remora_get_bool(source, "flags", "/off", 1));
  CHECK(remora_get_double(source, "limits", "/half", 1) == 1);
  remora_get_string(source, "texts", "/nul", text, sizeof text, "default");
  CHECK_TEXT("default", text);
  check_json("default", "tree", "/list");
  remora_snapshot *snapshot = NULL;
  CHECK_STATUS(REMORA_ERR_CLOSED, remora_snapshot_acquire(source, 0, &snapshot, &error));
  close_scene();
}

TEST("remora_get_url returns a value of any scheme if it is an absolute URI") {
  static const char *const urls[] = {"https://h/p#f", "picsart://editor", "mailto:a@b.example",
                                     "app:",          "data:,x",          "x-app+1.0://u@h:1/p?q#f",
                                     "urn:a:b",       "picsart://%41/"};
  static const char *const others[] = {
      "",        "editor",        "/path",       "//host/path",   "1a://b",       "a b",
      "http://", "https://u@h/",  "http:editor", "picsart://a b", "picsart://%4", "picsart://h\\\\x",
      ":x",      "caf\\u00e9://x"};
  char buffer[64];
  char data[1024] = "{\"data\":[{\"id\":\"urls\",\"last_modified\":1,\"good\":[";
  for (size_t i = 0; i < sizeof urls / sizeof *urls; i++)
    snprintf(data + strlen(data), sizeof data - strlen(data), "%s\"%s\"", i ? "," : "", urls[i]);
  strcat(data, "],\"bad\":[");
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    snprintf(data + strlen(data), sizeof data - strlen(data), "%s\"%s\"", i ? "," : "", others[i]);
  strcat(data, "]}],\"timestamp\":1}");
  open_local(data);
  for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
    char pointer[16];
    snprintf(pointer, sizeof pointer, "/good/%d", (int)i);
    remora_get_url(source, "urls", pointer, buffer, sizeof buffer, "default");
    CHECK_TEXT(urls[i], buffer);
  }
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    char pointer[16];
    snprintf(pointer, sizeof pointer, "/bad/%d", (int)i);
    remora_get_url(source, "urls", pointer, buffer, sizeof buffer, "default");
    CHECK_TEXT("default", buffer);
  }
  close_scene();
}
