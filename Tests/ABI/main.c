/* SPDX-License-Identifier: Apache-2.0 */

/* The tests of the C API: all of them, or one suite by its name. */
#include "check.h"

int main(int argc, char **argv) { return check_run(argc > 1 ? argv[1] : NULL); }
