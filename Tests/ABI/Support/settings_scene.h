/* SPDX-License-Identifier: Apache-2.0 */

/* Settings of a server, by their URL. */
#ifndef SETTINGS_SCENE_H
#define SETTINGS_SCENE_H

#include "fixture.h"

/* Settings of a URL. Without options they are opened without a refresh. */
remora_settings_options settings_at(const char *url);
remora_source *open_settings(remora_client *client, const remora_settings_options *settings);
remora_source *open_settings_with(remora_client *client, const remora_settings_options *settings,
                                  const remora_source_options *options);

#endif /* SETTINGS_SCENE_H */
