/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "activation": arguments that are refused. */
#include "activation_scene.h"
TEST("an error about an invalid argument or option for activation names the argument or option") {
  const int32_t activations[] = {-1, 4, INT32_MAX, INT32_MIN};
  int32_t outcome = -1;
  remora_source *refused = NULL;
  open_local(NULL);
  CHECK_INVALID("source", remora_activate(NULL, &outcome, &error));
  CHECK_INT(REMORA_OUTCOME_NONE, outcome);
  CHECK_INVALID("source", remora_stop_listening(NULL, &error));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_activate(NULL, NULL, NULL));
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_stop_listening(NULL, NULL));
  remora_collection_options collection = untrusted("refused", NULL);
  for (size_t i = 0; i < sizeof activations / sizeof *activations; i++) {
    collection.activation = activations[i];
    CHECK_INVALID("activation", remora_open_collection(client, &collection, NULL, &refused, &error));
  }
  CHECK(refused == NULL);
  remora_client_close(client);
  client = NULL;
  outcome = -1;
  CHECK_STATUS(REMORA_ERR_CLOSED, remora_activate(source, &outcome, &error));
  CHECK_INT(REMORA_OUTCOME_NONE, outcome);
  CHECK_STATUS(REMORA_ERR_CLOSED, remora_stop_listening(source, &error));
  close_scene();
}
