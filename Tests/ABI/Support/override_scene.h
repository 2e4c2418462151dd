/* SPDX-License-Identifier: Apache-2.0 */

/* What the tests of overrides add to the scene: two records, and looks at what is live and what is set. */
#ifndef OVERRIDE_SCENE_H
#define OVERRIDE_SCENE_H

#include "scene.h"

/* Packaged data: "a" with a number, a list and an object, and "b". */
extern const char two_records[];

/* Sets an override of the scene's source; the test ends when it is refused. */
void set_override(const char *key, const char *pointer, const char *json);

/* What is live, or with REMORA_SNAPSHOT_UNFILTERED the data as it came, as one text. */
#define CHECK_LIVE(expected) check_live((expected), 0, __FILE__, __LINE__)
#define CHECK_BASE(expected) check_live((expected), REMORA_SNAPSHOT_UNFILTERED, __FILE__, __LINE__)
void check_live(const char *expected, uint32_t flags, const char *file, int line);

/* The overrides, as "key/pointer=json" with spaces between; only the first `wanted`, unless that is -1. */
#define CHECK_LIST(expected) check_list((expected), -1, __FILE__, __LINE__)
void check_list(const char *expected, int wanted, const char *file, int line);

/* The origin of a key of the live snapshot. */
int32_t origin_of(const char *key);

/* A listing that fails the test when it is told something. */
int32_t nothing_is_listed(const remora_override *entry, void *unused);

#endif /* OVERRIDE_SCENE_H */
