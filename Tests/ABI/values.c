/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "values": types, members, elements, pointers. */
#include <string.h>

#include "scene.h"

static const remora_value none = {NULL, NULL};

/* The value of a key, followed by a pointer. */
static remora_value value_of(const char *key, const char *pointer) {
  remora_value value = none;
  REQUIRE_OK(remora_snapshot_get(snapshot, key, NULL, &value, &error));
  REQUIRE_OK(remora_value_resolve(value, pointer, &value, &error));
  return value;
}

TEST("remora_value_type returns a different constant for each type of JSON value") {
  open_local(sample_data);
  CHECK_INT(REMORA_TYPE_NONE, remora_value_type(none));
  CHECK_INT(REMORA_TYPE_NULL, remora_value_type(value_of("flags", "/nothing")));
  CHECK_INT(REMORA_TYPE_BOOL, remora_value_type(value_of("flags", "/on")));
  CHECK_INT(REMORA_TYPE_INT, remora_value_type(value_of("limits", "/int")));
  CHECK_INT(REMORA_TYPE_DOUBLE, remora_value_type(value_of("limits", "/whole")));
  CHECK_INT(REMORA_TYPE_STRING, remora_value_type(value_of("texts", "/empty")));
  CHECK_INT(REMORA_TYPE_ARRAY, remora_value_type(value_of("tree", "/list")));
  CHECK_INT(REMORA_TYPE_OBJECT, remora_value_type(value_of("tree", NULL)));
  close_scene();
}

TEST("scalar values are converted by the same rules when they are read from a value and from a snapshot") {
  int32_t boolean = -5;
  int64_t integer = -5;
  double number = -5;
  const char *text = NULL;
  size_t length = 0;
  open_local(sample_data);
  CHECK_STATUS(REMORA_OK, remora_value_get_bool(value_of("flags", "/off"), &boolean, &error));
  CHECK_INT(0, boolean);
  CHECK_STATUS(REMORA_OK, remora_value_get_int(value_of("limits", "/whole"), &integer, &error));
  CHECK_INT(3, integer);
  CHECK_STATUS(REMORA_OK, remora_value_get_double(value_of("limits", "/int"), &number, &error));
  CHECK(number == 7.0);
  CHECK_STATUS(REMORA_OK, remora_value_get_string(value_of("texts", "/nul"), &text, &length, &error));
  CHECK_INT(3, (int64_t)length);
  CHECK(text && memcmp(text, "a\0b", 4) == 0);
  CHECK_STATUS(REMORA_ERR_WRONG_TYPE, remora_value_get_int(value_of("limits", "/half"), &integer, &error));
  CHECK_STATUS(REMORA_ERR_WRONG_TYPE, remora_value_get_double(value_of("limits", "/inexact"), &number, &error));
  CHECK_STATUS(REMORA_ERR_WRONG_TYPE, remora_value_get_bool(value_of("limits", "/int"), &boolean, &error));
  CHECK_STATUS(REMORA_ERR_WRONG_TYPE, remora_value_get_string(value_of("tree", "/list"), &text, &length, &error));
  CHECK_STATUS(REMORA_ERR_NOT_FOUND, remora_value_get_bool(value_of("flags", "/nothing"), &boolean, &error));
  CHECK_STATUS(REMORA_ERR_NOT_FOUND, remora_value_get_int(value_of("flags", "/nothing"), &integer, &error));
  CHECK_STATUS(REMORA_ERR_NOT_FOUND, remora_value_get_double(value_of("flags", "/nothing"), &number, &error));
  CHECK_STATUS(REMORA_ERR_NOT_FOUND, remora_value_get_string(value_of("flags", "/nothing"), &text, &length, &error));
  close_scene();
}

TEST("members of a JSON object are found by name and by position") {
  const char *const names[] = {"", "a/b", "id", "last_modified", "list", "m~n", "nested", "~1"};
  const char *name = NULL;
  size_t length = 0;
  remora_value member;
  int64_t integer = 0;
  open_local(sample_data);
  remora_value tree = value_of("tree", NULL);
  CHECK_INT(sizeof names / sizeof *names, (int64_t)remora_value_count(tree));
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    CHECK_STATUS(REMORA_OK, remora_value_item(tree, i, &name, &length, &member, &error));
    CHECK_TEXT(names[i], name);
    CHECK_INT((int64_t)strlen(names[i]), (int64_t)length);
    CHECK_STATUS(REMORA_OK, remora_value_member(tree, names[i], &member, &error));
    CHECK(remora_value_type(member) != REMORA_TYPE_NONE);
  }
  CHECK_STATUS(REMORA_OK, remora_value_member(tree, "", &member, &error));
  CHECK_STATUS(REMORA_OK, remora_value_get_int(member, &integer, &error));
  CHECK_INT(3, integer);
  CHECK_STATUS(REMORA_OK, remora_value_item(tree, 0, NULL, NULL, NULL, &error));
  CHECK_STATUS(REMORA_OK, remora_value_member(value_of("flags", NULL), "nothing", &member, &error));
  CHECK_INT(REMORA_TYPE_NULL, remora_value_type(member));
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "absent", remora_value_member(tree, "absent", &member, &error));
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "8", remora_value_item(tree, 8, &name, &length, &member, &error));
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "", remora_value_item(tree, SIZE_MAX, &name, &length, &member, &error));
  CHECK_STATUS(REMORA_ERR_WRONG_TYPE, remora_value_member(value_of("tree", "/list"), "0", &member, &error));
  close_scene();
}

TEST("elements of a JSON array are found by position") {
  const int32_t types[] = {REMORA_TYPE_INT, REMORA_TYPE_STRING, REMORA_TYPE_ARRAY, REMORA_TYPE_NULL};
  const char *name = "";
  size_t length = 7;
  remora_value element;
  open_local(sample_data);
  remora_value list = value_of("tree", "/list");
  CHECK_INT(4, (int64_t)remora_value_count(list));
  for (size_t i = 0; i < 4; i++) {
    CHECK_STATUS(REMORA_OK, remora_value_item(list, i, &name, &length, &element, &error));
    CHECK(name == NULL && length == 0);
    CHECK_INT(types[i], remora_value_type(element));
  }
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "4", remora_value_item(list, 4, NULL, NULL, &element, &error));
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "", remora_value_item(list, SIZE_MAX, NULL, NULL, &element, &error));
  CHECK_STATUS(REMORA_ERR_WRONG_TYPE,
               remora_value_item(value_of("limits", "/int"), 0, &name, &length, &element, &error));
  CHECK_STATUS(REMORA_ERR_WRONG_TYPE, remora_value_item(value_of("texts", "/plain"), 0, NULL, NULL, NULL, &error));
  close_scene();
}

TEST("remora_value_count returns 0 for a value that is neither an array nor an object") {
  open_local(sample_data);
  CHECK_INT(0, (int64_t)remora_value_count(none));
  CHECK_INT(0, (int64_t)remora_value_count(value_of("flags", "/nothing")));
  CHECK_INT(0, (int64_t)remora_value_count(value_of("limits", "/int")));
  CHECK_INT(0, (int64_t)remora_value_count(value_of("texts", "/plain")));
  close_scene();
}

TEST("a JSON Pointer with escapes is resolved") {
  const struct {
    const char *pointer;
    int64_t number;
  } found[] = {{"/a~1b", 1}, {"/m~0n", 2}, {"/", 3}, {"/~01", 4}, {"/list/0", 10}, {"/list/2/0", 30}};
  int64_t integer = 0;
  open_local(sample_data);
  for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
    CHECK_STATUS(REMORA_OK, remora_value_get_int(value_of("tree", found[i].pointer), &integer, &error));
    CHECK_INT(found[i].number, integer);
  }
  CHECK_INT(REMORA_TYPE_OBJECT, remora_value_type(value_of("tree", "")));
  CHECK_INT(REMORA_TYPE_NULL, remora_value_type(value_of("tree", "/list/3")));
  close_scene();
}

TEST("remora_value_resolve returns NOT_FOUND for a JSON Pointer to a missing value, and refuses a malformed one") {
  const char *const absent[] = {"/list/4",      "/list/-", "/list/-1", "/list/1e0", "/list/99999999999999999999",
                                "/list/0/deep", "/absent", "//",       "/list/",    "/nested/deep/er/x"};
  const char *const malformed[] = {"x", "/~2", "/a/~", "list/0"};
  remora_value value;
  open_local(sample_data);
  remora_value tree = value_of("tree", NULL);
  for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
    CHECK_REFUSED(REMORA_ERR_NOT_FOUND, absent[i], remora_value_resolve(tree, absent[i], &value, &error));
  for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++)
    CHECK_INVALID("pointer", remora_value_resolve(tree, malformed[i], &value, &error));
  CHECK(remora_value_resolve(tree, "/list/01", &value, NULL) != REMORA_OK);
  CHECK(remora_value_resolve(tree, "/list/00", &value, NULL) != REMORA_OK);
  close_scene();
}

TEST("the JSON text of a value is canonical") {
  char buffer[64];
  size_t length = 0;
  open_local(sample_data);
  CHECK_STATUS(REMORA_OK, remora_value_get_json(value_of("tree", "/list"), buffer, sizeof buffer, &length, &error));
  CHECK_TEXT("[10,\"ten\",[30],null]", buffer);
  CHECK_INT(20, (int64_t)length);
  CHECK_STATUS(REMORA_OK, remora_value_get_json(value_of("tree", "/nested"), buffer, sizeof buffer, &length, &error));
  CHECK_TEXT("{\"deep\":{\"er\":\"yes\"}}", buffer);
  CHECK_STATUS(REMORA_OK, remora_value_get_json(value_of("flags", "/nothing"), buffer, sizeof buffer, &length, &error));
  CHECK_TEXT("null", buffer);
  CHECK_STATUS(REMORA_OK, remora_value_get_json(value_of("limits", "/min"), buffer, sizeof buffer, &length, &error));
  CHECK_TEXT("-9223372036854775808", buffer);
  CHECK_STATUS(REMORA_OK, remora_value_get_json(value_of("tree", "/list"), buffer, 4, &length, &error));
  CHECK_TEXT("[10", buffer);
  CHECK_STATUS(REMORA_OK, remora_value_get_json(value_of("tree", "/list"), NULL, 0, &length, &error));
  CHECK_INT(20, (int64_t)length);
  close_scene();
}

TEST("remora_value_get_url returns a value only if it is an absolute URI") {
  const char packaged[] =
      "{\"data\":[{\"id\":\"a\",\"last_modified\":1,\"odd\":\"app://editor?x=\u00e9\",\"plain\":\"app://editor\","
      "\"no\":\"editor\",\"number\":1,\"null\":null}],\"timestamp\":1}";
  const char *url = "before";
  size_t length = 99;
  open_local(packaged);
  CHECK_STATUS(REMORA_ERR_WRONG_TYPE, remora_value_get_url(value_of("a", "/no"), &url, &length, &error));
  CHECK_STATUS(REMORA_ERR_WRONG_TYPE, remora_value_get_url(value_of("a", "/odd"), &url, &length, &error));
  CHECK_STATUS(REMORA_ERR_WRONG_TYPE, remora_value_get_url(value_of("a", "/number"), &url, &length, &error));
  CHECK_STATUS(REMORA_ERR_NOT_FOUND, remora_value_get_url(value_of("a", "/null"), &url, &length, &error));
  CHECK_TEXT("before", url);
  CHECK_INT(99, (int64_t)length);
  CHECK_STATUS(REMORA_OK, remora_value_get_url(value_of("a", "/plain"), &url, &length, &error));
  CHECK_TEXT("app://editor", url);
  CHECK_INT(12, (int64_t)length);
  CHECK_STATUS(REMORA_OK, remora_value_get_url(value_of("a", "/plain"), &url, NULL, &error));
  close_scene();
}

TEST("an error of a value function about an empty value or a NULL argument names the argument") {
  const char *text;
  char buffer[8];
  size_t length;
  int32_t boolean;
  int64_t integer;
  double number;
  remora_value out;
  open_local(sample_data);
  remora_value tree = value_of("tree", NULL), list = value_of("tree", "/list");
  CHECK_INVALID("value", remora_value_get_bool(none, &boolean, &error));
  CHECK_INVALID("out_value", remora_value_get_bool(value_of("flags", "/on"), NULL, &error));
  CHECK_INVALID("value", remora_value_get_int(none, &integer, &error));
  CHECK_INVALID("out_value", remora_value_get_int(value_of("limits", "/int"), NULL, &error));
  CHECK_INVALID("value", remora_value_get_double(none, &number, &error));
  CHECK_INVALID("out_value", remora_value_get_double(value_of("limits", "/half"), NULL, &error));
  CHECK_INVALID("value", remora_value_get_string(none, &text, &length, &error));
  CHECK_INVALID("out_string", remora_value_get_string(value_of("texts", "/plain"), NULL, &length, &error));
  CHECK_INVALID("value", remora_value_get_url(none, &text, &length, &error));
  CHECK_INVALID("out_url", remora_value_get_url(value_of("texts", "/plain"), NULL, &length, &error));
  CHECK_INVALID("value", remora_value_get_json(none, buffer, sizeof buffer, &length, &error));
  CHECK_INVALID("buffer", remora_value_get_json(list, NULL, 1, &length, &error));
  CHECK_INVALID("value", remora_value_member(none, "a", &out, &error));
  CHECK_INVALID("name", remora_value_member(tree, NULL, &out, &error));
  CHECK_INVALID("out_value", remora_value_member(tree, "id", NULL, &error));
  CHECK_INVALID("value", remora_value_item(none, 0, &text, &length, &out, &error));
  CHECK_INVALID("value", remora_value_resolve(none, "/a", &out, &error));
  CHECK_INVALID("out_value", remora_value_resolve(tree, "/id", NULL, &error));
  close_scene();
}

TEST("every value function accepts NULL as its argument for the error") {
  const remora_status invalid = REMORA_ERR_INVALID_ARGUMENT;
  CHECK_INT(invalid, remora_value_get_bool(none, NULL, NULL));
  CHECK_INT(invalid, remora_value_get_int(none, NULL, NULL));
  CHECK_INT(invalid, remora_value_get_double(none, NULL, NULL));
  CHECK_INT(invalid, remora_value_get_string(none, NULL, NULL, NULL));
  CHECK_INT(invalid, remora_value_get_url(none, NULL, NULL, NULL));
  CHECK_INT(invalid, remora_value_get_json(none, NULL, 0, NULL, NULL));
  CHECK_INT(invalid, remora_value_member(none, NULL, NULL, NULL));
  CHECK_INT(invalid, remora_value_item(none, 0, NULL, NULL, NULL, NULL));
  CHECK_INT(invalid, remora_value_resolve(none, NULL, NULL, NULL));
}
