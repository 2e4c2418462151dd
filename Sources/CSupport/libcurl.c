/* SPDX-License-Identifier: Apache-2.0 */
/* The table of libcurl's functions. Never unloaded: its threads and exit handlers outlive any use. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "remora_libcurl.h"

struct remora_libcurl remora_libcurl_table;

static char problem[256];

/* Copies the address of a function; ISO C does not allow a cast between object and function pointers. */
static int find(void *library, const char *name, void *slot) {
  void *address = dlsym(library, name);
  if (!address) {
    snprintf(problem, sizeof problem, "libcurl has no function %s", name);
    return 0;
  }
  memcpy(slot, &address, sizeof address);
  return 1;
}

const char *remora_libcurl_load(void) {
  static int loaded;
  if (loaded) return NULL;

  void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *text = dlerror();
    snprintf(problem, sizeof problem, "libcurl cannot be loaded: %s; install it (on Debian: libcurl4)",
             text ? text : "no reason given");
    return problem;
  }
  struct remora_libcurl table = {0};
#define FIND(name) \
  if (!find(library, "curl_" #name, &table.name)) return problem
  FIND(global_init);
  FIND(version_info);
  FIND(easy_init);
  FIND(easy_setopt);
  FIND(easy_getinfo);
  FIND(easy_cleanup);
  FIND(easy_strerror);
  FIND(url);
  FIND(url_set);
  FIND(url_cleanup);
  FIND(slist_append);
  FIND(slist_free_all);
  FIND(multi_init);
  FIND(multi_setopt);
  FIND(multi_add_handle);
  FIND(multi_remove_handle);
  FIND(multi_perform);
  FIND(multi_poll);
  FIND(multi_wakeup);
  FIND(multi_info_read);
  FIND(multi_cleanup);
  FIND(multi_strerror);
#undef FIND
  /* A handle finds what its library depends on, too. Without zlib no compressed answer is asked for. */
  if (!find(library, "inflateInit2_", &table.inflate_init) || !find(library, "inflate", &table.inflate) ||
      !find(library, "inflateEnd", &table.inflate_end))
    table.inflate_init = NULL;
  CURLcode code = table.global_init(CURL_GLOBAL_DEFAULT);
  if (code != CURLE_OK) {
    snprintf(problem, sizeof problem, "libcurl cannot be initialised: %s", table.easy_strerror(code));
    return problem;
  }
  const curl_version_info_data *version = table.version_info(CURLVERSION_FIRST);
  if (version->version_num < 0x075800) {
    snprintf(problem, sizeof problem, "libcurl 7.88 or newer is needed, found %s", version->version);
    return problem;
  }
  /* Earlier ones use freed memory when the next answer to a handle begins with a folded header: curl issue 11101. */
  table.may_reuse_handles = version->version_num >= 0x080101;
  remora_libcurl_table = table;
  loaded = 1;
  return NULL;
}
