/* SPDX-License-Identifier: Apache-2.0 */

/* The host of the stress campaign: eight threads that call everything, over clients that survive. */
#ifndef STRESS_HOST_H
#define STRESS_HOST_H

#include <stdint.h>

/* Opens the surviving clients with this server, in a directory that other processes may share. */
void stress_open(const char *directory, const char *url);

/* Runs eight threads for so long and settles what they began; returns the number of their operations. */
int64_t stress_run(int64_t ms);

/* A final change: every surviving client must notify a new subscriber of it, and complete a refresh. */
void stress_check_delivery(void);

/* Closes the surviving clients. */
void stress_close(void);

#endif /* STRESS_HOST_H */
