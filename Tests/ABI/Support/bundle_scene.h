/* SPDX-License-Identifier: Apache-2.0 */

/* Bundles of a server, by their text. */
#ifndef BUNDLE_SCENE_H
#define BUNDLE_SCENE_H

#include "fixture.h"

#define BUNDLE(version, elements)                                                                                 \
  "{\"$schema\":\"https://iglucentral.com/schemas/com.snowplowanalytics.mobile/remote_config/jsonschema/1-0-1\"," \
  "\"configurationVersion\":" #version ",\"configurationBundle\":[" elements "]}"
#define ELEMENT(name) "{\"namespace\":\"" name "\",\"networkConfiguration\":{\"endpoint\":\"https://e.example\"}}"

/* A bundle of a URL. Without options it is opened without a refresh. */
remora_bundle_options bundle_at(const char *url);
remora_source *open_bundle(remora_client *client, const remora_bundle_options *bundle);
remora_source *open_bundle_with(remora_client *client, const remora_bundle_options *bundle,
                                const remora_source_options *options);

typedef struct listing {
  char text[256];
  int left; /* How many are wanted; -1: all. */
} listing;

/* A visitor of namespaces that writes "*" for the default one and "(…)" for what is not of the bundle. */
int32_t list_one(const remora_namespace *entry, void *listing);

#endif /* BUNDLE_SCENE_H */
