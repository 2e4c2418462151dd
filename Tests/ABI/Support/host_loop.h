/* SPDX-License-Identifier: Apache-2.0 */

/* The scene of a host that dispatches: the globals of scene.h, one subscriber, and what a
 * loop does. The next refresh of its source brings version 2000. */
#ifndef HOST_LOOP_H
#define HOST_LOOP_H

#include <stddef.h>

#include "recorder.h"
#include "scene.h"

extern remora_subscription *subscription;
extern recorder events; /* What the subscriber was told. */

/* Opens in a directory, or with REMORA_STORAGE_MEMORY; `callbacks` is REMORA_CALLBACKS_…. */
void open_host(const char *directory, int32_t callbacks);

/* Ends all of it, and checks that callbacks ran where they may and everything was freed once. */
void close_host(void);

remora_client *client_on_dispatch(const char *directory, const char *url);

/* remora_client_get_fd and remora_dispatch, which must succeed. */
int descriptor(void);
size_t dispatch(void);

int is_readable(int fd, int ms);

#endif /* HOST_LOOP_H */
