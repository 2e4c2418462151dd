/* SPDX-License-Identifier: Apache-2.0 */

#include "async_scene.h"

void open_behind(void) {
  open_served(sample_data);
  loopback_publish(server, 2000, NEWS_AT_2000, 0, NULL);
}

remora_request *start_refresh(const remora_refresh_options *options, completion *end) {
  remora_request *request = NULL;
  completion_init(end);
  REQUIRE_OK(remora_refresh_async(source, options, -1, completion_told, end, completion_freed, &request, &error));
  REQUIRE(request != NULL);
  return request;
}

void check_refreshed(completion *end, remora_status status, int32_t outcome) {
  REQUIRE(tally_await(&end->calls, 1));
  CHECK_INT(status, end->status);
  CHECK_INT(outcome, end->outcome);
  CHECK_INT(status, end->error);
}
