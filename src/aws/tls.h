/*
 * tls.h
 *		Loads trusted certificates, and shares TLS sessions.
 *
 * libcurl resumes a TLS session only if host, port and all settings of
 * verification, including the CA file, are equal.  So a resumed session was
 * verified with the same CA file.  dyn_tls_changed detects changed contents.
 */
#ifndef DYN_AWS_TLS_H
#define DYN_AWS_TLS_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include <curl/curl.h>
#include <openssl/x509_vfy.h>

#define DYN_TLS_FILES	8

/* A CA file as it was when connections first used it. */
typedef struct DynCaFile
{
	char	   *path;
	X509_STORE *store;			/* NULL if libcurl reads the file */
	unsigned	number;			/* unique; a changed file gets a new number */
	dev_t		device;			/* this and the following members are 0 if the
								 * file does not exist */
	ino_t		inode;
	off_t		size;
	struct timespec modified;
} DynCaFile;

/* The trusted certificates and TLS sessions; must be zero-initialized. */
typedef struct DynTls
{
	CURLSH	   *sessions;		/* shared sessions; NULL if none are shared */
	DynCaFile	files[DYN_TLS_FILES];
	int			nfiles;
	bool		trusts_system;	/* true if a handle trusts the system's CAs */
	const char *system_file;
	const char *system_directory;
	unsigned	last_number;
	unsigned	forgotten;		/* number of dyn_tls_forget calls; after each,
								 * all handles must be set up again */
	bool		unknown_file;	/* true if a CA file could not be added to
								 * `files` */
} DynTls;

/* Returns true if TLS is used to the URL's host or the proxy (may be NULL). */
extern bool dyn_tls_is_used(const char *url, const char *proxy);

/*
 * Makes the handle trust the certificates in the file until dyn_tls_forget.
 * If ca_bundle is NULL, the handle trusts the system's certificates: libcurl's
 * CA bundle or, if there is none, its CA directory.  The handle's CA options
 * must be unset.  Returns false if memory runs out.
 */
extern bool dyn_tls_trust(DynTls *tls, CURL *easy, const char *ca_bundle);

/*
 * Returns true if the CA file, or the system's certificates if ca_bundle is
 * NULL, may have changed since handles began to trust them, or if libcurl has
 * turned out to use another OpenSSL than we do.  The caller must then drop all
 * connections, and call dyn_tls_forget.
 */
extern bool dyn_tls_changed(const DynTls *tls, const char *ca_bundle);

/* Lets the handle share TLS sessions, until its CURLOPT_SHARE is reset. */
extern void dyn_tls_share(DynTls *tls, CURL *easy);

/* Frees sessions and files; not allowed while a handle shares them. */
extern void dyn_tls_forget(DynTls *tls);

#endif
