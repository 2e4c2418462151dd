/* SPDX-License-Identifier: Apache-2.0
 *
 * The processor time of a running host that loads a library with dlopen, such as a plug-in: Remora, and libcurl, which
 * Remora loads at its first request only. Each load is in a child of its own. Then the same in a host with 10,000 more
 * memory mappings, as those of a large program.
 *
 * Usage: loading. Prints <library>.dlopen and <library>.dlopen.mapped in nanoseconds.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"

enum { LOADS = 21, MAPPINGS = 10000 };

static const char *const libraries[] = {REMORA_FILE, "libcurl.so.4"};
static const char *const names[] = {"remora", "curl"};

/* Loads the library in a child, which has nothing of it yet. */
static double load(const char *library) {
  int ends[2];
  if (pipe(ends) != 0) fail("no pipe");
  pid_t child = fork();
  if (child < 0) fail("no child");
  if (child == 0) {
    double begin = thread_cpu_ns();
    void *handle = dlopen(library, RTLD_NOW);
    double took = thread_cpu_ns() - begin;
    if (handle == NULL || write(ends[1], &took, sizeof took) != sizeof took) _exit(1);
    _exit(0);
  }
  double took = 0;
  int status = 0;
  close(ends[1]);
  if (read(ends[0], &took, sizeof took) != sizeof took || waitpid(child, &status, 0) != child || status != 0)
    fail("cannot load %s", library);
  close(ends[0]);
  return took;
}

static void measure(const char *suffix) {
  double took[2][LOADS];
  for (int i = -1; i < LOADS; i++)
    for (int j = 0; j < 2; j++) {
      double one = load(libraries[j]);
      if (i >= 0) took[j][i] = one; /* The first load warms the page cache. */
    }
  for (int j = 0; j < 2; j++) {
    char row[64];
    snprintf(row, sizeof row, "%s.dlopen%s", names[j], suffix);
    emit(row, median(took[j], LOADS));
  }
}

/* Every second page of a range has another protection, so that each page is a mapping. */
static void add_mappings(void) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *range = mmap(NULL, MAPPINGS * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (range == MAP_FAILED) fail("no memory");
  for (size_t i = 0; i < MAPPINGS; i += 2)
    if (mprotect(range + i * page, page, PROT_NONE) != 0) fail("no mapping");
}

int main(void) {
  measure("");
  add_mappings();
  measure(".mapped");
  return 0;
}
