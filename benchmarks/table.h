/* SPDX-License-Identifier: Apache-2.0
 *
 * The lower limit of a look-up: XXH3 and open addressing over the same keys, in memory
 * only, without a lock, a version or a type check.
 */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct table table;

/* Creates a table with room for `count` keys at half load. */
table *table_create(size_t count);
void table_free(table *settings);

/* Key and string are borrowed and must outlive the table. */
void table_put(table *settings, const char *key, int boolean, const char *string);

/* Returns `fallback` if the key is missing. */
int table_get_bool(const table *settings, const char *key, int fallback);
const char *table_get_string(const table *settings, const char *key, const char *fallback);

#ifdef __cplusplus
}
#endif

#endif
