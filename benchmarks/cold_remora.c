/* SPDX-License-Identifier: Apache-2.0
 *
 * One cold start of a Remora host: setup, open from the cache, first value, exit.
 * Prints the nanoseconds from setup to the value. Linked with no other library, so that
 * only Remora is measured.
 *
 * Usage: cold_remora STORAGE_DIR SERVER KEY EXPECTED(0 or 1)
 */
#include <stdlib.h>

#include "host.h"
#include "measure.h"

int main(int argc, char **argv) {
  if (argc != 5) fail("usage: cold_remora STORAGE_DIR SERVER KEY EXPECTED");
  int expected = atoi(argv[4]);
  double begin = wall_ns();
  host opened = host_open(argv[1], argv[2], NULL, 0);
  int value = remora_get_bool(opened.source, argv[3], HOST_POINTER, !expected);
  double end = wall_ns();
  if (value != expected) fail("the cache has another value");
  emit("first", end - begin);
  return 0;
}
