/* SPDX-License-Identifier: Apache-2.0 */

/* The header's section "refresh": asynchronous refreshes that are refused. */
#include "recorder.h"
#include "scene.h"

/* An asynchronous refresh that is refused: by name, without a call, freed exactly once. */
#define CHECK_ASYNC(word, from, options) check_async(word, from, options, __LINE__)
static void check_async(const char *word, remora_source *from, const remora_refresh_options *options, int line) {
  completion end;
  remora_request *request = NULL;
  remora_error error;
  completion_init(&end);
  fill_error(&error);
  remora_status status =
      remora_refresh_async(from, options, -1, completion_told, &end, completion_freed, &request, &error);
  check_refused(REMORA_ERR_INVALID_ARGUMENT, word, status, &error, "remora_refresh_async", __FILE__, line);
  CHECK(request == NULL);
  CHECK_INT(0, tally_count(&end.calls));
  CHECK_INT(1, tally_count(&end.freed));
}

TEST("an error of remora_refresh_async about an invalid argument names it, and user data is freed once") {
  open_served(sample_data);
  CHECK_ASYNC("source", NULL, NULL);
  CHECK_INT(REMORA_ERR_INVALID_ARGUMENT, remora_refresh_async(NULL, NULL, -1, NULL, NULL, NULL, NULL, NULL));
  remora_request_cancel(NULL);
  remora_request_release(NULL);
  close_scene();
}
