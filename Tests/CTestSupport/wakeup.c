/* SPDX-License-Identifier: Apache-2.0 */
/* An eventfd that wakes polls in place of those of the installed libcurl. */
#include <fcntl.h>
#include <sys/eventfd.h>

#include "remora_libcurl.h"
#include "remora_test_support.h"

static int waking = -1;

static CURLMcode wake(CURLM *multi) {
  (void)multi;
  return eventfd_write(waking, 1) == 0 ? CURLM_OK : CURLM_INTERNAL_ERROR;
}

int32_t test_finds_eventfd(void) {
  int found[2] = {-1, -1}, others = 0;
  if (remora_libcurl_load() != NULL) return 0;
  for (int i = 0; i < 3; i++) others += eventfd(0, EFD_CLOEXEC) >= 0;
  waking = eventfd(0, 0);
  for (int i = 0; i < 3; i++) others += eventfd(i, EFD_CLOEXEC) >= 0;
  remora_libcurl_table.multi_wakeup = wake;
  int count = remora_libcurl_seal_wakeup(NULL, found);
  return others == 6 && count == 1 && found[0] == waking && fcntl(waking, F_GETFD) == FD_CLOEXEC;
}
