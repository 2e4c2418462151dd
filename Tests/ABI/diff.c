/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "snapshots": remora_snapshot_diff. */
#include <stdio.h>
#include <string.h>

#include "fixture.h"
#include "recorder.h"

/* What a walk saw, and after how many changes it ends. */
typedef struct walk {
  char seen[256];
  int changes;
  int limit;
} walk;

static int32_t note(const remora_change *change, void *raw) {
  walk *walk = raw;
  size_t length = strlen(walk->seen);
  snprintf(walk->seen + length, sizeof walk->seen - length, "%s%s%s", length ? " " : "", change_mark(change->kind),
           change->key);
  CHECK_INT((int64_t)strlen(change->key), (int64_t)change->key_length);
  CHECK((remora_value_type(change->old_value) == REMORA_TYPE_NONE) == (change->kind == REMORA_CHANGE_CREATED));
  CHECK((remora_value_type(change->new_value) == REMORA_TYPE_NONE) == (change->kind == REMORA_CHANGE_DELETED));
  walk->changes++;
  return walk->changes == walk->limit;
}

static remora_client *client;
static remora_snapshot *one, *two;

/* The snapshots of two collections that hold these records. */
static void open_pair(const char *first, const char *second) {
  client = client_in_memory(NO_SERVER);
  remora_source *old_source = open_untrusted(client, "old", first);
  remora_source *new_source = open_untrusted(client, "new", second);
  one = acquire(old_source);
  two = acquire(new_source);
  remora_source_close(old_source);
  remora_source_close(new_source);
}

static void close_pair(void) {
  remora_snapshot_release(one);
  remora_snapshot_release(two);
  remora_client_close(client);
}

#define CHECK_DIFF(expected, from, to)                                            \
  do {                                                                            \
    walk walk = {.limit = -1};                                                    \
    CHECK_STATUS(REMORA_OK, remora_snapshot_diff(from, to, note, &walk, &error)); \
    CHECK_TEXT(expected, walk.seen);                                              \
  } while (0)

static const char old_data[] =
    "{\"data\":[{\"id\":\"same\",\"last_modified\":1,\"n\":1,\"m\":2.0},{\"id\":\"gone\",\"last_modified\":1},"
    "{\"id\":\"moved\",\"last_modified\":1}],\"timestamp\":1}";
static const char new_data[] =
    "{\"data\":[{\"m\":2.0e0, \"n\":1,\"last_modified\":1,\"id\":\"s\\u0061me\"},"
    "{\"id\":\"moved\",\"last_modified\":2},{\"id\":\"fresh\",\"last_modified\":2}],\"timestamp\":2}";

TEST("the difference of two snapshots lists created, updated and deleted keys in order") {
  open_pair(old_data, new_data);
  CHECK_DIFF("+fresh -gone ~moved", one, two);
  CHECK_DIFF("-fresh +gone ~moved", two, one);
  close_pair();
}

TEST("two values that are equal but written differently are not reported as a difference") {
  open_pair(old_data, old_data);
  CHECK_DIFF("", one, two);
  CHECK_DIFF("", one, one);
  close_pair();
}

TEST("NULL instead of a snapshot is treated as an empty snapshot") {
  open_pair(old_data, new_data);
  CHECK_DIFF("+gone +moved +same", NULL, one);
  CHECK_DIFF("-gone -moved -same", one, NULL);
  CHECK_DIFF("", NULL, NULL);
  close_pair();
}

TEST("a callback can stop the iteration over the difference of two snapshots") {
  walk walk = {.limit = 2};
  open_pair(old_data, new_data);
  CHECK_STATUS(REMORA_OK, remora_snapshot_diff(one, two, note, &walk, &error));
  CHECK_TEXT("+fresh -gone", walk.seen);
  close_pair();
}
