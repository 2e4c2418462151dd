/* SPDX-License-Identifier: Apache-2.0 */
/* Keys, certificates and signatures for the tool that publishes. The library verifies only, and does not contain this.
   Not thread-safe: the tool calls it from one thread. */
#ifndef REMORA_SIGNING_H
#define REMORA_SIGNING_H

#include <stdint.h>

/* What Swift needs to know of pointers, and other compilers do not know. */
#ifdef __clang__
#pragma clang assume_nonnull begin
#else
#define _Nullable
#endif

/* A private key on P-384. */
typedef struct remora_signing_key remora_signing_key;

/* The content of a certificate. Times are in seconds since 1970. */
typedef struct {
  const char *common_name;
  /* The signer's DNS name; NULL for a certificate authority. */
  const char *_Nullable dns_name;
  /* The number of authorities that may follow below an authority. */
  int path_length;
  int64_t from;
  int64_t until;
} remora_certificate;

/* What a certificate states. Times are in seconds since 1970. */
typedef struct {
  char common_name[128];
  /* The first DNS name; empty without one, and if it is too long. */
  char dns_name[256];
  int64_t from;
  int64_t until;
} remora_certificate_facts;

/* Loads the functions of libcrypto that sign. Returns NULL, or the name of what is missing. */
const char *_Nullable remora_signing_load(void);

/* Returns OpenSSL's reason for the last failure. */
const char *remora_signing_reason(void);

/* Creates a key; NULL on failure. */
remora_signing_key *_Nullable remora_signing_key_new(void);

/* Reads the first unencrypted private key in a PEM text; NULL if there is no key, or one that is not on P-384. */
remora_signing_key *_Nullable remora_signing_key_read(const void *pem, int length);

void remora_signing_key_free(remora_signing_key *key);

/* Writes the key as PEM. Returns the number of bytes; 0 on failure. */
int remora_signing_key_write(const remora_signing_key *key, void *buffer, int size);

/* Signs a SHA-384 digest of 48 bytes. The signature is r and s, 96 bytes. Returns 1, or 0 on failure. */
int remora_signing_key_sign(const remora_signing_key *key, const uint8_t *digest, uint8_t *signature);

/* Reads the first certificate in a PEM text, and writes it in DER. Returns the number of bytes; 0 on failure. */
int remora_read_certificate(const void *pem, int length, remora_certificate_facts *facts, void *der, int size);

/* Issues a certificate for the key `subject` and writes it as PEM. `issuer_pem` begins with the issuer's certificate;
   NULL if the certificate signs itself. Returns the number of bytes; 0 on failure. */
int remora_issue(const remora_certificate *content, const remora_signing_key *subject, const void *_Nullable issuer_pem,
                 int issuer_length, const remora_signing_key *issuer, void *buffer, int size);

#ifdef __clang__
#pragma clang assume_nonnull end
#endif

#endif
