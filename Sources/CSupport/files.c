/* SPDX-License-Identifier: Apache-2.0 */
/* System calls on files whose C form is variadic, or whose errno must not be lost on the way to Swift. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "remora_files.h"

/* The result, or the negative errno of a call that answered -1. */
#define ANSWER(call)                     \
  do {                                   \
    int64_t result = (call);             \
    return result < 0 ? -errno : result; \
  } while (0)

int32_t remora_file_open(int32_t directory, const char *name, int32_t flags, mode_t mode) {
  ANSWER(openat(directory, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, mode));
}

int32_t remora_file_open_target(int32_t directory, const char *name) {
  ANSWER(openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

int32_t remora_directory_is_read_only(int32_t directory) {
  struct statvfs status;
  return fstatvfs(directory, &status) == 0 && (status.f_flag & ST_RDONLY) != 0;
}

int32_t remora_directory_open(const char *path) { ANSWER(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)); }

int32_t remora_directory_make(const char *path, mode_t mode) { ANSWER(mkdir(path, mode)); }

int32_t remora_directory_writable(int32_t directory) { ANSWER(faccessat(directory, ".", W_OK | X_OK, AT_EACCESS)); }

DIR *remora_listing_open(int32_t directory) {
  /* A descriptor of its own: one that is shared would share the position of the listing too. */
  int own = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (own < 0) return NULL;
  DIR *listing = fdopendir(own);
  if (listing == NULL) close(own);
  return listing;
}

const char *remora_listing_next(DIR *listing) {
  struct dirent *entry = readdir(listing);
  return entry == NULL ? NULL : entry->d_name;
}

void remora_listing_close(DIR *listing) { closedir(listing); }

int32_t remora_file_status(int32_t file, struct stat *status) { ANSWER(fstat(file, status)); }

int32_t remora_path_status(const char *path, struct stat *status) { ANSWER(stat(path, status)); }

int32_t remora_name_status(int32_t directory, const char *name, struct stat *status) {
  ANSWER(fstatat(directory, name, status, AT_SYMLINK_NOFOLLOW));
}

int64_t remora_file_read(int32_t file, void *bytes, size_t count, int64_t offset) {
  ANSWER(pread(file, bytes, count, offset));
}

int64_t remora_file_write(int32_t file, const void *bytes, size_t count, int64_t offset) {
  ANSWER(pwrite(file, bytes, count, offset));
}

int32_t remora_file_truncate(int32_t file, int64_t size) { ANSWER(ftruncate(file, size)); }

int32_t remora_file_sync(int32_t file) { ANSWER(fsync(file)); }

int32_t remora_file_rename(int32_t directory, const char *from, const char *to) {
  ANSWER(renameat(directory, from, directory, to));
}

int32_t remora_file_link(int32_t directory, const char *from, const char *to) {
  ANSWER(linkat(directory, from, directory, to, 0));
}

int32_t remora_file_remove(int32_t directory, const char *name) { ANSWER(unlinkat(directory, name, 0)); }

void *remora_file_map(int32_t file, size_t length) {
  void *memory = mmap(NULL, length, PROT_READ, MAP_PRIVATE, file, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

int32_t remora_file_touch(int32_t directory, const char *name, int64_t time_ms) {
  struct timespec times[2] = {
      {.tv_nsec = UTIME_OMIT},
      {.tv_sec = time_ms / 1000, .tv_nsec = time_ms % 1000 * 1000000},
  };
  ANSWER(utimensat(directory, name, times, AT_SYMLINK_NOFOLLOW));
}

int32_t remora_file_lock(int32_t file, int64_t byte, int32_t exclusive) {
  struct flock lock = {.l_type = exclusive ? F_WRLCK : F_UNLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
  ANSWER(fcntl(file, F_SETLK, &lock));
}
