/* SPDX-License-Identifier: Apache-2.0 */
/* Signs and issues with libcrypto, which is loaded at run time: a tool that only reads does not need these
   functions. */
#define _DEFAULT_SOURCE /* timegm */
#include "remora_signing.h"

#include <dlfcn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* clang-format off */
#define FUNCTIONS(X) \
  X(ASN1_INTEGER_free) X(ASN1_STRING_get0_data) X(ASN1_STRING_length) X(ASN1_TIME_set) X(ASN1_TIME_to_tm) \
  X(BIO_free) X(BIO_new) X(BIO_new_mem_buf) X(BIO_read) X(BIO_s_mem) X(BN_bin2bn) X(BN_bn2binpad) X(BN_free) \
  X(BN_to_ASN1_INTEGER) X(d2i_ECDSA_SIG) X(ECDSA_SIG_free) X(ECDSA_SIG_get0) X(ERR_clear_error) X(ERR_peek_error) \
  X(ERR_reason_error_string) X(EVP_PKEY_CTX_free) X(EVP_PKEY_CTX_new) X(EVP_PKEY_CTX_set_signature_md) \
  X(EVP_PKEY_free) X(EVP_PKEY_get_group_name) X(EVP_PKEY_Q_keygen) X(EVP_PKEY_sign) X(EVP_PKEY_sign_init) \
  X(EVP_sha384) X(GENERAL_NAME_get0_value) X(GENERAL_NAMES_free) X(i2d_X509) X(OPENSSL_sk_num) X(OPENSSL_sk_value) \
  X(PEM_read_bio_PrivateKey) X(PEM_read_bio_X509) X(PEM_write_bio_PKCS8PrivateKey) X(PEM_write_bio_X509) \
  X(RAND_bytes) X(X509_add_ext) X(X509_EXTENSION_free) X(X509_free) X(X509_get0_notAfter) X(X509_get0_notBefore) \
  X(X509_get_ext_d2i) X(X509_get_subject_name) X(X509_getm_notAfter) X(X509_getm_notBefore) \
  X(X509_NAME_add_entry_by_txt) X(X509_NAME_free) X(X509_NAME_get_text_by_NID) X(X509_NAME_new) X(X509_new) \
  X(X509_set_issuer_name) X(X509_set_pubkey) X(X509_set_serialNumber) X(X509_set_subject_name) X(X509_set_version) \
  X(X509_sign) X(X509V3_EXT_conf_nid) X(X509V3_set_ctx)
/* clang-format on */

/* One address per function, under the function's own name. */
static struct {
#define MEMBER(name) __typeof__(&name) name;
  FUNCTIONS(MEMBER)
#undef MEMBER
} crypto;

const char *remora_signing_load(void) {
  void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return "libcrypto.so.3";
#define LOAD(name)                            \
  void *found_##name = dlsym(library, #name); \
  if (found_##name == NULL) return #name;     \
  memcpy(&crypto.name, &found_##name, sizeof found_##name);
  FUNCTIONS(LOAD)
#undef LOAD
  return NULL;
}

const char *remora_signing_reason(void) {
  const char *reason = crypto.ERR_reason_error_string(crypto.ERR_peek_error());
  crypto.ERR_clear_error();
  return reason == NULL ? "no reason given" : reason;
}

/* Keys. */

static EVP_PKEY *inner(const remora_signing_key *key) { return (EVP_PKEY *)(uintptr_t)key; }

remora_signing_key *remora_signing_key_new(void) {
  return (remora_signing_key *)crypto.EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-384");
}

/* OpenSSL would ask for the password of an encrypted key on the terminal. */
static int no_password(char *buffer, int size, int is_writing, void *context) {
  (void)buffer, (void)size, (void)is_writing, (void)context;
  return -1;
}

remora_signing_key *remora_signing_key_read(const void *pem, int length) {
  BIO *text = crypto.BIO_new_mem_buf(pem, length);
  if (text == NULL) return NULL;
  EVP_PKEY *key = crypto.PEM_read_bio_PrivateKey(text, NULL, no_password, NULL);
  crypto.BIO_free(text);
  if (key == NULL) return NULL;
  char curve[32] = "";
  size_t count = 0;
  if (crypto.EVP_PKEY_get_group_name(key, curve, sizeof curve, &count) == 1 && strcmp(curve, "secp384r1") == 0)
    return (remora_signing_key *)key;
  crypto.EVP_PKEY_free(key);
  return NULL;
}

void remora_signing_key_free(remora_signing_key *key) { crypto.EVP_PKEY_free(inner(key)); }

/* Moves the content of a memory BIO to a buffer, and frees the BIO.
   Returns the number of bytes; 0 if it does not fit. */
static int take(BIO *text, void *buffer, int size) {
  int count = crypto.BIO_read(text, buffer, size);
  crypto.BIO_free(text);
  return count > 0 && count < size ? count : 0;
}

int remora_signing_key_write(const remora_signing_key *key, void *buffer, int size) {
  BIO *text = crypto.BIO_new(crypto.BIO_s_mem());
  if (text == NULL) return 0;
  if (crypto.PEM_write_bio_PKCS8PrivateKey(text, inner(key), NULL, NULL, 0, NULL, NULL) == 1)
    return take(text, buffer, size);
  crypto.BIO_free(text);
  return 0;
}

/* Signatures. */

static int split(const unsigned char *der, size_t length, uint8_t *signature) {
  ECDSA_SIG *numbers = crypto.d2i_ECDSA_SIG(NULL, &der, (long)length);
  if (numbers == NULL) return 0;
  const BIGNUM *r = NULL, *s = NULL;
  crypto.ECDSA_SIG_get0(numbers, &r, &s);
  int is_split = crypto.BN_bn2binpad(r, signature, 48) == 48 && crypto.BN_bn2binpad(s, signature + 48, 48) == 48;
  crypto.ECDSA_SIG_free(numbers);
  return is_split;
}

int remora_signing_key_sign(const remora_signing_key *key, const uint8_t *digest, uint8_t *signature) {
  unsigned char der[160];
  size_t length = sizeof der;
  EVP_PKEY_CTX *context = crypto.EVP_PKEY_CTX_new(inner(key), NULL);
  if (context == NULL) return 0;
  int is_signed = crypto.EVP_PKEY_sign_init(context) == 1 &&
                  crypto.EVP_PKEY_CTX_set_signature_md(context, crypto.EVP_sha384()) == 1 &&
                  crypto.EVP_PKEY_sign(context, der, &length, digest, 48) == 1;
  crypto.EVP_PKEY_CTX_free(context);
  return is_signed && split(der, length, signature);
}

/* Certificates. */

static int set_serial(X509 *certificate) {
  unsigned char bytes[16];
  if (crypto.RAND_bytes(bytes, sizeof bytes) != 1) return 0;
  bytes[0] = (bytes[0] & 0x7F) | 0x40; /* Positive, and of full length. */
  BIGNUM *number = crypto.BN_bin2bn(bytes, sizeof bytes, NULL);
  ASN1_INTEGER *serial = number == NULL ? NULL : crypto.BN_to_ASN1_INTEGER(number, NULL);
  int is_set = serial != NULL && crypto.X509_set_serialNumber(certificate, serial) == 1;
  crypto.ASN1_INTEGER_free(serial);
  crypto.BN_free(number);
  return is_set;
}

static int set_name(X509 *certificate, const char *common_name) {
  X509_NAME *name = crypto.X509_NAME_new();
  int is_set = name != NULL &&
               crypto.X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, (const unsigned char *)common_name, -1, -1,
                                                 0) == 1 &&
               crypto.X509_set_subject_name(certificate, name) == 1;
  crypto.X509_NAME_free(name);
  return is_set;
}

static int extend(X509 *certificate, X509V3_CTX *context, int kind, const char *value) {
  X509_EXTENSION *extension = crypto.X509V3_EXT_conf_nid(NULL, context, kind, value);
  int is_added = extension != NULL && crypto.X509_add_ext(certificate, extension, -1) == 1;
  crypto.X509_EXTENSION_free(extension);
  return is_added;
}

static int add_extensions(X509 *certificate, X509 *issuer, const remora_certificate *content) {
  X509V3_CTX context;
  crypto.X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
  char value[300];
  if (!extend(certificate, &context, NID_subject_key_identifier, "hash")) return 0;
  if (issuer != certificate && !extend(certificate, &context, NID_authority_key_identifier, "keyid")) return 0;
  if (content->dns_name == NULL) {
    snprintf(value, sizeof value, "critical,CA:TRUE,pathlen:%d", content->path_length);
    return extend(certificate, &context, NID_basic_constraints, value) &&
           extend(certificate, &context, NID_key_usage, "critical,keyCertSign,cRLSign");
  }
  snprintf(value, sizeof value, "DNS:%s", content->dns_name);
  return extend(certificate, &context, NID_basic_constraints, "critical,CA:FALSE") &&
         extend(certificate, &context, NID_key_usage, "critical,digitalSignature") &&
         extend(certificate, &context, NID_ext_key_usage, "codeSigning") &&
         extend(certificate, &context, NID_subject_alt_name, value);
}

static X509 *read_certificate(const void *pem, int length) {
  BIO *text = crypto.BIO_new_mem_buf(pem, length);
  if (text == NULL) return NULL;
  X509 *certificate = crypto.PEM_read_bio_X509(text, NULL, no_password, NULL);
  crypto.BIO_free(text);
  return certificate;
}

static int64_t seconds(const ASN1_TIME *time) {
  struct tm parts;
  return crypto.ASN1_TIME_to_tm(time, &parts) == 1 ? (int64_t)timegm(&parts) : 0;
}

/* Copies the first DNS name among the subject alternative names. */
static void copy_dns_name(const X509 *certificate, char *text, size_t size) {
  GENERAL_NAMES *names = crypto.X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
  int count = names == NULL ? 0 : crypto.OPENSSL_sk_num((const OPENSSL_STACK *)names);
  for (int i = 0; i < count && text[0] == '\0'; i++) {
    int type = GEN_OTHERNAME;
    const void *name = crypto.GENERAL_NAME_get0_value(crypto.OPENSSL_sk_value((const OPENSSL_STACK *)names, i), &type);
    size_t length = type == GEN_DNS ? (size_t)crypto.ASN1_STRING_length(name) : size;
    if (length < size) memcpy(text, crypto.ASN1_STRING_get0_data(name), length);
  }
  crypto.GENERAL_NAMES_free(names);
}

int remora_read_certificate(const void *pem, int length, remora_certificate_facts *facts, void *der, int size) {
  X509 *certificate = read_certificate(pem, length);
  if (certificate == NULL) return 0;
  memset(facts, 0, sizeof *facts);
  crypto.X509_NAME_get_text_by_NID(crypto.X509_get_subject_name(certificate), NID_commonName, facts->common_name,
                                   sizeof facts->common_name);
  copy_dns_name(certificate, facts->dns_name, sizeof facts->dns_name);
  facts->from = seconds(crypto.X509_get0_notBefore(certificate));
  facts->until = seconds(crypto.X509_get0_notAfter(certificate));
  unsigned char *cursor = der;
  int count = crypto.i2d_X509(certificate, NULL) <= size ? crypto.i2d_X509(certificate, &cursor) : 0;
  crypto.X509_free(certificate);
  return count > 0 ? count : 0;
}

static int write_certificate(X509 *certificate, void *buffer, int size) {
  BIO *text = crypto.BIO_new(crypto.BIO_s_mem());
  if (text == NULL) return 0;
  if (crypto.PEM_write_bio_X509(text, certificate) == 1) return take(text, buffer, size);
  crypto.BIO_free(text);
  return 0;
}

int remora_issue(const remora_certificate *content, const remora_signing_key *subject, const void *issuer_pem,
                 int issuer_length, const remora_signing_key *issuer_key, void *buffer, int size) {
  X509 *certificate = crypto.X509_new();
  X509 *issuer = issuer_pem == NULL ? certificate : read_certificate(issuer_pem, issuer_length);
  int is_issued = certificate != NULL && issuer != NULL && crypto.X509_set_version(certificate, 2) == 1 &&
                  set_serial(certificate) && set_name(certificate, content->common_name) &&
                  crypto.ASN1_TIME_set(crypto.X509_getm_notBefore(certificate), content->from) != NULL &&
                  crypto.ASN1_TIME_set(crypto.X509_getm_notAfter(certificate), content->until) != NULL &&
                  crypto.X509_set_issuer_name(certificate, crypto.X509_get_subject_name(issuer)) == 1 &&
                  crypto.X509_set_pubkey(certificate, inner(subject)) == 1 &&
                  add_extensions(certificate, issuer, content) &&
                  crypto.X509_sign(certificate, inner(issuer_key), crypto.EVP_sha384()) > 0;
  int count = is_issued ? write_certificate(certificate, buffer, size) : 0;
  if (issuer != certificate) crypto.X509_free(issuer);
  crypto.X509_free(certificate);
  return count;
}
