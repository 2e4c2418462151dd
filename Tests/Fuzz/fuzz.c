/* SPDX-License-Identifier: Apache-2.0 */

/* The entry points of libFuzzer. REMORA_FUZZ_TARGET is the name of a target. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const fuzz_target fuzz_targets[] = {
    {"settings", feed_settings},
    {"bundle", feed_bundle},
    {"collection", feed_collection},
    {"override", feed_override},
    {"filter", feed_filter},
    {"image", feed_image},
    {"ledger", feed_ledger},
    {"chain", feed_chain},
    {"answer", feed_answer},
    {"monitor", feed_monitor},
    {NULL, NULL},
};

remora_client *client;
static const fuzz_target *target;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

void fuzz_require(int holds, const char *text, const char *file, int line) {
  if (holds) return;
  fprintf(stderr, "%s:%d: %s\n", file, line, text);
  abort();
}

int succeeded(remora_status status, const remora_error *error) {
  if (status == REMORA_OK) return 1;
  REQUIRE(strcmp(remora_status_name(status), "REMORA_ERR_UNKNOWN") != 0);
  REQUIRE(error->status == status);
  REQUIRE(error->message[0] != '\0');
  REQUIRE(status != REMORA_ERR_INTERNAL);
  return 0;
}

remora_source_options without_fetch(void) {
  remora_source_options options;
  REMORA_INIT(&options);
  options.first_fetch = REMORA_FIRST_FETCH_ON_REQUEST;
  return options;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  const char *name = getenv("REMORA_FUZZ_TARGET");
  remora_config config;
  remora_error error = {0};
  (void)argc;
  (void)argv;
  for (target = fuzz_targets; target->name && (!name || strcmp(name, target->name) != 0);) target++;
  if (!target->name) {
    fprintf(stderr, "REMORA_FUZZ_TARGET names no target: %s\n", name ? name : "it is not set");
    exit(2);
  }
  REMORA_INIT(&config);
  config.storage_dir = REMORA_STORAGE_MEMORY;
  config.server = "http://127.0.0.1:9/v1";
  REQUIRE(succeeded(remora_setup(&config, &client, &error), &error));
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  target->feed((const char *)bytes, length);
  return 0;
}
