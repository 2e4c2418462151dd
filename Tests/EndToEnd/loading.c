/* SPDX-License-Identifier: Apache-2.0 */

/* A host that loads a library while it runs. The test watches its system calls between two lines on standard error, and
   reads how many signals have a handler afterwards: loading LIBRARY */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void mark(const char *line) { (void)!write(STDERR_FILENO, line, strlen(line)); }

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  mark("begin\n");
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  mark("end\n");
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  int handled = 0;
  for (int number = 1; number < NSIG; number++) {
    struct sigaction action;
    if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL) handled++;
  }
  printf("handled %d\n", handled);
  return 0;
}
