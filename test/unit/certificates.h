/*
 * certificates.h
 *		Certificates made for a test, with what can go wrong in them.
 */
#ifndef DYN_TEST_CERTIFICATES_H
#define DYN_TEST_CERTIFICATES_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#define CERTIFICATE_KEYS	6

enum
{
	AUTHORITY = 1,				/* may sign others */
	EXPIRED = 2,
	KEY_IDS = 4					/* names its own key, and its issuer's */
};

typedef struct Spec
{
	char		subject;
	int			key;
	char		issuer;
	int			issuer_key;
	int			flags;
} Spec;

static inline EVP_PKEY *
certificate_key(int i)
{
	static EVP_PKEY *keys[CERTIFICATE_KEYS];

	if (keys[i] == NULL)
		keys[i] = EVP_EC_gen("P-256");
	return keys[i];
}

static inline void
certificate_name(X509_NAME *name, char letter)
{
	unsigned char text[40];

	snprintf((char *) text, sizeof(text), "Authority %c", letter);
	X509_NAME_add_entry_by_NID(name, NID_organizationName, V_ASN1_UTF8STRING,
							   text, -1, -1, 0);
	X509_NAME_add_entry_by_NID(name, NID_commonName, V_ASN1_UTF8STRING, text,
							   -1, -1, 0);
}

static inline void
certificate_extend(X509 *x509, X509V3_CTX *context, int nid, const char *value)
{
	X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, context, nid, value);

	X509_add_ext(x509, extension, -1);
	X509_EXTENSION_free(extension);
}

/* The identifiers of keys, which are the hashes of the keys. */
static inline void
certificate_add_key_ids(X509 *x509, int issuer_key)
{
	X509	   *issuer = X509_new();
	X509V3_CTX	context;

	X509_set_pubkey(issuer, certificate_key(issuer_key));
	X509V3_set_ctx(&context, issuer, issuer, NULL, NULL, 0);
	certificate_extend(issuer, &context, NID_subject_key_identifier, "hash");
	X509V3_set_ctx(&context, issuer, x509, NULL, NULL, 0);
	certificate_extend(x509, &context, NID_subject_key_identifier, "hash");
	certificate_extend(x509, &context, NID_authority_key_identifier, "keyid");
	X509_free(issuer);
}

static inline X509 *
make_certificate(const Spec *spec)
{
	static long serial;
	X509	   *x509 = X509_new();
	bool		authority = spec->flags & AUTHORITY;
	long		day = 24 * 60 * 60;

	X509_set_version(x509, X509_VERSION_3);
	ASN1_INTEGER_set(X509_get_serialNumber(x509), ++serial);
	X509_gmtime_adj(X509_getm_notBefore(x509), -10 * day);
	X509_gmtime_adj(X509_getm_notAfter(x509),
					spec->flags & EXPIRED ? -day : 10 * day);
	certificate_name(X509_get_subject_name(x509), spec->subject);
	certificate_name(X509_get_issuer_name(x509), spec->issuer);
	X509_set_pubkey(x509, certificate_key(spec->key));
	certificate_extend(x509, NULL, NID_basic_constraints,
					   authority ? "critical,CA:TRUE" : "CA:FALSE");
	certificate_extend(x509, NULL, NID_key_usage, authority ?
					   "critical,keyCertSign,digitalSignature" :
					   "digitalSignature");
	if (spec->flags & KEY_IDS)
		certificate_add_key_ids(x509, spec->issuer_key);
	X509_sign(x509, certificate_key(spec->issuer_key), EVP_sha256());
	return x509;
}

static inline void
free_certificate_keys(void)
{
	int			i;

	for (i = 0; i < CERTIFICATE_KEYS; i++)
		EVP_PKEY_free(certificate_key(i));
}

#endif
