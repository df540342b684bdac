/*
 * sigv4.c
 *		Signs requests with AWS Signature Version 4.
 *
 * The sections below are the four steps that the AWS documentation describes.
 * Requests with a query are not supported.
 *
 * The signing key is cached, with a hash of the secret instead of the secret.
 * All other intermediate keys are wiped after use.
 */
#include "sigv4.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "../base/text.h"
#include "credentials.h"

#define ALGORITHM	"AWS4-HMAC-SHA256"
#define TERMINATOR	"aws4_request"
#define HMAC_BLOCK	64

/* ---- hashing ---------------------------------------------------------- */

/*
 * Returns OpenSSL's SHA-256, or NULL.  The algorithm is fetched once: an
 * implicit fetch for each digest costs more than hashing a short request.
 */
static const EVP_MD *
sha256(void)
{
	static EVP_MD *md;

	if (md == NULL)
		md = EVP_MD_fetch(NULL, "SHA256", NULL);
	return md;
}

/* Hashes two concatenated byte strings, such as HMAC's block and message. */
static bool
digest2(const void *first, size_t first_len, const void *second,
		size_t second_len, unsigned char out[DYN_SHA256_SIZE])
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	bool		ok = ctx != NULL && sha256() != NULL &&
		EVP_DigestInit_ex2(ctx, sha256(), NULL) &&
		EVP_DigestUpdate(ctx, first, first_len) &&
		EVP_DigestUpdate(ctx, second, second_len) &&
		EVP_DigestFinal_ex(ctx, out, NULL);

	EVP_MD_CTX_free(ctx);
	return ok;
}

/* Computes an HMAC (RFC 2104) without the cost of OpenSSL's HMAC object. */
static bool
hmac(const void *key, size_t key_len, const void *bytes, size_t len,
	 unsigned char out[DYN_SHA256_SIZE])
{
	unsigned char block[HMAC_BLOCK] = {0};
	unsigned char inner[DYN_SHA256_SIZE];
	bool		ok = true;

	if (key_len > HMAC_BLOCK)
		ok = digest2(key, key_len, "", 0, block);
	else
		memcpy(block, key, key_len);
	for (int i = 0; i < HMAC_BLOCK; i++)
		block[i] ^= 0x36;
	ok = ok && digest2(block, HMAC_BLOCK, bytes, len, inner);
	for (int i = 0; i < HMAC_BLOCK; i++)
		block[i] ^= 0x36 ^ 0x5c;
	ok = ok && digest2(block, HMAC_BLOCK, inner, sizeof(inner), out);
	explicit_bzero(block, sizeof(block));
	explicit_bzero(inner, sizeof(inner));
	return ok;
}

static void
to_hex(const unsigned char bytes[DYN_SHA256_SIZE],
	   char hex[DYN_SHA256_HEX + 1])
{
	static const char digits[] = "0123456789abcdef";

	for (int i = 0; i < DYN_SHA256_SIZE; i++)
	{
		hex[2 * i] = digits[bytes[i] >> 4];
		hex[2 * i + 1] = digits[bytes[i] & 15];
	}
	hex[DYN_SHA256_HEX] = '\0';
}

static bool
sha256_hex(const void *bytes, size_t len, char hex[DYN_SHA256_HEX + 1])
{
	unsigned char hash[DYN_SHA256_SIZE];

	if (!digest2(bytes, len, "", 0, hash))
		return false;
	to_hex(hash, hex);
	return true;
}

/* ---- step 1: the canonical request ------------------------------------ */

void
dyn_sigv4_append_encoded(DynBuffer *out, const char *s, size_t len,
						 const char *keep)
{
	static const char hex[] = "0123456789ABCDEF";

	for (size_t i = 0; i < len; i++)
	{
		unsigned char c = (unsigned char) s[i];
		const char	encoded[3] = {'%', hex[c >> 4], hex[c & 15]};

		if (dyn_is_alphanumeric(s[i]) ||
			(c != '\0' && (strchr("-._~", c) || strchr(keep, c))))
			dyn_buffer_append_char(out, (char) c);
		else
			dyn_buffer_append(out, encoded, sizeof(encoded));
	}
}

/* Appends the path without empty and "." segments, and with ".." resolved. */
static void
canonical_path(const char *path, DynBuffer *out)
{
	size_t		start = out->len + 1;

	dyn_buffer_append_char(out, '/');
	while (*path)
	{
		size_t		len = strcspn(path, "/");
		bool		slash = path[len] == '/';

		if (len == 2 && memcmp(path, "..", 2) == 0)
		{
			if (out->len > start)
				out->len--;
			while (out->len > start && out->data[out->len - 1] != '/')
				out->len--;
		}
		else if (len > 0 && !(len == 1 && path[0] == '.'))
			dyn_sigv4_append_encoded(out, path, len + slash, "/");
		path += len + slash;
	}
}

static void
append_lower(DynBuffer *out, const char *s)
{
	for (; *s; s++)
		dyn_buffer_append_char(out, dyn_ascii_lower(*s));
}

/* Appends the trimmed value; each run of white space becomes one space. */
static void
append_header_value(DynBuffer *out, const char *s)
{
	bool		begun = false;
	bool		space = false;

	for (; *s; s++)
	{
		if (strchr(" \t\r\n", *s))
		{
			space = begun;
			continue;
		}
		if (space)
			dyn_buffer_append_char(out, ' ');
		dyn_buffer_append_char(out, *s);
		begun = true;
		space = false;
	}
}

/* Appends one line per name; commas join the values of a repeated name. */
static void
canonical_headers(const DynSigHeader **sorted, size_t n, DynBuffer *out,
				  DynBuffer *names)
{
	for (size_t i = 0; i < n; i++)
	{
		bool		repeats = i > 0 &&
			dyn_compare_ignoring_case(sorted[i - 1]->name, sorted[i]->name) == 0;

		if (repeats)
			out->data[out->len - 1] = ',';
		else
		{
			if (i > 0)
				dyn_buffer_append_char(names, ';');
			append_lower(names, sorted[i]->name);
			append_lower(out, sorted[i]->name);
			dyn_buffer_append_char(out, ':');
		}
		append_header_value(out, sorted[i]->value);
		if (!dyn_buffer_append_char(out, '\n'))
			return;
	}
}

/* Appends the header names ("content-type;host;...") to signed_headers. */
static bool
canonical_request(const DynSigRequest *request, DynBuffer *out,
				  DynBuffer *signed_headers)
{
	const DynSigHeader *sorted[DYN_SIGV4_MAX_HEADERS];
	char		hash[DYN_SHA256_HEX + 1];

	if (request->nheaders > DYN_SIGV4_MAX_HEADERS ||
		!sha256_hex(request->body, request->body_len, hash))
		return false;
	/* sort by name; equal names stay in the order in which they are sent */
	for (size_t i = 0; i < request->nheaders; i++)
	{
		size_t		at = i;

		for (; at > 0 && dyn_compare_ignoring_case(sorted[at - 1]->name,
												   request->headers[i].name) > 0; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = &request->headers[i];
	}
	dyn_buffer_append_str(out, request->method);
	dyn_buffer_append_char(out, '\n');
	canonical_path(request->path, out);
	/* the line of the query is empty */
	dyn_buffer_append_str(out, "\n\n");
	canonical_headers(sorted, request->nheaders, out, signed_headers);
	dyn_buffer_append_char(out, '\n');
	dyn_buffer_append(out, signed_headers->data, signed_headers->len);
	dyn_buffer_append_char(out, '\n');
	return dyn_buffer_append_str(out, hash) && !signed_headers->failed;
}

/* ---- step 2: the string to sign --------------------------------------- */

#define LAST_SECOND		INT64_C(253402300799)

void
dyn_sigv4_set_time(DynSigScope *scope, int64_t epoch)
{
	/* clamp the time, because scope->time has a year of four digits */
	time_t		t = epoch < 0 ? 0 : epoch > LAST_SECOND ? LAST_SECOND : (time_t) epoch;
	struct tm	tm;

	gmtime_r(&t, &tm);
	strftime(scope->time, sizeof(scope->time), "%Y%m%dT%H%M%SZ", &tm);
}

static bool
append_scope(const DynSigScope *scope, DynBuffer *out)
{
	return dyn_buffer_append(out, scope->time, 8) &&
		dyn_buffer_append_char(out, '/') &&
		dyn_buffer_append_str(out, scope->region) &&
		dyn_buffer_append_char(out, '/') &&
		dyn_buffer_append_str(out, scope->service) &&
		dyn_buffer_append_str(out, "/" TERMINATOR);
}

static bool
string_to_sign(const DynSigScope *scope, const DynBuffer *canonical,
			   DynBuffer *out)
{
	char		hash[DYN_SHA256_HEX + 1];

	if (!sha256_hex(canonical->data, canonical->len, hash))
		return false;
	dyn_buffer_append_str(out, ALGORITHM "\n");
	dyn_buffer_append_str(out, scope->time);
	dyn_buffer_append_char(out, '\n');
	append_scope(scope, out);
	dyn_buffer_append_char(out, '\n');
	return dyn_buffer_append_str(out, hash);
}

/* ---- step 3: the signing key ------------------------------------------ */

static bool
derive_key(const DynSigScope *scope, const char *secret,
		   unsigned char key[DYN_SHA256_SIZE])
{
	DynBuffer	seed = {0};
	bool		ok;

	/* Reserve the full size: a growing buffer leaves copies of the secret. */
	dyn_buffer_reserve(&seed, 4 + strlen(secret));
	dyn_buffer_append_str(&seed, "AWS4");
	ok = dyn_buffer_append_str(&seed, secret) &&
		hmac(seed.data, seed.len, scope->time, 8, key) &&
		hmac(key, DYN_SHA256_SIZE, scope->region, strlen(scope->region),
			 key) &&
		hmac(key, DYN_SHA256_SIZE, scope->service, strlen(scope->service),
			 key) &&
		hmac(key, DYN_SHA256_SIZE, TERMINATOR, strlen(TERMINATOR), key);
	dyn_secret_free_buffer(&seed);
	return ok;
}

static bool
signing_key(DynSigKeyCache *cache, const DynSigScope *scope,
			const char *secret, unsigned char key[DYN_SHA256_SIZE])
{
	unsigned char secret_hash[DYN_SHA256_SIZE];

	if (!digest2(secret, strlen(secret), "", 0, secret_hash))
		return false;
	if (cache->valid && strncmp(cache->date, scope->time, 8) == 0 &&
		strcmp(cache->region, scope->region) == 0 &&
		strcmp(cache->service, scope->service) == 0 &&
		CRYPTO_memcmp(cache->secret_hash, secret_hash, DYN_SHA256_SIZE) == 0)
	{
		memcpy(key, cache->key, DYN_SHA256_SIZE);
		return true;
	}
	dyn_sigv4_key_forget(cache);
	if (!derive_key(scope, secret, key))
		return false;
	if (strlen(scope->region) >= sizeof(cache->region) ||
		strlen(scope->service) >= sizeof(cache->service))
		return true;
	memcpy(cache->date, scope->time, 8);
	strcpy(cache->region, scope->region);
	strcpy(cache->service, scope->service);
	memcpy(cache->secret_hash, secret_hash, DYN_SHA256_SIZE);
	memcpy(cache->key, key, DYN_SHA256_SIZE);
	cache->valid = true;
	return true;
}

void
dyn_sigv4_key_forget(DynSigKeyCache *cache)
{
	explicit_bzero(cache, sizeof(*cache));
}

/* ---- step 4: the signature -------------------------------------------- */

bool
dyn_sigv4_authorization(DynSigKeyCache *cache, const DynSigScope *scope,
						const DynCredentials *credentials,
						const DynSigRequest *request, DynBuffer *out)
{
	DynBuffer	canonical = {0};
	DynBuffer	signed_headers = {0};
	DynBuffer	to_sign = {0};
	unsigned char key[DYN_SHA256_SIZE];
	unsigned char mac[DYN_SHA256_SIZE];
	char		signature[DYN_SHA256_HEX + 1];
	size_t		token_len = credentials->session_token == NULL ? 0
		: strlen(credentials->session_token);
	bool		ok;

	/* Reserve the full size: a growing buffer leaves copies of the token. */
	ok = dyn_buffer_reserve(&canonical, 1024 + token_len) &&
		canonical_request(request, &canonical, &signed_headers) &&
		string_to_sign(scope, &canonical, &to_sign) &&
		signing_key(cache, scope, credentials->secret_access_key, key) &&
		hmac(key, DYN_SHA256_SIZE, to_sign.data, to_sign.len, mac);
	if (ok)
	{
		to_hex(mac, signature);
		dyn_buffer_append_str(out, ALGORITHM " Credential=");
		dyn_buffer_append_str(out, credentials->access_key_id);
		dyn_buffer_append_char(out, '/');
		append_scope(scope, out);
		dyn_buffer_append_str(out, ", SignedHeaders=");
		dyn_buffer_append(out, signed_headers.data, signed_headers.len);
		dyn_buffer_append_str(out, ", Signature=");
		ok = dyn_buffer_append_str(out, signature);
	}
	explicit_bzero(key, sizeof(key));
	/* The canonical request contains the session token. */
	dyn_secret_free_buffer(&canonical);
	dyn_buffer_free(&signed_headers);
	dyn_buffer_free(&to_sign);
	return ok;
}
