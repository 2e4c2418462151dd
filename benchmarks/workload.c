/* SPDX-License-Identifier: Apache-2.0
 *
 * Keys, values and documents; see workload.h.
 */
#include "workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

enum { RECORD_ROOM = 192, LARGE_ROOM = 1024 };

static const char *const areas[] = {"billing", "checkout", "search",    "player",   "account", "network",
                                    "editor",  "notify",   "telemetry", "download", "startup", "privacy"};
static const char *const things[] = {"retry",  "banner", "cache",  "session", "sidebar", "invoice",
                                     "upload", "prompt", "region", "worker",  "codec",   "gateway"};
static const char *const aspects[] = {"enabled", "limit", "timeout", "rollout", "endpoint", "variant", "fallback"};

#define PICK(list, number) ((list)[(number) % (sizeof(list) / sizeof *(list))])

/* splitmix64: small, and equal on all platforms. */
static uint64_t next_random(uint64_t *state) {
  uint64_t z = (*state += 0x9E3779B97F4A7C15ULL);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

static void *allocate(size_t size) {
  void *memory = malloc(size ? size : 1);
  if (!memory) fail("out of memory");
  return memory;
}

static void shuffle(size_t *order, size_t count, uint64_t *state) {
  for (size_t i = count; i > 1; i--) {
    size_t j = (size_t)(next_random(state) % i);
    size_t other = order[j];
    order[j] = order[i - 1];
    order[i - 1] = other;
  }
}

workload *workload_create(size_t count) {
  uint64_t state = 20260101;
  workload *settings = allocate(sizeof *settings);
  settings->count = count;
  settings->keys = allocate(count * sizeof *settings->keys);
  for (size_t i = 0; i < count; i++) {
    uint64_t r = next_random(&state);
    snprintf(settings->keys[i], WORKLOAD_KEY_SIZE, "%s-%s-%s-%06zu", PICK(areas, r), PICK(things, r >> 16),
             PICK(aspects, r >> 32), i);
  }
  size_t *order = allocate(count * sizeof *order);
  for (size_t i = 0; i < count; i++) order[i] = i;
  shuffle(order, count, &state);
  settings->reads = allocate(count * sizeof *settings->reads);
  settings->read_bytes = allocate(count * sizeof *settings->keys);
  char *cursor = settings->read_bytes;
  for (size_t i = 0; i < count; i++) {
    size_t bytes = strlen(settings->keys[order[i]]) + 1;
    settings->reads[i] = memcpy(cursor, settings->keys[order[i]], bytes);
    cursor += bytes;
  }
  free(order);
  return settings;
}

void workload_free(workload *settings) {
  if (!settings) return;
  free(settings->keys);
  free(settings->reads);
  free(settings->read_bytes);
  free(settings);
}

int workload_bool(size_t index, int flip) { return (int)((index * 2654435761U >> 7) & 1) ^ flip; }

/* 8 to 31 bytes, so that only some fit into the inline buffer of std::string. */
void workload_string(size_t index, int flip, char out[WORKLOAD_STRING_SIZE]) {
  static const char tail[] = "-europe-west-standard-tier";
  int room = (int)(index * 40503U % 24);
  snprintf(out, WORKLOAD_STRING_SIZE, "%c%07zu%.*s", flip ? 'B' : 'A', index, room, tail);
}

/* The boolean is the value of the record's member, and the other members follow it. */
static int write_nested(char *out, size_t room, size_t index, int flip) {
  static const char *const countries[] = {"de", "fr", "gb", "us", "jp", "br", "in", "pl"};
  const char *area = PICK(areas, index), *thing = PICK(things, index / 3), *aspect = PICK(aspects, index / 5);
  double share = (double)(index * 2654435761U % 1000003) / 1000003 / (flip ? 2 : 1);
  return snprintf(
      out, room,
      "%s,\"name\":\"%s %s %s\",\"description\":\"Controls the %s of the %s in the area %s for a part of users\","
      "\"targeting\":{\"countries\":[\"%s\",\"%s\"],\"version\":{\"min\":\"%zu.%zu\",\"max\":null},"
      "\"share\":%.6f,\"seed\":%zu},"
      "\"variants\":[{\"name\":\"control\",\"weight\":%.4f,\"parameters\":{\"delay\":%zu,\"factor\":%.3f}},"
      "{\"name\":\"%s\",\"weight\":%.4f,\"parameters\":{\"delay\":%zu,\"factor\":%.3f}}],"
      "\"links\":{\"help\":\"https://support.example.com/%s/%s/%s/topic-%07zu\","
      "\"owner\":\"team-%s@example.com\"}",
      workload_bool(index, flip) ? "true" : "false", area, thing, aspect, aspect, thing, area, PICK(countries, index),
      PICK(countries, index / 2 + 3), index % 140, index % 10, share, index * 40503U % 1000000, 1 - share, index % 5000,
      1 + share, aspect, share, (index * 7) % 5000, 2 - share, area, thing, aspect, index, area);
}

/* 64 digits, as of a SHA-256. */
static void write_hash(char out[65], size_t index, int flip) {
  uint64_t state = index * 2 + (size_t)flip;
  for (int part = 0; part < 4; part++)
    snprintf(out + 16 * part, 17, "%016llx", (unsigned long long)next_random(&state));
}

static int write_file(char *out, size_t room, size_t index, int flip) {
  static const char *const languages[] = {"de", "fr", "sr", "es", "ja", "pt", "hi", "pl", "uk", "nl"};
  static const char *const types[] = {"model", "lex", "vocab"};
  const char *language = PICK(languages, index / 3), *type = PICK(types, index);
  char hash[65];
  write_hash(hash, index, flip);
  return snprintf(
      out, room,
      "%s,\"schema\":%lld,\"name\":\"%s.%sen.%s.bin\",\"fileType\":\"%s\",\"fromLang\":\"%s\",\"toLang\":\"en\","
      "\"version\":\"%zu.0\",\"attachment\":{\"filename\":\"%s.%sen.%s.bin\",\"hash\":\"%s\",\"size\":%zu,"
      "\"location\":\"main-workspace/files/%.8s-%.4s-4abc-81ab-%.12s.bin\",\"mimetype\":\"application/octet-stream\"},"
      "\"filter_expression\":\"%s\"",
      workload_bool(index, flip) ? "true" : "false", WORKLOAD_TIMESTAMP - (long long)(index * 60041), type, language,
      PICK(things, index / 7), type, language, 1 + index % 3, type, language, PICK(things, index / 7), hash,
      1000 + index * 40503U % 20000000, hash, hash + 8, hash + 20,
      index % 4 == 0 ? "env.appinfo.OS != \\\"iOS\\\" && env.channel != \\\"esr\\\"" : "");
}

static int write_value(char *out, size_t room, workload_kind kind, size_t index, int flip) {
  if (kind == WORKLOAD_BOOL) return snprintf(out, room, "%s", workload_bool(index, flip) ? "true" : "false");
  if (kind == WORKLOAD_NESTED) return write_nested(out, room, index, flip);
  if (kind == WORKLOAD_FILES) return write_file(out, room, index, flip);
  char text[WORKLOAD_STRING_SIZE];
  workload_string(index, flip, text);
  return snprintf(out, room, "\"%s\"", text);
}

char *workload_records(const workload *settings, workload_kind kind, const char *list, size_t count, int flip,
                       size_t *out_size) {
  size_t room = kind == WORKLOAD_NESTED || kind == WORKLOAD_FILES ? LARGE_ROOM : RECORD_ROOM;
  char *document = allocate((count + 2) * room);
  size_t used = (size_t)sprintf(document, "{\"timestamp\":%lld,\"metadata\":{\"bucket\":\"main\"},\"%s\":[",
                                WORKLOAD_TIMESTAMP, list);
  for (size_t i = 0; i < count; i++) {
    used += (size_t)sprintf(document + used, "%s{\"id\":\"%s\",\"last_modified\":%lld,\"v\":", i ? "," : "",
                            settings->keys[i], WORKLOAD_TIMESTAMP - (long long)i);
    used += (size_t)write_value(document + used, room - RECORD_ROOM / 2, kind, i, flip);
    document[used++] = '}';
  }
  used += (size_t)sprintf(document + used, "]}");
  *out_size = used;
  return document;
}

char *workload_flat(const workload *settings, workload_kind kind, int flip, size_t *out_size) {
  char *document = allocate((settings->count + 2) * RECORD_ROOM);
  size_t used = 0;
  document[used++] = '{';
  for (size_t i = 0; i < settings->count; i++) {
    used += (size_t)sprintf(document + used, "%s\"%s\":", i ? "," : "", settings->keys[i]);
    used += (size_t)write_value(document + used, RECORD_ROOM / 2, kind, i, flip);
  }
  document[used++] = '}';
  document[used] = '\0';
  *out_size = used;
  return document;
}
