/*
 * reread.c
 *		Converts items to be written, and items in responses, to rows.
 *
 * Before an item is written, it is decoded as a check.  Only this check finds
 * every value that would be read back differently, for example a fraction of a
 * second that a format drops, or different values in two columns of one
 * attribute.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/tupconvert.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "../../model/server/encoding.h"
#include "../../model/server/memory.h"
#include "../../model/values/types.h"
#include "../../plan/keys/match_keys.h"
#include "reread.h"

/* Records the first column with an error, and the reason. */
static void
note_error(void *arg, DynRowError err, AttrNumber attnum, const char *why)
{
	DynReread  *reread = arg;

	if (reread->why != NULL)
		return;
	reread->wrong = attnum;
	reread->why = err == DYN_ERROR_AMBIGUOUS
		? psprintf("its text could be split in several ways by the template of \"%s\"", why)
		: why;
}

static DynItemReader *
make_reader(DynRelation *relation, const DynTableMeta *meta)
{
	return dyn_item_reader_create(dyn_rows_create(relation,
												  dyn_match_all_columns(relation, meta),
												  DYN_ROWS_KEY | DYN_ROWS_CONVERT, NIL));
}

DynReread *
dyn_reread_create(DynRelation *relation, const DynTableMeta *meta)
{
	DynReread  *reread = palloc0(sizeof(DynReread));
	DynRelation *untimed = palloc(sizeof(DynRelation));

	*untimed = *relation;
	if (dyn_item_filter_ttl(&untimed->item_filter) != NULL)
		untimed->item_filter.nterms--;
	reread->relation = relation;
	reread->reader = make_reader(relation, meta);
	reread->new_reader = make_reader(untimed, meta);
	reread->new_reader->rows->note_error = note_error;
	reread->new_reader->rows->note_error_arg = reread;
	return reread;
}

static bool
store_item(DynItemReader *reader, const DynScalar *item, TupleTableSlot *slot)
{
	const DynValue *values = dyn_item_reader_read(reader, item->data, item->len);

	dyn_rows_end(reader->rows);
	dyn_rows_begin(reader->rows, values);
	return dyn_rows_next(reader->rows, slot);
}

bool
dyn_reread_item(DynReread *reread, const DynScalar *item, TupleTableSlot *slot)
{
	return store_item(reread->reader, item, slot);
}

bool
dyn_reread_new(DynReread *reread, const DynScalar *item, TupleTableSlot *slot)
{
	return (dyn_reread_is_row(reread, item, slot) && reread->why == NULL) ||
		dyn_reread_item(reread, item, slot);
}

bool
dyn_reread_is_row(DynReread *reread, const DynScalar *item, TupleTableSlot *slot)
{
	reread->why = NULL;
	reread->new_reader->rows->composed = false;
	return store_item(reread->new_reader, item, slot) || reread->why != NULL;
}

void
dyn_reread_children(const EPQState *epq, TupleTableSlot *slot)
{
	ListCell   *lc;

	slot_getallattrs(slot);
	foreach(lc, epq->arowMarks)
	{
		const ExecAuxRowMark *mark = lfirst(lc);
		const ExecRowMark *of = mark->rowmark;
		int			full = mark->wholeAttNo - 1;
		HeapTupleData row;
		TupleDesc	parent;
		TupleDesc	child;
		TupleConversionMap *map;

		if (of->markType != ROW_MARK_COPY || of->rti == of->prti || slot->tts_isnull[full] ||
			DatumGetObjectId(slot->tts_values[mark->toidAttNo - 1]) != of->relid)
			continue;
		row.t_data = DatumGetHeapTupleHeader(slot->tts_values[full]);
		row.t_len = HeapTupleHeaderGetDatumLength(row.t_data);
		parent = lookup_rowtype_tupdesc_copy(HeapTupleHeaderGetTypeId(row.t_data), -1);
		child = lookup_rowtype_tupdesc_copy(get_rel_type_id(of->relid), -1);
		/*
		 * map child to parent, and apply the map backwards: a map from parent
		 * to child would fail if the child has additional columns
		 */
		map = convert_tuples_by_name(child, parent);
		if (map == NULL)
			continue;
		memset(map->inisnull, true, child->natts + 1);
		heap_deform_tuple(&row, parent, map->outvalues, map->outisnull);
		for (int i = 0; i < parent->natts; i++)
		{
			/* dropped columns of the parent are stored at 0, which is not used */
			map->invalues[map->attrMap->attnums[i]] = map->outvalues[i];
			map->inisnull[map->attrMap->attnums[i]] = map->outisnull[i];
		}
		slot->tts_values[full] =
			heap_copy_tuple_as_datum(heap_form_tuple(child, map->invalues + 1,
													 map->inisnull + 1), child);
	}
}

/* ---- comparison ---- */

static Datum
json_as_jsonb(Datum json)
{
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(TextDatumGetCString(json)));
}

bool
dyn_column_same(const DynColumn *column, AttrNumber attnum, const TupleTableSlot *a,
				const TupleTableSlot *b)
{
	int			i = attnum - 1;
	Form_pg_attribute attr = TupleDescAttr(a->tts_tupleDescriptor, i);

	if (a->tts_isnull[i] || b->tts_isnull[i])
		return a->tts_isnull[i] && b->tts_isnull[i];
	return datum_image_eq(a->tts_values[i], b->tts_values[i], attr->attbyval,
						  attr->attlen) ||
		(column->codec.basetype == JSONOID &&
		 DatumGetBool(DirectFunctionCall2(jsonb_eq, json_as_jsonb(a->tts_values[i]),
										  json_as_jsonb(b->tts_values[i]))));
}

/*
 * Returns true if both values are NULL, or equal by the equality operator of
 * their type.  Without such an operator, compares the values as text.
 */
static bool
are_equal(const DynColumn *column, AttrNumber attnum, const TupleTableSlot *a,
		  const TupleTableSlot *b)
{
	int			i = attnum - 1;
	Oid			type = column->codec.basetype;
	TypeCacheEntry *entry;
	bool		varlena;
	Oid			output;

	if (dyn_column_same(column, attnum, a, b))
		return true;
	if (a->tts_isnull[i] || b->tts_isnull[i])
		return false;
	entry = lookup_type_cache(type, TYPECACHE_EQ_OPR_FINFO);
	if (!OidIsValid(entry->eq_opr_finfo.fn_oid))
	{
		getTypeOutputInfo(type, &output, &varlena);
		return strcmp(OidOutputFunctionCall(output, a->tts_values[i]),
					  OidOutputFunctionCall(output, b->tts_values[i])) == 0;
	}
	return DatumGetBool(FunctionCall2Coll(&entry->eq_opr_finfo, column->collation,
										  a->tts_values[i], b->tts_values[i]));
}

/* ---- the check ---- */

/* Returns true if one path contains the other and neither is the full item. */
static bool
overlaps(const DynPath *a, const DynPath *b)
{
	return a->nsteps > 0 && b->nsteps > 0 &&
		(dyn_path_is_inside(a, b) || dyn_path_is_inside(b, a));
}

/*
 * Returns the names of the other written columns whose path overlaps the path
 * of `column`; NULL if there are none.
 */
static const char *
list_sharing(const DynRelation *relation, const DynColumn *column,
			 const TupleTableSlot *row, const Bitmapset *changed)
{
	const char *names = NULL;

	for (int i = 0; i < relation->ncolumns; i++)
	{
		const DynColumn *other = &relation->columns[i];

		if (other != column && !other->dropped && !dyn_column_is_part(other) &&
			(changed != NULL ? bms_is_member(i + 1, changed) : !row->tts_isnull[i]) &&
			overlaps(other->path, column->path))
			names = psprintf("%s%s\"%s\"", names ? names : "", names ? ", " : "", other->name);
	}
	return names;
}

static void
report_unreadable(DynReread *reread, AttrNumber attnum, const char *why,
				  const TupleTableSlot *row, const Bitmapset *changed)
{
	const DynColumn *column = dyn_relation_column(reread->relation, attnum);
	const char *others = list_sharing(reread->relation, column, row, changed);
	const char *hint;
	int			sqlstate = dyn_codec_remedy(&column->codec, &hint);

	if (column->document == DYN_REST_OF_ITEM)
		hint = "Omit the attributes that other columns show in full, and include the values of columns with the option \"path\".";
	else if (dyn_column_is_part(column) && column->codec.kind == DYN_CODEC_TEXT)
		hint = psprintf("If values may contain the character after them in the template, use the placeholder ${%s:any}.",
						column->name);
	else if (hint == NULL && others != NULL)
		hint = psprintf("Assign values that agree to all columns that show attribute \"%s\".",
						dyn_from_utf8_lossy(column->path->steps[0].name));
	ereport(ERROR,
			(errcode(sqlstate),
			 errmsg("cannot store the value of column \"%s\" of foreign table \"%s\"",
					column->name, reread->relation->name),
			 why ? errdetail("The item would not be read back: %s.", why)
			 : others ? errdetail("The item would be read back with another value.  Column \"%s\" shows the same data as %s.",
								  column->name, others)
			 : errdetail("The item would be read back with another value."),
			 hint ? errhint("%s", hint) : 0));
}

bool
dyn_reread_check(DynReread *reread, const DynScalar *item, TupleTableSlot *row,
				 const Bitmapset *columns, const Bitmapset *changed,
				 const DynPathValue *values, int n, TupleTableSlot *scratch)
{
	DynRelation *relation = reread->relation;
	bool		shows_more = false;

	reread->why = NULL;
	reread->wrong = 0;
	reread->new_reader->rows->composed = true;
	if (!store_item(reread->new_reader, item, scratch))
	{
		if (reread->wrong > 0)
			report_unreadable(reread, reread->wrong, reread->why, row, changed);
		ereport(ERROR,
				(errcode(ERRCODE_WITH_CHECK_OPTION_VIOLATION),
				 errmsg("new row is not a row of foreign table \"%s\"", relation->name),
				 errdetail("The item does not match the table's item_filter, or its key_templates."),
				 errhint("Give the columns that item_filter names a DEFAULT with its value.")));
	}
	for (int i = 0; i < relation->ncolumns; i++)
	{
		const DynColumn *column = &relation->columns[i];
		bool		same = column->dropped || are_equal(column, i + 1, row, scratch);
		bool		written = columns == NULL || bms_is_member(i + 1, changed);

		if (!same && (columns == NULL || bms_is_member(i + 1, columns)) &&
			(!row->tts_isnull[i] || bms_is_member(i + 1, changed)))
			report_unreadable(reread, i + 1, reread->wrong == i + 1 ? reread->why : NULL,
							  row, changed);
		for (int j = 0; j < n && !same && !written; j++)
			written = overlaps(column->path, values[j].path);
		if (written)
			shows_more |= !same && !dyn_column_is_document(column);
		/* keep the row's value, because the write does not change it */
		else if (!same || !bms_is_member(i + 1, columns))
		{
			scratch->tts_values[i] = row->tts_values[i];
			scratch->tts_isnull[i] = row->tts_isnull[i];
		}
	}
	if (!shows_more && !reread->shown)
		return false;
	/* copying frees the row's values, to which the scratch slot refers */
	ExecMaterializeSlot(scratch);
	ExecCopySlot(row, scratch);
	return shows_more;
}
