/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptor that wakes a host's loop: one of two connected sockets. Unlike an eventfd, each socket has an inode of
   its own. So it is noticed if the program has closed the descriptors, and if others have their numbers. */
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "remora_support.h"

static uint64_t inode(int32_t descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 && S_ISSOCK(status.st_mode) ? status.st_ino : 0;
}

bool remora_wakeup_open(remora_wakeup *wakeup) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, sockets) != 0) return false;
  *wakeup = (remora_wakeup){sockets[0], sockets[1], inode(sockets[0]), inode(sockets[1])};
  return true;
}

bool remora_wakeup_is_open(const remora_wakeup *wakeup) {
  return inode(wakeup->reader) == wakeup->reader_inode && inode(wakeup->writer) == wakeup->writer_inode;
}

void remora_wakeup_wake(const remora_wakeup *wakeup) {
  /* If the buffer is full, the descriptor is readable. */
  if (remora_wakeup_is_open(wakeup)) (void)!send(wakeup->writer, "w", 1, MSG_NOSIGNAL);
}

void remora_wakeup_clear(const remora_wakeup *wakeup) {
  char bytes[256];
  while (remora_wakeup_is_open(wakeup) && recv(wakeup->reader, bytes, sizeof bytes, 0) == sizeof bytes) {
  }
}

void remora_wakeup_close(const remora_wakeup *wakeup) {
  if (inode(wakeup->reader) == wakeup->reader_inode) close(wakeup->reader);
  if (inode(wakeup->writer) == wakeup->writer_inode) close(wakeup->writer);
}
