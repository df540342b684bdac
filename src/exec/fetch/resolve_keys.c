/*
 * resolve_keys.c
 *		From predicates on keys to the keys themselves.
 *
 * Each key attribute gets a KeyRange: either finitely many points, or an
 * interval with an optional prefix.  All predicates on the attribute are
 * intersected into it.  DynamoDB's own rules for keys hold here: no empty
 * values, at most 2048 bytes in a partition key and 1024 in a sort key, one
 * condition on a sort key, no BETWEEN with reversed bounds.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "../../model/path.h"
#include "../../plan/presence.h"
#include "resolve_keys.h"
#include "filter.h"

/* More keys than this are refused rather than collected. */
#define MAX_KEYS	10000000

typedef struct DynKeyLimit
{
	bool		set;
	bool		inclusive;
	DynScalar	value;
} DynKeyLimit;

/* The values that a key attribute may have. */
typedef struct KeyRange
{
	size_t		max_bytes;		/* of a value */
	bool		contradiction;
	bool		has_points;
	int			npoints;		/* sorted, distinct */
	DynScalar  *points;
	DynKeyLimit lower;
	DynKeyLimit upper;
	bool		has_prefix;
	DynScalar	prefix;
} KeyRange;

typedef struct ResolveContext
{
	const DynRelation *relation;
	const DynValues *values;
} ResolveContext;

/* ---- sets of points ---- */

typedef struct PointSet
{
	int			n;
	int			space;
	DynScalar  *points;
} PointSet;

static void
add_point(PointSet *set, const DynScalar *point, size_t max_bytes)
{
	if (point->type != DYN_TYPE_N &&
		(point->len == 0 || point->len > max_bytes))
		return;
	if (set->n == set->space)
	{
		set->space = Max(8, set->space * 2);
		set->points = set->points
			? repalloc_huge(set->points, set->space * sizeof(DynScalar))
			: palloc(set->space * sizeof(DynScalar));
	}
	set->points[set->n++] = *point;
}

static void
add_value(const DynCodec *codec, Oid valuetype, Datum value, PointSet *set,
		  size_t max_bytes)
{
	DynScalar	scalar;

	if (dyn_codec_encode(codec, valuetype, value, &scalar) == DYN_ENCODED)
		add_point(set, &scalar, max_bytes);
}

static void
add_array(const DynCodec *codec, Oid valuetype, Datum array, PointSet *set,
		  size_t max_bytes)
{
	ArrayType  *a = DatumGetArrayTypeP(array);
	int16		len;
	bool		byval;
	char		align;
	Datum	   *values;
	bool	   *nulls;
	int			n;

	get_typlenbyvalalign(ARR_ELEMTYPE(a), &len, &byval, &align);
	deconstruct_array(a, ARR_ELEMTYPE(a), len, byval, align, &values, &nulls, &n);
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!nulls[i])
			add_value(codec, valuetype, values[i], set, max_bytes);
	}
}

/* No key has values of another type. */
static void
add_row_points(const DynRowTerm *term, DynType type, PointSet *set,
			   size_t max_bytes)
{
	for (int i = 0; i < term->nvalues; i++)
	{
		if (term->values[i].type == type)
			add_point(set, &term->values[i], max_bytes);
	}
}

/* The points of =, IN, a term of the row test, or an OR of such. */
static void
collect_points(const ResolveContext *context, const DynPred *pred,
			   DynType type, PointSet *set, size_t max_bytes)
{
	const DynCodec *codec;
	ListCell   *lc;

	check_stack_depth();
	if (pred->kind == DYN_PRED_OR)
	{
		foreach(lc, pred->args)
			collect_points(context, lfirst(lc), type, set, max_bytes);
		return;
	}
	if (pred->kind == DYN_PRED_ROW)
	{
		add_row_points(&context->relation->row_test.terms[pred->term], type, set,
					   max_bytes);
		return;
	}
	codec = &dyn_relation_column(context->relation, pred->field.attnum)->codec;
	if (dyn_pred_is_boolean(pred))
	{
		add_value(codec, BOOLOID, BoolGetDatum(pred->kind == DYN_PRED_TRUE), set,
				  max_bytes);
		return;
	}
	if (context->values->nulls[pred->param])
		return;
	if (pred->kind == DYN_PRED_EQ)
		add_value(codec, pred->valuetype, context->values->values[pred->param],
				  set, max_bytes);
	else
		add_array(codec, pred->valuetype, context->values->values[pred->param],
				  set, max_bytes);
}

static int
compare_points(const void *a, const void *b)
{
	return dyn_scalar_compare(a, b);
}

static int
sort_compare_points(const void *a, const void *b, void *arg)
{
	return dyn_scalar_compare(a, b);
}

static void
sort_points(PointSet *set)
{
	int			kept = 0;

	if (set->n <= 1)
		return;
	qsort_interruptible(set->points, set->n, sizeof(DynScalar),
						sort_compare_points, NULL);
	for (int i = 0; i < set->n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (kept == 0 ||
			dyn_scalar_compare(&set->points[kept - 1], &set->points[i]) != 0)
			set->points[kept++] = set->points[i];
	}
	set->n = kept;
}

/* Keeps of the range's points those that are in the set, too. */
static void
intersect_points(KeyRange *range, const PointSet *set)
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

static void
apply_points(const ResolveContext *context, KeyRange *range,
			 const DynPred *pred, DynType type)
{
	PointSet	set = {0, 0, NULL};

	collect_points(context, pred, type, &set, range->max_bytes);
	sort_points(&set);
	if (range->has_points)
		intersect_points(range, &set);
	else
	{
		range->has_points = true;
		range->npoints = set.n;
		range->points = set.points;
	}
	if (range->npoints == 0)
		range->contradiction = true;
}

/* ---- intervals ---- */

/*
 * A bound that no key can reach, moved to where keys are: nothing is below the
 * empty text, and what is longer than a key sorts right behind its beginning.
 */
static bool
fit_bound(KeyRange *range, DynKeyLimit *bound, bool lower)
{
	DynScalar  *value = &bound->value;

	if (value->type == DYN_TYPE_N)
		return true;
	if (value->len == 0)
	{
		range->contradiction |= !lower;
		return false;
	}
	if (value->len <= range->max_bytes)
		return true;
	bound->inclusive = !lower;
	if (value->type == DYN_TYPE_B)
		value->len = range->max_bytes;
	else
	{
		value->len = pg_encoding_mbcliplen(PG_UTF8, value->data, value->len,
										   range->max_bytes);
		if (!lower && value->len < range->max_bytes)
			return false;
	}
	return true;
}

static void
apply_bound(KeyRange *range, DynKeyLimit bound, bool lower)
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

static void
apply_comparison(KeyRange *range, const DynCodec *codec, DynPredKind kind,
				 Oid valuetype, Datum value)
{
	bool		lower = (kind == DYN_PRED_GT || kind == DYN_PRED_GE);
	DynKeyLimit bound = {true, kind == DYN_PRED_GE || kind == DYN_PRED_LE, {DYN_TYPE_ABSENT, NULL, 0}};

	switch (dyn_codec_encode_bound(codec, valuetype, value, lower,
								   &bound.inclusive, &bound.value))
	{
		case DYN_ENCODED_NOTHING:
			range->contradiction = true;
			break;
		case DYN_ENCODED_ANYTHING:
		case DYN_ENCODED_UNKNOWN:
			break;
		default:
			apply_bound(range, bound, lower);
			break;
	}
}

/* The longer of two prefixes, if it begins with the shorter one. */
static void
apply_prefix(KeyRange *range, DynScalar prefix)
{
	if (prefix.len == 0)
		return;
	if (prefix.len > range->max_bytes)
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

static void
apply_text(KeyRange *range, const DynPred *pred, Datum value)
{
	DynScalar	scalar;
	char	   *literal;
	size_t		len;
	DynLike		like;

	if (!dyn_encode_text(value, &scalar))
		return;
	if (pred->kind == DYN_PRED_PREFIX)
	{
		apply_prefix(range, scalar);
		return;
	}
	like = dyn_like_pattern(scalar.data, scalar.len, &literal, &len);
	scalar.data = literal;
	scalar.len = len;
	if (like == DYN_LIKE_PREFIX)
		apply_prefix(range, scalar);
	else if (like == DYN_LIKE_EQUAL)
	{
		DynKeyLimit bound = {true, true, scalar};

		apply_bound(range, bound, true);
		apply_bound(range, bound, false);
	}
}

static void
apply_range(const ResolveContext *context, KeyRange *range,
			const DynPred *pred)
{
	const DynCodec *codec =
		&dyn_relation_column(context->relation, pred->field.attnum)->codec;
	Datum		value = context->values->values[pred->param];

	if (context->values->nulls[pred->param])
		range->contradiction = true;
	else if (pred->kind == DYN_PRED_PREFIX || pred->kind == DYN_PRED_LIKE)
		apply_text(range, pred, value);
	else if (pred->kind == DYN_PRED_EQ)
	{
		apply_comparison(range, codec, DYN_PRED_GE, pred->valuetype, value);
		apply_comparison(range, codec, DYN_PRED_LE, pred->valuetype, value);
	}
	else
		apply_comparison(range, codec, pred->kind, pred->valuetype, value);
}

/* ---- one attribute ---- */

static bool
is_point_pred(const ResolveContext *context, const DynPred *pred)
{
	return pred->kind == DYN_PRED_IN || pred->kind == DYN_PRED_OR ||
		pred->kind == DYN_PRED_ROW || dyn_pred_is_boolean(pred) ||
		(pred->kind == DYN_PRED_EQ &&
		 dyn_relation_column(context->relation,
							 pred->field.attnum)->traits.point);
}

static bool
is_within(const KeyRange *range, const DynScalar *point)
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
keep_points_within(KeyRange *range)
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
merge_prefix(KeyRange *range)
{
	DynKeyLimit first = {true, true, range->prefix};
	DynKeyLimit last = {true, true, {DYN_TYPE_ABSENT, NULL, 0}};

	if (!range->has_prefix || (!range->lower.set && !range->upper.set))
		return;
	last.value = last_with_prefix(&range->prefix, range->max_bytes);
	if (!range->upper.set &&
		dyn_scalar_compare(&range->lower.value, &range->prefix) <= 0)
	{
		range->lower.set = false;	/* the prefix alone says more */
		return;
	}
	range->has_prefix = false;
	apply_bound(range, first, true);
	apply_bound(range, last, false);
}

static void
check_interval(KeyRange *range)
{
	int			order;

	if (!range->lower.set || !range->upper.set)
		return;
	order = dyn_scalar_compare(&range->lower.value, &range->upper.value);
	if (order > 0 ||
		(order == 0 && !(range->lower.inclusive && range->upper.inclusive)))
		range->contradiction = true;
}

static void
resolve_attribute(const ResolveContext *context, const DynKeyMatch *match,
				  size_t max_bytes, KeyRange *range)
{
	ListCell   *lc;

	memset(range, 0, sizeof(*range));
	range->max_bytes = max_bytes;
	foreach(lc, match->preds)
	{
		if (is_point_pred(context, lfirst(lc)))
			apply_points(context, range, lfirst(lc), match->type);
		else
			apply_range(context, range, lfirst(lc));
	}
	if (range->has_points)
	{
		if (range->lower.set || range->upper.set || range->has_prefix)
			keep_points_within(range);
	}
	else
	{
		merge_prefix(range);
		check_interval(range);
		Assert(!range->has_prefix || (!range->lower.set && !range->upper.set));
	}
	Assert(range->contradiction || !range->has_points || range->npoints > 0);
}

/* ---- conditions on range attributes ---- */

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
static DynCond *
range_cond(const KeyRange *range, const DynPath *path)
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

/* The position of the attribute in row-wise keys; -1 if they lack it. */
static int
row_key_position(const DynAccess *access, const char *name)
{
	for (int i = 0; i < access->nrow_attrs; i++)
	{
		if (strcmp(access->row_attrs[i].name, name) == 0)
			return i;
	}
	return -1;
}

/* Leaves out the first range attribute if it is part of row-wise keys. */
static void
resolve_range_conditions(const ResolveContext *context,
						 const DynAccess *access, DynResolvedAccess *resolved)
{
	int			first = access->nrange > 0 &&
		row_key_position(access, access->range[0].name) >= 0 ? 1 : 0;

	for (int i = first; i < access->nrange; i++)
	{
		KeyRange	range;
		DynCond    *cond;

		resolve_attribute(context, &access->range[i], DYN_MAX_RANGE_BYTES, &range);
		if (range.contradiction)
		{
			resolved->contradiction = true;
			return;
		}
		cond = range_cond(&range, dyn_path_of_attribute(access->range[i].name));
		if (cond == NULL)
			return;
		resolved->range[resolved->nrange++] = cond;
		if (cond->kind != DYN_COND_EQ)
			return;
	}
}

/* ---- whole keys ---- */

static void
refuse_too_many(double nkeys)
{
	if (nkeys > MAX_KEYS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many keys to read: %.0f", nkeys),
				 errhint("Restrict the lists of key values.")));
}

static void
set_part(DynResolvedAccess *resolved, int key, int part,
		 const DynKeyMatch *match, const DynScalar *value)
{
	Assert(key < resolved->nkeys && part < resolved->nparts);
	resolved->keys[key * resolved->nparts + part].name = match->name;
	resolved->keys[key * resolved->nparts + part].value = *value;
}

/* Every combination of the attributes' points, the last one varying fastest. */
static void
combine_points(DynResolvedAccess *resolved, const DynKeyMatch *const *matches,
			   const KeyRange *ranges, int nparts)
{
	double		total = 1;

	Assert(nparts > 0 && resolved->keys == NULL);
	for (int i = 0; i < nparts; i++)
		total *= ranges[i].npoints;
	refuse_too_many(total);
	resolved->nparts = nparts;
	resolved->nkeys = (int) total;
	resolved->keys = MemoryContextAllocHuge(CurrentMemoryContext,
											Max((Size) resolved->nkeys * nparts, 1) *
											sizeof(DynKeyPart));
	for (int key = 0; key < resolved->nkeys; key++)
	{
		int			rest = key;

		CHECK_FOR_INTERRUPTS();
		for (int part = nparts - 1; part >= 0; part--)
		{
			set_part(resolved, key, part, matches[part],
					 &ranges[part].points[rest % ranges[part].npoints]);
			rest /= ranges[part].npoints;
		}
	}
}

static bool
is_in_range(const KeyRange *range, const DynScalar *value)
{
	return !range->has_points ? is_within(range, value)
		: bsearch(value, range->points, range->npoints, sizeof(DynScalar),
				  compare_points) != NULL;
}

static int
compare_keys(const void *a, const void *b, void *nparts)
{
	const DynKeyPart *x = a;
	const DynKeyPart *y = b;
	int			order = 0;

	for (int i = 0; i < *(int *) nparts && order == 0; i++)
		order = dyn_scalar_compare(&x[i].value, &y[i].value);
	return order;
}

/* Room for `more` keys behind those there are. */
static void
reserve_keys(DynResolvedAccess *resolved, double more, int *space)
{
	refuse_too_many(resolved->nkeys + more);
	while (resolved->nkeys + more > *space)
	{
		*space = Max(16, *space * 2);
		resolved->keys = resolved->keys
			? repalloc_huge(resolved->keys,
							(Size) *space * resolved->nparts * sizeof(DynKeyPart))
			: MemoryContextAllocHuge(CurrentMemoryContext,
									 (Size) *space * resolved->nparts *
									 sizeof(DynKeyPart));
	}
}

/* All combinations of one arm's points. */
static void
add_row_keys(const ResolveContext *context, const DynAccess *access,
			 const DynPred *arm, DynResolvedAccess *resolved, int *space)
{
	PointSet	sets[DYN_MAX_KEY_ATTRS + 1];
	double		total = 1;

	Assert(list_length(arm->args) == access->nrow_attrs);
	memset(sets, 0, sizeof(sets));
	for (int i = 0; i < access->nrow_attrs; i++)
	{
		collect_points(context, list_nth(arm->args, i),
					   access->row_attrs[i].type, &sets[i],
					   i < Max(access->nhash, 1) ? DYN_MAX_HASH_BYTES
					   : DYN_MAX_RANGE_BYTES);
		sort_points(&sets[i]);
		total *= sets[i].n;
	}
	reserve_keys(resolved, total, space);
	for (int n = 0; n < (int) total; n++)
	{
		DynKeyPart *parts = &resolved->keys[(Size) resolved->nkeys++ * resolved->nparts];
		int			rest = n;

		CHECK_FOR_INTERRUPTS();
		for (int i = access->nrow_attrs - 1; i >= 0; i--)
		{
			parts[i].name = access->row_attrs[i].name;
			parts[i].value = sets[i].points[rest % sets[i].n];
			rest /= sets[i].n;
		}
	}
}

/* Distinct keys that satisfy what else is known of their attributes. */
static void
filter_row_keys(DynResolvedAccess *resolved, KeyRange *const *ranges)
{
	int			kept = 0;
	size_t		size = resolved->nparts * sizeof(DynKeyPart);

	qsort_interruptible(resolved->keys, resolved->nkeys, size, compare_keys,
						&resolved->nparts);
	for (int n = 0; n < resolved->nkeys; n++)
	{
		DynKeyPart *parts = &resolved->keys[(Size) n * resolved->nparts];
		bool		keep = kept == 0 ||
			compare_keys(&resolved->keys[(Size) (kept - 1) * resolved->nparts], parts,
						 &resolved->nparts) != 0;

		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < resolved->nparts && keep; i++)
			keep = ranges[i] == NULL || is_in_range(ranges[i], &parts[i].value);
		if (keep)
			memmove(&resolved->keys[(Size) kept++ * resolved->nparts], parts, size);
	}
	resolved->nkeys = kept;
}

/* What other predicates say about the attributes of row-wise keys. */
static void
resolve_row_key_ranges(const ResolveContext *context, const DynAccess *access,
					   DynResolvedAccess *resolved, KeyRange **ranges)
{
	for (int n = 0; n < access->nhash + access->nrange; n++)
	{
		const DynKeyMatch *match = n < access->nhash ? &access->hash[n]
			: &access->range[n - access->nhash];
		int			i = row_key_position(access, match->name);

		if (i < 0 || match->preds == NIL)
			continue;
		ranges[i] = palloc(sizeof(KeyRange));
		resolve_attribute(context, match, n < access->nhash ? DYN_MAX_HASH_BYTES
						  : DYN_MAX_RANGE_BYTES, ranges[i]);
		resolved->contradiction |= ranges[i]->contradiction;
	}
}

static void
resolve_row_keys(const ResolveContext *context, const DynAccess *access,
				 DynResolvedAccess *resolved)
{
	KeyRange   *ranges[DYN_MAX_KEY_ATTRS + 1] = {NULL};
	int			space = 0;
	ListCell   *lc;

	resolve_row_key_ranges(context, access, resolved, ranges);
	if (resolved->contradiction)
		return;
	resolved->nparts = access->nrow_attrs;
	foreach(lc, access->row_keys->args)
		add_row_keys(context, access, lfirst(lc), resolved, &space);
	if (resolved->nkeys > 0)
		filter_row_keys(resolved, ranges);
	resolved->contradiction = (resolved->nkeys == 0);
}

static void
resolve_combinations(const ResolveContext *context, const DynAccess *access,
					 DynResolvedAccess *resolved)
{
	KeyRange	ranges[DYN_MAX_KEY_ATTRS + 1];
	const DynKeyMatch *matches[DYN_MAX_KEY_ATTRS + 1];
	int			n = 0;

	for (int i = 0; i < access->nhash; i++)
		matches[n++] = &access->hash[i];
	if (access->kind == DYN_ACCESS_GET && access->nrange > 0)
		matches[n++] = &access->range[0];
	for (int i = 0; i < n; i++)
	{
		resolve_attribute(context, matches[i], i < access->nhash ? DYN_MAX_HASH_BYTES
						  : DYN_MAX_RANGE_BYTES, &ranges[i]);
		resolved->contradiction |= ranges[i].contradiction;
	}
	if (!resolved->contradiction)
		combine_points(resolved, matches, ranges, n);
}

#ifdef USE_ASSERT_CHECKING
static bool
keys_are_sorted_and_distinct(DynResolvedAccess *resolved)
{
	for (int i = 1; i < resolved->nkeys; i++)
	{
		const DynKeyPart *parts = &resolved->keys[(Size) i * resolved->nparts];

		if (compare_keys(parts - resolved->nparts, parts, &resolved->nparts) >= 0)
			return false;
	}
	return true;
}
#endif

static void
resolve_keys(const ResolveContext *context, const DynAccess *access,
			 DynResolvedAccess *resolved)
{
	if (access->row_keys != NULL)
		resolve_row_keys(context, access, resolved);
	else
		resolve_combinations(context, access, resolved);
	Assert(resolved->contradiction ||
		   (resolved->nkeys > 0 && keys_are_sorted_and_distinct(resolved)));
	if (!resolved->contradiction && access->kind == DYN_ACCESS_QUERY)
		resolve_range_conditions(context, access, resolved);
}

static DynCond *
make_and(int most_args)
{
	DynCond    *cond = palloc0(sizeof(DynCond));

	cond->kind = DYN_COND_AND;
	cond->args = palloc(Max(most_args, 1) * sizeof(DynCond *));
	return cond;
}

static void
resolve_filter(const ResolveContext *context, const DynAccess *access,
			   DynResolvedAccess *resolved)
{
	DynCond    *all = make_and(list_length(access->filters));
	DynCond    *enforced = make_and(list_length(access->filters));
	ListCell   *lc;

	foreach(lc, access->filters)
	{
		const DynPred *pred = lfirst(lc);
		DynCond    *cond = dyn_filter_cond(context->relation, pred,
										   context->values);

		all->args[all->nargs++] = cond;
		if (pred->enforced)
			enforced->args[enforced->nargs++] = cond;
	}
	all = dyn_cond_simplify(all);
	enforced = dyn_cond_simplify(enforced);
	if (all->kind == DYN_COND_FALSE)
		resolved->contradiction = true;
	else if (all->kind != DYN_COND_TRUE)
		resolved->filter = all;
	if (enforced->kind != DYN_COND_TRUE)
		resolved->enforced = enforced;
}

void
dyn_resolve_access(const DynAccess *access, const DynRelation *relation,
				   const DynValues *values, DynResolvedAccess *resolved)
{
	ResolveContext context = {relation, values};

	memset(resolved, 0, sizeof(*resolved));
	resolved->contradiction = access->contradiction;
	resolved->incomplete = !resolved->contradiction &&
		!dyn_proofs_hold(access, relation, values->values, values->nulls);
	if (resolved->contradiction || resolved->incomplete)
		return;
	if (access->kind != DYN_ACCESS_SCAN)
		resolve_keys(&context, access, resolved);
	if (!resolved->contradiction && access->filters != NIL)
		resolve_filter(&context, access, resolved);
}
