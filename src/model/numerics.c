/*
 * numerics.c
 *		PostgreSQL's numeric of a number in text.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "numerics.h"

bool
dyn_plain_numeric(const char *p, size_t len, Numeric *result)
{
	const char *end = p + len;
	bool		negative = (len > 0 && *p == '-');
	int64		number = 0;
	int			scale = -1;

	p += negative;
	if (p == end || end - p > 18)
		return false;
	for (; p < end; p++)
	{
		if (*p == '.' && scale < 0)
			scale = 0;
		else if (*p < '0' || *p > '9')
			return false;
		else
		{
			number = number * 10 + (*p - '0');
			if (scale >= 0)
				scale++;
		}
	}
	if (negative)
		number = -number;
	*result = scale > 0 ? int64_div_fast_to_numeric(number, scale)
		: int64_to_numeric(number);
	return true;
}

Numeric
dyn_numeric_from_text(const char *text, size_t len)
{
	Numeric		number;

	if (dyn_plain_numeric(text, len, &number))
		return number;
	return DatumGetNumeric(DirectFunctionCall3(numeric_in,
											   CStringGetDatum(text),
											   ObjectIdGetDatum(InvalidOid),
											   Int32GetDatum(-1)));
}
