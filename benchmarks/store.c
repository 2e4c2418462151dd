/* SPDX-License-Identifier: Apache-2.0
 *
 * A bare store; see store.h.
 */
#include "store.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "measure.h"

void store(const char *folder, const char *name, const void *bytes, size_t size) {
  char temporary[64];
  snprintf(temporary, sizeof temporary, "%s.tmp", name);
  int directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int file = openat(directory, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0 || directory < 0 || write(file, bytes, size) != (ssize_t)size || fsync(file) != 0 || close(file) != 0 ||
      renameat(directory, temporary, directory, name) != 0 || fsync(directory) != 0 || close(directory) != 0)
    fail("cannot store in the scratch directory");
}
