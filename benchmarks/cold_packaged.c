/* SPDX-License-Identifier: Apache-2.0
 *
 * One start of a Remora host with packaged data: setup, open, first value, exit. Prints
 * the nanoseconds from setup to the value. Linked with no other library, so that only
 * Remora is measured.
 *
 * Usage: cold_packaged STORAGE_DIR PACKAGED_FILE KEY EXPECTED(0 or 1)
 */
#include <stdlib.h>

#include "host.h"
#include "measure.h"

int main(int argc, char **argv) {
  if (argc != 5) fail("usage: cold_packaged STORAGE_DIR PACKAGED_FILE KEY EXPECTED");
  int expected = atoi(argv[4]);
  double begin = wall_ns();
  host opened = host_open_packaged(argv[1], argv[2]);
  int value = remora_get_bool(opened.source, argv[3], HOST_POINTER, !expected);
  double end = wall_ns();
  if (value != expected) fail("the packaged data has another value");
  host_expect_origin(&opened, REMORA_ORIGIN_PACKAGED);
  emit("first", end - begin);
  return 0;
}
