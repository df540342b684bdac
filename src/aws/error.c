/*
 * error.c
 *		Formats errors that occur while credentials are obtained.
 */
#include "error.h"

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../base/text.h"

/*
 * Replaces bytes that cannot be printed, since file names can contain any
 * bytes.  Drops a character that was truncated at the end.
 */
static void
make_printable(char *text)
{
	size_t		len = strlen(text);
	size_t		split = len;

	for (size_t i = 0; i < len; i++)
		if ((unsigned char) text[i] < 0x20 || text[i] == 0x7f)
			text[i] = '?';
	while (split > 0 && len - split < 4 && !dyn_utf8_valid(text, split))
		split--;
	if (dyn_utf8_valid(text, split))
		text[split] = '\0';
	else
		for (size_t i = 0; i < len; i++)
			if ((unsigned char) text[i] >= 0x80)
				text[i] = '?';
}

bool
dyn_error_set(DynError *err, const char *fmt,...)
{
	va_list		args;

	memset(err, 0, sizeof(*err));
	va_start(args, fmt);
	(void) vsnprintf(err->message, sizeof(err->message), fmt, args);
	va_end(args);
	make_printable(err->message);
	return false;
}

bool
dyn_error_hint(DynError *err, const char *fmt,...)
{
	va_list		args;

	va_start(args, fmt);
	(void) vsnprintf(err->hint, sizeof(err->hint), fmt, args);
	va_end(args);
	make_printable(err->hint);
	return false;
}

bool
dyn_error_memory(DynError *err)
{
	memset(err, 0, sizeof(*err));
	err->out_of_memory = true;
	return false;
}

void
dyn_error_errno_text(int error, char *text, size_t size)
{
	locale_t	english = newlocale(LC_ALL_MASK, "C", (locale_t) 0);

	if (english == (locale_t) 0)
	{
		snprintf(text, size, "error %d", error);
		return;
	}
	snprintf(text, size, "%s", strerror_l(error, english));
	freelocale(english);
}

void
dyn_error_time_text(int64_t seconds, char *text)
{
	time_t		t = (time_t) seconds;
	struct tm	tm;

	if (seconds <= 0 || gmtime_r(&t, &tm) == NULL || tm.tm_year + 1900 > 9999 ||
		strftime(text, DYN_ERROR_TIME_SIZE, "%Y-%m-%d %H:%M:%S UTC", &tm) == 0)
		strcpy(text, "an unknown time");
}
