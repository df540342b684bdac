/*
 * test_tls.c
 *		Which certificates a handle trusts, and how often they are loaded.
 *
 * The store that a handle is given verifies like one that OpenSSL has loaded
 * the file into; with a file that OpenSSL does not load in full, there is
 * none, and libcurl reports what is wrong.
 */
#define _GNU_SOURCE				/* RTLD_NEXT */

#include "harness.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aws/tls.h"
#include "certificates.h"

#define LENGTHOF(array) (sizeof(array) / sizeof((array)[0]))

/* As libcurl sets them. */
#define FLAGS	(X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN)

static char directory[] = "/tmp/test_tls.XXXXXX";
static char file[100];
static char other_file[100];
static DynTls tls;
static CURL *easy;

/* Files that were loaded here. */
static int	loaded;

STACK_OF(X509_INFO) *
PEM_X509_INFO_read_bio(BIO *bio, STACK_OF(X509_INFO) *infos,
					   pem_password_cb *callback, void *arg)
{
	STACK_OF(X509_INFO) *(*real) (BIO *, STACK_OF(X509_INFO) *,
								  pem_password_cb *, void *);

	*(void **) &real = dlsym(RTLD_NEXT, "PEM_X509_INFO_read_bio");
	loaded++;
	return real(bio, infos, callback, arg);
}

/* ---- certificates ----------------------------------------------------- */

typedef enum Name
{
	ROOT, NEW_ROOT, EXPIRED_ROOT, OTHER_ROOT, MIDDLE, LEAF, LEAF_OF_ROOT,
	NAMES
} Name;

static const Spec specs[NAMES] = {
	[ROOT] = {'A', 0, 'A', 0, AUTHORITY | KEY_IDS},
	[NEW_ROOT] = {'A', 1, 'A', 1, AUTHORITY | KEY_IDS},
	[EXPIRED_ROOT] = {'A', 0, 'A', 0, AUTHORITY | KEY_IDS | EXPIRED},
	[OTHER_ROOT] = {'B', 2, 'B', 2, AUTHORITY | KEY_IDS},
	[MIDDLE] = {'M', 3, 'A', 0, AUTHORITY | KEY_IDS},
	[LEAF] = {'L', 4, 'M', 3, KEY_IDS},
	[LEAF_OF_ROOT] = {'L', 4, 'A', 0, KEY_IDS}
};

static X509 *certificates[NAMES];

static void
make_certificates(void)
{
	int			i;

	for (i = 0; i < NAMES; i++)
		certificates[i] = make_certificate(&specs[i]);
}

static void
write_certificates(const char *path, const Name *names, int n)
{
	BIO		   *bio = BIO_new_file(path, "w");
	int			i;

	for (i = 0; i < n; i++)
		PEM_write_bio_X509(bio, certificates[names[i]]);
	BIO_free(bio);
}

static void
write_one(const char *path, Name name)
{
	write_certificates(path, &name, 1);
}

/* As a block of this label, with something after it. */
static void
write_block(const char *label, Name name, const char *after)
{
	BIO		   *bio = BIO_new_file(file, "w");
	unsigned char *der = NULL;
	int			len = i2d_X509(certificates[name], &der);

	PEM_write_bio(bio, label, "", der, len);
	BIO_puts(bio, after);
	BIO_free(bio);
	OPENSSL_free(der);
}

/* ---- stores ----------------------------------------------------------- */

/* What a handle is given; NULL: libcurl reads the file. */
static X509_STORE *
store_of(const char *path)
{
	int			i;

	curl_easy_reset(easy);
	CHECK(dyn_tls_trust(&tls, easy, path));
	for (i = 0; i < tls.nfiles; i++)
		if (strcmp(tls.files[i].path, path) == 0)
			return tls.files[i].store;
	return NULL;
}

/* X509_V_OK if the chain is trusted. */
static int
verify(X509_STORE *store, Name leaf, bool with_middle)
{
	X509_STORE_CTX *context = X509_STORE_CTX_new();
	STACK_OF(X509) *sent = sk_X509_new_null();
	int			error;

	if (with_middle)
		sk_X509_push(sent, certificates[MIDDLE]);
	X509_STORE_CTX_init(context, store, certificates[leaf], sent);
	X509_STORE_CTX_set_default(context, "ssl_server");
	X509_STORE_CTX_set_flags(context, FLAGS);
	(void) X509_verify_cert(context);
	error = X509_STORE_CTX_get_error(context);
	X509_STORE_CTX_free(context);
	sk_X509_free(sent);
	return error;
}

static void
check_trusts(X509_STORE *store, Name leaf, bool with_middle)
{
	if (CHECK(store != NULL))
		CHECK_EQ_INT(verify(store, leaf, with_middle), X509_V_OK);
}

static void
check_refuses(X509_STORE *store, Name leaf, bool with_middle, int error)
{
	if (CHECK(store != NULL))
		CHECK_EQ_INT(verify(store, leaf, with_middle), error);
}

#define NO_ISSUER	X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY

static void
trusts_what_is_in_the_file(void)
{
	static const Name several[] = {OTHER_ROOT, NEW_ROOT, EXPIRED_ROOT, ROOT};

	dyn_tls_forget(&tls);
	write_one(file, ROOT);
	check_trusts(store_of(file), LEAF, true);
	check_refuses(store_of(file), LEAF, false, NO_ISSUER);
	check_trusts(store_of(file), LEAF_OF_ROOT, false);
	dyn_tls_forget(&tls);
	write_one(file, OTHER_ROOT);
	check_refuses(store_of(file), LEAF, true, NO_ISSUER);
	dyn_tls_forget(&tls);
	/* the right name with another key */
	write_one(file, NEW_ROOT);
	check_refuses(store_of(file), LEAF, true, NO_ISSUER);
	dyn_tls_forget(&tls);
	write_one(file, EXPIRED_ROOT);
	check_refuses(store_of(file), LEAF, true, X509_V_ERR_CERT_HAS_EXPIRED);
	dyn_tls_forget(&tls);
	/* the last of three of that name */
	write_certificates(file, several, LENGTHOF(several));
	check_trusts(store_of(file), LEAF, true);
	dyn_tls_forget(&tls);
	/* the server's own */
	write_one(file, LEAF);
	check_trusts(store_of(file), LEAF, false);
}

static void
loads_a_file_once(void)
{
	X509_STORE *store;
	int			before = loaded;
	int			i;

	dyn_tls_forget(&tls);
	write_one(file, ROOT);
	write_one(other_file, OTHER_ROOT);
	store = store_of(file);
	for (i = 0; i < 16; i++)
		CHECK(store_of(file) == store);
	CHECK_EQ_INT(loaded, before + 1);
	CHECK(!dyn_tls_changed(&tls, file));
	/* each file has its own */
	check_refuses(store_of(other_file), LEAF, true, NO_ISSUER);
	check_trusts(store_of(file), LEAF, true);
	CHECK_EQ_INT(loaded, before + 2);
	dyn_tls_forget(&tls);
	CHECK(store_of(file) != NULL);
	CHECK_EQ_INT(loaded, before + 3);
}

static void
notices_changes(void)
{
	X509_STORE *store;

	dyn_tls_forget(&tls);
	write_one(file, OTHER_ROOT);
	write_one(other_file, ROOT);
	store = store_of(file);
	check_refuses(store, LEAF, true, NO_ISSUER);
	CHECK(!dyn_tls_changed(&tls, file));
	CHECK(rename(other_file, file) == 0);
	CHECK(dyn_tls_changed(&tls, file));
	/* until then what was loaded counts, also for those who hold it longer */
	CHECK(store_of(file) == store);
	X509_STORE_up_ref(store);
	dyn_tls_forget(&tls);
	check_trusts(store_of(file), LEAF, true);
	check_refuses(store, LEAF, true, NO_ISSUER);
	X509_STORE_free(store);
	unlink(file);
	CHECK(dyn_tls_changed(&tls, file));
	check_trusts(store_of(file), LEAF, true);
	dyn_tls_forget(&tls);
	CHECK(store_of(file) == NULL);
	write_one(file, ROOT);
	CHECK(dyn_tls_changed(&tls, file));
}

/* ---- files ------------------------------------------------------------ */

#define GARBAGE(label) \
	"-----BEGIN " label "-----\nAAAA\n-----END " label "-----\n"

/* Is the file with this block loaded here? */
static bool
is_loaded(const char *label, const char *after)
{
	write_block(label, ROOT, after);
	dyn_tls_forget(&tls);
	return store_of(file) != NULL;
}

static void
leaves_broken_files_to_libcurl(void)
{
	static const char *const wrong[] = {
		GARBAGE("CERTIFICATE"), GARBAGE("X509 CRL"),
		"-----BEGIN CERTIFICATE-----\nAA", "-----BEGIN CERTIFICATE-----\n"
		"****\n-----END CERTIFICATE-----\n"
	};
	size_t		i;

	CHECK(is_loaded("CERTIFICATE", ""));
	CHECK(is_loaded("CERTIFICATE", "# the end\n"));
	CHECK(is_loaded("X509 CERTIFICATE", ""));
	for (i = 0; i < LENGTHOF(wrong); i++)
		if (!CHECK(!is_loaded("CERTIFICATE", wrong[i])))
			printf("#     %s\n", wrong[i]);
	CHECK(!is_loaded("SOMETHING ELSE", ""));
	dyn_tls_forget(&tls);
	write_certificates(file, NULL, 0);
	CHECK(store_of(file) == NULL);
	CHECK(store_of(directory) == NULL);
	CHECK(store_of("/nonexistent") == NULL);
}

/* Such a key would be refused for good, also if only memory ran out. */
static void
leaves_keys_that_are_none_to_libcurl(void)
{
	const ASN1_BIT_STRING *key = X509_get0_pubkey_bitstr(certificates[ROOT]);
	unsigned char *der = NULL;
	int			len = i2d_X509(certificates[ROOT], &der);
	int			at = 0;
	BIO		   *bio = BIO_new_file(file, "w");

	dyn_tls_forget(&tls);
	while (memcmp(der + at, key->data, (size_t) key->length) != 0)
		at++;
	der[at + key->length - 1] ^= 1;
	PEM_write_bio_X509(bio, certificates[OTHER_ROOT]);
	PEM_write_bio(bio, "CERTIFICATE", "", der, len);
	BIO_free(bio);
	OPENSSL_free(der);
	CHECK(store_of(file) == NULL);
}

static void
loads_the_certificates_of_the_system(void)
{
	static const char *bundle = "/etc/ssl/certs/ca-certificates.crt";
	X509_STORE *store;
	BIO		   *bio = BIO_new_file(bundle, "r");
	X509	   *x509;
	int			n = 0;

	if (bio == NULL)
		SKIP("no bundle of the system");
	store = store_of(bundle);
	while ((x509 = PEM_read_bio_X509(bio, NULL, NULL, NULL)) != NULL)
	{
		X509_free(x509);
		n++;
	}
	BIO_free(bio);
	if (CHECK(store != NULL))
		CHECK_EQ_INT(sk_X509_OBJECT_num(X509_STORE_get0_objects(store)), n);
}

int
main(void)
{
	int			i;

	if (mkdtemp(directory) == NULL)
		return 1;
	snprintf(file, sizeof(file), "%s/ca.pem", directory);
	snprintf(other_file, sizeof(other_file), "%s/other.pem", directory);
	easy = curl_easy_init();
	make_certificates();
	RUN(trusts_what_is_in_the_file);
	RUN(loads_a_file_once);
	RUN(notices_changes);
	RUN(leaves_broken_files_to_libcurl);
	RUN(leaves_keys_that_are_none_to_libcurl);
	RUN(loads_the_certificates_of_the_system);
	for (i = 0; i < NAMES; i++)
		X509_free(certificates[i]);
	free_certificate_keys();
	curl_easy_cleanup(easy);
	dyn_tls_forget(&tls);
	unlink(file);
	unlink(other_file);
	rmdir(directory);
	return DONE("tls");
}
