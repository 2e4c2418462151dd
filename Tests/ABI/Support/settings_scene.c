/* SPDX-License-Identifier: Apache-2.0 */

#include "settings_scene.h"

remora_settings_options settings_at(const char *url) {
  remora_settings_options settings;
  REMORA_INIT(&settings);
  settings.url = url;
  return settings;
}

remora_source *open_settings(remora_client *client, const remora_settings_options *settings) {
  remora_source_options options = without_fetch();
  return open_settings_with(client, settings, &options);
}

remora_source *open_settings_with(remora_client *client, const remora_settings_options *settings,
                                  const remora_source_options *options) {
  remora_source *source = NULL;
  REQUIRE_OK(remora_open_settings(client, settings, options, &source, &error));
  REQUIRE(source != NULL);
  return source;
}
