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
 */
#ifndef DYN_AWS_TLS_H
#define DYN_AWS_TLS_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include <curl/curl.h>

#define DYN_TLS_FILES	8

/* A CA file as it was when connections first used it. */
typedef struct DynCaFile
{
	char	   *path;
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
} DynTls;

/*
 * Makes the handle trust the certificates in the file; NULL: the system's,
 * that is, libcurl's CA bundle, or its CA directory if there is no bundle.
 * The handle's options for this must be unset.
 */
extern bool dyn_tls_trust(CURL *easy, const char *ca_file);

/*
 * Has the CA file (NULL: the system's) changed since it was asked about
 * first?  Then forget the sessions, and all connections.
 */
extern bool dyn_tls_changed(DynTls *tls, const char *ca_file);

/*
 * Lets the handle resume the sessions of others, and others those of its
 * connection, until dyn_tls_unshare.
 */
extern void dyn_tls_share(DynTls *tls, CURL *easy);
extern void dyn_tls_unshare(CURL *easy);

/* Forgets sessions and files; not while a handle shares them. */
extern void dyn_tls_forget(DynTls *tls);

#endif
