/* SPDX-License-Identifier: Apache-2.0 */

/* remora_source_get_change_count, and URLs and JSON of bound keys. */
#include <string.h>

#include "activation_scene.h"
#include "override_scene.h"

TEST("the change count of a source increases when another snapshot becomes live, and at no other time") {
  open_served(sample_data);
  loopback_publish(server, 2000, "[{\"id\":\"a\",\"last_modified\":2000}]", 0, NULL);
  int64_t count = remora_source_get_change_count(source);
  CHECK(count >= 0);
  remora_snapshot_release(acquire(source));
  CHECK_INT(count, remora_source_get_change_count(source));
  CHECK_REFRESH(REMORA_OUTCOME_UPDATED, source);
  CHECK(remora_source_get_change_count(source) > count);
  count = remora_source_get_change_count(source);
  CHECK_REFRESH(REMORA_OUTCOME_UNCHANGED, source);
  loopback_fail(server, 500, NULL);
  CHECK_REFRESH(REMORA_OUTCOME_FAILED, source);
  CHECK_INT(count, remora_source_get_change_count(source));
  REQUIRE_OK(remora_override_set_int(source, "a", "/n", 1, 0, &error));
  CHECK(remora_source_get_change_count(source) > count);
  count = remora_source_get_change_count(source);
  REQUIRE_OK(remora_reset(source, &error));
  CHECK(remora_source_get_change_count(source) > count);
  close_scene();
}

TEST("a staged version does not change the count of its source until it is activated") {
  open_with(REMORA_ACTIVATION_MANUAL, NULL);
  int64_t count = remora_source_get_change_count(source);
  CHECK_REFRESH(REMORA_OUTCOME_STAGED, source);
  CHECK_INT(count, remora_source_get_change_count(source));
  check_activated(REMORA_OUTCOME_UPDATED);
  CHECK(remora_source_get_change_count(source) > count);
  close_scene();
}

TEST("the change count of a closed source stays, and that of NULL is 0") {
  open_local(sample_data);
  REQUIRE_OK(remora_override_set_int(source, "a", "/n", 1, 0, &error));
  const int64_t count = remora_source_get_change_count(source);
  CHECK(count > 0);
  remora_client_close(client);
  client = NULL;
  CHECK_INT(count, remora_source_get_change_count(source));
  CHECK_INT(0, remora_source_get_change_count(NULL));
  close_scene();
}

static remora_key *bind(const char *name, const char *pointer) {
  remora_key *key = NULL;
  REQUIRE_OK(remora_key_bind(source, name, pointer, &key, &error));
  return key;
}

typedef size_t (*get_text)(remora_key *key, char *buffer, size_t size, const char *default_value);

/* Twice: the first read looks the value up, the second can use what is cached. */
static void check_text_of(remora_key *key, get_text get, const char *expected) {
  char buffer[128];
  for (int i = 0; i < 2; i++) {
    CHECK_INT((int64_t)strlen(expected), (int64_t)get(key, buffer, sizeof buffer, "none"));
    CHECK_TEXT(expected, buffer);
  }
}

TEST("a key handle reads a URL, and returns the default for any other text or type") {
  open_local(two_records);
  remora_key *key = bind("a", "/url");
  check_text_of(key, remora_key_get_url, "none");
  REQUIRE_OK(remora_override_set_string(source, "a", "/url", "https://example.com/a?b", 0, &error));
  check_text_of(key, remora_key_get_url, "https://example.com/a?b");
  REQUIRE_OK(remora_override_set_string(source, "a", "/url", "app://editor", 0, &error));
  check_text_of(key, remora_key_get_url, "app://editor");
  const char *const others[] = {"", "/relative", "not a url", "http://u:p@h/", "https://"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    REQUIRE_OK(remora_override_set_string(source, "a", "/url", others[i], 0, &error));
    check_text_of(key, remora_key_get_url, "none");
    check_text_of(key, remora_key_get_string, others[i]);
  }
  REQUIRE_OK(remora_override_set_int(source, "a", "/url", 1, 0, &error));
  check_text_of(key, remora_key_get_url, "none");
  remora_key_release(key);
  close_scene();
}

TEST("a key handle reads a value of any type as JSON, and returns the default for null or no value") {
  open_local(two_records);
  remora_key *whole = bind("a", NULL), *part = bind("a", "/x");
  check_text_of(whole, remora_key_get_json,
                "{\"deep\":{\"x\":1},\"id\":\"a\",\"last_modified\":1,\"list\":[1,2],\"n\":1}");
  check_text_of(part, remora_key_get_json, "none");
  REQUIRE_OK(remora_override_set_bool(source, "a", "/x", 1, 0, &error));
  check_text_of(part, remora_key_get_json, "true");
  REQUIRE_OK(remora_override_set_string(source, "a", "/x", "q\"", 0, &error));
  check_text_of(part, remora_key_get_json, "\"q\\\"\"");
  REQUIRE_OK(remora_override_set(source, "a", "/x", "null", 0, &error));
  check_text_of(part, remora_key_get_json, "none");
  char buffer[5];
  CHECK(remora_key_get_json(whole, buffer, sizeof buffer, NULL) > sizeof buffer);
  CHECK_TEXT("{\"de", buffer);
  CHECK_INT(0, (int64_t)remora_key_get_json(part, buffer, sizeof buffer, NULL));
  CHECK_TEXT("", buffer);
  remora_key_release(part);
  remora_client_close(client);
  client = NULL;
  check_text_of(whole, remora_key_get_json, "none");
  check_text_of(whole, remora_key_get_url, "none");
  check_text_of(NULL, remora_key_get_json, "none");
  check_text_of(NULL, remora_key_get_url, "none");
  remora_key_release(whole);
  close_scene();
}
