/* SPDX-License-Identifier: Apache-2.0
 *
 * A signer of collections: a P-384 key, and a chain of two certificates that ends in a root of its own.
 */
#ifndef BENCH_SIGNER_H
#define BENCH_SIGNER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SIGNER_PIN_SIZE = 65, SIGNER_SIGNATURE_SIZE = 129 };

typedef struct signer signer;

/* `name` is the DNS name in the leaf. Ends the program on failure, as everything here. */
signer *signer_create(const char *name);
void signer_free(signer *made);

/* The chain as PEM, leaf first; it lives as long as the signer. */
const char *signer_chain(const signer *made, size_t *out_size);
/* SHA-256 of the root in hexadecimal digits. */
const char *signer_pin(const signer *made);

/* The signature of content in base64url, with the prefix that content signatures have. */
void signer_sign(const signer *made, const void *content, size_t size, char out[SIGNER_SIGNATURE_SIZE]);

#ifdef __cplusplus
}
#endif

#endif
