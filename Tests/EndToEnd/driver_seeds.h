/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands of an installer: neither needs a client. Included by driver.c only. */
#ifndef DRIVER_SEEDS_H
#define DRIVER_SEEDS_H

#include "driver_settings.h"

/* What is seeded, by its kind; the pointers stay valid while all of it does. */
struct seed {
  remora_config config;
  remora_settings_options settings;
  remora_bundle_options bundle;
  remora_collection_options collection;
  remora_seed_options options;
  const char *parameters[16];
  char *tag;
};

/* kind=settings|bundle|collection, the words that open it, and the application's. */
static void read_seed(char **words, struct seed *seed) {
  const char *kind = option(words, "kind");
  const char *trust = option(words, "trust");
  memset(seed, 0, sizeof *seed);
  REMORA_INIT(&seed->config);
  seed->config.storage_dir = option(words, "dir");
  seed->config.server = option(words, "server");
  seed->config.application_name = option(words, "app");
  seed->config.application_version = option(words, "app_version");
  seed->config.application_build = option(words, "build");
  seed->config.max_body_bytes = number_option(words, "max_body");
  REMORA_INIT(&seed->options);
  seed->options.identifier = option(words, "identifier");
  seed->options.fetched_at_ms = number_option(words, "fetched_at");
  if (strcmp(kind, "settings") == 0) {
    REMORA_INIT(&seed->settings);
    seed->settings.url = option(words, "url");
    seed->settings.tag = seed->tag = read_file(option(words, "tag"));
    read_parameters(words, seed->parameters, sizeof seed->parameters / sizeof *seed->parameters);
    seed->settings.request_params = seed->parameters;
    seed->options.settings = &seed->settings;
  } else if (strcmp(kind, "bundle") == 0) {
    REMORA_INIT(&seed->bundle);
    seed->bundle.url = option(words, "url");
    seed->options.bundle = &seed->bundle;
  } else {
    REMORA_INIT(&seed->collection);
    seed->collection.name = option(words, "collection");
    seed->collection.root_sha256 = option(words, "root");
    if (trust != NULL && strcmp(trust, "off") == 0) seed->collection.trust = REMORA_TRUST_OFF;
    seed->options.collection = &seed->collection;
  }
}

static void run_seed_save(char **words, struct text *answer) {
  struct seed seed;
  remora_error error;
  read_seed(words, &seed);
  format_result(answer, remora_seed_save(&seed.config, &seed.options, word(words, 0), &error), &error);
  free(seed.tag);
}

static void run_seed_request(char **words, struct text *answer) {
  static const char *const names[] = {"url", "method", "headers"};
  struct seed seed;
  remora_error error;
  remora_status status = REMORA_OK;
  char text[4096];
  size_t length;
  read_seed(words, &seed);
  for (int32_t part = REMORA_SEED_URL; part <= REMORA_SEED_HEADERS && status == REMORA_OK; part++) {
    status = remora_seed_request(&seed.config, &seed.options, part, text, sizeof text, &length, &error);
    if (status == REMORA_OK) text_member_string(answer, names[part - 1], text);
  }
  format_result(answer, status, &error);
  free(seed.tag);
}

#endif
