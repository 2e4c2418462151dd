/* SPDX-License-Identifier: Apache-2.0 */

/* Two threads that close a client and the handles of its sources at the same moment, again and again. */
#ifndef CHAOS_DUEL_H
#define CHAOS_DUEL_H

#include <stdint.h>

/* Runs the two threads until this time of the monotonic clock; returns the number of closed clients. */
int64_t duel_fight(int64_t until_ms, unsigned seed);

#endif /* CHAOS_DUEL_H */
