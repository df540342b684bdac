/*
 * provider_response.c
 *		Functions shared by the credential providers.
 *
 * A reply with status 200 is never quoted, even if it is invalid, since it may
 * contain the credentials.  Other replies, and the error output of programs,
 * are quoted for superusers, but without words that could be tokens or keys.
 */
#include "provider_response.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../base/text.h"

/* Words of at least this length are masked, because they may be tokens. */
#define LONGEST_WORD	100

/* Length of AWS's secret access keys, which are masked anywhere in a word. */
#define SECRET_KEY_LENGTH	40

#define LONGEST_CODE	64

/* 9999-12-31T23:59:59Z */
#define LATEST		INT64_C(253402300799)

/* ---- times -------------------------------------------------------------- */

/*
 * Returns the position after the part of `text` that matches `shape` (0
 * matches any digit); NULL if the text does not begin with a match.
 */
static const char *
skip_shape(const char *text, const char *shape)
{
	for (; *shape; shape++, text++)
		if (*shape == '0' ? *text < '0' || *text > '9' : *text != *shape)
			return NULL;
	return text;
}

/* Reads a time zone ("Z", "UTC", "+01:00" or "+0100") into *east (s). */
static bool
read_zone(const char *text, int *east)
{
	const char *end = skip_shape(text + (*text != '\0'), "00:00");
	int			hours;
	int			minutes;

	*east = 0;
	if (strcmp(text, "Z") == 0 || strcmp(text, "UTC") == 0)
		return true;
	if (end == NULL)
		end = skip_shape(text + (*text != '\0'), "0000");
	if ((*text != '+' && *text != '-') || end == NULL || *end != '\0')
		return false;
	sscanf(text + 1, end - text == 6 ? "%2d:%2d" : "%2d%2d", &hours, &minutes);
	*east = (*text == '+' ? 60 : -60) * (hours * 60 + minutes);
	return hours <= 23 && minutes <= 59;
}

bool
dyn_response_read_time(const char *text, int64_t *seconds)
{
	const char *rest = skip_shape(text, "0000-00-00T00:00:00");
	struct tm	date = {0};
	struct tm	found;
	int			hour;
	int			minute;
	int			second;
	int			east;

	if (rest == NULL)
		return false;
	/* analyzer: sscanf sets all six numbers, as skip_shape checked `text` */
	sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d", &date.tm_year, &date.tm_mon,
		   &date.tm_mday, &hour, &minute, &second);
	if (skip_shape(rest, ".0"))
		rest += 1 + strspn(rest + 1, "0123456789");
	date.tm_year -= 1900;
	date.tm_mon--;
	found = date;
	*seconds = (int64_t) timegm(&found) + hour * 3600 + minute * 60 + second;
	if (found.tm_mon != date.tm_mon || found.tm_mday != date.tm_mday ||
		hour > 23 || minute > 59 || second > 60 || !read_zone(rest, &east))
		return false;
	*seconds -= east;
	return true;
}

/* ---- credentials -------------------------------------------------------- */

static bool
set_parts(const char *access_key_id, const char *secret_access_key,
		  const char *session_token, bool expires, int64_t seconds,
		  const char *whose, DynCredentials *credentials, DynError *err)
{
	const char *bad;

	if (session_token && *session_token == '\0')
		session_token = NULL;
	if (dyn_credentials_set(credentials, access_key_id, secret_access_key,
							session_token, &bad))
	{
		/* a time of 0 would mean "never", so the earliest time is 1 */
		credentials->expires = !expires ? 0 : seconds > 0 ? seconds : 1;
		return true;
	}
	if (bad == NULL)
		return dyn_error_memory(err);
	return dyn_error_set(err, "%s: %s contains control characters", whose, bad);
}

bool
dyn_response_set(const char *access_key_id, const char *secret_access_key,
				 const char *session_token, const char *expires,
				 const char *whose, DynCredentials *credentials,
				 DynError *err)
{
	int64_t		seconds = 0;

	memset(credentials, 0, sizeof(*credentials));
	if (*access_key_id == '\0' || *secret_access_key == '\0')
		return dyn_error_set(err, "%s: the access key is empty", whose);
	if (expires && !dyn_response_read_time(expires, &seconds))
		return dyn_error_set(err, "%s: the expiration time is not valid",
							 whose);
	return set_parts(access_key_id, secret_access_key, session_token,
					 expires != NULL, seconds, whose, credentials, err);
}

/* ---- JSON --------------------------------------------------------------- */

/* jansson's allocator, restored when the document is closed. */
static json_malloc_t usual_malloc;
static json_free_t usual_free;

json_t *
dyn_secret_json_open(const char *text, size_t len, const char *whose,
					 DynError *err)
{
	json_t	   *document;
	bool		out_of_memory;

	/* jansson would free its copies of the secrets without wiping them */
	json_get_alloc_funcs(&usual_malloc, &usual_free);
	json_set_alloc_funcs(malloc, dyn_secret_free);
	document = dyn_json_load(text ? text : "", len, 0, &out_of_memory);
	if (document != NULL)
		return document;
	json_set_alloc_funcs(usual_malloc, usual_free);
	if (out_of_memory)
		dyn_error_memory(err);
	else
		dyn_error_set(err, "%s: not valid JSON", whose);
	return NULL;
}

void
dyn_secret_json_close(json_t *document)
{
	json_decref(document);
	json_set_alloc_funcs(usual_malloc, usual_free);
}

/*
 * Sets *value to a member's text; to NULL if the member is missing or null.
 * Returns false, with *err set, if the value is not a string, or is required
 * and has no text.
 */
static bool
read_text(const json_t *object, const char *name, bool required,
		  const char *whose, const char **value, DynError *err)
{
	json_t	   *member = name ? json_object_get(object, name) : NULL;

	*value = json_string_value(member);
	if (member != NULL && !json_is_null(member) && *value == NULL)
		return dyn_error_set(err, "%s: \"%s\" is not a string", whose, name);
	return !required || (*value && **value) ||
		dyn_error_set(err, "%s: \"%s\" is missing", whose, name);
}

bool
dyn_response_read_object(const json_t *document, const DynResponseNames *names,
						 const char *whose, DynCredentials *credentials,
						 DynError *err)
{
	const json_t *object = document;
	const json_t *expiry;
	const char *id;
	const char *secret;
	const char *token;
	double		milliseconds;
	int64_t		seconds = 0;

	memset(credentials, 0, sizeof(*credentials));
	if (names->object)
		object = json_object_get(document, names->object);
	if (object == NULL)
		return dyn_error_set(err, "%s: \"%s\" is missing", whose,
							 names->object);
	if (!json_is_object(object))
		return dyn_error_set(err, "%s: not a JSON object", whose);
	if (!read_text(object, names->access_key_id, true, whose, &id, err) ||
		!read_text(object, names->secret_access_key, true, whose, &secret,
				   err) ||
		!read_text(object, names->session_token, false, whose, &token,
				   err))
		return false;
	expiry = names->expires ? json_object_get(object, names->expires) : NULL;
	if (json_is_null(expiry))
		expiry = NULL;
	milliseconds = json_number_value(expiry);
	if (json_is_number(expiry) && milliseconds > -1e3 * LATEST &&
		milliseconds < 1e3 * LATEST)
		seconds = (int64_t) (milliseconds / 1000);
	else if (expiry != NULL &&
			 (!json_is_string(expiry) ||
			  !dyn_response_read_time(json_string_value(expiry), &seconds)))
		return dyn_error_set(err, "%s: \"%s\" is not a time", whose,
							 names->expires);
	return set_parts(id, secret, token, expiry != NULL, seconds, whose,
					 credentials, err);
}

/* ---- failures ----------------------------------------------------------- */

/* Returns true if the character can be in a token, percent-encoded or not. */
static bool
is_word(char c)
{
	return dyn_is_alphanumeric(c) || (c != '\0' && strchr("+/=_-.%", c) != NULL);
}

/*
 * Returns 0 if secret keys never contain the character at `p`.  Otherwise,
 * returns the character's length, which is 3 with percent-encoding.
 */
static size_t
key_character(const char *p, size_t len)
{
	if (dyn_is_alphanumeric(*p) || *p == '+' || *p == '/')
		return 1;
	return len >= 3 && p[0] == '%' && p[1] == '2' && strchr("BbFf", p[2]) ? 3 : 0;
}

/*
 * Appends a word, but "***" instead of a word that is so long that it may be
 * a token, and instead of a part that may be a secret key.
 */
static void
append_masked(DynBuffer *out, const char *word, size_t len)
{
	size_t		n;
	bool		escape = false; /* true after "%", as in "%3D" */

	if (len >= LONGEST_WORD)
	{
		dyn_buffer_append_str(out, "***");
		return;
	}
	for (; len > 0; word += n, len -= n)
	{
		int			count = 0;
		size_t		bytes;

		for (n = 0; n < len && (bytes = key_character(word + n, len - n)) > 0; n += bytes)
			count++;
		if (count == SECRET_KEY_LENGTH || (escape && count == SECRET_KEY_LENGTH + 2))
			dyn_buffer_append_str(out, "***");
		else
			dyn_buffer_append(out, word, n += n == 0);
		escape = *word == '%';
	}
}

void
dyn_response_excerpt(DynError *err, const char *text, size_t len)
{
	DynBuffer	masked = {0};
	size_t		i = 0;

	while (i < len)
	{
		size_t		start = i;

		while (i < len && is_word(text[i]))
			i++;
		append_masked(&masked, text + start, i - start);
		for (; i < len && !is_word(text[i]); i++)
			dyn_buffer_append_char(&masked, text[i]);
	}
	err->excerpt[0] = '\0';
	if (!masked.failed)
		dyn_awserror_excerpt(masked.data, masked.len, NULL, err->excerpt,
							 sizeof(err->excerpt));
	dyn_buffer_free(&masked);
}

DynProviderResponse
dyn_response_failed(const DynExchange *exchange, const char *whose,
					DynError *err)
{
	if (exchange->failure == DYN_FAIL_MEMORY)
		return dyn_error_memory(err);
	if (exchange->failure != DYN_FAIL_NONE)
	{
		dyn_error_set(err, "could not obtain %s: %s: %s", whose,
					  dyn_failure_phrase(exchange->failure),
					  exchange->message);
		err->passing = exchange->failure == DYN_FAIL_DNS ||
			exchange->failure == DYN_FAIL_CONNECT ||
			(exchange->failure == DYN_FAIL_TLS && !exchange->lasting) ||
			exchange->failure == DYN_FAIL_TIMEOUT ||
			exchange->failure == DYN_FAIL_NETWORK;
	}
	else
	{
		dyn_error_set(err, "could not obtain %s: HTTP status %d", whose,
					  exchange->status);
		err->passing = exchange->status == 429 || exchange->status >= 500;
		if (exchange->status != 200)
			dyn_response_excerpt(err, exchange->response.data,
								 exchange->response.len);
	}
	return err->passing ? DYN_RESPONSE_AGAIN : DYN_RESPONSE_FAILED;
}

DynProviderResponse
dyn_response_read(const DynExchange *exchange, const DynResponseNames *names,
				  const char *whose, DynCredentials *credentials,
				  DynError *err)
{
	json_t	   *document;
	bool		ok;

	if (exchange->failure != DYN_FAIL_NONE || exchange->status != 200)
		return dyn_response_failed(exchange, whose, err);
	document = dyn_secret_json_open(exchange->response.data,
									exchange->response.len, whose, err);
	if (document == NULL)
		return DYN_RESPONSE_FAILED;
	ok = dyn_response_read_object(document, names, whose, credentials, err);
	dyn_secret_json_close(document);
	return ok ? DYN_RESPONSE_CREDENTIALS : DYN_RESPONSE_FAILED;
}

/* ---- requests ----------------------------------------------------------- */

bool
dyn_response_is_visible(const char *text)
{
	for (; *text; text++)
		if (*text <= 0x20 || *text >= 0x7f)
			return false;
	return true;
}

bool
dyn_response_is_code(const char *text)
{
	size_t		len = strspn(text, "abcdefghijklmnopqrstuvwxyz"
							 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");

	return len > 0 && len <= LONGEST_CODE && text[len] == '\0';
}

DynExchange *
dyn_response_exchange(const char *method, DynBuffer *url, DynAddressPolicy policy,
					  DynError *err)
{
	DynExchange *exchange = NULL;

	if (dyn_buffer_terminate(url) != NULL)
		exchange = dyn_exchange_create(method, url->data, policy);
	if (exchange == NULL)
		dyn_error_memory(err);
	dyn_buffer_free(url);
	return exchange;
}

bool
dyn_response_header(DynExchange *exchange, const char *name, const char *value,
					const char *what, DynError *err)
{
	if (!dyn_credentials_suit_header(value))
		return dyn_error_set(err, "%s contains a line break or another control character",
							 what);
	return dyn_exchange_header(exchange, name, value) || dyn_error_memory(err);
}

DynExchange *
dyn_response_request(DynExchange *exchange, bool complete)
{
	if (complete)
		return exchange;
	dyn_exchange_destroy(exchange);
	return NULL;
}

const char *
dyn_response_environment(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value ? value : NULL;
}
