/* SPDX-License-Identifier: Apache-2.0 */

/* The scene that most tests play on: one source "sample" without trust, of a client in
 * memory, with a scripted server or without any. One test is one process, so the scene
 * is a set of globals, set by open_… and ended by close_scene. */
#ifndef SCENE_H
#define SCENE_H

#include <remora.h>

#include "fixture.h"

extern loopback *server; /* NULL when the scene has none. */
extern remora_client *client;
extern remora_source *source;
extern remora_snapshot *snapshot; /* What was live at open. */

/* `packaged` is JSON text, or NULL for a source without data. */
void open_served(const char *packaged);
void open_local(const char *packaged);

/* Whether the head of the last request that the server received has this text. */
int was_asked(const char *text);

/* Releases and closes what the scene has; a test that ended a part itself sets it to NULL. */
void close_scene(void);

#endif /* SCENE_H */
