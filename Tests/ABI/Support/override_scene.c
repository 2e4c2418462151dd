/* SPDX-License-Identifier: Apache-2.0 */

/* Looks at overrides and at what they make of the scene's source. */
#include "override_scene.h"

#include <stdio.h>
#include <string.h>

const char two_records[] =
    "{\"data\":[{\"id\":\"a\",\"last_modified\":1,\"n\":1,\"list\":[1,2],\"deep\":{\"x\":1}},"
    "{\"id\":\"b\",\"last_modified\":1,\"n\":2}],\"timestamp\":1000}";

void set_override(const char *key, const char *pointer, const char *json) {
  REQUIRE_OK(remora_override_set(source, key, pointer, json, 0, &error));
}

void check_live(const char *expected, uint32_t flags, const char *file, int line) {
  remora_snapshot *live = NULL;
  char text[1024];
  size_t length = 0;
  REQUIRE_OK(remora_snapshot_acquire(source, flags, &live, &error));
  REQUIRE_OK(remora_snapshot_get_json(live, NULL, NULL, text, sizeof text, &length, &error));
  check_text(expected, text, "what is live", file, line);
  remora_snapshot_release(live);
}

typedef struct listing {
  char text[1024];
  int left; /* How many are wanted; -1: all. */
} listing;

static int32_t list_one(const remora_override *entry, void *raw) {
  listing *list = raw;
  size_t length = strlen(list->text);
  CHECK_INT((int64_t)strlen(entry->key), (int64_t)entry->key_length);
  CHECK_INT((int64_t)strlen(entry->pointer), (int64_t)entry->pointer_length);
  CHECK_INT((int64_t)strlen(entry->json), (int64_t)entry->json_length);
  snprintf(list->text + length, sizeof list->text - length, "%s%s%s=%s", length ? " " : "", entry->key, entry->pointer,
           entry->json);
  return list->left > 0 && --list->left == 0;
}

void check_list(const char *expected, int wanted, const char *file, int line) {
  listing list = {.left = wanted};
  REQUIRE_OK(remora_override_foreach(source, list_one, &list, &error));
  check_text(expected, list.text, "the overrides", file, line);
}

int32_t origin_of(const char *key) {
  int32_t origin = -1;
  remora_snapshot *live = acquire(source);
  REQUIRE_OK(remora_snapshot_get_origin(live, key, &origin, &error));
  remora_snapshot_release(live);
  return origin;
}

int32_t nothing_is_listed(const remora_override *entry, void *unused) {
  (void)unused;
  CHECK_TEXT("nothing", entry->key);
  return 0;
}
