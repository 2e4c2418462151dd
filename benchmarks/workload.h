/* SPDX-License-Identifier: Apache-2.0
 *
 * The same settings for every contender: keys of about 30 bytes, their values, the
 * order in which they are read, and the documents that contain them. Generated from a fixed
 * seed, so two programs and two runs see the same bytes.
 */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { WORKLOAD_KEY_SIZE = 48, WORKLOAD_STRING_SIZE = 48, WORKLOAD_TIMESTAMP_OFFSET = 13 };

/* The version of every document until a server raises it: milliseconds, 13 digits. */
#define WORKLOAD_TIMESTAMP 1700000000000LL

/* The values of the settings. In nested records, the boolean is one of several members, with names, objects, arrays,
 * floating-point numbers and strings of about 60 bytes, as in collections of a product: about 600 bytes for each. In
 * file records, it is beside what Firefox's collections of files have: an attachment with its hash and location,
 * languages, a version and a filter expression, which is true. */
typedef enum workload_kind { WORKLOAD_BOOL, WORKLOAD_STRING, WORKLOAD_NESTED, WORKLOAD_FILES } workload_kind;

/* The numbers of nested records that make about 1 MB and 12.8 MB, and of file records that make about 1 MB. */
enum { WORKLOAD_NESTED_SMALL = 1700, WORKLOAD_NESTED_LARGE = 21500, WORKLOAD_FILES_SMALL = 2050 };

typedef struct workload {
  size_t count;
  char (*keys)[WORKLOAD_KEY_SIZE]; /* in the order of the documents */
  const char **reads;              /* the same keys, copied in the random order of the reads */
  char *read_bytes;                /* owns what `reads` points to */
} workload;

workload *workload_create(size_t count);
void workload_free(workload *settings);

/* Returns the value of key `index`; with `flip`, the other of its two values. */
int workload_bool(size_t index, int flip);
void workload_string(size_t index, int flip, char out[WORKLOAD_STRING_SIZE]);

/* {"timestamp":N,"<list>":[{"id":key,"last_modified":N,"v":value},…]} over the first
 * `count` keys; the digits of N begin at WORKLOAD_TIMESTAMP_OFFSET. The caller frees. */
char *workload_records(const workload *settings, workload_kind kind, const char *list, size_t count, int flip,
                       size_t *out_size);

/* {"key":value,…} over all keys. Only for booleans and strings. The caller frees. */
char *workload_flat(const workload *settings, workload_kind kind, int flip, size_t *out_size);

#ifdef __cplusplus
}
#endif

#endif
