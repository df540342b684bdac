/*
 * tls.c
 *		Which certificates are trusted, and the TLS sessions to resume.
 *
 * The system's certificates are a bundle, or a directory with a file for each,
 * or both; Debian's libcurl uses both.  With a directory it cannot keep the
 * bundle it has read (which takes 25 ms of CPU time), but reads it again for
 * every connection.  So the directory is used only if there is no bundle.
 * Both lists are made from the same certificates by the tools of the system.
 *
 * libcurl keeps the bundle with the multi handle (since 7.87), and for a day:
 * hence dyn_tls_changed, by which new contents count from the next request on
 * that is sent while no other is in flight.
 *
 * Layer: aws.  Knows libcurl.
 */
#include "tls.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Sets an option and records whether that succeeded. */
#define SET(option, value) \
	(ok = curl_easy_setopt(easy, (option), (value)) == CURLE_OK && ok)

/* ---- certificates ----------------------------------------------------- */

/* At most one of both is not NULL; neither is if libcurl does not tell. */
static void
find_system_certificates(const char **file, const char **directory)
{
	*file = NULL;
	*directory = NULL;
#if LIBCURL_VERSION_NUM >= 0x074600
	{
		const curl_version_info_data *info =
			curl_version_info(CURLVERSION_NOW);

		if (info->age < CURLVERSION_SEVENTH)
			return;
		if (info->cainfo != NULL && access(info->cainfo, R_OK) == 0)
			*file = info->cainfo;
		else if (info->capath != NULL && access(info->capath, R_OK) == 0)
			*directory = info->capath;
	}
#endif
}

bool
dyn_tls_trust(CURL *easy, const char *ca_file)
{
	const char *directory = NULL;
	bool		ok = true;

	if (ca_file == NULL)
	{
		find_system_certificates(&ca_file, &directory);
		if (ca_file == NULL && directory == NULL)
			return true;
	}
	SET(CURLOPT_CAINFO, ca_file);
	SET(CURLOPT_CAPATH, directory);
	SET(CURLOPT_PROXY_CAINFO, ca_file);
	SET(CURLOPT_PROXY_CAPATH, directory);
	return ok;
}

/* ---- changed files ---------------------------------------------------- */

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

static bool
is_same(const DynCaFile *a, const DynCaFile *b)
{
	return a->device == b->device && a->inode == b->inode &&
		a->size == b->size && a->modified.tv_sec == b->modified.tv_sec &&
		a->modified.tv_nsec == b->modified.tv_nsec;
}

bool
dyn_tls_changed(DynTls *tls, const char *ca_file)
{
	const char *directory;
	DynCaFile	now;
	int			i;

	if (ca_file == NULL)
		find_system_certificates(&ca_file, &directory);
	if (ca_file == NULL)
		return false;
	examine(&now, ca_file);
	for (i = 0; i < tls->nfiles; i++)
		if (strcmp(tls->files[i].path, ca_file) == 0)
			return !is_same(&tls->files[i], &now);
	if (tls->nfiles == DYN_TLS_FILES)
		return true;
	now.path = strdup(ca_file);
	if (now.path != NULL)
		tls->files[tls->nfiles++] = now;
	return now.path == NULL;
}

/* ---- sessions --------------------------------------------------------- */

static CURLSH *
open_sessions(void)
{
	CURLSH	   *share = curl_share_init();

	if (share == NULL || curl_share_setopt(share, CURLSHOPT_SHARE,
										   CURL_LOCK_DATA_SSL_SESSION) ==
		CURLSHE_OK)
		return share;
	curl_share_cleanup(share);
	return NULL;
}

/* Without memory for it, connections do whole handshakes. */
void
dyn_tls_share(DynTls *tls, CURL *easy)
{
	if (tls->sessions == NULL)
		tls->sessions = open_sessions();
	if (tls->sessions != NULL)
		curl_easy_setopt(easy, CURLOPT_SHARE, tls->sessions);
}

void
dyn_tls_unshare(CURL *easy)
{
	curl_easy_setopt(easy, CURLOPT_SHARE, NULL);
}

void
dyn_tls_forget(DynTls *tls)
{
	if (tls->sessions != NULL && curl_share_cleanup(tls->sessions) ==
		CURLSHE_OK)
		tls->sessions = NULL;
	while (tls->nfiles > 0)
		free(tls->files[--tls->nfiles].path);
}
