/* SPDX-License-Identifier: Apache-2.0 */

/* The collection "sample" with an activation, and the events of its first subscriber. */
#ifndef ACTIVATION_SCENE_H
#define ACTIVATION_SCENE_H

#include "recorder.h"
#include "scene.h"

#define A_AT_1000 "{\"data\":[{\"id\":\"a\",\"last_modified\":1000}],\"timestamp\":1000}"
#define B_AT_2000 "[{\"id\":\"b\",\"last_modified\":2000,\"bucket\":\"main\",\"collection\":\"sample\"}]"
#define B_AT_3000 "[{\"id\":\"b\",\"last_modified\":3000}]"

extern recorder source_events;

/* Opens "sample" with packaged data, in memory or in a directory, and with a first subscriber. */
void open_with(int32_t activation, const char *directory);

/* Closes the client before the next one is opened. */
void close_client(void);

/* Whether something newer is staged. */
int32_t has_staged(void);

/* Activates, and compares the outcome. */
void check_activated(int32_t expected);

#endif /* ACTIVATION_SCENE_H */
