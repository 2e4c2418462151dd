/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of libcrypto that Remora uses, by address: libcrypto is loaded at the first request, not linked,
   because its loading costs every host time at start. The types are OpenSSL's own; see the shim of COpenSSL. */
#ifndef REMORA_LIBCRYPTO_H
#define REMORA_LIBCRYPTO_H

#pragma GCC visibility push(hidden) /* A library that contains these functions does not export them. */

#define REMORA_LIBCRYPTO_FUNCTIONS(X) \
  X(ASN1_STRING_get0_data) X(ASN1_STRING_length) X(ASN1_TIME_to_tm) \
  X(BIO_free) X(BIO_new) X(BIO_read) X(BIO_s_mem) \
  X(BN_bin2bn) X(BN_free) \
  X(ECDSA_SIG_free) X(ECDSA_SIG_new) X(ECDSA_SIG_set0) X(i2d_ECDSA_SIG) \
  X(ERR_error_string_n) X(ERR_get_error) X(ERR_reason_error_string) \
  X(EVP_DigestFinal_ex) X(EVP_DigestInit_ex) X(EVP_DigestUpdate) \
  X(EVP_MD_CTX_free) X(EVP_MD_CTX_new) X(EVP_sha256) X(EVP_sha384) \
  X(EVP_PKEY_CTX_free) X(EVP_PKEY_CTX_new) X(EVP_PKEY_CTX_set_signature_md) \
  X(EVP_PKEY_free) X(EVP_PKEY_get_group_name) X(EVP_PKEY_is_a) X(EVP_PKEY_verify) X(EVP_PKEY_verify_init) \
  X(GENERAL_NAMES_free) X(GENERAL_NAME_get0_value) \
  X(OPENSSL_init_crypto) \
  X(OPENSSL_sk_free) X(OPENSSL_sk_new_null) X(OPENSSL_sk_num) X(OPENSSL_sk_push) X(OPENSSL_sk_value) \
  X(OPENSSL_thread_stop) \
  X(X509_NAME_cmp) X(X509_NAME_print_ex) \
  X(X509_STORE_CTX_free) X(X509_STORE_CTX_get0_chain) X(X509_STORE_CTX_get0_param) X(X509_STORE_CTX_get_error) \
  X(X509_STORE_CTX_get_error_depth) X(X509_STORE_CTX_init) X(X509_STORE_CTX_new) \
  X(X509_STORE_add_cert) X(X509_STORE_free) X(X509_STORE_new) \
  X(X509_VERIFY_PARAM_set_auth_level) X(X509_VERIFY_PARAM_set_depth) X(X509_VERIFY_PARAM_set_purpose) \
  X(X509_VERIFY_PARAM_set_time) \
  X(X509_cmp) X(X509_free) X(X509_get0_notAfter) X(X509_get0_notBefore) X(X509_get_ext_d2i) \
  X(X509_get_extended_key_usage) X(X509_get_extension_flags) X(X509_get_issuer_name) X(X509_get_key_usage) \
  X(X509_get_pubkey) X(X509_get_subject_name) X(X509_verify_cert) X(X509_verify_cert_error_string) \
  X(d2i_PUBKEY) X(d2i_X509)

/* One address per function, under the function's own name; all NULL until remora_libcrypto_load succeeds. */
struct remora_libcrypto {
#define REMORA_LIBCRYPTO_MEMBER(name) void *name;
  REMORA_LIBCRYPTO_FUNCTIONS(REMORA_LIBCRYPTO_MEMBER)
#undef REMORA_LIBCRYPTO_MEMBER
};

/* Written once, by remora_libcrypto_load. */
extern struct remora_libcrypto remora_libcrypto;

/* Loads libcrypto, initialises it and fills the table; does nothing when that was done before.
   Returns NULL, or a sentence that says what is missing, valid until the thread's next call.
   The caller holds the engine lock, which a fork takes too. OpenSSL registers its exit handler inside. */
const char *remora_libcrypto_load(void);

/* Takes what OpenSSL keeps for the calling thread: a thread that ends beside OpenSSL's exit handler would free it as
   well. For threads of the host's, after their call has loaded libraries. */
void remora_libcrypto_leave_thread(void);

/* Whether the table is filled: 1 or 0. From any thread. */
int remora_libcrypto_is_loaded(void);

#pragma GCC visibility pop

#endif
