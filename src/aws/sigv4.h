/*
 * sigv4.h
 *		Signs requests with AWS Signature Version 4.
 */
#ifndef DYN_AWS_SIGV4_H
#define DYN_AWS_SIGV4_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/buffer.h"
#include "credentials.h"

#define DYN_SHA256_SIZE		32
#define DYN_SHA256_HEX		64
#define DYN_SIGV4_MAX_HEADERS	64

/* Size of "20260102T030405Z" and its NUL. */
#define DYN_SIGV4_TIME_SIZE	17

typedef struct DynSigHeader
{
	const char *name;			/* header name in any case */
	const char *value;			/* header value; may be folded over lines */
} DynSigHeader;

/* The signed parts of a request (owned by the caller). */
typedef struct DynSigRequest
{
	const char *method;
	const char *path;			/* path before percent-encoding */
	const DynSigHeader *headers;	/* headers in the order sent */
	size_t		nheaders;
	const void *body;
	size_t		body_len;
} DynSigRequest;

/* The scope in which a signature is valid. */
typedef struct DynSigScope
{
	const char *region;
	const char *service;
	char		time[DYN_SIGV4_TIME_SIZE];
} DynSigScope;

/*
 * The last signing key, reused if date, region, service and secret are equal.
 * Must be zero-initialized; wipe it with dyn_sigv4_key_forget.
 */
typedef struct DynSigKeyCache
{
	bool		valid;
	char		date[9];		/* date as YYYYMMDD */
	char		region[64];
	char		service[64];
	unsigned char secret_hash[DYN_SHA256_SIZE];
	unsigned char key[DYN_SHA256_SIZE];
} DynSigKeyCache;

/* Writes the time (seconds since the epoch, UTC) into scope->time. */
extern void dyn_sigv4_set_time(DynSigScope *scope, int64_t epoch);

/* Percent-encodes all but letters, digits, "-._~" and the bytes of `keep`. */
extern void dyn_sigv4_append_encoded(DynBuffer *out, const char *s, size_t len,
									 const char *keep);

/*
 * Appends the value of the Authorization header to `out`.  Returns false if
 * memory runs out, OpenSSL fails, or there are too many headers.
 */
extern bool dyn_sigv4_authorization(DynSigKeyCache *cache,
									const DynSigScope *scope,
									const DynCredentials *credentials,
									const DynSigRequest *request,
									DynBuffer *out);

extern void dyn_sigv4_key_forget(DynSigKeyCache *cache);

#endif
