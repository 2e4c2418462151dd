/* SPDX-License-Identifier: Apache-2.0 */

/* The scene of the tests of asynchronous refreshes: packaged data at 1000, and a server that has 2000. */
#ifndef ASYNC_SCENE_H
#define ASYNC_SCENE_H

#include "recorder.h"
#include "scene.h"

#define NEWS_AT_2000 "[{\"id\":\"a\",\"last_modified\":2000}]"

/* Opens the scene; the first refresh is UPDATED to 2000. */
void open_behind(void);

/* Starts a refresh of the scene's source whose end is kept. */
remora_request *start_refresh(const remora_refresh_options *options, completion *end);

/* Waits for the end of a refresh and compares status and outcome. */
void check_refreshed(completion *end, remora_status status, int32_t outcome);

#endif /* ASYNC_SCENE_H */
