/* SPDX-License-Identifier: Apache-2.0 */

/* The races of races.c again and again.
 *
 * races_campaign SECONDS: each pass runs every race in a process of its own. A race that fails ends the campaign. */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "races.h"
#include "tally.h"

enum { RACES = 4, LONGEST_MS = 10000 };

int main(int argc, char **argv) {
  int64_t seconds = argc == 2 ? strtoll(argv[1], NULL, 10) : 0;
  if (seconds <= 0) {
    fprintf(stderr, "usage: races_campaign SECONDS\n");
    return 2;
  }
  int passes = 0, failed = 0;
  int64_t end = now_ms() + seconds * 1000;
  races_ms = seconds * 1000 / RACES < LONGEST_MS ? seconds * 1000 / RACES : LONGEST_MS;
  while (!failed && now_ms() < end) {
    failed = check_run(NULL) != EXIT_SUCCESS;
    passes++;
  }
  printf("%lld s, %d passes of %d races, %s\n", (long long)seconds, passes, RACES, failed ? "FAILED" : "0 failed");
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
