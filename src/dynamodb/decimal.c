/*
 * decimal.c
 *		Reads numbers byte by byte, if they are long or not in DynamoDB's form.
 */
#include "decimal.h"

DYN_NOINLINE const char *
dyn_decimal_read_slow(DynJson *scan, const char *p)
{
	const char *start = p;
	int			digits = 0;

	if (p < scan->end && (*p == '-' || *p == '+'))
		p++;
	for (; p < scan->end && *p >= '0' && *p <= '9'; p++)
		digits++;
	if (p < scan->end && *p == '.')
		p++;
	for (; p < scan->end && *p >= '0' && *p <= '9'; p++)
		digits++;
	if (digits > 0 && p < scan->end && (*p == 'e' || *p == 'E'))
	{
		p++;
		if (p < scan->end && (*p == '-' || *p == '+'))
			p++;
		for (digits = 0; p < scan->end && *p >= '0' && *p <= '9'; p++)
			digits++;
	}
	if (digits == 0 || p == scan->end || *p != '"')
		return dyn_scan_fail(scan, start, "malformed number");
	return p;
}
