/* SPDX-License-Identifier: Apache-2.0 */
/* Finds libcrypto at run time. The table is filled whole or not at all. */
#include <dlfcn.h>
#include <openssl/crypto.h>
#include <stddef.h>

#include "remora_libcrypto.h"

struct remora_libcrypto remora_libcrypto;

static const char *const names[] = {
#define NAME(name) #name,
    REMORA_LIBCRYPTO_FUNCTIONS(NAME)
#undef NAME
};
enum { count = sizeof names / sizeof names[0] };

/* Set behind the table: who sees it set sees the table. */
static int loaded;

int remora_libcrypto_is_loaded(void) { return __atomic_load_n(&loaded, __ATOMIC_ACQUIRE); }

/* Everything that OpenSSL would otherwise set up by itself at some later moment. But no exit handler: it could run
   while a thread of the host's is in here, and there is nothing to free in a process that ends. */
static int initialise(void *function) {
  const uint64_t options = OPENSSL_INIT_LOAD_CONFIG | OPENSSL_INIT_LOAD_CRYPTO_STRINGS | OPENSSL_INIT_ADD_ALL_CIPHERS |
                           OPENSSL_INIT_ADD_ALL_DIGESTS | OPENSSL_INIT_NO_ATEXIT;
  return ((__typeof__(&OPENSSL_init_crypto))function)(options, NULL);
}

const char *remora_libcrypto_load(void) {
  if (remora_libcrypto_is_loaded()) return NULL;
  void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return dlerror();

  union {
    struct remora_libcrypto table;
    void *addresses[count];
  } found;
  _Static_assert(sizeof found.table == sizeof found.addresses, "one address per name");
  for (size_t i = 0; i < count; i++) {
    found.addresses[i] = dlsym(library, names[i]);
    if (found.addresses[i] == NULL) return dlerror();
  }
  if (!initialise(found.table.OPENSSL_init_crypto)) return "libcrypto cannot be initialised";
  remora_libcrypto = found.table;
  __atomic_store_n(&loaded, 1, __ATOMIC_RELEASE);
  return NULL;
}

void remora_libcrypto_leave_thread(void) { ((__typeof__(&OPENSSL_thread_stop))remora_libcrypto.OPENSSL_thread_stop)(); }
