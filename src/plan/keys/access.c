/*
 * access.c
 *		Encodes access plans for fdw_private, and decodes them.
 *
 * The encoding is a List of Lists, with positions named by the enum below.  It
 * has plain nodes only, since a plan is copied and cached.  NULL strings are
 * encoded as empty ones, as names in DynamoDB are never empty.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/value.h"

#include "../../dynamodb/wire.h"
#include "access.h"

/* Positions in the encoded list. */
enum
{
	ACCESS_NUMBERS,				/* kind, limit_hint, flags */
	ACCESS_TEXTS,				/* index, advice, schema */
	ACCESS_HASH,				/* key matches */
	ACCESS_RANGE,
	ACCESS_ROW_KEYS,			/* NIL or one predicate */
	ACCESS_ROW_ATTRS,			/* key attributes */
	ACCESS_SORT,				/* key attributes */
	ACCESS_BASE,
	ACCESS_FILTERS,				/* predicates */
	ACCESS_FIELDS,
	ACCESS_KEY_NAMES,
	ACCESS_SCALARS,
	ACCESS_TEXT_TYPES,			/* integers */
	ACCESS_PROOFS,
	ACCESS_ESTIMATE,
	ACCESS_GATES,				/* predicates */
	ACCESS_OTHERWISE,			/* NIL or an encoded access plan */
	ACCESS_FALLBACK,			/* likewise */
	ACCESS_ARMS					/* encoded access plans */
};

enum
{
	FLAG_GLOBAL = 0x01,
	FLAG_FETCH_BASE_ITEMS = 0x02,
	FLAG_BACKWARD = 0x04,
	FLAG_ORDERED = 0x08,
	FLAG_COUNT_ONLY = 0x10,
	FLAG_MAY_STOP_EARLY = 0x20,
	FLAG_MULTI_PARTITION = 0x40,
	FLAG_CONTRADICTION = 0x80,
	FLAG_FIRST_ROW_ONLY = 0x100,
	FLAG_ONE_REQUEST = 0x200,
	FLAG_TESTED = 0x400,
	FLAG_BOUNDED = 0x800,
	FLAG_IS_ARM = 0x1000
};

static Node *
encode_text(const char *text)
{
	return (Node *) makeString(pstrdup(text ? text : ""));
}

static const char *
decode_text(List *list, int n)
{
	char	   *text = strVal(list_nth(list, n));

	return text[0] == '\0' ? NULL : text;
}

static int
decode_int(List *list, int n)
{
	return intVal(list_nth(list, n));
}

static List *
encode_field(const DynField *field)
{
	List	   *list = list_make1(makeInteger(field->attnum));
	ListCell   *lc;

	foreach(lc, field->steps)
		list = lappend(list, lfirst(lc));
	return list;
}

static void
decode_field(List *list, DynField *field)
{
	ListCell   *lc;

	field->attnum = decode_int(list, 0);
	field->steps = NIL;
	for_each_from(lc, list, 1)
		field->steps = lappend(field->steps, lfirst(lc));
}

static List *encode_preds(List *preds, List **exprs);
static List *decode_preds(List *encoded);

/* A value that several predicates share is evaluated once. */
static int
expression_position(Node *value, List **exprs)
{
	int			position = 0;
	ListCell   *lc;

	foreach(lc, *exprs)
	{
		if (equal(lfirst(lc), value))
			return position;
		position++;
	}
	*exprs = lappend(*exprs, value);
	return position;
}

static int
value_position(const DynPred *pred, List **exprs)
{
	if (pred->value == NULL)
		return -1;
	if (pred->conversion == NULL)
		return expression_position((Node *) pred->value, exprs);
	return expression_position(dyn_conversion_encode(pred->conversion, pred->value,
													 expression_position, exprs),
							   exprs);
}

static List *
encode_pred(const DynPred *pred, List **exprs)
{
	List	   *numbers;

	check_stack_depth();
	numbers = list_make5(makeInteger(pred->kind),
						 makeInteger(pred->op),
						 makeInteger(pred->other),
						 makeInteger(value_position(pred, exprs)),
						 makeInteger((int) pred->valuetype));
	numbers = lappend(numbers, makeInteger(pred->enforced));
	numbers = lappend(numbers, makeInteger(pred->term));
	numbers = lappend(numbers, makeInteger(pred->bound));
	return list_make3(numbers, encode_field(&pred->field),
					  encode_preds(pred->args, exprs));
}

static DynPred *
decode_pred(List *encoded)
{
	DynPred    *pred = palloc0(sizeof(DynPred));
	List	   *numbers = linitial(encoded);

	check_stack_depth();
	pred->kind = decode_int(numbers, 0);
	pred->op = decode_int(numbers, 1);
	pred->other = decode_int(numbers, 2);
	pred->param = decode_int(numbers, 3);
	pred->valuetype = (Oid) decode_int(numbers, 4);
	pred->enforced = decode_int(numbers, 5);
	pred->term = decode_int(numbers, 6);
	pred->bound = decode_int(numbers, 7);
	decode_field(lsecond(encoded), &pred->field);
	pred->args = decode_preds(lthird(encoded));
	return pred;
}

static List *
encode_preds(List *preds, List **exprs)
{
	List	   *list = NIL;
	ListCell   *lc;

	foreach(lc, preds)
		list = lappend(list, encode_pred(lfirst(lc), exprs));
	return list;
}

static List *
decode_preds(List *encoded)
{
	List	   *list = NIL;
	ListCell   *lc;

	foreach(lc, encoded)
		list = lappend(list, decode_pred(lfirst(lc)));
	return list;
}

static List *
encode_key_matches(const DynKeyMatch *matches, int n, List **exprs)
{
	List	   *list = NIL;

	for (int i = 0; i < n; i++)
		list = lappend(list, list_make3(encode_text(matches[i].name),
										makeInteger(matches[i].type),
										encode_preds(matches[i].preds, exprs)));
	return list;
}

static int
decode_key_matches(List *encoded, DynKeyMatch *matches)
{
	int			n = 0;
	ListCell   *lc;

	foreach(lc, encoded)
	{
		List	   *match = lfirst(lc);

		Assert(n < DYN_MAX_KEY_ATTRS);
		matches[n].name = decode_text(match, 0);
		matches[n].type = decode_int(match, 1);
		matches[n].preds = decode_preds(lthird(match));
		n++;
	}
	return n;
}

static List *
encode_attrs(const DynKeyAttr *attrs, int n)
{
	List	   *list = NIL;

	for (int i = 0; i < n; i++)
		list = lappend(list, list_make2(encode_text(attrs[i].name),
										makeInteger(attrs[i].type)));
	return list;
}

static int
decode_attrs(List *encoded, DynKeyAttr *attrs)
{
	int			n = 0;
	ListCell   *lc;

	foreach(lc, encoded)
	{
		attrs[n].name = decode_text(lfirst(lc), 0);
		attrs[n].type = decode_int(lfirst(lc), 1);
		n++;
	}
	return n;
}

static List *
encode_sort(const DynAccess *access)
{
	List	   *parts = NIL;

	for (int i = 0; i < access->nsort; i++)
		parts = lappend(parts, makeInteger(access->sort_parts[i]));
	return list_make2(encode_attrs(access->sort, access->nsort), parts);
}

static void
decode_sort(List *encoded, DynAccess *access)
{
	access->nsort = decode_attrs(linitial(encoded), access->sort);
	for (int i = 0; i < access->nsort; i++)
		access->sort_parts[i] = decode_int(lsecond(encoded), i);
}

static List *
encode_fields(List *fields)
{
	List	   *list = NIL;
	ListCell   *lc;

	foreach(lc, fields)
		list = lappend(list, encode_field(lfirst(lc)));
	return list;
}

static List *
decode_fields(List *encoded)
{
	List	   *list = NIL;
	ListCell   *lc;

	foreach(lc, encoded)
	{
		DynField   *field = palloc(sizeof(DynField));

		decode_field(lfirst(lc), field);
		list = lappend(list, field);
	}
	return list;
}

static List *
encode_proofs(const DynAccess *access, List **exprs)
{
	List	   *list = NIL;

	for (int i = 0; i < access->nproofs; i++)
	{
		const DynProof *proof = &access->proofs[i];

		list = lappend(list, list_make3(encode_attrs(&proof->attr, 1),
										makeInteger(proof->max_bytes),
										encode_preds(proof->preds, exprs)));
	}
	return list;
}

static void
decode_proofs(List *encoded, DynAccess *access)
{
	ListCell   *lc;

	foreach(lc, encoded)
	{
		DynProof   *proof = &access->proofs[access->nproofs++];

		Assert(access->nproofs <= lengthof(access->proofs));
		(void) decode_attrs(linitial(lfirst(lc)), &proof->attr);
		proof->max_bytes = decode_int(lfirst(lc), 1);
		proof->preds = decode_preds(lthird((List *) lfirst(lc)));
	}
}

static int
encode_flags(const DynAccess *access)
{
	return (access->global ? FLAG_GLOBAL : 0) |
		(access->fetch_base_items ? FLAG_FETCH_BASE_ITEMS : 0) |
		(access->backward ? FLAG_BACKWARD : 0) |
		(access->ordered ? FLAG_ORDERED : 0) |
		(access->count_only ? FLAG_COUNT_ONLY : 0) |
		(access->may_stop_early ? FLAG_MAY_STOP_EARLY : 0) |
		(access->multi_partition ? FLAG_MULTI_PARTITION : 0) |
		(access->contradiction ? FLAG_CONTRADICTION : 0) |
		(access->first_row_only ? FLAG_FIRST_ROW_ONLY : 0) |
		(access->one_request ? FLAG_ONE_REQUEST : 0) |
		(access->tested ? FLAG_TESTED : 0) |
		(access->bounded ? FLAG_BOUNDED : 0) |
		(access->is_arm ? FLAG_IS_ARM : 0);
}

static void
decode_flags(DynAccess *access, int flags)
{
	access->global = (flags & FLAG_GLOBAL) != 0;
	access->fetch_base_items = (flags & FLAG_FETCH_BASE_ITEMS) != 0;
	access->backward = (flags & FLAG_BACKWARD) != 0;
	access->ordered = (flags & FLAG_ORDERED) != 0;
	access->count_only = (flags & FLAG_COUNT_ONLY) != 0;
	access->may_stop_early = (flags & FLAG_MAY_STOP_EARLY) != 0;
	access->multi_partition = (flags & FLAG_MULTI_PARTITION) != 0;
	access->contradiction = (flags & FLAG_CONTRADICTION) != 0;
	access->first_row_only = (flags & FLAG_FIRST_ROW_ONLY) != 0;
	access->one_request = (flags & FLAG_ONE_REQUEST) != 0;
	access->tested = (flags & FLAG_TESTED) != 0;
	access->bounded = (flags & FLAG_BOUNDED) != 0;
	access->is_arm = (flags & FLAG_IS_ARM) != 0;
}

/* The struct's bytes; as text its many doubles would cost more than planning. */
static Const *
encode_estimate(const DynEstimate *estimate)
{
	bytea	   *bytes = palloc(VARHDRSZ + sizeof(DynEstimate));

	SET_VARSIZE(bytes, VARHDRSZ + sizeof(DynEstimate));
	memcpy(VARDATA(bytes), estimate, sizeof(DynEstimate));
	return makeConst(BYTEAOID, -1, InvalidOid, -1, PointerGetDatum(bytes),
					 false, false);
}

static void
decode_estimate(const Const *encoded, DynEstimate *estimate)
{
	const bytea *bytes = DatumGetByteaPP(encoded->constvalue);

	Assert(VARSIZE_ANY_EXHDR(bytes) == sizeof(DynEstimate));
	memcpy(estimate, VARDATA_ANY(bytes), sizeof(DynEstimate));
}

bool
dyn_access_same_index(const DynAccess *a, const DynAccess *b)
{
	return a->index == NULL || b->index == NULL ? a->index == b->index
		: strcmp(a->index, b->index) == 0;
}

AttrNumber
dyn_sort_column(const DynRelation *relation, const DynKeyAttr *attr, int part)
{
	return part == DYN_WHOLE ? dyn_relation_column_of(relation, attr)
		: dyn_relation_spelled(relation, attr->name)->parts[part].attnum;
}

/* ---- the schema of the plan ---- */

bool
dyn_access_fits(const DynAccess *access, const DynTableMeta *meta)
{
	const char *now = dyn_metadata_schema(meta, access->index);

	return now != NULL && strcmp(now, access->schema) == 0;
}

bool
dyn_access_fits_key(const DynAccess *access, const char *json, size_t len)
{
	const char *names[2 + 2 * DYN_MAX_KEY_ATTRS] = {NULL};
	List	   *distinct = NIL;
	ListCell   *lc;
	bool		fits;
	bool		out_of_memory;

	foreach(lc, access->key_names)
		distinct = list_append_unique(distinct, lfirst(lc));
	Assert(list_length(distinct) <= lengthof(names));
	foreach(lc, distinct)
		names[foreach_current_index(lc)] = strVal(lfirst(lc));
	fits = dyn_wire_key_names(json, len, names, list_length(distinct),
							  &out_of_memory);
	if (out_of_memory)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	return fits;
}

/* ---- the encoding ---- */

/* The predicates whose values are in the expressions already. */
static List *
preds_of_values(List *preds, List *exprs)
{
	List	   *found = NIL;
	ListCell   *lc;

	foreach(lc, preds)
	{
		List	   *needed = list_copy(exprs);

		(void) encode_pred(lfirst(lc), &needed);
		if (list_length(needed) == list_length(exprs))
			found = lappend(found, lfirst(lc));
	}
	return found;
}

/* All rows are rechecked, so keys and filters may be omitted. */
static List *
encode_fallback(const DynAccess *fallback, List *exprs)
{
	DynAccess	access = *fallback;
	List	   *needed = list_copy(exprs);
	List	   *encoded;

	Assert(fallback->index == NULL && fallback->nproofs == 0);
	access.filters = preds_of_values(fallback->filters, exprs);
	encoded = dyn_access_encode(&access, &needed);
	if (list_length(needed) == list_length(exprs))
		return encoded;
	access.kind = DYN_ACCESS_SCAN;
	access.nhash = access.nrange = access.nrow_attrs = 0;
	access.row_keys = NULL;
	return dyn_access_encode(&access, &exprs);
}

List *
dyn_access_encode(const DynAccess *access, List **exprs)
{
	List	   *arms = NIL;
	ListCell   *lc;
	List	   *list = list_make2(list_make3(makeInteger(access->kind),
											 makeInteger(access->limit_hint),
											 makeInteger(encode_flags(access))),
								  list_make3(encode_text(access->index),
											 encode_text(access->advice),
											 encode_text(access->schema)));

	list = lappend(list,
				   encode_key_matches(access->hash, access->nhash, exprs));
	list = lappend(list,
				   encode_key_matches(access->range, access->nrange, exprs));
	list = lappend(list, access->row_keys == NULL ? NIL
				   : encode_preds(list_make1(access->row_keys), exprs));
	list = lappend(list, encode_attrs(access->row_attrs, access->nrow_attrs));
	list = lappend(list, encode_sort(access));
	list = lappend(list, encode_attrs(access->base, access->nbase));
	list = lappend(list, encode_preds(access->filters, exprs));
	list = lappend(list, encode_fields(access->fields));
	list = lappend(list, access->key_names);
	list = lappend(list, access->scalars);
	list = lappend(list, access->text_types);
	list = lappend(list, encode_proofs(access, exprs));
	list = lappend(list, encode_estimate(&access->estimate));
	list = lappend(list, encode_preds(access->gates, exprs));
	list = lappend(list, access->otherwise == NULL ? NIL
				   : dyn_access_encode(access->otherwise, exprs));
	list = lappend(list, access->fallback == NULL ? NIL
				   : encode_fallback(access->fallback, *exprs));
	foreach(lc, access->arms)
		arms = lappend(arms, dyn_access_encode(lfirst(lc), exprs));
	list = lappend(list, arms);
	Assert(list_length(list) == ACCESS_ARMS + 1);
	return list;
}

DynAccess *
dyn_access_decode(List *encoded)
{
	DynAccess  *access = palloc0(sizeof(DynAccess));
	List	   *numbers = list_nth(encoded, ACCESS_NUMBERS);
	List	   *texts = list_nth(encoded, ACCESS_TEXTS);
	List	   *row_keys = decode_preds(list_nth(encoded, ACCESS_ROW_KEYS));
	ListCell   *lc;

	Assert(list_length(encoded) == ACCESS_ARMS + 1);
	access->kind = decode_int(numbers, 0);
	access->limit_hint = decode_int(numbers, 1);
	decode_flags(access, decode_int(numbers, 2));
	access->index = decode_text(texts, 0);
	access->advice = decode_text(texts, 1);
	access->schema = decode_text(texts, 2);
	access->nhash = decode_key_matches(list_nth(encoded, ACCESS_HASH),
									   access->hash);
	access->nrange = decode_key_matches(list_nth(encoded, ACCESS_RANGE),
										access->range);
	access->row_keys = row_keys == NIL ? NULL : linitial(row_keys);
	access->nrow_attrs = decode_attrs(list_nth(encoded, ACCESS_ROW_ATTRS),
									  access->row_attrs);
	decode_sort(list_nth(encoded, ACCESS_SORT), access);
	access->nbase = decode_attrs(list_nth(encoded, ACCESS_BASE), access->base);
	access->filters = decode_preds(list_nth(encoded, ACCESS_FILTERS));
	access->fields = decode_fields(list_nth(encoded, ACCESS_FIELDS));
	access->key_names = list_nth(encoded, ACCESS_KEY_NAMES);
	access->scalars = list_nth(encoded, ACCESS_SCALARS);
	access->text_types = list_nth(encoded, ACCESS_TEXT_TYPES);
	decode_proofs(list_nth(encoded, ACCESS_PROOFS), access);
	decode_estimate(list_nth_node(Const, encoded, ACCESS_ESTIMATE), &access->estimate);
	access->gates = decode_preds(list_nth(encoded, ACCESS_GATES));
	if (list_nth(encoded, ACCESS_OTHERWISE) != NIL)
		access->otherwise = dyn_access_decode(list_nth(encoded, ACCESS_OTHERWISE));
	if (list_nth(encoded, ACCESS_FALLBACK) != NIL)
		access->fallback = dyn_access_decode(list_nth(encoded, ACCESS_FALLBACK));
	foreach(lc, list_nth(encoded, ACCESS_ARMS))
		access->arms = lappend(access->arms, dyn_access_decode(lfirst(lc)));
	return access;
}
