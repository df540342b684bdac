/*
 * resolve_keys.c
 *		From predicates on keys to the keys themselves.
 *
 * Each key attribute gets a DynKeyRange (key_range.h).  Here they are combined
 * to keys, and to conditions on sort keys.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "../../model/values/path.h"
#include "../../plan/keys/index_complete.h"
#include "filter.h"
#include "key_range.h"
#include "resolve_keys.h"

/* ---- conditions on range attributes ---- */

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

/* Each partition with each of the ranges. */
static void
multiply_keys(DynResolvedAccess *resolved, const DynKeyRange *ranges, int nranges,
			  const DynPath *path)
{
	int			nparts = resolved->nparts;
	DynKeyPart *keys;
	int			n = 0;

	dyn_refuse_too_many((double) resolved->nkeys * nranges);
	keys = MemoryContextAllocHuge(CurrentMemoryContext, (Size) resolved->nkeys *
								  nranges * nparts * sizeof(DynKeyPart));
	resolved->sort = MemoryContextAllocHuge(CurrentMemoryContext,
											(Size) resolved->nkeys * nranges *
											sizeof(DynCond *));
	for (int i = 0; i < resolved->nkeys; i++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int r = 0; r < nranges; r++)
		{
			memcpy(&keys[(Size) n * nparts],
				   &resolved->keys[(Size) i * nparts], nparts * sizeof(DynKeyPart));
			resolved->sort[n++] = dyn_range_cond(&ranges[r], path);
		}
	}
	resolved->keys = keys;
	resolved->nkeys = n;
}

/* Leaves out the first range attribute if it is part of row-wise keys. */
static void
resolve_range_conditions(const DynResolveContext *context,
						 const DynAccess *access, DynResolvedAccess *resolved)
{
	int			first = access->nrange > 0 &&
		row_key_position(access, access->range[0].name) >= 0 ? 1 : 0;

	for (int i = first; i < access->nrange; i++)
	{
		const DynPath *path = dyn_path_of_attribute(access->range[i].name);
		DynKeyRange *ranges;
		int			n = dyn_resolve_sort_attribute(context, &access->range[i],
												   DYN_MAX_RANGE_BYTES, &ranges);
		DynCond    *cond;

		if (ranges[0].contradiction)
		{
			resolved->contradiction = true;
			return;
		}
		if (i == 0 && n > 1)
		{
			multiply_keys(resolved, ranges, n, path);
			return;
		}
		if (n > 1)
			return;
		cond = dyn_range_cond(&ranges[0], path);
		if (cond == NULL)
			return;
		resolved->range[resolved->nrange++] = cond;
		if (cond->kind != DYN_COND_EQ)
			return;
	}
}

/* ---- whole keys ---- */

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
			   const DynKeyRange *ranges, int nparts)
{
	double		total = 1;

	Assert(nparts > 0 && resolved->keys == NULL);
	for (int i = 0; i < nparts; i++)
		total *= ranges[i].npoints;
	dyn_refuse_too_many(total);
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
	dyn_refuse_too_many(resolved->nkeys + more);
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
add_row_keys(const DynResolveContext *context, const DynAccess *access,
			 const DynPred *arm, DynResolvedAccess *resolved, int *space)
{
	DynPointSet	sets[DYN_MAX_KEY_ATTRS + 1];
	double		total = 1;

	Assert(list_length(arm->args) == access->nrow_attrs);
	memset(sets, 0, sizeof(sets));
	for (int i = 0; i < access->nrow_attrs; i++)
	{
		dyn_resolve_points(context, list_nth(arm->args, i), &access->row_attrs[i],
						   i < Max(access->nhash, 1) ? DYN_MAX_HASH_BYTES
						   : DYN_MAX_RANGE_BYTES, &sets[i]);
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
filter_row_keys(DynResolvedAccess *resolved, DynKeyRange *const *ranges)
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
			keep = ranges[i] == NULL || dyn_range_has(ranges[i], &parts[i].value);
		if (keep)
			memmove(&resolved->keys[(Size) kept++ * resolved->nparts], parts, size);
	}
	resolved->nkeys = kept;
}

/* What other predicates say about the attributes of row-wise keys. */
static void
resolve_row_key_ranges(const DynResolveContext *context, const DynAccess *access,
					   DynResolvedAccess *resolved, DynKeyRange **ranges)
{
	for (int n = 0; n < access->nhash + access->nrange; n++)
	{
		const DynKeyMatch *match = n < access->nhash ? &access->hash[n]
			: &access->range[n - access->nhash];
		int			i = row_key_position(access, match->name);

		if (i < 0 || match->preds == NIL)
			continue;
		ranges[i] = palloc(sizeof(DynKeyRange));
		dyn_resolve_attribute(context, match,
							  n < access->nhash ? DYN_MAX_HASH_BYTES
							  : DYN_MAX_RANGE_BYTES, ranges[i]);
		resolved->contradiction |= ranges[i]->contradiction;
	}
}

static void
resolve_row_keys(const DynResolveContext *context, const DynAccess *access,
				 DynResolvedAccess *resolved)
{
	DynKeyRange   *ranges[DYN_MAX_KEY_ATTRS + 1] = {NULL};
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
resolve_combinations(const DynResolveContext *context, const DynAccess *access,
					 DynResolvedAccess *resolved)
{
	DynKeyRange	ranges[DYN_MAX_KEY_ATTRS + 1];
	const DynKeyMatch *matches[DYN_MAX_KEY_ATTRS + 1];
	int			n = 0;

	for (int i = 0; i < access->nhash; i++)
		matches[n++] = &access->hash[i];
	if (access->kind == DYN_ACCESS_GET && access->nrange > 0)
		matches[n++] = &access->range[0];
	for (int i = 0; i < n; i++)
	{
		dyn_resolve_attribute(context, matches[i],
							  i < access->nhash ? DYN_MAX_HASH_BYTES
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
resolve_keys(const DynResolveContext *context, const DynAccess *access,
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
resolve_filter(const DynResolveContext *context, const DynAccess *access,
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
	DynResolveContext context = {relation, values, NULL};

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

/* ---- comparing ---- */

bool
dyn_cond_same(const DynCond *a, const DynCond *b)
{
	DynBuffer	one;
	DynBuffer	other;
	bool		same;

	dyn_buffer_init(&one, 0);
	dyn_buffer_init(&other, 0);
	same = dyn_cond_identity(a, &one) && dyn_cond_identity(b, &other) &&
		one.len == other.len && memcmp(one.data, other.data, one.len) == 0;
	dyn_buffer_free(&one);
	dyn_buffer_free(&other);
	return same;
}

static bool
is_same_part(const DynKeyPart *a, const DynKeyPart *b)
{
	return strcmp(a->name, b->name) == 0 && a->value.type == b->value.type &&
		a->value.len == b->value.len &&
		memcmp(a->value.data, b->value.data, a->value.len) == 0;
}

static bool
are_same_conds(DynCond *const *a, DynCond *const *b, int n)
{
	for (int i = 0; i < n; i++)
	{
		if (!dyn_cond_same(a[i], b[i]))
			return false;
	}
	return true;
}

bool
dyn_resolved_same_keys(const DynResolvedAccess *a, const DynResolvedAccess *b)
{
	if (a->nkeys != b->nkeys || a->nparts != b->nparts ||
		a->nrange != b->nrange || (a->sort == NULL) != (b->sort == NULL))
		return false;
	for (int i = 0; i < a->nkeys * a->nparts; i++)
	{
		if (!is_same_part(&a->keys[i], &b->keys[i]))
			return false;
	}
	return are_same_conds(a->range, b->range, a->nrange) &&
		(a->sort == NULL || are_same_conds(a->sort, b->sort, a->nkeys));
}
