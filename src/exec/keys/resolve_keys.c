/*
 * resolve_keys.c
 *		Converts predicates on keys to the keys themselves.
 *
 * Each key attribute gets a set of values (key_values.h).  These sets are
 * combined to keys, and to conditions on sort keys.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "miscadmin.h"
#include "port/pg_bitutils.h"

#include "../../model/server/memory.h"
#include "../../model/values/path.h"
#include "../../plan/keys/match_keys.h"
#include "filter.h"
#include "key_values.h"
#include "make_cond.h"
#include "resolve_keys.h"

/* ---- conditions on range attributes ---- */

/* Returns the position of the attribute in row-wise keys, or -1. */
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

/*
 * Returns the conditions on the first range attribute, each for a separate
 * Query; *n is their number.  A condition is NULL if it would not restrict the
 * attribute.  `spans` is sorted, not empty, and may overlap.
 */
static DynCond **
range_conditions(const DynAccess *access, DynSpans spans, int *n)
{
	const DynKeyMatch *match = &access->range[0];
	const DynPath *path = dyn_path_of_attribute(match->name);
	DynCond   **conds;

	/*
	 * merge overlapping spans, and adjacent spans unless each must be read in
	 * its own order
	 */
	spans.n = dyn_spans_unite(spans.at, spans.n, !access->ordered);
	/*
	 * make a Query for each span if each belongs to one combination of values
	 * of a template's leading parts, so that spans cannot overlap.  An ordered
	 * plan may exceed DYN_MAX_SORT_RANGES: the planner has limited the number
	 * of its keys, but all of them may be in one partition.
	 */
	*n = (access->ordered || spans.n <= DYN_MAX_SORT_RANGES) &&
		dyn_only_templated(match->preds) != NULL ? spans.n : 1;
	conds = palloc(*n * sizeof(DynCond *));
	for (int i = 0; i < *n; i++)
		conds[i] = dyn_key_cond(*n == 1 ? &spans : &(DynSpans) {1, &spans.at[i]}, path);
	return conds;
}

/*
 * Makes one Query for each key, with all conditions; if `divided`, one for
 * each combination of key and condition.
 */
static void
make_queries(DynResolvedAccess *resolved, DynCond **range, int nrange, bool divided)
{
	int			per_key = divided ? nrange : 1;

	dyn_refuse_too_many((double) resolved->nkeys * per_key);
	resolved->nqueries = resolved->nkeys * per_key;
	resolved->queries = MemoryContextAllocHuge(CurrentMemoryContext,
											   (Size) resolved->nqueries * sizeof(DynQuery));
	for (int i = 0; i < resolved->nqueries; i++)
	{
		CHECK_FOR_INTERRUPTS();
		resolved->queries[i] = (DynQuery) {
			.key = &resolved->keys[(Size) (i / per_key) * resolved->nparts],
			.range = divided ? &range[i % per_key] : range,
			.nrange = divided ? 1 : nrange
		};
	}
}

/*
 * Makes the Queries, or sets `contradiction`.  Omits the condition on the
 * first range attribute if row-wise keys contain this attribute.
 */
static void
resolve_queries(const DynResolveContext *context, const DynAccess *access,
				DynResolvedAccess *resolved)
{
	DynResolveContext widening = *context;
	DynCond   **range = palloc(DYN_MAX_KEY_ATTRS * sizeof(DynCond *));
	int			nrange = 0;
	int			first = access->nrange > 0 &&
		row_key_position(access, access->range[0].name) >= 0 ? 1 : 0;

	/* a plan's order must not contain items that the predicates reject */
	widening.may_widen = !access->ordered;
	for (int i = first; i < access->nrange; i++)
	{
		const DynKeyMatch *match = &access->range[i];
		DynSpans	spans = dyn_key_values(&widening, match, DYN_MAX_RANGE_BYTES);
		DynCond    *cond;
		int			n = 1;

		if (spans.n == 0)
		{
			resolved->contradiction = true;
			return;
		}
		if (i == 0)
		{
			DynCond   **conds = range_conditions(access, spans, &n);

			if (n > 1)
			{
				make_queries(resolved, conds, n, true);
				return;
			}
			cond = conds[0];
		}
		else
			cond = dyn_key_cond(&spans, dyn_path_of_attribute(match->name));
		if (cond == NULL)
			break;
		range[nrange++] = cond;
		if (cond->kind != DYN_COND_EQ)
			break;
	}
	make_queries(resolved, range, nrange, false);
}

/* ---- elements of shared lists ---- */

/*
 * Returns one DynElement for each of `lists`, at the first element of the
 * list.  Removes elements that `preds` reject (dyn_keep_elements).  Sets
 * *combinations to the number of combinations of the remaining elements, which
 * is 0 if a list has none.
 */
static DynElement *
list_elements(const DynResolveContext *context, const List *preds, const List *lists,
			  double *combinations)
{
	const DynValues *values = context->values;
	DynElement *elements = palloc0(list_length(lists) * sizeof(DynElement));
	ListCell   *lc;

	*combinations = 1;
	foreach(lc, lists)
	{
		const DynPred *list = lfirst(lc);
		DynElement *element = &elements[foreach_current_index(lc)];

		element->list = list;
		if (!values->nulls[list->param])
			element->elements = dyn_array_elements(values->values[list->param]);
		dyn_keep_elements(context, preds, element);
		*combinations *= element->elements.n;
	}
	dyn_refuse_too_many(*combinations);
	return elements;
}

/* Moves to the elements of combination `number`. */
static void
choose_elements(DynElement *elements, int n, int number)
{
	for (int i = 0; i < n; i++)
	{
		elements[i].current = number % elements[i].elements.n;
		number /= elements[i].elements.n;
	}
}

/* ---- full keys ---- */

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

/* Returns the size limit (bytes) of attribute i of a key. */
static size_t
key_bytes(const DynAccess *access, int i)
{
	return i < Max(access->nhash, 1) ? DYN_MAX_HASH_BYTES : DYN_MAX_RANGE_BYTES;
}

/* Adds all combinations of values; the last attribute varies fastest. */
static void
add_combinations(DynResolvedAccess *resolved, const char *const *names,
				 const DynSpans *points, int *space)
{
	int			nparts = resolved->nparts;
	double		total = 1;

	/* analyzer: the callers have filled nparts elements of `points` */
	for (int i = 0; i < nparts; i++)
		total *= points[i].n;
	dyn_refuse_too_many(resolved->nkeys + total);
	if (resolved->nkeys + total > *space)
	{
		*space = Max(resolved->nkeys + (int) total, *space * 2);
		resolved->keys = dyn_grown(resolved->keys, Max((Size) *space * nparts, 1) *
								   sizeof(DynKeyPart));
	}
	for (int n = 0; n < (int) total; n++)
	{
		DynKeyPart *key = &resolved->keys[(Size) resolved->nkeys++ * nparts];
		int			number = n;

		CHECK_FOR_INTERRUPTS();
		for (int i = nparts - 1; i >= 0; i--)
		{
			/* analyzer: `points` is filled, see above */
			const DynSpan *point = &points[i].at[number % points[i].n];

			Assert(dyn_span_is_point(point));
			key[i].name = names[i];
			key[i].value = point->lower.value;
			number /= points[i].n;
		}
	}
}

/* Adds the keys of an arm, for one combination of elements after the other. */
static void
add_row_keys(const DynResolveContext *context, const DynAccess *access,
			 const DynPred *arm, DynResolvedAccess *resolved, int *space)
{
	DynResolveContext chosen = *context;
	List	   *shared = access->shares_lists ? dyn_arm_shared_lists(arm) : NIL;
	double		combinations;
	DynElement *elements = list_elements(context, arm->args, shared, &combinations);
	DynSpans	points[DYN_MAX_KEY_ATTRS + 1];
	const char *names[DYN_MAX_KEY_ATTRS + 1];

	Assert(list_length(arm->args) == access->nrow_attrs);
	chosen.shared = elements;
	chosen.nshared = list_length(shared);
	for (int n = 0; n < (int) combinations && !*context->unusable; n++)
	{
		CHECK_FOR_INTERRUPTS();
		choose_elements(elements, chosen.nshared, n);
		for (int i = 0; i < access->nrow_attrs; i++)
		{
			DynKeyMatch match = {.name = access->row_attrs[i].name,
				.type = access->row_attrs[i].type,
			.preds = list_make1(list_nth(arm->args, i))};

			names[i] = match.name;
			points[i] = dyn_key_values(&chosen, &match, key_bytes(access, i));
		}
		if (!*context->unusable)
			add_combinations(resolved, names, points, space);
	}
}

/*
 * Sorts the keys.  Removes duplicates, and keys whose part i has a value that
 * is not in others[i]: the values that the conditions outside of the row-wise
 * keys allow.  others[i].at is NULL if these allow all values.
 */
static void
filter_row_keys(DynResolvedAccess *resolved, const DynSpans *others)
{
	int			cached = 0;
	size_t		size = resolved->nparts * sizeof(DynKeyPart);

	qsort_interruptible(resolved->keys, resolved->nkeys, size, compare_keys,
						&resolved->nparts);
	for (int n = 0; n < resolved->nkeys; n++)
	{
		DynKeyPart *parts = &resolved->keys[(Size) n * resolved->nparts];
		bool		keep = cached == 0 ||
			compare_keys(&resolved->keys[(Size) (cached - 1) * resolved->nparts], parts,
						 &resolved->nparts) != 0;

		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < resolved->nparts && keep; i++)
			keep = others[i].at == NULL || dyn_spans_has(&others[i], &parts[i].value);
		if (keep)
			memmove(&resolved->keys[(Size) cached++ * resolved->nparts], parts, size);
	}
	resolved->nkeys = cached;
}

static void
resolve_row_keys(const DynResolveContext *context, const DynAccess *access,
				 DynResolvedAccess *resolved)
{
	DynSpans	others[DYN_MAX_KEY_ATTRS + 1] = {{0}};
	int			space = 0;
	ListCell   *lc;

	/* values that the predicates outside of the row-wise keys allow */
	for (int n = 0; n < access->nhash + access->nrange; n++)
	{
		const DynKeyMatch *match = dyn_access_match(access, n);
		int			i = row_key_position(access, match->name);

		if (i < 0 || match->preds == NIL)
			continue;
		others[i] = dyn_key_values(context, match, key_bytes(access, i));
		resolved->contradiction |= others[i].n == 0;
	}
	if (resolved->contradiction)
		return;
	resolved->nparts = access->nrow_attrs;
	foreach(lc, access->row_keys->args)
		add_row_keys(context, access, lfirst(lc), resolved, &space);
	if (resolved->nkeys > 0)
		filter_row_keys(resolved, others);
	resolved->contradiction = (resolved->nkeys == 0);
}

/* Adds the keys that all predicates allow. */
static void
add_keys(const DynResolveContext *context, const DynAccess *access,
		 DynResolvedAccess *resolved, int *space)
{
	DynSpans	points[DYN_MAX_KEY_ATTRS + 1];
	const char *names[DYN_MAX_KEY_ATTRS + 1];

	for (int i = 0; i < resolved->nparts; i++)
	{
		const DynKeyMatch *match = dyn_access_match(access, i);

		names[i] = match->name;
		points[i] = dyn_key_values(context, match, key_bytes(access, i));
		if (points[i].n == 0)
			return;
	}
	if (!*context->unusable)
		add_combinations(resolved, names, points, space);
}

/* ---- keys of elements of shared lists ---- */

/* A partition key, and one span of the sort keys that are read from it */
typedef struct Pair
{
	int			key;			/* position in resolved->keys */
	DynSpan		span;
} Pair;

static int
compare_pairs(const void *a, const void *b, void *arg)
{
	const DynResolvedAccess *resolved = arg;
	const Pair *x = a;
	const Pair *y = b;
	int			nparts = resolved->nparts;
	int			order = compare_keys(&resolved->keys[(Size) x->key * nparts],
									 &resolved->keys[(Size) y->key * nparts], &nparts);

	return order != 0 ? order : dyn_span_compare(&x->span, &y->span);
}

/*
 * Makes the Queries of pairs, and the list of their distinct keys.  Spans of
 * different elements may overlap; range_conditions unites them.
 */
static void
query_pairs(const DynAccess *access, DynResolvedAccess *resolved, Pair *pairs, int npairs)
{
	int			nparts = resolved->nparts;
	Size		key_size = nparts * sizeof(DynKeyPart);
	DynKeyPart *keys = MemoryContextAllocHuge(CurrentMemoryContext, npairs * key_size);
	int			next;

	qsort_interruptible(pairs, npairs, sizeof(Pair), compare_pairs, resolved);
	resolved->queries = MemoryContextAllocHuge(CurrentMemoryContext,
											   (Size) npairs * sizeof(DynQuery));
	resolved->nkeys = 0;
	for (int first = 0; first < npairs; first = next)
	{
		DynKeyPart *key = &keys[(Size) resolved->nkeys++ * nparts];
		DynSpans	spans = {0, NULL};
		DynCond   **conds;
		int			n;

		CHECK_FOR_INTERRUPTS();
		memcpy(key, &resolved->keys[(Size) pairs[first].key * nparts], key_size);
		for (next = first; next < npairs &&
			 compare_keys(key, &resolved->keys[(Size) pairs[next].key * nparts], &nparts) == 0;)
			next++;
		spans.at = palloc((next - first) * sizeof(DynSpan));
		for (int i = first; i < next; i++)
			spans.at[spans.n++] = pairs[i].span;
		conds = range_conditions(access, spans, &n);
		for (int i = 0; i < n; i++)
			resolved->queries[resolved->nqueries++] =
				(DynQuery) {.key = key,.range = &conds[i],.nrange = conds[i] != NULL};
	}
	resolved->keys = keys;
}

/*
 * Combines each key, beginning with number `first`, with each span that the
 * predicates on the range attribute allow, and adds the pairs.  Returns the
 * array, which may have moved.
 */
static Pair *
add_pairs(const DynResolveContext *context, const DynAccess *access,
		  const DynResolvedAccess *resolved, int first, Pair *pairs, int *npairs)
{
	DynResolveContext widening = *context;
	DynSpans	spans;
	double		total;

	if (first == resolved->nkeys)
		return pairs;
	widening.may_widen = !access->ordered;
	spans = dyn_key_values(&widening, &access->range[0], DYN_MAX_RANGE_BYTES);
	if (spans.n == 0)
		return pairs;
	total = *npairs + (double) spans.n * (resolved->nkeys - first);
	dyn_refuse_too_many(total);
	pairs = dyn_grown(pairs, pg_nextpower2_64((uint64) total) * sizeof(Pair));
	for (int key = first; key < resolved->nkeys; key++)
	{
		for (int i = 0; i < spans.n; i++)
			pairs[(*npairs)++] = (Pair) {key, spans.at[i]};
	}
	return pairs;
}

/*
 * Resolves the keys, and Queries, for one combination of elements of shared
 * lists after the other.
 */
static void
resolve_shared(const DynResolveContext *context, const DynAccess *access,
			   const List *shared, DynResolvedAccess *resolved)
{
	DynResolveContext chosen = *context;
	double		combinations;
	DynElement *elements = list_elements(context, dyn_access_key_preds(access),
										 shared, &combinations);
	bool		paired = access->kind == DYN_ACCESS_QUERY && access->nrange > 0;
	DynSpans	any[DYN_MAX_KEY_ATTRS + 1] = {{0}};
	Pair	   *pairs = NULL;
	int			npairs = 0;
	int			space = 0;

	chosen.shared = elements;
	chosen.nshared = list_length(shared);
	for (int i = 0; i < (int) combinations && !*context->unusable; i++)
	{
		int			first = resolved->nkeys;

		CHECK_FOR_INTERRUPTS();
		choose_elements(elements, chosen.nshared, i);
		add_keys(&chosen, access, resolved, &space);
		if (paired)
			pairs = add_pairs(&chosen, access, resolved, first, pairs, &npairs);
	}
	resolved->contradiction = paired ? npairs == 0 : resolved->nkeys == 0;
	if (*context->unusable || resolved->contradiction)
		return;
	if (paired)
		query_pairs(access, resolved, pairs, npairs);
	else
		filter_row_keys(resolved, any);
	if (access->kind == DYN_ACCESS_QUERY && !paired)
		make_queries(resolved, NULL, 0, false);
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
	List	   *shared = access->shares_lists ? dyn_shared_lists(access) : NIL;
	int			space = 0;

	resolved->nparts = access->nhash + (access->kind == DYN_ACCESS_GET && access->nrange > 0);
	if (access->row_keys != NULL)
		resolve_row_keys(context, access, resolved);
	else if (shared != NIL)
		resolve_shared(context, access, shared, resolved);
	else
	{
		add_keys(context, access, resolved, &space);
		resolved->contradiction = resolved->nkeys == 0 && !*context->unusable;
	}
	if (*context->unusable)
		return;
	Assert(resolved->contradiction ||
		   (resolved->nkeys > 0 && keys_are_sorted_and_distinct(resolved)));
	if (!resolved->contradiction && access->kind == DYN_ACCESS_QUERY && shared == NIL)
		resolve_queries(context, access, resolved);
}

/* ---- segments ---- */

/*
 * Returns the least integer that a lower limit allows, or the greatest that an
 * upper limit allows.  Double precision is exact for segments, which are
 * small.
 */
static double
integer_of_limit(const DynLimit *limit, bool lower)
{
	double		number;

	if (!limit->set)
		return lower ? 0 : DBL_MAX;
	number = strtod(pnstrdup(limit->value.data, limit->value.len), NULL);
	if (limit->inclusive)
		return lower ? ceil(number) : floor(number);
	return lower ? floor(number) + 1 : ceil(number) - 1;
}

static void
resolve_segments(const DynResolveContext *context, const DynAccess *access,
				 DynResolvedAccess *resolved)
{
	DynSpans	spans = dyn_key_values(context, &access->hash[0], 0);

	resolved->segments = palloc(access->segments * sizeof(int));
	for (int i = 0; i < spans.n; i++)
	{
		int			first = resolved->nsegments == 0 ? 0
			: resolved->segments[resolved->nsegments - 1] + 1;
		double		lower = Max(first, integer_of_limit(&spans.at[i].lower, true));
		double		upper = Min(access->segments - 1,
								integer_of_limit(&spans.at[i].upper, false));

		CHECK_FOR_INTERRUPTS();
		/* analyzer: these are whole numbers, and `upper` is finite */
		for (double segment = lower; segment <= upper; segment++)
			resolved->segments[resolved->nsegments++] = (int) segment;
	}
	resolved->contradiction = (resolved->nsegments == 0);
}

static void
resolve_filter(const DynResolveContext *context, const DynAccess *access,
			   DynResolvedAccess *resolved)
{
	DynCond    *all = dyn_make_junction(DYN_COND_AND, list_length(access->filters));
	DynCond    *enforced = dyn_make_junction(DYN_COND_AND, list_length(access->filters));
	ListCell   *lc;

	foreach(lc, access->filters)
	{
		const DynPred *pred = lfirst(lc);
		DynCond    *cond = dyn_filter_cond(context->relation, pred,
										   context->values);

		dyn_cond_add(all, cond);
		if (pred->enforced)
			dyn_cond_add(enforced, cond);
	}
	all = dyn_cond_simplify(all);
	enforced = dyn_cond_simplify(enforced);
	resolved->contradiction = (all->kind == DYN_COND_FALSE);
	if (!resolved->contradiction)
		dyn_resolved_set_filter(resolved, all->kind == DYN_COND_TRUE ? NULL : all,
								enforced->kind == DYN_COND_TRUE ? NULL : enforced);
}

void
dyn_resolved_set_filter(DynResolvedAccess *resolved, DynCond *filter, DynCond *enforced)
{
	resolved->filter = filter;
	resolved->enforced = enforced;
	for (int i = 0; i < resolved->nqueries; i++)
	{
		resolved->queries[i].filter = filter;
		resolved->queries[i].enforced = enforced;
	}
}

void
dyn_resolve_access(const DynAccess *access, const DynRelation *relation,
				   const DynValues *values, DynResolvedAccess *resolved)
{
	bool		unusable = false;
	DynResolveContext context = {.relation = relation,.values = values,
	.unusable = &unusable};

	memset(resolved, 0, sizeof(*resolved));
	resolved->contradiction = access->contradiction;
	resolved->incomplete = !resolved->contradiction &&
		!dyn_index_conditions_hold(access, relation, values->values, values->nulls);
	if (resolved->contradiction || resolved->incomplete)
		return;
	if (access->kind != DYN_ACCESS_SCAN)
		resolve_keys(&context, access, resolved);
	else if (access->nhash > 0)
		resolve_segments(&context, access, resolved);
	if (unusable)
	{
		Assert(access->unsure);
		memset(resolved, 0, sizeof(*resolved));
		resolved->incomplete = true;
	}
	else if (!resolved->contradiction && access->filters != NIL)
		resolve_filter(&context, access, resolved);
}

List *
dyn_access_key_preds(const DynAccess *access)
{
	List	   *preds = access->row_keys ? list_make1(access->row_keys) : NIL;

	for (int i = 0; i < access->nhash; i++)
		preds = list_concat(preds, list_copy(access->hash[i].preds));
	for (int i = 0; i < access->nrange; i++)
		preds = list_concat(preds, list_copy(access->range[i].preds));
	return preds;
}

/* ---- comparison ---- */

bool
dyn_cond_same(const DynCond *a, const DynCond *b)
{
	DynBuffer	one;
	DynBuffer	other;
	bool		same;

	if (a == NULL || b == NULL)
		return a == b;
	dyn_buffer_init(&one, 0);
	dyn_buffer_init(&other, 0);
	same = dyn_cond_fingerprint(a, &one) && dyn_cond_fingerprint(b, &other) &&
		one.len == other.len && memcmp(one.data, other.data, one.len) == 0;
	dyn_buffer_free(&one);
	dyn_buffer_free(&other);
	return same;
}

/*
 * Returns true if the Queries at each position have the same range conditions.
 * Neighboring Queries often share their array of conditions, which is then
 * compared once.
 */
static bool
are_same_conditions(const DynResolvedAccess *a, const DynResolvedAccess *b)
{
	for (int i = 0; i < a->nqueries; i++)
	{
		const DynQuery *x = &a->queries[i];
		const DynQuery *y = &b->queries[i];

		if (x->nrange != y->nrange)
			return false;
		for (int r = 0; r < x->nrange; r++)
		{
			if ((i == 0 || x->range != x[-1].range || y->range != y[-1].range) &&
				!dyn_cond_same(x->range[r], y->range[r]))
				return false;
		}
	}
	return true;
}

bool
dyn_resolved_same_keys(const DynResolvedAccess *a, const DynResolvedAccess *b)
{
	if (a->nkeys != b->nkeys || a->nparts != b->nparts ||
		a->nqueries != b->nqueries || a->nsegments != b->nsegments ||
		(a->nsegments > 0 &&
		 memcmp(a->segments, b->segments, a->nsegments * sizeof(int)) != 0))
		return false;
	for (int i = 0; i < a->nkeys * a->nparts; i++)
	{
		const DynKeyPart *x = &a->keys[i];
		const DynKeyPart *y = &b->keys[i];

		if (strcmp(x->name, y->name) != 0 || x->value.type != y->value.type ||
			x->value.len != y->value.len ||
			memcmp(x->value.data, y->value.data, x->value.len) != 0)
			return false;
	}
	return are_same_conditions(a, b);
}
