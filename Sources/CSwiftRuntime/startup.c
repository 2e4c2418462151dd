/* SPDX-License-Identifier: Apache-2.0 */

/* Keeps two parts of the Swift runtime out of the library. They act when a process loads it, and it does not use them.
   The linker takes no object of libswiftCore.a whose symbols are defined already.

   - Backtrace.cpp looks for a program that prints crashes in eight places, and obeys SWIFT_BACKTRACE in the environment
     of the host, by which it prints and installs signal handlers.
   - CommandLine.cpp searches /proc/self/maps for the arguments of the process, which takes the longer the more memory
     the host has mapped.

   If a later runtime needs another symbol of these objects, the linker takes the object and reports symbols that are
   defined twice. */
#include <stddef.h>

/* swift::runtime::backtrace::BacktraceSettings; zero means that crashes are not handled. */
__attribute__((visibility("hidden"))) long _swift_backtraceSettings[11];

/* The module Runtime refers to these functions; only its backtraces call them, which the library does not make. */
__attribute__((visibility("hidden"))) void _swift_backtrace_demangle(void) {}
__attribute__((visibility("hidden"))) void _swift_backtrace_isThunkFunction(void) {}

/* Returns the value of CommandLine.unsafeArgv: no arguments. */
__attribute__((visibility("hidden"))) char **_swift_stdlib_getUnsafeArgvArgc(int *count) {
  static char *none[] = {NULL};
  *count = 0;
  return none;
}
