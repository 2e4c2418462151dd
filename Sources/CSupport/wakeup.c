/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the two sockets with which libcurl wakes a poll. Old versions let exec'd programs inherit them, and no version
   reports their numbers. They are identified by the bytes that wake-ups send between them. */
#include <dirent.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "remora_libcurl.h"

enum { rounds = 3, most = 1024 };

static int option(int descriptor, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

static int bytes(int descriptor, unsigned long request) {
  int count = -1;
  return ioctl(descriptor, request, &count) == 0 ? count : -1;
}

/* The open stream sockets of this host that an exec would inherit and that hold no bytes yet. */
static int candidates(int *found) {
  int count = 0;
  DIR *directory = opendir("/proc/self/fd");
  if (!directory) return 0;
  for (struct dirent *entry; count < most && (entry = readdir(directory));) {
    int descriptor = atoi(entry->d_name);
    if (entry->d_name[0] == '.' || option(descriptor, SO_DOMAIN) != AF_UNIX) continue;
    if (option(descriptor, SO_TYPE) != SOCK_STREAM || fcntl(descriptor, F_GETFD) != 0) continue;
    if (bytes(descriptor, FIONREAD) == 0 && bytes(descriptor, SIOCOUTQ) == 0) found[count++] = descriptor;
  }
  closedir(directory);
  return count;
}

int remora_libcurl_seal_wakeup(CURLM *multi, int sockets[2]) {
  int found[most], sent[most];
  int count = candidates(found);
  for (int i = 0; i < count; i++) sent[i] = 0;
  for (int round = 1; round <= rounds; round++) {
    if (remora_libcurl_table.multi_wakeup(multi) != CURLM_OK) return 0;
    int kept = 0;
    for (int i = 0; i < count; i++) {
      int received = bytes(found[i], FIONREAD), queued = bytes(found[i], SIOCOUTQ);
      /* Each wake-up adds a byte to one socket, and to what its peer has sent. */
      int is_reader = received == round && queued == 0, is_writer = received == 0 && queued > sent[i];
      if (!is_reader && !is_writer) continue;
      found[kept] = found[i];
      sent[kept++] = queued;
    }
    count = kept;
  }
  if (count != 2 || (sent[0] == 0) == (sent[1] == 0)) return 0;
  for (int i = 0; i < 2; i++) {
    sockets[i] = found[i];
    fcntl(found[i], F_SETFD, FD_CLOEXEC);
  }
  return 1;
}
