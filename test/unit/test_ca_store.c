/*
 * test_ca_store.c
 *		A CA file read by us is as strict as one loaded by OpenSSL.
 *
 * Every chain is verified by both, with the flags of libcurl and with others,
 * and must have the same end: error, depth, and the chain that was built.  A
 * file that OpenSSL refuses must not be opened.
 */
#include "harness.h"

#include <sys/stat.h>
#include <unistd.h>

#include "aws/ca_store.h"
#include "certificates.h"

#define LENGTHOF(array) (sizeof(array) / sizeof((array)[0]))

#define LIBCURL_FLAGS	(X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN)

static const unsigned long all_flags[] = {
	LIBCURL_FLAGS, X509_V_FLAG_TRUSTED_FIRST, X509_V_FLAG_PARTIAL_CHAIN,
	LIBCURL_FLAGS | X509_V_FLAG_X509_STRICT,
	LIBCURL_FLAGS | X509_V_FLAG_NO_CHECK_TIME
};

static char directory[] = "/tmp/test_ca_store.XXXXXX";
static char file[100];

/* ---- verification ----------------------------------------------------- */

typedef struct Verdict
{
	int			ok;
	int			error;
	int			depth;
	STACK_OF(X509) *chain;
} Verdict;

static Verdict
verify(X509_STORE *store, unsigned long flags, X509 *leaf,
	   STACK_OF(X509) *others)
{
	X509_STORE_CTX *context = X509_STORE_CTX_new();
	Verdict		verdict;

	X509_STORE_CTX_init(context, store, leaf, others);
	X509_STORE_CTX_set_default(context, "ssl_server");
	X509_STORE_CTX_set_flags(context, flags);
	verdict.ok = X509_verify_cert(context);
	verdict.error = X509_STORE_CTX_get_error(context);
	verdict.depth = X509_STORE_CTX_get_error_depth(context);
	verdict.chain = X509_STORE_CTX_get1_chain(context);
	X509_STORE_CTX_free(context);
	return verdict;
}

static bool
same_verdict(const Verdict *a, const Verdict *b)
{
	int			i;

	if (a->ok != b->ok || a->error != b->error || a->depth != b->depth ||
		sk_X509_num(a->chain) != sk_X509_num(b->chain))
		return false;
	for (i = 0; i < sk_X509_num(a->chain); i++)
		if (X509_cmp(sk_X509_value(a->chain, i),
					 sk_X509_value(b->chain, i)) != 0)
			return false;
	return true;
}

static X509_STORE *
load(const char *path)
{
	X509_STORE *store = X509_STORE_new();

	if (X509_STORE_load_file(store, path))
		return store;
	X509_STORE_free(store);
	return NULL;
}

/* The same with both?  *error is that of the first flags. */
static bool
agree(X509_STORE *ours, X509_STORE *theirs, X509 *leaf,
	  STACK_OF(X509) *others, int *error)
{
	bool		same = true;
	size_t		i;

	for (i = 0; i < LENGTHOF(all_flags); i++)
	{
		Verdict		a = verify(ours, all_flags[i], leaf, others);
		Verdict		b = verify(theirs, all_flags[i], leaf, others);

		if (i == 0)
			*error = a.error;
		if (!same_verdict(&a, &b))
		{
			printf("#   flags %lx: %s, should be %s\n", all_flags[i],
				   X509_verify_cert_error_string(a.error),
				   X509_verify_cert_error_string(b.error));
			same = false;
		}
		sk_X509_pop_free(a.chain, X509_free);
		sk_X509_pop_free(b.chain, X509_free);
	}
	return same;
}

/* ---- a table of chains ------------------------------------------------ */

typedef enum Name
{
	NONE,
	ROOT, NEW_ROOT, NAMED_ROOT, NEW_NAMED_ROOT, SPELLED_ROOT, EXPIRED_ROOT,
	CROSS_ROOT, OTHER_ROOT,
	MIDDLE, MIDDLE_OF_NEW, MIDDLE_OF_SPELLED, OTHER_MIDDLE, EXPIRED_MIDDLE,
	NO_AUTHORITY,
	LEAF, LEAF_OF_ROOT, LEAF_OF_NAMED, EXPIRED_LEAF, OWN_LEAF, LEAF_OF_LEAF,
	NAMES
} Name;

static const Spec specs[NAMES] = {
	[ROOT] = {'A', 0, 'A', 0, AUTHORITY},
	[NEW_ROOT] = {'A', 1, 'A', 1, AUTHORITY},
	[NAMED_ROOT] = {'A', 0, 'A', 0, AUTHORITY | KEY_IDS},
	[NEW_NAMED_ROOT] = {'A', 1, 'A', 1, AUTHORITY | KEY_IDS},
	[SPELLED_ROOT] = {'A', 0, 'A', 0, AUTHORITY | SPELLED | ISSUER_SPELLED},
	[EXPIRED_ROOT] = {'A', 0, 'A', 0, AUTHORITY | EXPIRED},
	[CROSS_ROOT] = {'A', 0, 'B', 2, AUTHORITY},
	[OTHER_ROOT] = {'B', 2, 'B', 2, AUTHORITY},
	[MIDDLE] = {'M', 3, 'A', 0, AUTHORITY},
	[MIDDLE_OF_NEW] = {'M', 3, 'A', 1, AUTHORITY},
	[MIDDLE_OF_SPELLED] = {'M', 3, 'A', 0, AUTHORITY | ISSUER_SPELLED},
	[OTHER_MIDDLE] = {'M', 4, 'B', 2, AUTHORITY},
	[EXPIRED_MIDDLE] = {'M', 3, 'A', 0, AUTHORITY | EXPIRED},
	[NO_AUTHORITY] = {'M', 3, 'A', 0, 0},
	[LEAF] = {'L', 5, 'M', 3, 0},
	[LEAF_OF_ROOT] = {'L', 5, 'A', 0, 0},
	[LEAF_OF_NAMED] = {'L', 5, 'A', 0, KEY_IDS},
	[EXPIRED_LEAF] = {'L', 5, 'M', 3, EXPIRED},
	[OWN_LEAF] = {'L', 5, 'L', 5, 0},
	[LEAF_OF_LEAF] = {'K', 4, 'L', 5, 0}
};

static X509 *certificates[NAMES];

static void
make_certificates(void)
{
	int			i;

	for (i = NONE + 1; i < NAMES; i++)
		certificates[i] = make_certificate(&specs[i]);
}

#define MOST	5

typedef struct Case
{
	Name		file[MOST];
	Name		sent[MOST];		/* by the server, its own first */
	int			error;
} Case;

#define NO_ISSUER	X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY

static const Case cases[] = {
	/* the chain of most servers, whole, and without the certificate between */
	{{ROOT}, {LEAF, MIDDLE}, X509_V_OK},
	{{ROOT}, {LEAF, MIDDLE, ROOT}, X509_V_OK},
	{{ROOT}, {LEAF}, NO_ISSUER},
	{{ROOT, MIDDLE}, {LEAF}, X509_V_OK},
	{{ROOT}, {LEAF_OF_ROOT}, X509_V_OK},
	/* another authority; the right name with another key */
	{{OTHER_ROOT}, {LEAF, MIDDLE}, NO_ISSUER},
	{{OTHER_ROOT}, {LEAF, MIDDLE, ROOT},
	X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN},
	{{NEW_ROOT}, {LEAF_OF_ROOT}, X509_V_ERR_CERT_SIGNATURE_FAILURE},
	{{NEW_ROOT}, {LEAF, MIDDLE}, X509_V_ERR_CERT_SIGNATURE_FAILURE},
	{{OTHER_MIDDLE, ROOT}, {LEAF}, X509_V_ERR_CERT_SIGNATURE_FAILURE},
	/* two keys of one subject; without identifiers the first one counts */
	{{ROOT, NEW_ROOT}, {LEAF, MIDDLE}, X509_V_OK},
	{{NEW_ROOT, ROOT}, {LEAF, MIDDLE}, X509_V_ERR_CERT_SIGNATURE_FAILURE},
	{{NAMED_ROOT, NEW_NAMED_ROOT}, {LEAF_OF_NAMED}, X509_V_OK},
	{{NEW_NAMED_ROOT, OTHER_ROOT, NAMED_ROOT}, {LEAF_OF_NAMED}, X509_V_OK},
	{{NEW_NAMED_ROOT}, {LEAF_OF_NAMED}, NO_ISSUER},
	{{ROOT, ROOT}, {LEAF, MIDDLE}, X509_V_OK},
	{{OTHER_ROOT, ROOT, OTHER_ROOT}, {LEAF, MIDDLE}, X509_V_OK},
	/* cross-signed: only that one, with its root, or sent by the server */
	{{CROSS_ROOT}, {LEAF, MIDDLE}, X509_V_OK},
	{{CROSS_ROOT, OTHER_ROOT}, {LEAF, MIDDLE}, X509_V_OK},
	{{ROOT, CROSS_ROOT, OTHER_ROOT}, {LEAF, MIDDLE}, X509_V_OK},
	{{CROSS_ROOT, ROOT}, {LEAF, MIDDLE}, X509_V_OK},
	{{OTHER_ROOT}, {LEAF, MIDDLE, CROSS_ROOT}, X509_V_OK},
	{{ROOT}, {LEAF, MIDDLE, CROSS_ROOT}, X509_V_OK},
	/* names that are spelled differently */
	{{SPELLED_ROOT}, {LEAF, MIDDLE}, X509_V_OK},
	{{ROOT}, {LEAF, MIDDLE_OF_SPELLED}, X509_V_OK},
	{{SPELLED_ROOT}, {LEAF, MIDDLE_OF_SPELLED}, X509_V_OK},
	/* expired */
	{{EXPIRED_ROOT}, {LEAF, MIDDLE}, X509_V_ERR_CERT_HAS_EXPIRED},
	{{EXPIRED_ROOT, ROOT}, {LEAF, MIDDLE}, X509_V_OK},
	{{ROOT, EXPIRED_ROOT}, {LEAF, MIDDLE}, X509_V_OK},
	{{EXPIRED_ROOT, CROSS_ROOT}, {LEAF, MIDDLE}, X509_V_OK},
	{{ROOT}, {LEAF, EXPIRED_MIDDLE}, X509_V_ERR_CERT_HAS_EXPIRED},
	{{ROOT, MIDDLE}, {LEAF, EXPIRED_MIDDLE}, X509_V_OK},
	{{ROOT}, {EXPIRED_LEAF, MIDDLE}, X509_V_ERR_CERT_HAS_EXPIRED},
	/* not an authority */
	{{ROOT}, {LEAF, NO_AUTHORITY}, X509_V_ERR_INVALID_CA},
	{{ROOT, NO_AUTHORITY}, {LEAF}, X509_V_ERR_INVALID_CA},
	/* the server's own in the file, alone or with others */
	{{LEAF}, {LEAF}, X509_V_OK},
	{{LEAF}, {LEAF, MIDDLE}, X509_V_OK},
	{{OWN_LEAF}, {OWN_LEAF}, X509_V_OK},
	{{OTHER_ROOT, OWN_LEAF, LEAF}, {OWN_LEAF}, X509_V_OK},
	{{ROOT}, {OWN_LEAF}, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT},
	{{OWN_LEAF}, {LEAF}, NO_ISSUER},
	{{LEAF}, {LEAF_OF_LEAF}, X509_V_ERR_INVALID_CA},
	{{EXPIRED_LEAF}, {EXPIRED_LEAF}, X509_V_ERR_CERT_HAS_EXPIRED}
};

static void
write_certificates(const Name *names)
{
	BIO		   *bio = BIO_new_file(file, "w");
	int			i;

	for (i = 0; i < MOST && names[i] != NONE; i++)
		PEM_write_bio_X509(bio, certificates[names[i]]);
	BIO_free(bio);
}

static STACK_OF(X509) *
stack_of(const Name *names)
{
	STACK_OF(X509) *stack = sk_X509_new_null();
	int			i;

	for (i = 0; i < MOST && names[i] != NONE; i++)
		sk_X509_push(stack, certificates[names[i]]);
	return stack;
}

/* The second time, the store has what it was asked for. */
static void
check_case(const Case *c)
{
	STACK_OF(X509) *sent = stack_of(c->sent);
	DynCaStore *ours;
	X509_STORE *theirs;
	int			error = -1;
	int			turn;

	write_certificates(c->file);
	ours = dyn_ca_store_open(file);
	theirs = load(file);
	if (CHECK(ours != NULL && theirs != NULL))
		for (turn = 0; turn < 2; turn++)
		{
			CHECK(agree(dyn_ca_store_x509(ours), theirs,
						certificates[c->sent[0]], sent, &error));
			CHECK_EQ_INT(error, c->error);
			CHECK(!dyn_ca_store_is_damaged(ours));
		}
	dyn_ca_store_close(ours);
	X509_STORE_free(theirs);
	sk_X509_free(sent);
}

static void
verifies_as_openssl_does(void)
{
	size_t		i;

	for (i = 0; i < LENGTHOF(cases); i++)
	{
		int			bad = harness_bad_checks;

		check_case(&cases[i]);
		if (harness_bad_checks > bad)
			printf("#   in the case %d\n", (int) i);
	}
}

/* ---- any chains ------------------------------------------------------- */

static unsigned random_state = 1;

static int
any_of(int n)
{
	random_state = random_state * 1103515245u + 12345u;
	return (int) ((random_state >> 16) % (unsigned) n);
}

#define WORLD	24				/* certificates */

/* Each name has a key, and sometimes another one. */
static int
any_key_of(int name)
{
	return any_of(4) == 0 ? name + 3 : name;
}

/* Few names and keys, so that many of them fit together, or nearly. */
static X509 *
make_any(void)
{
	int			subject = any_of(3);
	int			issuer = any_of(3);
	Spec		spec = {(char) ('A' + subject), any_key_of(subject),
		(char) ('A' + issuer), any_key_of(issuer), any_of(32)};

	if (any_of(4) > 0)
		spec.flags = (spec.flags | AUTHORITY) & ~EXPIRED;
	if (any_of(3) == 0)
	{
		spec.issuer = spec.subject;
		spec.issuer_key = spec.key;
	}
	return make_certificate(&spec);
}

static void
write_any(X509 **world)
{
	BIO		   *bio = BIO_new_file(file, "w");
	int			n = 1 + any_of(8);

	while (n-- > 0)
		PEM_write_bio_X509(bio, world[any_of(WORLD)]);
	BIO_free(bio);
}

/* Returns how many chains were trusted. */
static int
check_any_file(X509 **world)
{
	DynCaStore *ours;
	X509_STORE *theirs;
	int			trusted = 0;
	int			turn;

	write_any(world);
	ours = dyn_ca_store_open(file);
	theirs = load(file);
	if (!CHECK(ours != NULL && theirs != NULL))
		return 0;
	for (turn = 0; turn < 12; turn++)
	{
		STACK_OF(X509) *sent = sk_X509_new_null();
		int			n = any_of(4);
		int			error;

		while (n-- > 0)
			sk_X509_push(sent, world[any_of(WORLD)]);
		CHECK(agree(dyn_ca_store_x509(ours), theirs, world[any_of(WORLD)],
					sent, &error));
		trusted += error == X509_V_OK;
		sk_X509_free(sent);
	}
	CHECK(!dyn_ca_store_is_damaged(ours));
	dyn_ca_store_close(ours);
	X509_STORE_free(theirs);
	return trusted;
}

static void
verifies_any_chain_as_openssl_does(void)
{
	X509	   *world[WORLD];
	int			trusted = 0;
	int			turn;
	int			i;

	for (turn = 0; turn < 8; turn++)
	{
		for (i = 0; i < WORLD; i++)
			world[i] = make_any();
		for (i = 0; i < 12; i++)
			trusted += check_any_file(world);
		for (i = 0; i < WORLD; i++)
			X509_free(world[i]);
	}
	printf("#   %d of %d chains trusted\n", trusted, 8 * 12 * 12);
	CHECK(trusted > 100 && trusted < 8 * 12 * 12 - 100);
}

/* Each of the system's certificates as a server's. */
static void
trusts_the_certificates_of_the_system(void)
{
	static const char *bundle = "/etc/ssl/certs/ca-certificates.crt";
	DynCaStore *ours = dyn_ca_store_open(bundle);
	X509_STORE *theirs = load(bundle);
	BIO		   *bio = BIO_new_file(bundle, "r");
	X509	   *x509;
	int			error;

	if (theirs == NULL)
		SKIP("no bundle of the system");
	CHECK(ours != NULL);
	while (ours && (x509 = PEM_read_bio_X509(bio, NULL, NULL, NULL)) != NULL)
	{
		CHECK(agree(dyn_ca_store_x509(ours), theirs, x509, NULL, &error));
		X509_free(x509);
	}
	BIO_free(bio);
	dyn_ca_store_close(ours);
	X509_STORE_free(theirs);
}

/* ---- files ------------------------------------------------------------ */

static void
write_text(const char *text, size_t len)
{
	FILE	   *f = fopen(file, "w");

	fwrite(text, 1, len, f);
	fclose(f);
}

/* A certificate as a block of this label, with something before and after. */
static char *
block(const char *label, const char *before, const char *after)
{
	BIO		   *bio = BIO_new(BIO_s_mem());
	unsigned char *der = NULL;
	int			len = i2d_X509(certificates[ROOT], &der);
	char	   *bytes;
	char	   *text;

	BIO_puts(bio, before);
	PEM_write_bio(bio, label, "", der, len);
	BIO_puts(bio, after);
	len = (int) BIO_get_mem_data(bio, &bytes);
	text = calloc(1, (size_t) len + 1);
	memcpy(text, bytes, (size_t) len);
	BIO_free(bio);
	OPENSSL_free(der);
	return text;
}

/* Is it opened? If so OpenSSL must be able to load it, with the same result. */
static bool
opens(void)
{
	DynCaStore *ours = dyn_ca_store_open(file);
	X509_STORE *theirs = load(file);
	bool		opened = ours != NULL;
	int			error;

	if (opened && CHECK(theirs != NULL))
		CHECK(agree(dyn_ca_store_x509(ours), theirs, certificates[LEAF_OF_ROOT],
					NULL, &error));
	dyn_ca_store_close(ours);
	X509_STORE_free(theirs);
	return opened;
}

static bool
opens_block(const char *label, const char *before, const char *after)
{
	char	   *text = block(label, before, after);
	bool		opened;

	write_text(text, strlen(text));
	opened = opens();
	free(text);
	return opened;
}

#define GARBAGE(label) \
	"-----BEGIN " label "-----\nAAAA\n-----END " label "-----\n"

static void
leaves_other_files_to_openssl(void)
{
	/* what PEM has room for */
	CHECK(opens_block("CERTIFICATE", "", ""));
	CHECK(opens_block("CERTIFICATE", "# Root\nfriendly name\r\n\n", "\nend"));
	CHECK(opens_block("CERTIFICATE", "", "-----BEGIN nothing\n"));
	/* other kinds of blocks, which mean something to OpenSSL, or nothing */
	CHECK(!opens_block("TRUSTED CERTIFICATE", "", ""));
	CHECK(!opens_block("X509 CERTIFICATE", "", ""));
	CHECK(!opens_block("CERTIFICATE", GARBAGE("X509 CRL"), ""));
	CHECK(!opens_block("CERTIFICATE", "", GARBAGE("X509 CRL")));
	CHECK(!opens_block("CERTIFICATE", "", GARBAGE("PRIVATE KEY")));
	CHECK(!opens_block("CERTIFICATE", "", GARBAGE("SOMETHING ELSE")));
	/* broken ones */
	CHECK(!opens_block("CERTIFICATE", "", GARBAGE("CERTIFICATE")));
	CHECK(!opens_block("CERTIFICATE", GARBAGE("CERTIFICATE"), ""));
	CHECK(!opens_block("CERTIFICATE", "", "-----BEGIN CERTIFICATE-----\nAA"));
	CHECK(!opens_block("CERTIFICATE", "", "-----BEGIN CERTIFICATE-----\n"
					   "****\n-----END CERTIFICATE-----\n"));
	/* none at all */
	write_text("", 0);
	CHECK(!opens());
	write_text("nothing\n", 8);
	CHECK(!opens());
	CHECK(dyn_ca_store_open(directory) == NULL);
	CHECK(dyn_ca_store_open("/nonexistent") == NULL);
}

/* The bytes of one of two certificates changed at random. */
static void
write_broken(const unsigned char *der, int len)
{
	BIO		   *bio = BIO_new_file(file, "w");
	unsigned char *copy = OPENSSL_memdup(der, (size_t) len);
	int			changes = 1 + any_of(2);

	while (changes-- > 0)
		copy[any_of(any_of(2) ? 300 : len)] ^= (unsigned char) (1 << any_of(8));
	PEM_write_bio_X509(bio, certificates[NEW_ROOT]);
	PEM_write_bio(bio, "CERTIFICATE", "", copy, any_of(10) ? len : any_of(len));
	BIO_free(bio);
	OPENSSL_free(copy);
}

static void
opens_nothing_that_openssl_refuses(void)
{
	static const Name middle[] = {MIDDLE, NONE};
	unsigned char *der = NULL;
	int			len;
	int			opened = 0;
	int			turn;

	/* it has an issuer of another name */
	len = i2d_X509(certificates[middle[0]], &der);
	for (turn = 0; turn < 1500; turn++)
	{
		write_broken(der, len);
		opened += opens();
	}
	OPENSSL_free(der);
	printf("#   %d of 1500 broken files opened\n", opened);
	CHECK(opened > 150 && opened < 1350);
}

/* All of the subject, and no others. */
static void
decodes_what_is_asked_for(void)
{
	static const Name names[MOST] = {OTHER_ROOT, ROOT, MIDDLE, NEW_ROOT};
	DynCaStore *ours;
	Verdict		verdict;
	int			turn;

	write_certificates(names);
	ours = dyn_ca_store_open(file);
	if (!CHECK(ours != NULL))
		return;
	for (turn = 0; turn < 2; turn++)
	{
		verdict = verify(dyn_ca_store_x509(ours), LIBCURL_FLAGS,
						 certificates[LEAF_OF_ROOT], NULL);
		CHECK_EQ_INT(verdict.error, X509_V_OK);
		CHECK_EQ_INT(sk_X509_OBJECT_num(X509_STORE_get0_objects(
										dyn_ca_store_x509(ours))), 2);
		sk_X509_pop_free(verdict.chain, X509_free);
	}
	dyn_ca_store_close(ours);
}

/* Two certificates of a name, the first with a key that is none. */
static void
write_broken_key(void)
{
	BIO		   *bio = BIO_new_file(file, "w");
	const ASN1_BIT_STRING *key =
		X509_get0_pubkey_bitstr(certificates[NEW_ROOT]);
	unsigned char *der = NULL;
	int			len = i2d_X509(certificates[NEW_ROOT], &der);
	int			at = 0;

	while (memcmp(der + at, key->data, (size_t) key->length) != 0)
		at++;
	der[at + key->length - 1] ^= 1;
	PEM_write_bio(bio, "CERTIFICATE", "", der, len);
	PEM_write_bio_X509(bio, certificates[ROOT]);
	BIO_free(bio);
	OPENSSL_free(der);
}

/* The verdict is OpenSSL's then, too. */
static void
tells_of_a_key_that_is_none(void)
{
	DynCaStore *ours;
	X509_STORE *theirs;
	int			error;

	write_broken_key();
	ours = dyn_ca_store_open(file);
	theirs = load(file);
	if (CHECK(ours != NULL && theirs != NULL))
	{
		CHECK(agree(dyn_ca_store_x509(ours), theirs, certificates[OWN_LEAF],
					NULL, &error));
		CHECK(!dyn_ca_store_is_damaged(ours));
		CHECK(agree(dyn_ca_store_x509(ours), theirs,
					certificates[LEAF_OF_ROOT], NULL, &error));
		CHECK(dyn_ca_store_is_damaged(ours));
	}
	dyn_ca_store_close(ours);
	X509_STORE_free(theirs);
}

/* What was read counts, and the store may outlive its owner. */
static void
keeps_what_it_has_read(void)
{
	static const Name root[MOST] = {ROOT};
	DynCaStore *ours;
	X509_STORE *store;
	Verdict		verdict;

	write_certificates(root);
	ours = dyn_ca_store_open(file);
	if (!CHECK(ours != NULL))
		return;
	unlink(file);
	store = dyn_ca_store_x509(ours);
	X509_STORE_up_ref(store);
	dyn_ca_store_close(ours);
	verdict = verify(store, LIBCURL_FLAGS, certificates[LEAF_OF_ROOT], NULL);
	CHECK_EQ_INT(verdict.error, X509_V_OK);
	sk_X509_pop_free(verdict.chain, X509_free);
	X509_STORE_free(store);
}

int
main(void)
{
	int			i;

	if (mkdtemp(directory) == NULL)
		return 1;
	snprintf(file, sizeof(file), "%s/ca.pem", directory);
	make_certificates();
	RUN(verifies_as_openssl_does);
	RUN(verifies_any_chain_as_openssl_does);
	RUN(trusts_the_certificates_of_the_system);
	RUN(leaves_other_files_to_openssl);
	RUN(opens_nothing_that_openssl_refuses);
	RUN(decodes_what_is_asked_for);
	RUN(tells_of_a_key_that_is_none);
	RUN(keeps_what_it_has_read);
	for (i = 0; i < NAMES; i++)
		X509_free(certificates[i]);
	free_certificate_keys();
	unlink(file);
	rmdir(directory);
	return DONE("ca_store");
}
