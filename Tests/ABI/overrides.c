/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "overrides", and remora_snapshot_get_origin: what the host sets wins, until it clears it. */
#include <stdlib.h>
#include <string.h>

#include "override_scene.h"

TEST("an override is read at once, and the original value is read after the override is cleared") {
  open_local(two_records);
  set_override("a", "/n", "10");
  set_override("c", "/new/deep", "\"text\"");
  CHECK_INT(10, remora_get_int(source, "a", "/n", -1));
  CHECK_LIVE(
      "{\"a\":{\"deep\":{\"x\":1},\"id\":\"a\",\"last_modified\":1,\"list\":[1,2],\"n\":10},"
      "\"b\":{\"id\":\"b\",\"last_modified\":1,\"n\":2},\"c\":{\"new\":{\"deep\":\"text\"}}}");
  CHECK_BASE(
      "{\"a\":{\"deep\":{\"x\":1},\"id\":\"a\",\"last_modified\":1,\"list\":[1,2],\"n\":1},"
      "\"b\":{\"id\":\"b\",\"last_modified\":1,\"n\":2}}");
  REQUIRE_OK(remora_override_clear(source, "a", "/n", &error));
  CHECK_INT(1, remora_get_int(source, "a", "/n", -1));
  CHECK_INT(2, (int64_t)remora_snapshot_count(snapshot));
  REQUIRE_OK(remora_override_clear_all(source, &error));
  REQUIRE_OK(remora_override_clear_all(source, &error));
  CHECK_BASE(
      "{\"a\":{\"deep\":{\"x\":1},\"id\":\"a\",\"last_modified\":1,\"list\":[1,2],\"n\":1},"
      "\"b\":{\"id\":\"b\",\"last_modified\":1,\"n\":2}}");
  close_scene();
}

TEST("an override of a whole value can have any type") {
  const char *const values[] = {"true", "-7", "2.5E-1", "\"text\"", "[1,[]]", "{\"x\":{}}"};
  const int32_t types[] = {REMORA_TYPE_BOOL,   REMORA_TYPE_INT,   REMORA_TYPE_DOUBLE,
                           REMORA_TYPE_STRING, REMORA_TYPE_ARRAY, REMORA_TYPE_OBJECT};
  open_local(two_records);
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    for (int named = 0; named < 2; named++) {
      remora_value value;
      char text[64];
      size_t length = 0;
      set_override("a", named ? "" : NULL, values[i]);
      remora_snapshot *live = acquire(source);
      REQUIRE_OK(remora_snapshot_get(live, "a", NULL, &value, &error));
      CHECK_INT(types[i], remora_value_type(value));
      REQUIRE_OK(remora_value_get_json(value, text, sizeof text, &length, &error));
      CHECK_TEXT(values[i], text);
      remora_snapshot_release(live);
    }
  }
  CHECK_LIST("a={\"x\":{}}");
  close_scene();
}

TEST("an override with null takes precedence over the fetched value, and the value is reported as missing") {
  int64_t number = 0;
  open_local(two_records);
  set_override("a", "/n", "null");
  CHECK_INT(-1, remora_get_int(source, "a", "/n", -1));
  set_override("b", NULL, "null");
  remora_value value;
  remora_snapshot *live = acquire(source);
  CHECK_STATUS(REMORA_ERR_NOT_FOUND, remora_snapshot_get_int(live, "a", "/n", &number, &error));
  REQUIRE_OK(remora_snapshot_get(live, "a", "/n", &value, &error));
  CHECK_INT(REMORA_TYPE_NULL, remora_value_type(value));
  CHECK_STATUS(REMORA_ERR_NOT_FOUND, remora_snapshot_get(live, "b", NULL, &value, &error));
  CHECK_INT(1, (int)remora_snapshot_count(live));
  remora_snapshot_release(live);
  CHECK_LIST("a/n=null b=null");
  close_scene();
}

TEST("setting or clearing an override removes the overrides inside its value") {
  open_local(two_records);
  set_override("b", "", "{ \"x\" : 1.50 }");
  set_override("a", "/deep/y", "1");
  set_override("a", "/deep", "{}");
  set_override("a", "/deep/z", "2");
  set_override("B", "/", "3");
  CHECK_LIST("B/=3 a/deep={} a/deep/z=2 b={\"x\":1.5E0}");
  check_list("B/=3 a/deep={}", 2, __FILE__, __LINE__);
  CHECK_INT(2, remora_get_int(source, "a", "/deep/z", -1));
  set_override("a", NULL, "{}");
  CHECK_LIST("B/=3 a={} b={\"x\":1.5E0}");
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "override", remora_override_clear(source, "a", "/deep", &error));
  REQUIRE_OK(remora_override_clear(source, "a", NULL, &error));
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "override", remora_override_clear(source, "a", NULL, &error));
  CHECK_LIST("B/=3 b={\"x\":1.5E0}");
  close_scene();
}

TEST("a snapshot reports whether a key is packaged, fetched or set by an override") {
  int32_t origin = -1;
  open_served(two_records);
  CHECK_INT(REMORA_ORIGIN_PACKAGED, origin_of("a"));
  set_override("a", "/n", "5");
  set_override("c", "", "5");
  CHECK_INT(REMORA_ORIGIN_OVERRIDE, origin_of("a"));
  CHECK_INT(REMORA_ORIGIN_PACKAGED, origin_of("b"));
  CHECK_INT(REMORA_ORIGIN_OVERRIDE, origin_of("c"));
  loopback_publish(server, 2000, "[{\"id\":\"b\",\"last_modified\":2000}]", 0, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_INT(REMORA_ORIGIN_OVERRIDE, origin_of("a"));
  CHECK_INT(REMORA_ORIGIN_FETCHED, origin_of("b"));
  REQUIRE_OK(remora_snapshot_get_origin(snapshot, "a", &origin, &error));
  CHECK_INT(REMORA_ORIGIN_PACKAGED, origin);
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "there is no key", remora_snapshot_get_origin(snapshot, "c", &origin, &error));
  CHECK_INVALID("snapshot", remora_snapshot_get_origin(NULL, "a", &origin, &error));
  CHECK_INVALID("key", remora_snapshot_get_origin(snapshot, NULL, &origin, &error));
  CHECK_INVALID("key", remora_snapshot_get_origin(snapshot, "", &origin, &error));
  CHECK_INVALID("out_origin", remora_snapshot_get_origin(snapshot, "a", NULL, &error));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_snapshot_get_origin(NULL, NULL, NULL, NULL));
  REQUIRE_OK(remora_override_clear_all(source, &error));
  CHECK_INT(REMORA_ORIGIN_FETCHED, origin_of("b"));
  close_scene();
}

TEST("a source without data can have overrides, and a reset keeps them") {
  remora_snapshot_info info = {.struct_size = sizeof info};
  open_served(NULL);
  set_override("x", "/y", "1");
  CHECK_LIVE("{\"x\":{\"y\":1}}");
  remora_snapshot *live = acquire(source);
  REQUIRE_OK(remora_snapshot_get_info(live, &info, &error));
  CHECK_INT(REMORA_ORIGIN_NONE, info.origin);
  CHECK_INT(0, info.version);
  CHECK_INT(1, (int64_t)info.count);
  remora_snapshot_release(live);
  loopback_publish(server, 2000, "[{\"id\":\"x\",\"last_modified\":2000,\"z\":1}]", 0, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_LIVE("{\"x\":{\"id\":\"x\",\"last_modified\":2000,\"y\":1,\"z\":1}}");
  REQUIRE_OK(remora_reset(source, &error));
  CHECK_LIVE("{\"x\":{\"y\":1}}");
  close_scene();
}

TEST("an error about an invalid argument of an override names it, and no override changes") {
  const char *const pointers[] = {"n", "/~", "/~2", "/\xff"};
  const char *const texts[] = {
      "",    " ",  "x", "{", "1 2", "{\"a\":1,\"a\":2}", "9223372036854775808", "1e999", "\"\xff\"", "{\"\\u0000\":1}",
      "'a'", "NaN"};
  open_local(two_records);
  CHECK_INVALID("source", remora_override_set(NULL, "a", "", "1", 0, &error));
  CHECK_INVALID("key", remora_override_set(source, NULL, "", "1", 0, &error));
  CHECK_INVALID("key", remora_override_set(source, "", "", "1", 0, &error));
  CHECK_INVALID("key", remora_override_set(source, "\xff", "", "1", 0, &error));
  CHECK_INVALID("json", remora_override_set(source, "a", "", NULL, 0, &error));
  CHECK_INVALID("source", remora_override_clear(NULL, "a", "", &error));
  CHECK_INVALID("key", remora_override_clear(source, NULL, "", &error));
  CHECK_INVALID("key", remora_override_clear(source, "", "", &error));
  CHECK_INVALID("source", remora_override_clear_all(NULL, &error));
  CHECK_INVALID("source", remora_override_foreach(NULL, nothing_is_listed, NULL, &error));
  CHECK_INVALID("visitor", remora_override_foreach(source, NULL, NULL, &error));
  for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++) {
    CHECK_INVALID("pointer", remora_override_set(source, "a", pointers[i], "1", 0, &error));
    CHECK_INVALID("pointer", remora_override_clear(source, "a", pointers[i], &error));
  }
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    CHECK_INVALID("json", remora_override_set(source, "a", "", texts[i], 0, &error));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_override_set(NULL, NULL, NULL, NULL, 0, NULL));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_override_clear(NULL, NULL, NULL, NULL));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_override_clear_all(NULL, NULL));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_override_foreach(NULL, NULL, NULL, NULL));
  CHECK_LIST("");
  close_scene();
}

TEST("an override inside a value that is not an object is refused, and the error names that value") {
  open_local(two_records);
  CHECK_REFUSED(REMORA_ERR_WRONG_TYPE, "key \"a\" at /n is an integer, not an object",
                remora_override_set(source, "a", "/n/x", "1", 0, &error));
  CHECK_REFUSED(REMORA_ERR_WRONG_TYPE, "key \"a\" at /list is an array, not an object",
                remora_override_set(source, "a", "/list/0", "1", 0, &error));
  set_override("b", "", "[1]");
  CHECK_REFUSED(REMORA_ERR_WRONG_TYPE, "key \"b\" is an array, not an object",
                remora_override_set(source, "b", "/0", "1", 0, &error));
  CHECK_LIST("b=[1]");
  close_scene();
}

TEST("with the flag IF_EXISTS, an override of a missing key is refused, and changes nothing") {
  open_served(two_records);
  REQUIRE_OK(remora_override_set(source, "a", "/new/deep", "5", REMORA_OVERRIDE_IF_EXISTS, &error));
  CHECK_INT(5, remora_get_int(source, "a", "/new/deep", -1));
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "\"c\"",
                remora_override_set(source, "c", NULL, "5", REMORA_OVERRIDE_IF_EXISTS, &error));
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "\"c\"",
                remora_override_set(source, "c", "/x", "5", REMORA_OVERRIDE_IF_EXISTS, &error));
  CHECK_INT(REMORA_ERR_NOT_FOUND, remora_override_set(source, "c", "/x", "5", REMORA_OVERRIDE_IF_EXISTS, NULL));
  CHECK_LIST("a/new/deep=5");
  set_override("c", "", "{}");
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "\"c\"",
                remora_override_set(source, "c", "/x", "5", REMORA_OVERRIDE_IF_EXISTS, &error));
  CHECK_LIST("a/new/deep=5 c={}");
  REQUIRE_OK(remora_override_clear(source, "c", NULL, &error));
  loopback_publish(server, 2000, "[{\"id\":\"a\",\"last_modified\":2000,\"filter_expression\":\"false\"}]", 0, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK_REFUSED(REMORA_ERR_NOT_FOUND, "\"a\"",
                remora_override_set(source, "a", "/n", "5", REMORA_OVERRIDE_IF_EXISTS, &error));
  CHECK_LIST("a/new/deep=5");
  CHECK_INVALID("source", remora_override_set(NULL, "b", "", "1", REMORA_OVERRIDE_IF_EXISTS, &error));
  CHECK_INVALID("key", remora_override_set(source, NULL, "", "1", REMORA_OVERRIDE_IF_EXISTS, &error));
  CHECK_INVALID("key", remora_override_set(source, "", "", "1", REMORA_OVERRIDE_IF_EXISTS, &error));
  CHECK_INVALID("pointer", remora_override_set(source, "b", "n", "1", REMORA_OVERRIDE_IF_EXISTS, &error));
  CHECK_INVALID("json", remora_override_set(source, "b", "", NULL, REMORA_OVERRIDE_IF_EXISTS, &error));
  CHECK_INVALID("json", remora_override_set(source, "b", "", "x", REMORA_OVERRIDE_IF_EXISTS, &error));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_override_set(NULL, NULL, NULL, NULL, REMORA_OVERRIDE_IF_EXISTS, NULL));
  CHECK_LIST("a/new/deep=5");
  close_scene();
}

TEST("the lengths of the keys, JSON Pointers and values of overrides are limited") {
  open_local(NULL);
  char *key = long_text(65536), *json = long_text((1 << 20) + 1);
  CHECK_INVALID("key", remora_override_set(source, key, "", "1", 0, &error));
  CHECK_INVALID("key", remora_override_clear(source, key, "", &error));
  key[65535] = '\0';
  set_override(key, "", "1");
  REQUIRE_OK(remora_override_clear_all(source, &error));
  key[0] = '/';
  set_override("a", key, "1");
  REQUIRE_OK(remora_override_clear_all(source, &error));
  json[0] = json[1 << 20] = '"';
  CHECK_INVALID("json", remora_override_set(source, "a", "", json, 0, &error));
  json[(1 << 20) - 1] = '"';
  json[1 << 20] = '\0';
  set_override("a", "", json);
  memset(json, '[', 65);
  memset(json + 65, ']', 65);
  json[130] = '\0';
  CHECK_INVALID("json", remora_override_set(source, "a", "", json, 0, &error));
  json[129] = '\0';
  CHECK_INVALID("json", remora_override_set(source, "a", "/x", json + 1, 0, &error));
  set_override("a", "", json + 1);
  free(key);
  free(json);
  close_scene();
}
