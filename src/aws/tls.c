/*
 * tls.c
 *		Loads trusted certificates, and shares TLS sessions.
 *
 * The system's certificates are in a bundle, or in a directory of files, or in
 * both.  Debian's libcurl uses both.  We use the directory only if there is no
 * bundle, because the system's tools generate both from the same certificates.
 *
 * OpenSSL takes some 20 ms of CPU time to load Debian's bundle.  libcurl loads
 * the bundle for each connection, or (since 7.87) caches it in the multi
 * handle for a day at most.  We load the bundle once, and all connections
 * share it until dyn_tls_forget.  If libcurl uses another OpenSSL than we do,
 * or OpenSSL cannot load the file, libcurl reads it, and reports any error.
 *
 * The contents of a file are cached, by us or by libcurl, so dyn_tls_changed
 * checks whether the file has changed.  New contents apply from the next
 * request that is sent while no other request is in flight.
 */
#include "tls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#define SET(option, value) \
	(ok = curl_easy_setopt(easy, (option), (value)) == CURLE_OK && ok)

bool
dyn_tls_is_used(const char *url, const char *proxy)
{
	return curl_strnequal(url, "https:", 6) ||
		(proxy != NULL && curl_strnequal(proxy, "https:", 6));
}

/* ---- stores ----------------------------------------------------------- */

/*
 * Loads a complete CA file, or returns NULL.  X509_STORE_load_locations would
 * accept half a file if memory runs out.
 */
static X509_STORE *
load_store(const char *path)
{
	char		no_password[] = "";
	X509_STORE *store = X509_STORE_new();
	BIO		   *bio = BIO_new_file(path, "r");
	STACK_OF(X509_INFO) *infos = bio ?
		PEM_X509_INFO_read_bio(bio, NULL, NULL, no_password) : NULL;
	bool		ok = store != NULL && infos != NULL;

	/*
	 * OpenSSL accepts a certificate even if it cannot decode the key or the
	 * extensions, perhaps for lack of memory.  It does not decode them later,
	 * so we do not accept such a certificate.
	 */
	for (int i = 0; ok && i < sk_X509_INFO_num(infos); i++)
	{
		X509_INFO  *info = sk_X509_INFO_value(infos, i);

		ok = (info->x509 == NULL ||
			  (X509_get0_pubkey(info->x509) != NULL &&
			   X509_check_purpose(info->x509, -1, 0) == 1 &&
			   X509_STORE_add_cert(store, info->x509))) &&
			(info->crl == NULL || X509_STORE_add_crl(store, info->crl));
	}
	sk_X509_INFO_pop_free(infos, X509_INFO_free);
	BIO_free(bio);
	if (!ok || sk_X509_OBJECT_num(X509_STORE_get0_objects(store)) == 0)
	{
		X509_STORE_free(store);
		store = NULL;
	}
	ERR_clear_error();
	return store;
}

static bool is_foreign;			/* true if libcurl uses another OpenSSL */

/*
 * Compares the versions, since several may be installed.  give_store detects a
 * libcurl that contains its own OpenSSL of the same version.
 */
static bool
shares_openssl(void)
{
	const char *theirs = curl_version_info(CURLVERSION_NOW)->ssl_version;
	const char *ours = OpenSSL_version(OPENSSL_VERSION);
	char		wanted[40] = "OpenSSL/";

	/* libcurl's text is "OpenSSL/3.0.1", OpenSSL's is "OpenSSL 3.0.1 <date>" */
	return !is_foreign && theirs != NULL &&
		sscanf(ours, "OpenSSL %31s", wanted + 8) == 1 &&
		strcmp(theirs, wanted) == 0;
}

/*
 * Called by libcurl for each new SSL_CTX.  Replaces the context's certificate
 * store with ours, to which it first copies the verification settings.
 * Versions 7.88 to 8.2 of libcurl make these settings only after this call,
 * and so directly in our store.
 */
static CURLcode
give_store(CURL *easy, void *context, void *arg)
{
	X509_STORE *store = arg;

	if (SSL_CTX_get_ssl_method(context) != TLS_client_method())
	{
		is_foreign = true;
		return CURLE_SSL_CONNECT_ERROR;
	}
	if (!X509_STORE_set1_param(store, X509_STORE_get0_param(
								   SSL_CTX_get_cert_store(context))))
		return CURLE_OUT_OF_MEMORY;
	SSL_CTX_set1_cert_store(context, store);
	return CURLE_OK;
}

static bool
set_paths(CURL *easy, const char *path, const char *directory)
{
	bool		ok = true;

	SET(CURLOPT_CAINFO, path);
	SET(CURLOPT_CAPATH, directory);
	SET(CURLOPT_PROXY_CAINFO, path);
	SET(CURLOPT_PROXY_CAPATH, directory);
	return ok;
}

/* ---- files ------------------------------------------------------------ */

static void
examine(DynCaFile *file, const char *path)
{
	struct stat st;

	memset(file, 0, sizeof(*file));
	if (stat(path, &st) != 0)
		return;
	file->device = st.st_dev;
	file->inode = st.st_ino;
	file->size = st.st_size;
	file->modified = st.st_mtim;
}

static const DynCaFile *
find_file(const DynTls *tls, const char *path)
{
	for (int i = 0; i < tls->nfiles; i++)
		if (strcmp(tls->files[i].path, path) == 0)
			return &tls->files[i];
	return NULL;
}

/*
 * Records the file, or returns NULL.  Examines the file before reading it, so
 * that dyn_tls_changed detects a change in between.
 */
static const DynCaFile *
add_file(DynTls *tls, const char *path)
{
	DynCaFile  *file = &tls->files[tls->nfiles];

	if (tls->nfiles == DYN_TLS_FILES)
		return NULL;
	examine(file, path);
	file->path = strdup(path);
	if (file->path == NULL)
		return NULL;
	file->number = ++tls->last_number;
	if (shares_openssl())
		file->store = load_store(path);
	tls->nfiles++;
	return file;
}

/* ---- certificates ----------------------------------------------------- */

/*
 * Looks for libcurl's CA bundle and, if that is not readable, for libcurl's CA
 * directory.  Sets *file or *directory to what it finds, and the rest to NULL.
 */
static void
find_system_certificates(const char **file, const char **directory)
{
	const curl_version_info_data *info = curl_version_info(CURLVERSION_NOW);

	*file = NULL;
	*directory = NULL;
	if (info->age < CURLVERSION_SEVENTH)
		return;
	if (info->cainfo != NULL && access(info->cainfo, R_OK) == 0)
		*file = info->cainfo;
	else if (info->capath != NULL && access(info->capath, R_OK) == 0)
		*directory = info->capath;
}

bool
dyn_tls_trust(DynTls *tls, CURL *easy, const char *ca_bundle)
{
	const char *directory = NULL;
	const DynCaFile *file = NULL;
	char		empty[40];
	bool		ok;

	if (ca_bundle == NULL)
	{
		if (!tls->trusts_system)
			find_system_certificates(&tls->system_file, &tls->system_directory);
		tls->trusts_system = true;
		ca_bundle = tls->system_file;
		directory = tls->system_directory;
	}
	if (ca_bundle != NULL)
	{
		file = find_file(tls, ca_bundle);
		if (file == NULL)
			file = add_file(tls, ca_bundle);
		tls->unknown_file |= file == NULL;
	}
	if (file == NULL || file->store == NULL)
		return (ca_bundle == NULL && directory == NULL) ||
			set_paths(easy, ca_bundle, directory);

	/*
	 * When our store is used, libcurl gets the name of a CA directory that is
	 * always empty, so it neither reads nor caches certificates.  The name
	 * differs for each file, so libcurl does not mix connections and sessions
	 * that were verified with different files.
	 */
	snprintf(empty, sizeof(empty), "/dev/null/%u", file->number);
	ok = set_paths(easy, NULL, empty);
	SET(CURLOPT_SSL_CTX_FUNCTION, give_store);
	SET(CURLOPT_SSL_CTX_DATA, file->store);
	return ok;
}

bool
dyn_tls_changed(const DynTls *tls, const char *ca_bundle)
{
	const DynCaFile *file;
	DynCaFile	now;

	if (tls->unknown_file)
		return true;
	if (ca_bundle == NULL && tls->trusts_system)
	{
		const char *directory;

		/* a bundle or directory may have been installed or removed */
		find_system_certificates(&ca_bundle, &directory);
		if (ca_bundle != tls->system_file || directory != tls->system_directory)
			return true;
	}
	file = ca_bundle != NULL ? find_file(tls, ca_bundle) : NULL;
	if (file == NULL)
		return false;
	examine(&now, ca_bundle);
	return file->device != now.device || file->inode != now.inode ||
		file->size != now.size ||
		file->modified.tv_sec != now.modified.tv_sec ||
		file->modified.tv_nsec != now.modified.tv_nsec ||
		(file->store != NULL && is_foreign);
}

/* ---- sessions --------------------------------------------------------- */

/* If memory runs out, connections use full handshakes. */
void
dyn_tls_share(DynTls *tls, CURL *easy)
{
	if (tls->sessions == NULL &&
		(tls->sessions = curl_share_init()) != NULL &&
		curl_share_setopt(tls->sessions, CURLSHOPT_SHARE,
						  CURL_LOCK_DATA_SSL_SESSION) != CURLSHE_OK)
	{
		curl_share_cleanup(tls->sessions);
		tls->sessions = NULL;
	}
	if (tls->sessions != NULL)
		curl_easy_setopt(easy, CURLOPT_SHARE, tls->sessions);
}

void
dyn_tls_forget(DynTls *tls)
{
	if (tls->sessions != NULL && curl_share_cleanup(tls->sessions) ==
		CURLSHE_OK)
		tls->sessions = NULL;
	while (tls->nfiles > 0)
	{
		DynCaFile  *file = &tls->files[--tls->nfiles];

		X509_STORE_free(file->store);
		free(file->path);
	}
	tls->trusts_system = false;
	tls->system_file = NULL;
	tls->system_directory = NULL;
	tls->unknown_file = false;
	tls->forgotten++;
}
