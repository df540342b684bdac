/*
 * tls.h
 *		Which certificates are trusted, and the TLS sessions to resume.
 *
 * A new connection that resumes a session of an earlier one needs neither the
 * server's certificate nor the signatures of a whole handshake.  libcurl keeps
 * sessions together with the host, the port and all settings of verification,
 * the CA file among them, and resumes only what agrees in all of them; so a
 * resumed session was verified against the same CA file.  That a file has
 * other contents now is noticed here.
 *
 * OpenSSL loads a file here, once, instead of in libcurl where that is possible.
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
	X509_STORE *store;			/* NULL: libcurl reads it */
	unsigned	number;			/* of no other, nor of a former state */
	dev_t		device;			/* 0, like the rest, if it does not exist */
	ino_t		inode;
	off_t		size;
	struct timespec modified;
} DynCaFile;

/* Zero-initialise it. */
typedef struct DynTls
{
	CURLSH	   *sessions;		/* or NULL: none are shared */
	DynCaFile	files[DYN_TLS_FILES];
	int			nfiles;
	bool		trusts_system;	/* a handle trusts the certificates of: */
	const char *system_file;
	const char *system_directory;
	unsigned	last_number;
	unsigned	forgotten;		/* how often */
	bool		unknown_file;	/* one is used that is not among them */
} DynTls;

/* Does a request to the URL use TLS, to its host or to the proxy (or NULL)? */
extern bool dyn_tls_is_used(const char *url, const char *proxy);

/*
 * Makes the handle trust the certificates in the file, until dyn_tls_forget;
 * NULL: the system's, that is, libcurl's CA bundle, or its CA directory if
 * there is no bundle.  The handle's options for this must be unset.
 */
extern bool dyn_tls_trust(DynTls *tls, CURL *easy, const char *ca_bundle);

/*
 * Has the CA file (NULL: the system's) changed since handles trusted it first,
 * or can that not be told?  Then forget everything, and all connections.
 */
extern bool dyn_tls_changed(const DynTls *tls, const char *ca_bundle);

/*
 * Lets the handle resume the sessions of others, and others those of its
 * connection, until dyn_tls_unshare.
 */
extern void dyn_tls_share(DynTls *tls, CURL *easy);
extern void dyn_tls_unshare(CURL *easy);

/* Forgets sessions and files; not while a handle shares them. */
extern void dyn_tls_forget(DynTls *tls);

#endif
