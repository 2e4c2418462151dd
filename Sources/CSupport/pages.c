/* SPDX-License-Identifier: Apache-2.0 */
/* Memory by the page, which grows without a copy. */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "remora_support.h"

void *remora_map_pages(size_t size) {
  void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return pages == MAP_FAILED ? NULL : pages;
}

void *remora_grow_pages(void *pages, size_t size, size_t wanted) {
  void *grown = mremap(pages, size, wanted, MREMAP_MAYMOVE);
  return grown == MAP_FAILED ? NULL : grown;
}
