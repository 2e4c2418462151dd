/* SPDX-License-Identifier: Apache-2.0
 *
 * Signs collections with libcrypto; see signer.h.
 */
#include "signer.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

enum { COORDINATE = 48, DAY = 24 * 3600 };

static const char prefix[] = "Content-Signature:"; /* with its NUL */

struct signer {
  EVP_PKEY *key;
  BIO *chain;
  char pin[SIGNER_PIN_SIZE];
  unsigned char last[256]; /* The last signature, in DER. */
  size_t last_size;
};

static void demand(int done, const char *what) {
  if (!done) fail("cannot create the signer: %s", what);
}

static void add_extension(X509 *certificate, X509 *issuer, int kind, const char *value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
  X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, kind, value);
  demand(extension && X509_add_ext(certificate, extension, -1), value);
  X509_EXTENSION_free(extension);
}

/* Returns a certificate for a key, signed with the issuer's key, or self-signed without an issuer. */
static X509 *certify(EVP_PKEY *key, const char *name, X509 *issuer, EVP_PKEY *issuer_key) {
  X509 *certificate = X509_new();
  demand(certificate && X509_set_version(certificate, 2), "X509_new");
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), issuer ? 2 : 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -DAY);
  X509_gmtime_adj(X509_getm_notAfter(certificate), DAY);
  X509_NAME *subject = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1, 0);
  X509_set_issuer_name(certificate, X509_get_subject_name(issuer ? issuer : certificate));
  X509_set_pubkey(certificate, key);
  add_extension(certificate, issuer ? issuer : certificate, NID_basic_constraints,
                issuer ? "critical,CA:FALSE" : "critical,CA:TRUE");
  if (issuer) {
    char alternative[300];
    snprintf(alternative, sizeof alternative, "DNS:%s", name);
    add_extension(certificate, issuer, NID_subject_alt_name, alternative);
    add_extension(certificate, issuer, NID_ext_key_usage, "codeSigning");
  }
  demand(X509_sign(certificate, issuer ? issuer_key : key, EVP_sha384()) > 0, "X509_sign");
  return certificate;
}

static void note_pin(signer *made, X509 *root) {
  unsigned char digest[32];
  unsigned size = 0;
  demand(X509_digest(root, EVP_sha256(), digest, &size) && size == sizeof digest, "X509_digest");
  for (unsigned i = 0; i < size; i++) snprintf(made->pin + 2 * i, 3, "%02x", digest[i]);
}

signer *signer_create(const char *name) {
  signer *made = calloc(1, sizeof *made);
  if (!made) fail("out of memory");
  EVP_PKEY *root_key = EVP_EC_gen("P-384");
  made->key = EVP_EC_gen("P-384");
  made->chain = BIO_new(BIO_s_mem());
  demand(root_key && made->key && made->chain, "EVP_EC_gen");
  X509 *root = certify(root_key, "benchmark root", NULL, NULL);
  X509 *leaf = certify(made->key, name, root, root_key);
  demand(PEM_write_bio_X509(made->chain, leaf) && PEM_write_bio_X509(made->chain, root), "PEM_write_bio_X509");
  note_pin(made, root);
  X509_free(leaf);
  X509_free(root);
  EVP_PKEY_free(root_key);
  return made;
}

void signer_free(signer *made) {
  if (!made) return;
  EVP_PKEY_free(made->key);
  BIO_free(made->chain);
  free(made);
}

const char *signer_chain(const signer *made, size_t *out_size) {
  char *text = NULL;
  *out_size = (size_t)BIO_get_mem_data(made->chain, &text);
  return text;
}

const char *signer_pin(const signer *made) { return made->pin; }

void signer_sign(signer *made, const void *content, size_t size, char out[SIGNER_SIGNATURE_SIZE]) {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  made->last_size = sizeof made->last;
  demand(context && EVP_DigestSignInit(context, NULL, EVP_sha384(), NULL, made->key) > 0 &&
             EVP_DigestSignUpdate(context, prefix, sizeof prefix) > 0 &&
             EVP_DigestSignUpdate(context, content, size) > 0 &&
             EVP_DigestSignFinal(context, made->last, &made->last_size) > 0,
         "EVP_DigestSign");
  EVP_MD_CTX_free(context);
  const unsigned char *cursor = made->last;
  ECDSA_SIG *signature = d2i_ECDSA_SIG(NULL, &cursor, (long)made->last_size);
  unsigned char raw[2 * COORDINATE];
  demand(signature && BN_bn2binpad(ECDSA_SIG_get0_r(signature), raw, COORDINATE) == COORDINATE &&
             BN_bn2binpad(ECDSA_SIG_get0_s(signature), raw + COORDINATE, COORDINATE) == COORDINATE,
         "ECDSA_SIG");
  ECDSA_SIG_free(signature);
  EVP_EncodeBlock((unsigned char *)out, raw, sizeof raw);
  for (char *c = out; *c; c++) *c = *c == '+' ? '-' : *c == '/' ? '_' : *c;
}

void signer_verify(const signer *made, const void *content, size_t size) {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  demand(context && EVP_DigestVerifyInit(context, NULL, EVP_sha384(), NULL, made->key) > 0 &&
             EVP_DigestVerifyUpdate(context, prefix, sizeof prefix) > 0 &&
             EVP_DigestVerifyUpdate(context, content, size) > 0 &&
             EVP_DigestVerifyFinal(context, made->last, made->last_size) > 0,
         "EVP_DigestVerify");
  EVP_MD_CTX_free(context);
}
