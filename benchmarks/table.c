/* SPDX-License-Identifier: Apache-2.0
 *
 * XXH3 and open addressing; see table.h.
 */
#include "table.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "measure.h"

typedef struct slot {
  uint64_t hash;
  const char *key; /* NULL: free */
  const char *string;
  uint32_t length;
  int32_t boolean;
} slot;

struct table {
  size_t mask;
  slot *slots;
};

table *table_create(size_t count) {
  size_t capacity = 16;
  while (capacity < count * 2) capacity *= 2;
  table *settings = malloc(sizeof *settings);
  if (!settings) fail("out of memory");
  settings->mask = capacity - 1;
  settings->slots = calloc(capacity, sizeof *settings->slots);
  if (!settings->slots) fail("out of memory");
  return settings;
}

void table_free(table *settings) {
  if (!settings) return;
  free(settings->slots);
  free(settings);
}

/* The slot of the key, or the free slot where it belongs. */
static inline slot *probe(const table *settings, const char *key, size_t length, uint64_t hash) {
  for (size_t i = hash & settings->mask;; i = (i + 1) & settings->mask) {
    slot *candidate = &settings->slots[i];
    if (!candidate->key) return candidate;
    if (candidate->hash == hash && candidate->length == length && memcmp(candidate->key, key, length) == 0)
      return candidate;
  }
}

static inline slot *find(const table *settings, const char *key) {
  size_t length = strlen(key);
  return probe(settings, key, length, XXH3_64bits(key, length));
}

void table_put(table *settings, const char *key, int boolean, const char *string) {
  size_t length = strlen(key);
  uint64_t hash = XXH3_64bits(key, length);
  *probe(settings, key, length, hash) =
      (slot){.hash = hash, .key = key, .string = string, .length = (uint32_t)length, .boolean = boolean};
}

int table_get_bool(const table *settings, const char *key, int fallback) {
  const slot *found = find(settings, key);
  return found->key ? found->boolean : fallback;
}

const char *table_get_string(const table *settings, const char *key, const char *fallback) {
  const slot *found = find(settings, key);
  return found->key ? found->string : fallback;
}
