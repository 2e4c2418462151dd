/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the descriptors with which libcurl wakes a poll: two sockets, or an eventfd in newer versions. Old versions let
   exec'd programs inherit the sockets, and no version reports their numbers. They are identified by what wake-ups write
   to them. */
#include <dirent.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "remora_libcurl.h"

enum { rounds = 3, most = 1024 };

/* A descriptor that may be one of libcurl's, and how much was sent through it: -1 is an eventfd. */
struct candidate {
  int descriptor;
  int sent;
};

static int option(int descriptor, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

static int bytes(int descriptor, unsigned long request) {
  int count = -1;
  return ioctl(descriptor, request, &count) == 0 ? count : -1;
}

/* The number in an eventfd, which stays in it; -1 if the descriptor is not an eventfd. */
static int count_of_eventfd(int descriptor) {
  char path[64], line[128];
  unsigned long long count = 0;
  int found = -1;
  snprintf(path, sizeof path, "/proc/self/fdinfo/%d", descriptor);
  FILE *info = fopen(path, "re");
  if (!info) return -1;
  while (found < 0 && fgets(line, sizeof line, info)) {
    if (sscanf(line, "eventfd-count: %llx", &count) == 1 && count <= rounds) found = (int)count;
  }
  fclose(info);
  return found;
}

/* Whether a descriptor is a stream socket of this host that an exec would inherit, and that holds no bytes yet. */
static int is_empty_socket(int descriptor) {
  return option(descriptor, SO_DOMAIN) == AF_UNIX && option(descriptor, SO_TYPE) == SOCK_STREAM &&
         fcntl(descriptor, F_GETFD) == 0 && bytes(descriptor, FIONREAD) == 0 && bytes(descriptor, SIOCOUTQ) == 0;
}

static int candidates(struct candidate *found) {
  int count = 0;
  DIR *directory = opendir("/proc/self/fd");
  if (!directory) return 0;
  for (struct dirent *entry; count < most && (entry = readdir(directory));) {
    char target[32];
    ssize_t length = readlinkat(dirfd(directory), entry->d_name, target, sizeof target);
    int descriptor = atoi(entry->d_name);
    if (length < 0) continue;
    if (length == (ssize_t)strlen("anon_inode:[eventfd]") &&
        memcmp(target, "anon_inode:[eventfd]", (size_t)length) == 0) {
      if (count_of_eventfd(descriptor) == 0) found[count++] = (struct candidate){descriptor, -1};
    } else if (is_empty_socket(descriptor)) {
      found[count++] = (struct candidate){descriptor, 0};
    }
  }
  closedir(directory);
  return count;
}

/* Whether a candidate has what it must have after so many wake-ups: each adds 1 to an eventfd; or a byte to one socket,
   and to what its peer has sent. */
static int has_woken(struct candidate *one, int round) {
  if (one->sent < 0) return count_of_eventfd(one->descriptor) == round;
  int received = bytes(one->descriptor, FIONREAD), queued = bytes(one->descriptor, SIOCOUTQ);
  int is_reader = received == round && queued == 0, is_writer = received == 0 && queued > one->sent;
  one->sent = queued;
  return is_reader || is_writer;
}

int remora_libcurl_seal_wakeup(CURLM *multi, int descriptors[2]) {
  struct candidate found[most];
  int count = candidates(found);
  for (int round = 1; round <= rounds; round++) {
    if (remora_libcurl_table.multi_wakeup(multi) != CURLM_OK) return 0;
    int kept = 0;
    for (int i = 0; i < count; i++) {
      if (has_woken(&found[i], round)) found[kept++] = found[i];
    }
    count = kept;
  }
  int is_eventfd = count == 1 && found[0].sent < 0;
  int is_pair = count == 2 && (found[0].sent == 0) != (found[1].sent == 0);
  if (!is_eventfd && !is_pair) return 0;
  for (int i = 0; i < count; i++) {
    descriptors[i] = found[i].descriptor;
    fcntl(descriptors[i], F_SETFD, FD_CLOEXEC);
  }
  return count;
}
