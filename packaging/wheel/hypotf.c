/* SPDX-License-Identifier: Apache-2.0 */

/* The Swift runtime refers to hypotf, and glibc 2.35 added a new version of it. With this definition the library and
   the tool of the wheel require only glibc 2.34. It is hidden from the program that loads the library. The square of a
   float is exact as a double. */
#include <math.h>

__attribute__((visibility("hidden"))) float hypotf(float x, float y) {
  if (isinf(x) || isinf(y)) return INFINITY;
  return (float)sqrt((double)x * x + (double)y * y);
}
