/*
 * ca_store.c
 *		The certificates of a CA file, decoded when they are asked for.
 *
 * Debian's CA bundle has about 140 certificates.  OpenSSL takes some 20 ms of
 * CPU time to load it, most of it to decode public keys, of which a handshake
 * needs one or two.  To verify a chain, OpenSSL asks its store for
 * certificates by subject, and the store asks its lookups; so it uses a
 * directory of CA files.  Here is a lookup of that kind over a file: all
 * certificates are parsed but for their keys, which takes 3 ms, and OpenSSL
 * decodes those with a subject that is asked for, and puts them into the
 * store.  (A directory would do the same without this file, but not every
 * system has one with a file for each hash of a subject, and whether it has
 * all certificates of the bundle is not to be seen without reading both.)
 *
 * Nothing is decided here about trust.  The store only ever has certificates
 * of the file, as OpenSSL decodes them, and of each subject that was asked for
 * all of them, in the order of the file.  OpenSSL asks for nothing but
 * subjects, compares them by X509_NAME_cmp, as we do, and decides the rest.
 *
 * A file that OpenSSL would refuse as a whole, because one certificate cannot
 * be parsed, is left to it; so is one with trust settings, revocation lists or
 * private keys, which OpenSSL knows how to treat.  A public key that cannot be
 * decoded is no reason to refuse a file, for OpenSSL too.
 *
 * Layer: aws.  Knows OpenSSL; knows no network.
 */
#include "ca_store.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/asn1t.h>
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

typedef struct Entry
{
	X509_NAME  *subject;
	unsigned char *der;
	long		len;
} Entry;

/* Belongs to the store, and lives as long. */
struct DynCaStore
{
	X509_STORE *store;
	Entry	   *entries;		/* in the order of the file */
	size_t		n;
	size_t		cap;
	bool		damaged;
};

/* ---- certificates ----------------------------------------------------- */

/*
 * OpenSSL's X509 (RFC 5280, section 4.1), except that two members, which are
 * the same in DER, are not decoded further: the key, which is an X509_PUBKEY
 * there, and the issuer, which is an X509_NAME there, and here has the bytes
 * of one; parsing names is what takes most of the remaining time.
 */
typedef struct KeyBits
{
	X509_ALGOR *algorithm;
	ASN1_BIT_STRING *bits;
} KeyBits;

typedef struct Contents
{
	ASN1_INTEGER *version;
	ASN1_INTEGER *serial;
	X509_ALGOR *algorithm;
	ASN1_STRING *issuer;
	X509_VAL   *validity;
	X509_NAME  *subject;
	KeyBits    *key;
	ASN1_BIT_STRING *issuer_id;
	ASN1_BIT_STRING *subject_id;
	STACK_OF(X509_EXTENSION) *extensions;
} Contents;

typedef struct Certificate
{
	Contents   *contents;
	X509_ALGOR *algorithm;
	ASN1_BIT_STRING *signature;
} Certificate;

ASN1_SEQUENCE(KeyBits) = {
	ASN1_SIMPLE(KeyBits, algorithm, X509_ALGOR),
	ASN1_SIMPLE(KeyBits, bits, ASN1_BIT_STRING)
} static_ASN1_SEQUENCE_END(KeyBits)

ASN1_SEQUENCE(Contents) = {
	ASN1_EXP_OPT(Contents, version, ASN1_INTEGER, 0),
	ASN1_SIMPLE(Contents, serial, ASN1_INTEGER),
	ASN1_SIMPLE(Contents, algorithm, X509_ALGOR),
	ASN1_SIMPLE(Contents, issuer, ASN1_SEQUENCE),
	ASN1_SIMPLE(Contents, validity, X509_VAL),
	ASN1_SIMPLE(Contents, subject, X509_NAME),
	ASN1_SIMPLE(Contents, key, KeyBits),
	ASN1_IMP_OPT(Contents, issuer_id, ASN1_BIT_STRING, 1),
	ASN1_IMP_OPT(Contents, subject_id, ASN1_BIT_STRING, 2),
	ASN1_EXP_SEQUENCE_OF_OPT(Contents, extensions, X509_EXTENSION, 3)
} static_ASN1_SEQUENCE_END(Contents)

ASN1_SEQUENCE(Certificate) = {
	ASN1_SIMPLE(Certificate, contents, Contents),
	ASN1_SIMPLE(Certificate, algorithm, X509_ALGOR),
	ASN1_SIMPLE(Certificate, signature, ASN1_BIT_STRING)
} static_ASN1_SEQUENCE_END(Certificate)

/* Can the issuer be parsed?  It can if it is the same as the subject. */
static bool
is_issuer_good(const Contents *contents)
{
	const unsigned char *issuer = ASN1_STRING_get0_data(contents->issuer);
	size_t		issuer_len = (size_t) ASN1_STRING_length(contents->issuer);
	const unsigned char *subject;
	size_t		subject_len;
	X509_NAME  *name;

	if (!X509_NAME_get0_der(contents->subject, &subject, &subject_len))
		return false;
	if (issuer_len == subject_len && memcmp(issuer, subject, issuer_len) == 0)
		return true;
	name = d2i_X509_NAME(NULL, &issuer, (long) issuer_len);
	X509_NAME_free(name);
	return name != NULL;
}

/* NULL if it is not a certificate, or memory runs out. */
static X509_NAME *
read_subject(const unsigned char *der, long len)
{
	Certificate *certificate = (Certificate *)
		ASN1_item_d2i(NULL, &der, len, ASN1_ITEM_rptr(Certificate));
	X509_NAME  *subject = NULL;

	if (certificate == NULL)
		return NULL;
	if (is_issuer_good(certificate->contents))
	{
		subject = certificate->contents->subject;
		certificate->contents->subject = NULL;
	}
	ASN1_item_free((ASN1_VALUE *) certificate, ASN1_ITEM_rptr(Certificate));
	return subject;
}

/* ---- the file --------------------------------------------------------- */

static void
free_entries(DynCaStore *ca)
{
	while (ca->n > 0)
	{
		Entry	   *entry = &ca->entries[--ca->n];

		X509_NAME_free(entry->subject);
		OPENSSL_free(entry->der);
	}
	free(ca->entries);
	free(ca);
}

static bool
make_room(DynCaStore *ca)
{
	size_t		cap = ca->cap ? ca->cap * 2 : 16;
	Entry	   *entries;

	if (ca->n < ca->cap)
		return true;
	entries = realloc(ca->entries, cap * sizeof(entries[0]));
	if (entries == NULL)
		return false;
	ca->entries = entries;
	ca->cap = cap;
	return true;
}

/* A block of the file; takes ownership of the bytes, also on failure. */
static bool
add_entry(DynCaStore *ca, const char *label, const char *header,
		  unsigned char *der, long len)
{
	X509_NAME  *subject = NULL;

	if (strcmp(label, PEM_STRING_X509) == 0 && header[0] == '\0' &&
		make_room(ca))
		subject = read_subject(der, len);
	if (subject == NULL)
	{
		OPENSSL_free(der);
		return false;
	}
	ca->entries[ca->n++] = (Entry) {subject, der, len};
	return true;
}

/* Did PEM_read_bio find no further block, and no fault? */
static bool
is_at_end(void)
{
	unsigned long error = ERR_peek_last_error();

	return ERR_GET_LIB(error) == ERR_LIB_PEM &&
		ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
}

static bool
read_blocks(DynCaStore *ca, BIO *bio)
{
	char	   *label;
	char	   *header;
	unsigned char *der;
	long		len;
	bool		ok = true;

	while (ok && PEM_read_bio(bio, &label, &header, &der, &len))
	{
		ok = add_entry(ca, label, header, der, len);
		OPENSSL_free(label);
		OPENSSL_free(header);
	}
	return ok && is_at_end() && ca->n > 0;
}

static bool
read_file(DynCaStore *ca, const char *file)
{
	BIO		   *bio;
	bool		ok;

	ERR_clear_error();
	bio = BIO_new_file(file, "r");
	ok = bio != NULL && read_blocks(ca, bio);
	BIO_free(bio);
	ERR_clear_error();
	return ok;
}

/* ---- the lookup ------------------------------------------------------- */

/*
 * Decodes it into the store, and sets *found if it is the first.  OpenSSL
 * wants only the store to have a reference then: see X509_LOOKUP_meth_new(3).
 * OpenSSL takes certificates whose key or extensions it cannot decode, which
 * may be for lack of memory, and does not try again.
 */
static bool
add_to_store(DynCaStore *ca, const Entry *entry, X509_OBJECT *found,
			 bool first)
{
	const unsigned char *der = entry->der;
	X509	   *x509 = d2i_X509(NULL, &der, entry->len);
	bool		ok = x509 != NULL && X509_STORE_add_cert(ca->store, x509) &&
		(!first || X509_OBJECT_set1_X509(found, x509));

	if (!ok || X509_get0_pubkey(x509) == NULL ||
		X509_check_purpose(x509, -1, 0) != 1)
		ca->damaged = true;
	if (ok && first)
		X509_free(x509);
	X509_free(x509);
	return ok;
}

/* Adds all with the subject, as it is not asked again if the store has one. */
static int
find_by_subject(X509_LOOKUP *lookup, X509_LOOKUP_TYPE type,
				const X509_NAME *subject, X509_OBJECT *found)
{
	DynCaStore *ca = X509_LOOKUP_get_method_data(lookup);
	bool		any = false;
	size_t		i;

	if (type != X509_LU_X509 || ca == NULL)
		return 0;
	for (i = 0; i < ca->n; i++)
	{
		if (X509_NAME_cmp(ca->entries[i].subject, subject) != 0)
			continue;
		if (!add_to_store(ca, &ca->entries[i], found, !any))
			return 0;
		any = true;
	}
	return any;
}

static void
end_lookup(X509_LOOKUP *lookup)
{
	DynCaStore *ca = X509_LOOKUP_get_method_data(lookup);

	if (ca != NULL)
		free_entries(ca);
}

/* Made once in a process; NULL without memory. */
static X509_LOOKUP_METHOD *
lookup_method(void)
{
	static X509_LOOKUP_METHOD *made;
	X509_LOOKUP_METHOD *method;

	if (made != NULL)
		return made;
	method = X509_LOOKUP_meth_new("certificates of a file by subject");
	if (method == NULL)
		return NULL;
	if (X509_LOOKUP_meth_set_get_by_subject(method, find_by_subject) &&
		X509_LOOKUP_meth_set_free(method, end_lookup))
		made = method;
	else
		X509_LOOKUP_meth_free(method);
	return made;
}

/* Makes the store, which owns the certificates from then on. */
static bool
make_store(DynCaStore *ca)
{
	X509_LOOKUP_METHOD *method = lookup_method();
	X509_LOOKUP *lookup = NULL;

	ca->store = X509_STORE_new();
	if (ca->store != NULL && method != NULL)
		lookup = X509_STORE_add_lookup(ca->store, method);
	if (lookup != NULL && X509_LOOKUP_set_method_data(lookup, ca))
		return true;
	X509_STORE_free(ca->store);
	return false;
}

DynCaStore *
dyn_ca_store_open(const char *file)
{
	DynCaStore *ca = calloc(1, sizeof(*ca));

	if (ca == NULL || (read_file(ca, file) && make_store(ca)))
		return ca;
	free_entries(ca);
	return NULL;
}

void
dyn_ca_store_close(DynCaStore *ca)
{
	if (ca != NULL)
		X509_STORE_free(ca->store);
}

X509_STORE *
dyn_ca_store_x509(const DynCaStore *ca)
{
	return ca->store;
}

bool
dyn_ca_store_is_damaged(const DynCaStore *ca)
{
	return ca->damaged;
}
