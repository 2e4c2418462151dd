/* SPDX-License-Identifier: Apache-2.0 */

/* Reads /proc/self/task. */
#include "threads.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

static int has_name(const char *task, const char *wanted) {
  char path[300], name[32] = "";
  snprintf(path, sizeof path, "/proc/self/task/%s/comm", task);
  FILE *file = fopen(path, "r");
  if (!file) return 0;
  int is_read = fgets(name, sizeof name, file) != NULL;
  fclose(file);
  name[strcspn(name, "\n")] = '\0';
  return is_read && strcmp(name, wanted) == 0;
}

/* Counts the threads with a name; NULL counts all. */
static int count(const char *name) {
  DIR *tasks = opendir("/proc/self/task");
  int found = 0;
  if (!tasks) check_skip("no /proc/self/task here");
  for (struct dirent *task; (task = readdir(tasks));)
    if (task->d_name[0] != '.' && (!name || has_name(task->d_name, name))) found++;
  closedir(tasks);
  return found;
}

int thread_count(void) { return count(NULL); }

int threads_named(const char *name) { return count(name); }
