/* SPDX-License-Identifier: Apache-2.0 */

/* A seed of settings, and what is kept of its request. */
#ifndef SEED_SCENE_H
#define SEED_SCENE_H

#include "fixture.h"

/* Everything that a seed points to. */
extern remora_config config;
extern remora_settings_options settings;
extern remora_bundle_options bundle;
extern remora_collection_options collection;

/* Initialises them, and returns a seed of `settings`. */
remora_seed_options seed_of_settings(void);

/* What is kept of the request of a seed: "METHOD URL; HEADER; HEADER; ". */
typedef struct kept_request {
  char text[512];
  int calls;
  pthread_t thread;
} kept_request;

/* The callback whose user data is a kept_request. */
void keep_request(const remora_http_request *request, void *user_data);

#endif /* SEED_SCENE_H */
