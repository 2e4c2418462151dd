/* SPDX-License-Identifier: Apache-2.0 */

/* getopt_long for Swift, which takes no variables of C that anybody may change. */
#ifndef REMORA_CGETOPT_SHIM_H
#define REMORA_CGETOPT_SHIM_H

#include <getopt.h>

/** Disables the error messages of getopt, because the caller prints its own. */
static inline void remora_getopt_be_silent(void) { opterr = 0; }

/** The value of the option that was found; NULL when it takes none. */
static inline const char *remora_getopt_value(void) { return optarg; }

/** The number or character of the option that cannot be used; 0 for a long one that is not known. */
static inline int remora_getopt_refused(void) { return optopt; }

/** The index of the next word. */
static inline int remora_getopt_index(void) { return optind; }

#endif
