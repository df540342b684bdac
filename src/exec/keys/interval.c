/*
 * interval.c
 *		Points, intervals and prefixes of a key attribute, intersected.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"

#include "interval.h"

/* Keeps of the range's points those that are in the set, too. */
static void
intersect_points(DynKeyRange *range, const DynPointSet *set)
{
	int			kept = 0;
	int			j = 0;

	for (int i = 0; i < range->npoints && j < set->n; i++)
	{
		int			order = 0;

		CHECK_FOR_INTERRUPTS();
		while (j < set->n &&
			   (order = dyn_scalar_compare(&set->points[j], &range->points[i])) < 0)
			j++;
		if (j < set->n && order == 0)
			range->points[kept++] = range->points[i];
	}
	range->npoints = kept;
}

/* The set is sorted, and the range's from now on. */
void
dyn_range_add_points(DynKeyRange *range, const DynPointSet *set)
{
	if (range->has_points)
		intersect_points(range, set);
	else
	{
		range->has_points = true;
		range->npoints = set->n;
		range->points = set->points;
	}
	if (range->npoints == 0)
		range->contradiction = true;
}

/*
 * A bound that no key can reach, moved to where keys are: nothing is below the
 * empty text, and what is longer than a key sorts right behind its beginning.
 */
static bool
fit_bound(DynKeyRange *range, DynKeyLimit *bound, bool lower)
{
	DynScalar  *value = &bound->value;

	if (value->type == DYN_TYPE_N)
		return true;
	if (value->len == 0)
	{
		range->contradiction |= !lower && !range->room.may_be_empty;
		return false;
	}
	if (value->len <= range->room.max_bytes)
		return true;
	bound->inclusive = !lower;
	if (value->type == DYN_TYPE_B)
		value->len = range->room.max_bytes;
	else
	{
		value->len = pg_encoding_mbcliplen(PG_UTF8, value->data, value->len,
										   range->room.max_bytes);
		if (!lower && value->len < range->room.max_bytes)
			return false;
	}
	return true;
}

void
dyn_range_add_bound(DynKeyRange *range, DynKeyLimit bound, bool lower)
{
	DynKeyLimit *have = lower ? &range->lower : &range->upper;
	int			order;

	if (!fit_bound(range, &bound, lower))
		return;
	bound.set = true;
	if (!have->set)
	{
		*have = bound;
		return;
	}
	order = dyn_scalar_compare(&bound.value, &have->value);
	if (order == 0)
		have->inclusive = have->inclusive && bound.inclusive;
	else if ((order > 0) == lower)
		*have = bound;
}

/* The longer of two prefixes, if it begins with the shorter one. */
void
dyn_range_add_prefix(DynKeyRange *range, DynScalar prefix)
{
	if (prefix.len == 0)
		return;
	if (prefix.len > range->room.max_bytes)
		range->contradiction = true;
	else if (!range->has_prefix)
	{
		range->has_prefix = true;
		range->prefix = prefix;
	}
	else if (memcmp(prefix.data, range->prefix.data,
					Min(prefix.len, range->prefix.len)) != 0)
		range->contradiction = true;
	else if (prefix.len > range->prefix.len)
		range->prefix = prefix;
}

static bool
is_within(const DynKeyRange *range, const DynScalar *point)
{
	int			order;

	if (range->lower.set)
	{
		order = dyn_scalar_compare(point, &range->lower.value);
		if (order < 0 || (order == 0 && !range->lower.inclusive))
			return false;
	}
	if (range->upper.set)
	{
		order = dyn_scalar_compare(point, &range->upper.value);
		if (order > 0 || (order == 0 && !range->upper.inclusive))
			return false;
	}
	return !range->has_prefix ||
		(point->len >= range->prefix.len &&
		 memcmp(point->data, range->prefix.data, range->prefix.len) == 0);
}

static void
keep_points_within(DynKeyRange *range)
{
	int			kept = 0;

	for (int i = 0; i < range->npoints; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (is_within(range, &range->points[i]))
			range->points[kept++] = range->points[i];
	}
	range->npoints = kept;
	if (kept == 0)
		range->contradiction = true;
}

/*
 * The highest text with the prefix that a key attribute can hold: filled up with
 * the highest characters that fit, of four bytes and at last of fewer.
 */
static DynScalar
last_with_prefix(const DynScalar *prefix, size_t max_bytes)
{
	static const char *const highest[] = {"", "\x7f", "\xdf\xbf", "\xef\xbf\xbf",
	"\xf4\x8f\xbf\xbf"};
	char	   *data = palloc(max_bytes);
	DynScalar	last = {DYN_TYPE_S, data, prefix->len};

	Assert(prefix->len > 0 && prefix->len <= max_bytes);
	memcpy(data, prefix->data, prefix->len);
	while (last.len < max_bytes)
	{
		size_t		n = Min(max_bytes - last.len, 4);

		memcpy(data + last.len, highest[n], n);
		last.len += n;
	}
	return last;
}

/*
 * Only one condition can be sent.  A prefix with bounds that do not contain
 * all it covers is sent as an interval.
 */
static void
merge_prefix(DynKeyRange *range)
{
	DynKeyLimit first = {true, true, range->prefix};
	DynKeyLimit last = {true, true, {DYN_TYPE_ABSENT, NULL, 0}};

	if (!range->has_prefix || (!range->lower.set && !range->upper.set))
		return;
	last.value = last_with_prefix(&range->prefix, range->room.max_bytes);
	if (!range->upper.set &&
		dyn_scalar_compare(&range->lower.value, &range->prefix) <= 0)
	{
		range->lower.set = false;	/* the prefix alone says more */
		return;
	}
	range->has_prefix = false;
	dyn_range_add_bound(range, first, true);
	dyn_range_add_bound(range, last, false);
}

static void
check_interval(DynKeyRange *range)
{
	int			order;

	if (!range->lower.set || !range->upper.set)
		return;
	order = dyn_scalar_compare(&range->lower.value, &range->upper.value);
	if (order > 0 ||
		(order == 0 && !(range->lower.inclusive && range->upper.inclusive)))
		range->contradiction = true;
}

void
dyn_range_finish(DynKeyRange *range)
{
	if (range->has_points)
	{
		if (range->lower.set || range->upper.set || range->has_prefix)
			keep_points_within(range);
		return;
	}
	merge_prefix(range);
	check_interval(range);
	Assert(!range->has_prefix || (!range->lower.set && !range->upper.set));
}

bool
dyn_limit_is_wider(const DynKeyLimit *a, const DynKeyLimit *b, bool lower)
{
	int			order = dyn_scalar_compare(&a->value, &b->value);

	return order == 0 ? a->inclusive && !b->inclusive : (order < 0) == lower;
}

/* ---- the result ---- */

static DynCond *
range_cond_values(DynCondKind kind, const DynPath *path, const DynScalar *a,
				  const DynScalar *b)
{
	DynCond    *cond = palloc0(sizeof(DynCond));
	DynScalar  *values = palloc(2 * sizeof(DynScalar));

	cond->kind = kind;
	cond->path = path;
	cond->nvalues = b ? 2 : 1;
	values[0] = *a;
	if (b)
		values[1] = *b;
	cond->values = values;
	return cond;
}

/* NULL if the range excludes nothing. */
DynCond *
dyn_range_cond(const DynKeyRange *range, const DynPath *path)
{
	const DynScalar *lo = &range->lower.value;
	const DynScalar *hi = &range->upper.value;

	Assert(!range->contradiction);
	if (range->has_points && range->npoints == 1)
		return range_cond_values(DYN_COND_EQ, path, &range->points[0], NULL);
	if (range->has_points)
		return range_cond_values(DYN_COND_BETWEEN, path, &range->points[0],
								 &range->points[range->npoints - 1]);
	if (range->has_prefix)
		return range_cond_values(DYN_COND_BEGINS_WITH, path, &range->prefix, NULL);
	if (range->lower.set && range->upper.set)
		return dyn_scalar_compare(lo, hi) == 0
			? range_cond_values(DYN_COND_EQ, path, lo, NULL)
			: range_cond_values(DYN_COND_BETWEEN, path, lo, hi);
	if (range->lower.set)
		return range_cond_values(range->lower.inclusive ? DYN_COND_GE
								 : DYN_COND_GT, path, lo, NULL);
	if (range->upper.set)
		return range_cond_values(range->upper.inclusive ? DYN_COND_LE
								 : DYN_COND_LT, path, hi, NULL);
	return NULL;
}

static int
compare_points(const void *a, const void *b)
{
	return dyn_scalar_compare(a, b);
}

bool
dyn_range_has(const DynKeyRange *range, const DynScalar *value)
{
	return !range->has_points ? is_within(range, value)
		: bsearch(value, range->points, range->npoints, sizeof(DynScalar),
				  compare_points) != NULL;
}
