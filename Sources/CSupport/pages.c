/* SPDX-License-Identifier: Apache-2.0 */
/* Memory by the page, which grows without a copy. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

#include "remora_support.h"

#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define COPIES_TO_GROW
#endif
#endif

void *remora_map_pages(size_t size) {
  void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return pages == MAP_FAILED ? NULL : pages;
}

void *remora_grow_pages(void *pages, size_t size, size_t wanted) {
#ifdef COPIES_TO_GROW
  /* ThreadSanitizer does not intercept mremap, so that it would mistake the new memory for that of an earlier owner. */
  void *grown = remora_map_pages(wanted);
  if (grown) {
    memcpy(grown, pages, size);
    munmap(pages, size);
  }
  return grown;
#else
  void *grown = mremap(pages, size, wanted, MREMAP_MAYMOVE);
  return grown == MAP_FAILED ? NULL : grown;
#endif
}
