/* SPDX-License-Identifier: Apache-2.0 */

/* Two symbols that the library of the wheel defines for itself, hidden from the program that loads it. */
#include <math.h>

/* The Swift runtime refers to hypotf, and glibc 2.35 added a new version of it. With this definition the library requires
   only glibc 2.34. The square of a float is exact as a double. */
__attribute__((visibility("hidden"))) float hypotf(float x, float y) {
  if (isinf(x) || isinf(y)) return INFINITY;
  return (float)sqrt((double)x * x + (double)y * y);
}

/* jansson's archive is not compiled for shared libraries: json_loadf refers to stdin directly, to compare its argument
   with it. Nothing in the library calls json_loadf. */
extern void *unused_stdin __asm__("stdin");
__attribute__((visibility("hidden"))) void *unused_stdin;
