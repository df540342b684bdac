/*
 * resolve_keys.c
 *		Converts predicates on keys to the keys themselves.
 *
 * A set of values is computed for each key attribute (key_values.h).  These
 * sets are combined into keys, and into conditions on sort keys.
 */
#include "postgres.h"

#include <float.h>

#include "miscadmin.h"
#include "port/pg_bitutils.h"

#include "../../model/server/memory.h"
#include "../../model/values/path.h"
#include "../../plan/keys/match_keys.h"
#include "filter.h"
#include "key_values.h"
#include "resolve_keys.h"

/* ---- conditions on range attributes ---- */

/* Returns the attribute's position in the row of (a, b) IN (...), or -1. */
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
 * Query, and sets *n to their number.  A condition is NULL if it would not
 * restrict the attribute.  `spans` has at least one span; its spans are
 * sorted, and may overlap.
 */
static DynCond **
range_conditions(const DynAccess *access, DynSpans spans, int *n)
{
	const DynKeyMatch *match = &access->range[0];
	const DynPath *path = dyn_path_of_attribute(match->attr.name);
	DynCond   **conds;

	/*
	 * Do not merge adjacent spans in an ordered plan: the rows of a merged
	 * span would not be in the order that the plan requires.
	 */
	spans.n = dyn_spans_unite(spans.at, spans.n, !access->ordered);
	/* for an ordered plan, the planner has limited the number of Queries */
	*n = access->per_value && (access->ordered || spans.n <= DYN_MAX_SORT_RANGES)
		? spans.n : 1;
	conds = palloc(*n * sizeof(DynCond *));
	for (int i = 0; i < *n; i++)
		conds[i] = dyn_key_cond(*n == 1 ? &spans : &(DynSpans) {1, &spans.at[i]}, path);
	return conds;
}

/*
 * Makes one Query for each key, with all conditions in `range`.  If `divided`,
 * the conditions are alternatives, so each key has one Query for each of them.
 */
static void
make_queries(DynResolvedAccess *resolved, DynCond **range, int nrange, bool divided)
{
	int			per_key = divided ? nrange : 1;

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
 * first range attribute if the keys, from (a, b) IN (...), include it.
 */
static void
resolve_queries(const DynResolveContext *context, const DynAccess *access,
				DynResolvedAccess *resolved)
{
	DynResolveContext widening = *context;
	DynCond   **range = palloc(DYN_MAX_KEY_ATTRS * sizeof(DynCond *));
	int			nrange = 0;
	int			first = access->nrange > 0 &&
		row_key_position(access, access->range[0].attr.name) >= 0 ? 1 : 0;

	/*
	 * If the range is widened, items may differ in an earlier part of the
	 * sort key, and so would not be in the order that the plan requires.
	 */
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
				if (!dyn_too_many_keys(context, (double) resolved->nkeys * n))
					make_queries(resolved, conds, n, true);
				return;
			}
			cond = conds[0];
		}
		else
			cond = dyn_key_cond(&spans, dyn_path_of_attribute(match->attr.name));
		if (cond == NULL)
			break;
		range[nrange++] = cond;
		if (cond->kind != DYN_COND_EQ)
			break;
	}
	make_queries(resolved, range, nrange, false);
}

/* ---- pairs of a key and a span ---- */

/*
 * A list of keys or, if `paired`, of pairs of a key and a span of sort keys.
 * In memory, the span follows the parts of its key.
 */
typedef struct Pairs
{
	int			nparts;
	bool		paired;
	bool		touching;		/* true to merge adjacent spans of a key */
	const DynSpans *others;		/* for each part: values allowed by predicates
								 * other than (a, b) IN (...); others[i].at is
								 * NULL if part i has no such predicates */
	int			n;
	int			space;
	char	   *at;
	int			ncopied;		/* number of pairs copied to `copies`, some of
								 * which may have been united since */
	MemoryContext copies;		/* copied values, or NULL */
} Pairs;

static Size
pair_size(const Pairs *pairs)
{
	return pairs->nparts * sizeof(DynKeyPart) + (pairs->paired ? sizeof(DynSpan) : 0);
}

static DynKeyPart *
pair_key(const Pairs *pairs, int i)
{
	return (DynKeyPart *) (pairs->at + i * pair_size(pairs));
}

static DynSpan *
pair_span(const Pairs *pairs, int i)
{
	return (DynSpan *) (pair_key(pairs, i) + pairs->nparts);
}

static int
compare_keys(const DynKeyPart *a, const DynKeyPart *b, int nparts)
{
	int			order = 0;

	for (int i = 0; i < nparts && order == 0; i++)
		order = dyn_scalar_compare(&a[i].value, &b[i].value);
	return order;
}

static int
compare_pairs(const void *a, const void *b, void *arg)
{
	const Pairs *pairs = arg;
	const DynKeyPart *x = a;
	const DynKeyPart *y = b;
	int			order = compare_keys(x, y, pairs->nparts);

	if (order != 0 || !pairs->paired)
		return order;
	return dyn_span_compare((const DynSpan *) (x + pairs->nparts),
							(const DynSpan *) (y + pairs->nparts));
}

/* Extends the span of pair `i` by that of `other`, if they can be united. */
static bool
unite_spans(Pairs *pairs, int i, int other)
{
	DynSpan		both[] = {*pair_span(pairs, i), *pair_span(pairs, other)};

	if (dyn_spans_unite(both, 2, pairs->touching) > 1)
		return false;
	*pair_span(pairs, i) = both[0];
	return true;
}

/* Sorts the pairs, and unites pairs of one key whose spans can be united. */
static void
unite_pairs(Pairs *pairs)
{
	int			n = 0;

	if (pairs->n < 2)
		return;
	qsort_interruptible(pairs->at, pairs->n, pair_size(pairs), compare_pairs, pairs);
	for (int i = 0; i < pairs->n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (n > 0 && compare_keys(pair_key(pairs, n - 1), pair_key(pairs, i), pairs->nparts) == 0 &&
			(!pairs->paired || unite_spans(pairs, n - 1, i)))
			continue;
		if (n < i)
			memcpy(pair_key(pairs, n), pair_key(pairs, i), pair_size(pairs));
		n++;
	}
	pairs->n = n;
}

static void
copy_value(MemoryContext context, DynScalar *value)
{
	char	   *data = MemoryContextAllocHuge(context, Max(value->len, 1));

	if (value->len > 0)
		memcpy(data, value->data, value->len);
	value->data = data;
}

static void
copy_spans(MemoryContext context, const DynSpans *spans)
{
	for (int i = 0; i < spans->n; i++)
	{
		DynSpan    *span = &spans->at[i];
		bool		point = dyn_span_is_point(span);

		CHECK_FOR_INTERRUPTS();
		if (span->lower.set)
			copy_value(context, &span->lower.value);
		if (point)
			span->upper.value = span->lower.value;
		else if (span->upper.set)
			copy_value(context, &span->upper.value);
	}
}

/* Copies the values of the remaining pairs, and frees all earlier copies. */
static void
free_unused_copies(Pairs *pairs)
{
	MemoryContext unused = pairs->copies;

	pairs->copies = AllocSetContextCreate(CurrentMemoryContext, "dynamo_fdw keys",
										  ALLOCSET_DEFAULT_SIZES);
	pairs->ncopied = pairs->n;
	for (int i = 0; i < pairs->n; i++)
	{
		DynKeyPart *key = pair_key(pairs, i);

		CHECK_FOR_INTERRUPTS();
		for (int part = 0; part < pairs->nparts; part++)
		{
			const DynScalar *before = &pair_key(pairs, Max(i, 1) - 1)[part].value;
			DynScalar  *value = &key[part].value;

			if (i > 0 && dyn_scalar_equal(before, value))
				*value = *before;
			else
				copy_value(pairs->copies, value);
		}
		if (pairs->paired)
			copy_spans(pairs->copies, &(DynSpans) {1, pair_span(pairs, i)});
	}
	MemoryContextDelete(unused);
}

/*
 * Makes space for `more` pairs (see Pairs); returns false if there would be
 * too many.  First unites pairs that one request can serve together, so that
 * memory grows with the number of requests, not with the number of
 * combinations of list elements.
 */
static bool
reserve_pairs(const DynResolveContext *context, Pairs *pairs, double more)
{
	if (pairs->n + more <= pairs->space)
		return true;
	unite_pairs(pairs);
	if (pairs->copies != NULL && pairs->ncopied / 2 > pairs->n)
		free_unused_copies(pairs);
	if (dyn_too_many_keys(context, pairs->n + more))
		return false;
	if ((pairs->n + more) * 2 <= pairs->space)
		return true;
	pairs->space = pairs->n == 0 ? (int) more : (pairs->n + (int) more) * 2;
	pairs->at = dyn_grown(pairs->at, Max(pairs->space * pair_size(pairs), 1));
	return true;
}

/* The values of each key part and, if pairs->paired, the sort key's spans. */
typedef struct Sets
{
	const char *names[DYN_MAX_KEY_ATTRS + 1];
	DynSpans	at[DYN_MAX_KEY_ATTRS + 2];
} Sets;

/* Adds all combinations of the sets' members; the last set varies fastest. */
static void
add_combinations(const DynResolveContext *context, Pairs *pairs, Sets *sets)
{
	int			nsets = pairs->nparts + pairs->paired;
	double		total = 1;

	/* analyzer: the caller has filled the first nsets elements of sets->at */
	for (int i = 0; i < nsets; i++)
		total *= sets->at[i].n;
	if (!reserve_pairs(context, pairs, total))
		return;
	if (pairs->copies != NULL)
	{
		for (int i = 0; i < nsets; i++)
			copy_spans(pairs->copies, &sets->at[i]);
		pairs->ncopied += (int) total;
	}
	for (int n = 0; n < (int) total; n++, pairs->n++)
	{
		DynKeyPart *key = pair_key(pairs, pairs->n);
		int			number = n;

		CHECK_FOR_INTERRUPTS();
		for (int i = nsets - 1; i >= 0; i--)
		{
			/*
			 * analyzer: a warning is wrong here, because the caller has filled
			 * sets->at[i] for every i below nsets
			 */
			const DynSpan *span = &sets->at[i].at[number % sets->at[i].n];

			number /= sets->at[i].n;
			Assert(i == pairs->nparts || dyn_span_is_point(span));
			if (i == pairs->nparts)
				*pair_span(pairs, pairs->n) = *span;
			else
				key[i] = (DynKeyPart) {sets->names[i], span->lower.value};
		}
	}
}

/* ---- keys of an access plan ---- */

static size_t
key_bytes(const DynAccess *access, int i)
{
	return i < Max(access->nhash, 1) ? DYN_MAX_HASH_BYTES : DYN_MAX_RANGE_BYTES;
}

/*
 * Returns an array with one DynElement per list; each holds the elements of
 * its list that `preds` allow (dyn_keep_elements).  Sets *combinations to the
 * number of combinations of these elements; 0 if there are too many.
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
	if (dyn_too_many_keys(context, *combinations))
		*combinations = 0;
	return elements;
}

/*
 * Computes the set of values of each key part.  `arm` is one row of the list
 * in (a, b) IN (...); if it is NULL, all predicates together determine the
 * sets.  Returns false if a set is empty, or not usable.
 */
static bool
compute_sets(const DynResolveContext *context, const DynAccess *access, const DynPred *arm,
			 const Pairs *pairs, Sets *sets)
{
	DynResolveContext widening = *context;

	Assert(arm == NULL || list_length(arm->args) == pairs->nparts);
	for (int i = 0; i < pairs->nparts; i++)
	{
		DynKeyMatch match;
		const DynSpans *others = &pairs->others[i];
		DynSpans   *values = &sets->at[i];
		int			n = 0;

		if (arm == NULL)
			match = *dyn_access_match(access, i);
		else
			match = (DynKeyMatch) {
				.attr = access->row_attrs[i],
				.preds = list_make1(list_nth(arm->args, i))
			};
		sets->names[i] = match.attr.name;
		*values = dyn_key_values(context, &match, key_bytes(access, i));
		for (int k = 0; k < values->n; k++)
		{
			if (others->at == NULL || dyn_spans_has(others, &values->at[k].lower.value))
				values->at[n++] = values->at[k];
		}
		values->n = n;
		if (n == 0)
			return false;
	}
	if (*context->unusable || !pairs->paired)
		return !*context->unusable;
	/* in an ordered plan, the rows of a wider range would be out of order */
	widening.may_widen = !access->ordered;
	sets->at[pairs->nparts] = dyn_key_values(&widening, &access->range[0], DYN_MAX_RANGE_BYTES);
	return !*context->unusable && sets->at[pairs->nparts].n > 0;
}

/*
 * Adds the keys or pairs (see Pairs) for each combination of the elements of
 * `lists`.  `arm` is one row of (a, b) IN (...), or NULL.
 */
static void
add_elements(const DynResolveContext *context, const DynAccess *access, const DynPred *arm,
			 const List *lists, Pairs *pairs)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext arm_context = AllocSetContextCreate(caller, "dynamo_fdw lists",
													  ALLOCSET_DEFAULT_SIZES);
	MemoryContext sets_context = AllocSetContextCreate(arm_context, "dynamo_fdw elements",
													   ALLOCSET_DEFAULT_SIZES);
	DynResolveContext chosen = *context;
	List	   *preds = dyn_access_key_preds(access);
	DynElement *elements;
	double		combinations;

	if (pairs->copies == NULL)
		pairs->copies = AllocSetContextCreate(caller, "dynamo_fdw keys",
											  ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(arm_context);
	if (arm != NULL)
		preds = list_concat_copy(preds, arm->args);
	elements = list_elements(context, preds, lists, &combinations);
	chosen.shared = elements;
	chosen.nshared = list_length(lists);
	for (int n = 0; n < (int) combinations && !*context->unusable; n++)
	{
		Sets		sets;
		bool		any;
		int			number = n;

		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < chosen.nshared; i++)
		{
			elements[i].current = number % elements[i].elements.n;
			number /= elements[i].elements.n;
		}
		MemoryContextSwitchTo(sets_context);
		any = compute_sets(&chosen, access, arm, pairs, &sets);
		MemoryContextSwitchTo(caller);
		if (any)
			add_combinations(context, pairs, &sets);
		dyn_reset_if_large(sets_context);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(arm_context);
}

static void
add_arm(const DynResolveContext *context, const DynAccess *access, const DynPred *arm,
		Pairs *pairs)
{
	List	   *shared = access->shares_lists ? dyn_shared_lists(access, arm) : NIL;
	Sets		sets;

	if (shared != NIL)
		add_elements(context, access, arm, shared, pairs);
	else if (compute_sets(context, access, arm, pairs, &sets))
		add_combinations(context, pairs, &sets);
}

/* Stores the distinct keys of `pairs`, and the Queries for their spans. */
static void
query_pairs(const DynAccess *access, const Pairs *pairs, DynResolvedAccess *resolved)
{
	int			nparts = pairs->nparts;
	Size		key_size = nparts * sizeof(DynKeyPart);
	int			next;

	resolved->keys = MemoryContextAllocHuge(CurrentMemoryContext, pairs->n * key_size);
	resolved->queries = MemoryContextAllocHuge(CurrentMemoryContext,
											   (Size) pairs->n * sizeof(DynQuery));
	for (int first = 0; first < pairs->n; first = next)
	{
		DynKeyPart *key = &resolved->keys[(Size) resolved->nkeys++ * nparts];
		DynSpans	spans = {0, NULL};
		DynCond   **conds;
		int			n;

		CHECK_FOR_INTERRUPTS();
		memcpy(key, pair_key(pairs, first), key_size);
		for (next = first; next < pairs->n &&
			 compare_keys(key, pair_key(pairs, next), nparts) == 0;)
			next++;
		spans.at = palloc((next - first) * sizeof(DynSpan));
		for (int i = first; i < next; i++)
			spans.at[spans.n++] = *pair_span(pairs, i);
		conds = range_conditions(access, spans, &n);
		for (int i = 0; i < n; i++)
			resolved->queries[resolved->nqueries++] =
				(DynQuery) {.key = key,.range = &conds[i],.nrange = conds[i] != NULL};
	}
}

/*
 * For each attribute of (a, b) IN (...), stores the values that predicates
 * outside of the list allow.  Returns false if an attribute has no such value.
 */
static bool
other_values(const DynResolveContext *context, const DynAccess *access, DynSpans *others)
{
	for (int n = 0; access->row_keys != NULL && n < access->nhash + access->nrange; n++)
	{
		const DynKeyMatch *match = dyn_access_match(access, n);
		int			i = row_key_position(access, match->attr.name);

		if (i < 0 || match->preds == NIL)
			continue;
		others[i] = dyn_key_values(context, match, key_bytes(access, i));
		if (others[i].n == 0)
			return false;
	}
	return true;
}

static void
resolve_keys(const DynResolveContext *context, const DynAccess *access,
			 DynResolvedAccess *resolved)
{
	DynSpans	others[DYN_MAX_KEY_ATTRS + 1] = {{0}};
	Pairs		pairs = {.touching = !access->ordered,.others = others};
	ListCell   *lc;

	if (!other_values(context, access, others))
	{
		resolved->contradiction = true;
		return;
	}
	pairs.nparts = access->row_keys != NULL ? access->nrow_attrs
		: access->nhash + (access->kind == DYN_ACCESS_GET && access->nrange > 0);
	pairs.paired = access->shares_lists && access->kind == DYN_ACCESS_QUERY &&
		access->nrange == 1 && pairs.nparts == access->nhash;
	if (access->row_keys == NULL)
		add_arm(context, access, NULL, &pairs);
	foreach(lc, access->row_keys != NULL ? access->row_keys->args : NIL)
		add_arm(context, access, lfirst(lc), &pairs);
	if (*context->unusable)
		return;
	unite_pairs(&pairs);
	resolved->contradiction = (pairs.n == 0);
	resolved->nparts = pairs.nparts;
	if (resolved->contradiction)
		return;
	if (pairs.paired)
	{
		query_pairs(access, &pairs, resolved);
		return;
	}
	resolved->nkeys = pairs.n;
	resolved->keys = (DynKeyPart *) pairs.at;
	if (access->kind == DYN_ACCESS_QUERY)
		resolve_queries(context, access, resolved);
}

/* ---- segments ---- */

/*
 * Returns the least integer that a lower limit allows, or the greatest that an
 * upper limit allows.  If the limit is not set, returns 0 or DBL_MAX.  Finds a
 * fraction in the limit's text, because a double may round the fraction away.
 */
static double
integer_of_limit(const DynLimit *limit, bool lower)
{
	char	   *text,
			   *point;
	double		integer;		/* number without its fraction */

	if (!limit->set)
		return lower ? 0 : DBL_MAX;
	text = pnstrdup(limit->value.data, limit->value.len);
	point = strchr(text, '.');
	if (point == NULL)
		return strtod(text, NULL) + (limit->inclusive ? 0 : lower ? 1 : -1);
	*point = '\0';
	integer = strtod(text, NULL);
	if (text[0] == '-')
		return lower ? integer : integer - 1;
	return lower ? integer + 1 : integer;
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
		/*
		 * analyzer: the floating-point loop counter is exact, because it is an
		 * integer below access->segments
		 */
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
	.unusable = &unusable,.has_fallback = access->unsure};

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

/* ---- comparison of resolved access plans ---- */

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

		if (strcmp(x->name, y->name) != 0 || !dyn_scalar_equal(&x->value, &y->value))
			return false;
	}
	for (int i = 0; i < a->nqueries; i++)
	{
		const DynQuery *x = &a->queries[i];
		const DynQuery *y = &b->queries[i];

		if (x->nrange != y->nrange)
			return false;
		/* neighboring Queries often share an array: compare it only once */
		if (i > 0 && x->range == x[-1].range && y->range == y[-1].range)
			continue;
		for (int r = 0; r < x->nrange; r++)
		{
			if (!dyn_cond_same(x->range[r], y->range[r]))
				return false;
		}
	}
	return true;
}
