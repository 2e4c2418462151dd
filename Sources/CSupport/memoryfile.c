/* SPDX-License-Identifier: Apache-2.0 */
/* Linux's files without a name. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>

#include "remora_files.h"

int32_t remora_file_open_memory(void) {
  int file = memfd_create("remora", MFD_CLOEXEC);
  return file < 0 ? -errno : file;
}
