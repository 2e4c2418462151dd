/* SPDX-License-Identifier: Apache-2.0 */

/* The length of the races, for abi_tests and for the campaign that runs longer ones. */
#ifndef RACES_H
#define RACES_H

#include <stdint.h>

/* How long each race lasts. A race ends by this time; no test depends on how much it does meanwhile. */
extern int64_t races_ms;

#endif /* RACES_H */
