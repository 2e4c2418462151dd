/* SPDX-License-Identifier: Apache-2.0
 *
 * A host that was built with a later header, whose structures have one more field, `later`; see scripts/check-growth.
 * The library of the present header must accept it as long as the field is 0, and must fill the field with 0.
 */
#include <stdio.h>
#include <string.h>

#include "remora.h"

static int failures;
static remora_error error;

#define CHECK(condition)                                                    \
  do {                                                                      \
    if (!(condition)) {                                                     \
      fprintf(stderr, "%d: %s: %s\n", __LINE__, #condition, error.message); \
      failures++;                                                           \
    }                                                                       \
  } while (0)

#define CHECK_REFUSED(call)                                \
  do {                                                     \
    CHECK((call) == REMORA_ERR_INVALID_ARGUMENT);          \
    CHECK(strstr(error.message, "does not know") != NULL); \
  } while (0)

static void options_are_accepted_without_the_later_field(remora_client *client) {
  remora_collection_options collection;
  remora_source_options how;
  remora_source *source = NULL;
  REMORA_INIT(&collection);
  REMORA_INIT(&how);
  collection.name = "later";
  collection.trust = REMORA_TRUST_OFF;
  collection.packaged_data = "{\"data\":[{\"id\":\"a\",\"last_modified\":1,\"n\":5}],\"timestamp\":1}";
  collection.packaged_size = strlen(collection.packaged_data);
  CHECK(remora_open_collection(client, &collection, &how, &source, &error) == REMORA_OK);
  CHECK(remora_get_int(source, "a", "/n", 0) == 5);

  remora_source_info info;
  memset(&info, 0xff, sizeof info);
  info.struct_size = sizeof info;
  CHECK(remora_source_get_info(source, &info, &error) == REMORA_OK);
  CHECK(info.struct_size == sizeof info && info.later == 0 && info.version == 1);

  how.later = 1;
  remora_source *other = NULL;
  CHECK_REFUSED(remora_open_collection(client, &collection, &how, &other, &error));
  how.later = 0;
  collection.later = 1;
  CHECK_REFUSED(remora_open_collection(client, &collection, &how, &other, &error));
  remora_refresh_options refresh;
  REMORA_INIT(&refresh);
  refresh.later = 1;
  CHECK_REFUSED(remora_refresh(source, &refresh, 0, NULL, &error));
  remora_source_close(source);
}

int main(void) {
  remora_config config;
  remora_client *client = NULL;
  REMORA_INIT(&config);
  config.storage_dir = REMORA_STORAGE_MEMORY;
  CHECK(remora_setup(&config, &client, &error) == REMORA_OK);
  if (client) options_are_accepted_without_the_later_field(client);
  remora_client_close(client);
  config.later = 1;
  CHECK_REFUSED(remora_setup(&config, &client, &error));
  return failures ? 1 : 0;
}
