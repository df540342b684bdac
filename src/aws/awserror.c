/*
 * awserror.c
 *		Parses the error documents of AWS JSON services.
 *
 * An error document is {"__type": "...#Code", "message": "..."}.  Gateways and
 * proxies may send HTML or XML instead, whose beginning error messages quote.
 *
 * All text from the network passes through dyn_awserror_excerpt, because it
 * may be malformed, unprintable, or contain parts of the request.  A proxy's
 * error page may contain all headers, and the response to a wrong signature
 * contains the canonical request with the session token.  So the secrets of
 * the request are masked, the text ends before an Authorization value, and
 * messages of signature errors end after the first line or sentence.
 */
#include "client_private.h"

#include <stdio.h>
#include <string.h>

#include "../base/jsonload.h"
#include "../base/text.h"

/*
 * Maximum size (bytes) of an error document after copy_without_items.  Longer
 * bodies come from gateways; parsing them would take much memory (jsonload.c).
 */
#define LONGEST_DOCUMENT	((size_t) 256 * 1024)

#define AUTHORIZATION	"AWS4-HMAC-SHA256"
#define BLOT			"***"

/* Secrets that are shorter, such as an emulator's "test", are not masked. */
#define SHORTEST_SECRET	8

/*
 * A part of a text is masked if it equals at least this many bytes at the
 * start of a secret, or all of a shorter secret.
 */
#define BETRAYING		16

/* ---- excerpts of text from the network --------------------------------- */

/* Includes the bidirectional controls U+202A to U+202E, U+2066 to U+2069. */
static bool
is_control(const char *s, size_t n)
{
	const unsigned char *u = (const unsigned char *) s;

	if (n == 1)
		return u[0] < 0x20 || u[0] == 0x7f;
	if (n == 2)
		return u[0] == 0xC2 && u[1] < 0xA0;
	if (n == 3 && u[0] == 0xE2)
		return (u[1] == 0x80 && u[2] >= 0xAA && u[2] <= 0xAE) ||
			(u[1] == 0x81 && u[2] >= 0xA6 && u[2] <= 0xA9);
	return false;
}

/* Returns the number of bytes at `s` to mask as a prefix of the secret. */
static size_t
betrayed(const char *s, size_t len, const char *secret)
{
	size_t		need;
	size_t		n = 0;

	if (secret == NULL || strlen(secret) < SHORTEST_SECRET)
		return 0;
	need = strlen(secret) < BETRAYING ? strlen(secret) : BETRAYING;
	while (n < len && secret[n] && s[n] == secret[n])
		n++;
	return n >= need ? n : 0;
}

/*
 * Returns the length (bytes) of the character or secret at the start of the
 * text, and sets *chunk to the replacement (dyn_awserror_excerpt).
 */
static size_t
next_chunk(const char *s, size_t len, const DynCredentials *credentials,
		   const char **chunk, size_t *chunk_len)
{
	unsigned char c = (unsigned char) *s;
	size_t		n = 0;

	if (credentials != NULL)
		n = betrayed(s, len, credentials->secret_access_key);
	if (n == 0 && credentials != NULL)
		n = betrayed(s, len, credentials->session_token);
	if (n > 0)
	{
		*chunk = BLOT;
		*chunk_len = strlen(BLOT);
		return n;
	}
	n = c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
	*chunk_len = 1;
	if (n > len || !dyn_utf8_valid(s, n))
	{
		*chunk = "?";
		return 1;
	}
	*chunk = is_control(s, n) || c == ' ' ? " " : s;
	if (*chunk == s)
		*chunk_len = n;
	return n;
}

void
dyn_awserror_excerpt(const char *text, size_t len,
					 const DynCredentials *credentials,
					 char *dst, size_t dst_size)
{
	const size_t mark = strlen(AUTHORIZATION);
	size_t		used = 0;

	while (len > 0 && !(len >= mark && memcmp(text, AUTHORIZATION, mark) == 0))
	{
		const char *chunk;
		size_t		chunk_len;
		size_t		taken = next_chunk(text, len, credentials, &chunk, &chunk_len);

		if (used + chunk_len >= dst_size)
			break;
		if (*chunk != ' ' || (used > 0 && dst[used - 1] != ' '))
		{
			memcpy(dst + used, chunk, chunk_len);
			used += chunk_len;
		}
		text += taken;
		len -= taken;
	}
	while (used > 0 && dst[used - 1] == ' ')
		used--;
	dst[used] = '\0';
}

/* ---- the error document ----------------------------------------------- */

static void
set_message(json_t *document, const DynCredentials *credentials, DynCall *call)
{
	json_t	   *text = json_object_get(document, "message");
	/* messages of these errors may contain parts of the request */
	bool		echoes = strstr(call->code, "Signature") != NULL ||
		strcmp(call->code, "MissingAuthenticationTokenException") == 0;
	const char *shown;
	size_t		len;

	if (!json_is_string(text))
		text = json_object_get(document, "Message");
	shown = json_string_value(text);
	len = json_string_length(text);
	for (size_t i = 0; echoes && i < len; i++)
		if (shown[i] == '\n' || (shown[i] == '.' && shown[i + 1] == ' '))
			len = i + 1;
	dyn_awserror_excerpt(shown, len, credentials, call->message,
						 sizeof(call->message));
}

static void
set_throttle_reason(json_t *document, const DynCredentials *credentials,
					DynCall *call)
{
	json_t	   *reasons = json_object_get(document, "ThrottlingReasons");
	const char *reason = NULL;
	const char *resource = NULL;
	char		text[1024];

	if (!json_is_array(reasons))
		reasons = json_object_get(document, "throttlingReasons");
	call->hot_partition = json_array_size(reasons) > 0;
	/*
	 * If a reason ends with KeyRangeThroughputExceeded, a single partition has
	 * reached its limit (developer guide, "Diagnosing throttling").
	 */
	for (size_t i = json_array_size(reasons); i-- > 0;)
	{
		const json_t *member = json_array_get(reasons, i);

		reason = json_string_value(json_object_get(member, "reason"));
		resource = json_string_value(json_object_get(member, "resource"));
		call->hot_partition &= reason && strstr(reason, "KeyRange") != NULL;
	}
	/* the loop runs backwards, so `reason` is now the first one of the list */
	if (reason == NULL)
		return;
	snprintf(text, sizeof(text), "%s %s", reason, resource ? resource : "");
	dyn_awserror_excerpt(text, strlen(text), credentials,
						 call->throttle_reason, sizeof(call->throttle_reason));
}

/*
 * Copies an error document, but replaces the items in it (those whose
 * conditions failed) by null, because their attribute names may contain
 * U+0000, which jansson rejects in names.  Any object that is the value of a
 * member is taken for an item.
 */
static void
copy_without_items(const char *body, size_t len, DynBuffer *copy)
{
	bool		quoted = false;
	char		last = '\0';	/* last byte that is not white space */
	int			depth = 0;		/* number of open objects in the item */

	for (size_t i = 0, n; i < len; i += n)
	{
		n = quoted && body[i] == '\\' && i + 1 < len ? 2 : 1;
		quoted ^= body[i] == '"';
		if (!quoted && body[i] == '{' && (depth > 0 || last == ':'))
			depth++;
		if (depth == 0)
			dyn_buffer_append(copy, body + i, n);
		else if (!quoted && body[i] == '}' && --depth == 0)
			dyn_buffer_append_str(copy, "null");
		if (strchr(" \t\r\n", body[i]) == NULL)
			last = body[i];
	}
}

DynFailure
dyn_awserror_parse(const char *body, size_t len,
				   const DynCredentials *credentials, DynCall *call)
{
	DynBuffer	copy = {.max = LONGEST_DOCUMENT};
	json_t	   *document = NULL;
	const char *type;
	bool		out_of_memory = false;

	copy_without_items(body, len, &copy);
	if (!copy.failed && copy.len > 0)
		document = dyn_json_load(copy.data, copy.len, JSON_ALLOW_NUL, &out_of_memory);
	out_of_memory |= copy.out_of_memory;
	dyn_buffer_free(&copy);
	type = json_string_value(json_object_get(document, "__type"));
	if (type != NULL)
	{
		/* the code in "com.amazon.coral#Code:http://..." is Code */
		size_t		end = strcspn(type, ":");
		size_t		begin = end;

		while (begin > 0 && type[begin - 1] != '#')
			begin--;
		dyn_awserror_excerpt(type + begin, end - begin, credentials,
							 call->code, sizeof(call->code));
	}
	if (call->code[0] != '\0')
	{
		set_message(document, credentials, call);
		set_throttle_reason(document, credentials, call);
	}
	json_decref(document);
	if (out_of_memory)
		return DYN_FAIL_MEMORY;
	return call->code[0] != '\0' ? DYN_FAIL_SERVICE : DYN_FAIL_HTTP;
}
