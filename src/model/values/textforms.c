/*
 * textforms.c
 *		Converts numbers and bytes to texts of one form: fixed-width digits,
 *		base64.
 */
#include "postgres.h"

#include "../../dynamodb/attrvalue.h"
#include "textforms.h"

/* ---- padded(n) ---- */

bool
dyn_is_padded(const char *text, size_t len, int digits)
{
	if (len != (size_t) digits)
		return false;
	for (size_t i = 0; i < len; i++)
	{
		if (text[i] < '0' || text[i] > '9')
			return false;
	}
	return true;
}

/* Pads the digits with leading zeros. */
static void
pad(const char *text, size_t len, int digits, char *dst)
{
	Assert(len <= (size_t) digits);
	memset(dst, '0', digits - len);
	memcpy(dst + digits - len, text, len);
	dst[digits] = '\0';
}

DynPaddedPlace
dyn_padded_place(const char *number, int digits, char *dst)
{
	bool		negative = (*number == '-');
	bool		fraction;
	size_t		len;

	number += negative;
	if (*number < '0' || *number > '9')
		return negative ? DYN_PADDED_BELOW : DYN_PADDED_ABOVE;
	number += strspn(number, "0");
	len = strspn(number, "0123456789");
	fraction = strspn(number + len, ".0") < strlen(number + len);
	if (negative && (len > 0 || fraction))
		return DYN_PADDED_BELOW;
	if (len > (size_t) digits)
		return DYN_PADDED_ABOVE;
	pad(number, len, digits, dst);
	if (!fraction)
		return DYN_PADDED_AT;
	return strspn(dst, "9") == (size_t) digits ? DYN_PADDED_ABOVE
		: DYN_PADDED_AFTER;
}

/* ---- base64 ---- */

static const char alphabet[] =
"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void
dyn_base64_encode(const unsigned char *src, size_t len, char *dst)
{
	for (; len > 0; src += 3, dst += 4)
	{
		size_t		n = Min(len, 3);
		uint32		word = (uint32) src[0] << 16;

		if (n > 1)
			word |= (uint32) src[1] << 8;
		if (n > 2)
			word |= src[2];
		dst[0] = alphabet[word >> 18];
		dst[1] = alphabet[word >> 12 & 63];
		dst[2] = n > 1 ? alphabet[word >> 6 & 63] : '=';
		dst[3] = n > 2 ? alphabet[word & 63] : '=';
		len -= n;
	}
}

/* Checks the unused bits: only the last group can have more than one text. */
long
dyn_base64_decode(const char *text, size_t len, unsigned char *dst)
{
	DynValue	value = {text, (uint32_t) len, DYN_TYPE_B, 0};
	long		n = dyn_value_bytes(&value, dst);
	long		last;
	char		again[4];

	if (n <= 0)
		return n;
	last = (n - 1) / 3 * 3;
	dyn_base64_encode(dst + last, n - last, again);
	return memcmp(again, text + len - 4, 4) == 0 ? n : -1;
}
