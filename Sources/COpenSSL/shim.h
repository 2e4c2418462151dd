/* SPDX-License-Identifier: Apache-2.0 */
/* OpenSSL for Swift: its types and constants from its headers, its functions through the table of
   remora_libcrypto.h. Call only `openssl_x`, never `x`: the library is not linked, and a plain `x` is an
   undefined symbol. Valid once remora_libcrypto_load has returned NULL. */
#ifndef REMORA_COPENSSL_SHIM_H
#define REMORA_COPENSSL_SHIM_H

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include "../CSupport/include/remora_libcrypto.h"

/* The function `name` with OpenSSL's own type. */
#define REMORA_OPENSSL(name) ((__typeof__(&name))remora_libcrypto.name)

#pragma clang assume_nonnull begin

/* Errors: a queue per thread. */

static inline unsigned long openssl_ERR_get_error(void) { return REMORA_OPENSSL(ERR_get_error)(); }

static inline const char *_Nullable openssl_ERR_reason_error_string(unsigned long error) {
  return REMORA_OPENSSL(ERR_reason_error_string)(error);
}

static inline void openssl_ERR_error_string_n(unsigned long error, char *buffer, size_t size) {
  REMORA_OPENSSL(ERR_error_string_n)(error, buffer, size);
}

/* Digests. */

static inline const EVP_MD *openssl_EVP_sha256(void) { return REMORA_OPENSSL(EVP_sha256)(); }

static inline const EVP_MD *openssl_EVP_sha384(void) { return REMORA_OPENSSL(EVP_sha384)(); }

static inline EVP_MD_CTX *_Nullable openssl_EVP_MD_CTX_new(void) { return REMORA_OPENSSL(EVP_MD_CTX_new)(); }

static inline void openssl_EVP_MD_CTX_free(EVP_MD_CTX *context) { REMORA_OPENSSL(EVP_MD_CTX_free)(context); }

static inline int openssl_EVP_DigestInit_ex(EVP_MD_CTX *context, const EVP_MD *digest) {
  return REMORA_OPENSSL(EVP_DigestInit_ex)(context, digest, NULL);
}

static inline int openssl_EVP_DigestUpdate(EVP_MD_CTX *context, const void *_Nullable bytes, size_t count) {
  return REMORA_OPENSSL(EVP_DigestUpdate)(context, bytes, count);
}

static inline int openssl_EVP_DigestFinal_ex(EVP_MD_CTX *context, unsigned char *digest, unsigned int *size) {
  return REMORA_OPENSSL(EVP_DigestFinal_ex)(context, digest, size);
}

/* Public keys. */

static inline EVP_PKEY *_Nullable openssl_d2i_PUBKEY(const unsigned char *_Nullable *_Nonnull cursor, long count) {
  return REMORA_OPENSSL(d2i_PUBKEY)(NULL, (const unsigned char **)cursor, count);
}

static inline void openssl_EVP_PKEY_free(EVP_PKEY *key) { REMORA_OPENSSL(EVP_PKEY_free)(key); }

static inline int openssl_EVP_PKEY_is_a(const EVP_PKEY *key, const char *type) {
  return REMORA_OPENSSL(EVP_PKEY_is_a)(key, type);
}

static inline int openssl_EVP_PKEY_get_group_name(const EVP_PKEY *key, char *name, size_t size, size_t *length) {
  return REMORA_OPENSSL(EVP_PKEY_get_group_name)(key, name, size, length);
}

/* Signatures. */

static inline EVP_PKEY_CTX *_Nullable openssl_EVP_PKEY_CTX_new(EVP_PKEY *key) {
  return REMORA_OPENSSL(EVP_PKEY_CTX_new)(key, NULL);
}

static inline void openssl_EVP_PKEY_CTX_free(EVP_PKEY_CTX *context) { REMORA_OPENSSL(EVP_PKEY_CTX_free)(context); }

static inline int openssl_EVP_PKEY_verify_init(EVP_PKEY_CTX *context) {
  return REMORA_OPENSSL(EVP_PKEY_verify_init)(context);
}

static inline int openssl_EVP_PKEY_CTX_set_signature_md(EVP_PKEY_CTX *context, const EVP_MD *digest) {
  return REMORA_OPENSSL(EVP_PKEY_CTX_set_signature_md)(context, digest);
}

static inline int openssl_EVP_PKEY_verify(EVP_PKEY_CTX *context, const unsigned char *signature, size_t length,
                                          const unsigned char *digest, size_t digest_length) {
  return REMORA_OPENSSL(EVP_PKEY_verify)(context, signature, length, digest, digest_length);
}

static inline BIGNUM *_Nullable openssl_BN_bin2bn(const unsigned char *bytes, int count) {
  return REMORA_OPENSSL(BN_bin2bn)(bytes, count, NULL);
}

static inline void openssl_BN_free(BIGNUM *_Nullable number) { REMORA_OPENSSL(BN_free)(number); }

static inline ECDSA_SIG *_Nullable openssl_ECDSA_SIG_new(void) { return REMORA_OPENSSL(ECDSA_SIG_new)(); }

static inline void openssl_ECDSA_SIG_free(ECDSA_SIG *signature) { REMORA_OPENSSL(ECDSA_SIG_free)(signature); }

/* Owns both numbers if it returns 1. */
static inline int openssl_ECDSA_SIG_set0(ECDSA_SIG *signature, BIGNUM *_Nullable r, BIGNUM *_Nullable s) {
  return REMORA_OPENSSL(ECDSA_SIG_set0)(signature, r, s);
}

static inline int openssl_i2d_ECDSA_SIG(const ECDSA_SIG *signature, unsigned char *_Nullable *_Nullable cursor) {
  return REMORA_OPENSSL(i2d_ECDSA_SIG)(signature, (unsigned char **)cursor);
}

/* Certificates. */

static inline X509 *_Nullable openssl_d2i_X509(const unsigned char *_Nullable *_Nonnull cursor, long count) {
  return REMORA_OPENSSL(d2i_X509)(NULL, (const unsigned char **)cursor, count);
}

static inline void openssl_X509_free(X509 *certificate) { REMORA_OPENSSL(X509_free)(certificate); }

static inline int openssl_X509_cmp(const X509 *one, const X509 *other) { return REMORA_OPENSSL(X509_cmp)(one, other); }

static inline const X509_NAME *_Nullable openssl_X509_get_subject_name(const X509 *certificate) {
  return REMORA_OPENSSL(X509_get_subject_name)(certificate);
}

static inline const X509_NAME *_Nullable openssl_X509_get_issuer_name(const X509 *certificate) {
  return REMORA_OPENSSL(X509_get_issuer_name)(certificate);
}

static inline int openssl_X509_NAME_cmp(const X509_NAME *_Nullable one, const X509_NAME *_Nullable other) {
  return REMORA_OPENSSL(X509_NAME_cmp)(one, other);
}

/* Writes the name in the form of RFC 2253, "CN=a,O=b", with separators and everything but printable ASCII escaped; cut
   at size and NUL-terminated. An empty text when there is no memory. */
static inline void openssl_X509_NAME_text(const X509_NAME *_Nullable name, char *buffer, int size) {
  buffer[0] = '\0';
  BIO *text = name == NULL ? NULL : REMORA_OPENSSL(BIO_new)(REMORA_OPENSSL(BIO_s_mem)());
  if (text == NULL) return;
  int count = REMORA_OPENSSL(X509_NAME_print_ex)(text, name, 0, XN_FLAG_RFC2253) < 0
                  ? 0
                  : REMORA_OPENSSL(BIO_read)(text, buffer, size - 1);
  buffer[count < 0 ? 0 : count] = '\0';
  REMORA_OPENSSL(BIO_free)(text);
}

static inline const ASN1_TIME *_Nullable openssl_X509_get0_notBefore(const X509 *certificate) {
  return REMORA_OPENSSL(X509_get0_notBefore)(certificate);
}

static inline const ASN1_TIME *_Nullable openssl_X509_get0_notAfter(const X509 *certificate) {
  return REMORA_OPENSSL(X509_get0_notAfter)(certificate);
}

static inline int openssl_ASN1_TIME_to_tm(const ASN1_TIME *time, struct tm *parts) {
  return REMORA_OPENSSL(ASN1_TIME_to_tm)(time, parts);
}

/* A new reference, or NULL for a key that cannot be decoded. */
static inline EVP_PKEY *_Nullable openssl_X509_get_pubkey(X509 *certificate) {
  return REMORA_OPENSSL(X509_get_pubkey)(certificate);
}

static inline uint32_t openssl_X509_get_extension_flags(X509 *certificate) {
  return REMORA_OPENSSL(X509_get_extension_flags)(certificate);
}

static inline uint32_t openssl_X509_get_key_usage(X509 *certificate) {
  return REMORA_OPENSSL(X509_get_key_usage)(certificate);
}

static inline uint32_t openssl_X509_get_extended_key_usage(X509 *certificate) {
  return REMORA_OPENSSL(X509_get_extended_key_usage)(certificate);
}

/* Subject alternative names. */

/* The decoded extension, or NULL when there is none, several, or a malformed one. */
static inline GENERAL_NAMES *_Nullable openssl_X509_get_subject_alt_names(const X509 *certificate) {
  return (GENERAL_NAMES *)REMORA_OPENSSL(X509_get_ext_d2i)(certificate, NID_subject_alt_name, NULL, NULL);
}

static inline void openssl_GENERAL_NAMES_free(GENERAL_NAMES *names) { REMORA_OPENSSL(GENERAL_NAMES_free)(names); }

static inline int openssl_sk_GENERAL_NAME_num(const GENERAL_NAMES *names) {
  return REMORA_OPENSSL(OPENSSL_sk_num)((const OPENSSL_STACK *)names);
}

/* The name at `index` when it is a DNS name, else NULL; lives as long as `names`. */
static inline const ASN1_STRING *_Nullable openssl_GENERAL_NAMES_dns(const GENERAL_NAMES *names, int index) {
  const GENERAL_NAME *name =
      (const GENERAL_NAME *)REMORA_OPENSSL(OPENSSL_sk_value)((const OPENSSL_STACK *)names, index);
  if (name == NULL) return NULL;
  int type = GEN_OTHERNAME;
  const void *value = REMORA_OPENSSL(GENERAL_NAME_get0_value)(name, &type);
  return type == GEN_DNS ? (const ASN1_STRING *)value : NULL;
}

static inline const unsigned char *_Nullable openssl_ASN1_STRING_get0_data(const ASN1_STRING *string) {
  return REMORA_OPENSSL(ASN1_STRING_get0_data)(string);
}

static inline int openssl_ASN1_STRING_length(const ASN1_STRING *string) {
  return REMORA_OPENSSL(ASN1_STRING_length)(string);
}

/* Path validation. */

/* A stack that borrows its certificates. */
static inline STACK_OF(X509) *_Nullable openssl_sk_X509_new_null(void) {
  return (STACK_OF(X509) *)REMORA_OPENSSL(OPENSSL_sk_new_null)();
}

static inline void openssl_sk_X509_free(STACK_OF(X509) * stack) {
  REMORA_OPENSSL(OPENSSL_sk_free)((OPENSSL_STACK *)stack);
}

static inline int openssl_sk_X509_push(STACK_OF(X509) * stack, X509 *certificate) {
  return REMORA_OPENSSL(OPENSSL_sk_push)((OPENSSL_STACK *)stack, certificate);
}

static inline int openssl_sk_X509_num(const STACK_OF(X509) *_Nullable stack) {
  return REMORA_OPENSSL(OPENSSL_sk_num)((const OPENSSL_STACK *)stack);
}

static inline X509 *_Nullable openssl_sk_X509_value(const STACK_OF(X509) *_Nullable stack, int index) {
  return (X509 *)REMORA_OPENSSL(OPENSSL_sk_value)((const OPENSSL_STACK *)stack, index);
}

static inline X509_STORE *_Nullable openssl_X509_STORE_new(void) { return REMORA_OPENSSL(X509_STORE_new)(); }

static inline void openssl_X509_STORE_free(X509_STORE *store) { REMORA_OPENSSL(X509_STORE_free)(store); }

static inline int openssl_X509_STORE_add_cert(X509_STORE *store, X509 *certificate) {
  return REMORA_OPENSSL(X509_STORE_add_cert)(store, certificate);
}

static inline X509_STORE_CTX *_Nullable openssl_X509_STORE_CTX_new(void) {
  return REMORA_OPENSSL(X509_STORE_CTX_new)();
}

static inline void openssl_X509_STORE_CTX_free(X509_STORE_CTX *context) {
  REMORA_OPENSSL(X509_STORE_CTX_free)(context);
}

static inline int openssl_X509_STORE_CTX_init(X509_STORE_CTX *context, X509_STORE *store, X509 *leaf,
                                              STACK_OF(X509) * untrusted) {
  return REMORA_OPENSSL(X509_STORE_CTX_init)(context, store, leaf, untrusted);
}

static inline X509_VERIFY_PARAM *_Nullable openssl_X509_STORE_CTX_get0_param(X509_STORE_CTX *context) {
  return REMORA_OPENSSL(X509_STORE_CTX_get0_param)(context);
}

static inline void openssl_X509_VERIFY_PARAM_set_time(X509_VERIFY_PARAM *parameters, time_t time) {
  REMORA_OPENSSL(X509_VERIFY_PARAM_set_time)(parameters, time);
}

static inline int openssl_X509_VERIFY_PARAM_set_purpose(X509_VERIFY_PARAM *parameters, int purpose) {
  return REMORA_OPENSSL(X509_VERIFY_PARAM_set_purpose)(parameters, purpose);
}

static inline void openssl_X509_VERIFY_PARAM_set_auth_level(X509_VERIFY_PARAM *parameters, int level) {
  REMORA_OPENSSL(X509_VERIFY_PARAM_set_auth_level)(parameters, level);
}

static inline void openssl_X509_VERIFY_PARAM_set_depth(X509_VERIFY_PARAM *parameters, int depth) {
  REMORA_OPENSSL(X509_VERIFY_PARAM_set_depth)(parameters, depth);
}

static inline int openssl_X509_verify_cert(X509_STORE_CTX *context) {
  return REMORA_OPENSSL(X509_verify_cert)(context);
}

static inline int openssl_X509_STORE_CTX_get_error(X509_STORE_CTX *context) {
  return REMORA_OPENSSL(X509_STORE_CTX_get_error)(context);
}

static inline int openssl_X509_STORE_CTX_get_error_depth(X509_STORE_CTX *context) {
  return REMORA_OPENSSL(X509_STORE_CTX_get_error_depth)(context);
}

static inline const STACK_OF(X509) *_Nullable openssl_X509_STORE_CTX_get0_chain(X509_STORE_CTX *context) {
  return REMORA_OPENSSL(X509_STORE_CTX_get0_chain)(context);
}

static inline const char *openssl_X509_verify_cert_error_string(long error) {
  return REMORA_OPENSSL(X509_verify_cert_error_string)(error);
}

#pragma clang assume_nonnull end

#undef REMORA_OPENSSL

#endif
