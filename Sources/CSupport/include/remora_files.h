/* SPDX-License-Identifier: Apache-2.0 */
/* System calls on files, in the kernel's own manner: a result of 0 or more, or a negative errno, so that
   nothing between the call and the look at errno can change it. Nothing here retries or decides. */
#ifndef REMORA_FILES_H
#define REMORA_FILES_H

#include <dirent.h>
#include <stdint.h>
#include <stddef.h>
#include <sys/stat.h>

#pragma GCC visibility push(hidden) /* A library that contains these functions does not export them. */

/* Opens a file relative to a directory; close-on-exec, never through a symbolic link, never waiting. */
int32_t remora_file_open(int32_t directory, const char *name, int32_t flags, mode_t mode);

/* Opens a file relative to a directory for reading, also through symbolic links; close-on-exec, never waiting. */
int32_t remora_file_open_target(int32_t directory, const char *name);

/* Whether a directory is mounted read-only, so that no process can change it through this mount. */
int32_t remora_directory_is_read_only(int32_t directory);

/* Makes a file in memory, without a name; close-on-exec. */
int32_t remora_file_open_memory(void);

/* Opens a directory by its path, symbolic links included; close-on-exec. */
int32_t remora_directory_open(const char *path);

int32_t remora_directory_make(const char *path, mode_t mode);

/* Whether the effective user may make files in a directory. */
int32_t remora_directory_writable(int32_t directory);

/* A listing of a directory, or NULL. The directory's descriptor stays the caller's. */
DIR *remora_listing_open(int32_t directory);

/* The next name, valid until the next call, or NULL at the end. */
const char *remora_listing_next(DIR *listing);

void remora_listing_close(DIR *listing);

int32_t remora_file_status(int32_t file, struct stat *status);

/* The status of a path, symbolic links followed. */
int32_t remora_path_status(const char *path, struct stat *status);

/* The status of a name in a directory, symbolic links not followed. */
int32_t remora_name_status(int32_t directory, const char *name, struct stat *status);

int64_t remora_file_read(int32_t file, void *bytes, size_t count, int64_t offset);
int64_t remora_file_write(int32_t file, const void *bytes, size_t count, int64_t offset);
int32_t remora_file_truncate(int32_t file, int64_t size);
int32_t remora_file_sync(int32_t file);
int32_t remora_file_rename(int32_t directory, const char *from, const char *to);
int32_t remora_file_remove(int32_t directory, const char *name);

/* Creates a second name for a file, unless that name is in use. */
int32_t remora_file_link(int32_t directory, const char *from, const char *to);

/* Maps a file for reading, or NULL. */
void *remora_file_map(int32_t file, size_t length);

/* Sets a file's time of modification; the link itself when it is a symbolic link. */
int32_t remora_file_touch(int32_t directory, const char *name, int64_t time_ms);

/* Takes (exclusive = 1) or gives back (0) the calling process's record lock on one byte. Never waits. */
int32_t remora_file_lock(int32_t file, int64_t byte, int32_t exclusive);

#pragma GCC visibility pop

#endif
