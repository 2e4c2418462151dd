/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "remora_test_support.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILD_SECONDS = 60, FORK_SECONDS = 30, FORKS = 5, NOBODY = 65534 };

#ifndef __has_feature
#define __has_feature(name) 0
#endif

int32_t test_swift_runs_in_children(void) {
#if __has_feature(thread_sanitizer)
  return 0;
#else
  return 1;
#endif
}

int32_t test_memory_is_counted(void) {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return 0;
#else
  return 1;
#endif
}

/* The test's thread may block all signals. */
static void begin_child(void) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  alarm(CHILD_SECONDS);
}

/* What a child does, its id, and the pipe in which it reports that the handlers of the fork have run. */
struct test_child {
  int32_t (*body)(void *context);
  void *context;
  pid_t id;
  int started[2];
};

static void *fork_here(void *argument) {
  struct test_child *child = argument;
  child->id = fork();
  if (child->id == 0) {
    begin_child();
    if (write(child->started[1], "", 1) != 1) _exit(127);
    close(child->started[0]);
    close(child->started[1]);
    _exit(child->body(child->context));
  }
  return NULL;
}

/* Whether the child begins its work within FORK_SECONDS, or ends. */
static int has_started(const struct test_child *child) {
  struct pollfd started = {.fd = child->started[0], .events = POLLIN};
  return poll(&started, 1, FORK_SECONDS * 1000) == 1;
}

/* Forks on a new thread. Answers whether the child works, or none could be created. */
static int fork_once(struct test_child *child) {
  pthread_t thread;
  child->id = -1;
  if (pipe2(child->started, O_CLOEXEC) != 0) return 1;
  if (pthread_create(&thread, NULL, fork_here, child) == 0) pthread_join(thread, NULL);
  close(child->started[1]);
  int works = child->id < 0 || has_started(child);
  close(child->started[0]);
  if (!works) test_kill(child->id);
  return works;
}

int32_t test_fork(int32_t (*body)(void *context), void *context) {
  struct test_child child = {.body = body, .context = context, .id = -1};
  for (int fork = 0; fork < FORKS; fork++) {
    if (fork_once(&child)) return child.id;
  }
  return -1;
}

int32_t test_wait(int32_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void test_kill(int32_t child) {
  kill(child, SIGKILL);
  test_wait(child);
}

static int lock_byte(const char *path, int64_t byte) {
  int file = open(path, O_RDWR | O_CLOEXEC);
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
  return file >= 0 && fcntl(file, F_SETLK, &lock) == 0 ? 0 : errno;
}

int32_t test_try_lock_in_child(const char *path, int64_t byte) {
  pid_t child = fork();
  if (child == 0) _exit(lock_byte(path, byte));
  return test_wait(child);
}

int32_t test_hold_lock_in_child(const char *path, int64_t byte) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  pid_t child = fork();
  if (child == 0) {
    begin_child();
    char answer = (char)lock_byte(path, byte);
    if (write(ends[1], &answer, 1) != 1) _exit(1);
    for (;;) pause();
  }
  char answer = 1;
  close(ends[1]);
  if (read(ends[0], &answer, 1) != 1) answer = 1;
  close(ends[0]);
  if (answer == 0) return child;
  test_kill(child);
  return -1;
}

int32_t test_become_nobody(void) {
  if (setgroups(0, NULL) != 0 || setresgid(NOBODY, NOBODY, NOBODY) != 0 || setresuid(NOBODY, NOBODY, NOBODY) != 0)
    return errno;
  return 0;
}

int32_t test_mount_read_only(const char *path) {
  if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return errno;
  return mount("none", path, "tmpfs", MS_RDONLY, "mode=0700") == 0 ? 0 : errno;
}

int32_t test_make_fifo(const char *path) { return mkfifo(path, 0600) == 0 ? 0 : errno; }

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place) {
  (void)status, (void)kind, (void)place;
  remove(path);
  return 0;
}

void test_remove_tree(const char *path) { nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS); }

static _Thread_local int64_t allocations_left = -1;

void test_limit_allocations(int64_t allocations) { allocations_left = allocations; }

void *test_limited_malloc(size_t size) {
  if (allocations_left == 0) {
    errno = ENOMEM;
    return NULL;
  }
  if (allocations_left > 0) allocations_left--;
  return malloc(size);
}

void *test_alarming_malloc(size_t size) {
  void *memory = malloc(size);
  errno = ENOMEM;
  return memory;
}

/* A field of /proc/self/status, in bytes. */
static int64_t memory_field(const char *name) {
  FILE *status = fopen("/proc/self/status", "r");
  if (status == NULL) return -1;
  char line[256];
  long long kilobytes = -1;
  while (fgets(line, sizeof line, status) != NULL) {
    if (strncmp(line, name, strlen(name)) == 0) sscanf(line + strlen(name), ": %lld", &kilobytes);
  }
  fclose(status);
  return kilobytes * 1024;
}

int64_t test_peak_growth(void) {
  static int64_t before;
  int64_t growth = memory_field("VmHWM") - before;
  FILE *reset = fopen("/proc/self/clear_refs", "w");
  if (reset != NULL) {
    fputs("5", reset);
    fclose(reset);
  }
  before = memory_field("VmRSS");
  return growth;
}
