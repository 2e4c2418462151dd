/* SPDX-License-Identifier: Apache-2.0
 *
 * Signs collections with a P-384 key and a chain of two certificates: a leaf and a root.
 */
#ifndef BENCH_SIGNER_H
#define BENCH_SIGNER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SIGNER_PIN_SIZE = 65, SIGNER_SIGNATURE_SIZE = 129 };

typedef struct signer signer;

/* `name` is the DNS name in the leaf. Like all functions here, it ends the program on failure. */
signer *signer_create(const char *name);
void signer_free(signer *made);

/* The chain as PEM, leaf first. Valid until the signer is freed. */
const char *signer_chain(const signer *made, size_t *out_size);
/* SHA-256 of the root in hexadecimal digits. */
const char *signer_pin(const signer *made);

/* Returns the signature of content in base64url. The content-signature prefix is signed too. */
void signer_sign(signer *made, const void *content, size_t size, char out[SIGNER_SIGNATURE_SIZE]);

/* Verifies the signature that was made last. */
void signer_verify(const signer *made, const void *content, size_t size);

#ifdef __cplusplus
}
#endif

#endif
