/*
 * check_table.c
 *		dynamo_fdw_check_table(): what the foreign tables of a DynamoDB table make
 *		of its items.
 *
 * One Scan of whole items, each of which is offered to every foreign table of
 * that server and DynamoDB table.  Their rows judge as in a scan of each, but
 * note faults instead of raising errors (exec/fetch/rows.h).  What is found is
 * counted by items, with the key of the first one.
 *
 * A foreign table that shows every item says nothing of what an item is; if
 * there are others, it does not claim items.
 *
 * The requests use the current user's keys.  Values are converted as the owner
 * of each foreign table, in a restricted context, since the constraints of its
 * domains are code that others wrote.
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "foreign/foreign.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "../dynamodb/page_check.h"
#include "../exec/fetch/rows.h"
#include "../exec/scan_policy.h"
#include "../model/encoding.h"
#include "../model/path.h"
#include "../model/pg_compat.h"
#include "absence.h"
#include "attempt.h"
#include "folded.h"
#include "foreign_tables.h"
#include "item_scan.h"
#include "target.h"

/* Sets of foreign tables that are told apart. */
#define MAX_SETS	100

PG_FUNCTION_INFO_V1(dynamo_fdw_check_table);

/* How many items; the key of the first one, and what was said of it. */
typedef struct Finding
{
	uint64		items;
	uint64		last_item;		/* its number: items count once */
	char	   *example;		/* JSON; NULL: none that jsonb can hold */
	char	   *detail;
} Finding;

/*
 * What trusted_indexes promises of an index: a row that has these columns, which
 * are all in the templates of the index's key, has these attributes, spelled by
 * the templates.
 */
typedef struct Promise
{
	const char *index;
	Bitmapset  *columns;		/* attnums */
	DynRows    *rows;			/* where the templates decide about rows, too */
	int			first_path;
	Finding		broken;
} Promise;

/* A foreign table that is compared. */
typedef struct Reader
{
	struct Check *check;
	Oid			relid;
	Oid			owner;
	const char *name;
	char	   *fault;			/* of its definition; the rest is not set then */
	const char *fault_column;
	TupleDesc	tupdesc;
	DynRelation *relation;
	DynRows    *rows;
	int			first_path;		/* of rows->paths among all */
	DynRows    *untimed;		/* without the option ttl; NULL: it is not set */
	int			first_untimed;
	List	   *promises;		/* of Promise * */
	DynAbsence *absence;
	int			first_absence;
	DynFolded  *folded;
	bool		selective;		/* shows only items of some entity */
	TupleTableSlot *slot;
	Finding    *mismatches;		/* by attnum; 0: of no column */
	Finding    *nulls;
	Finding		ambiguous;
} Reader;

/* Items that are rows of these foreign tables. */
typedef struct SharedItems
{
	Bitmapset  *readers;		/* by position */
	Finding		finding;
} SharedItems;

typedef struct Check
{
	DynItemScan *scan;
	List	   *readers;		/* of Reader * */
	bool		selective;		/* one of them is */
	MemoryContext context;		/* of the findings */
	MemoryContext item_context;
	DynCodec	jsonb;			/* of examples */
	DynPath    *paths;			/* the key's, the item, those of the readers */
	int			npaths;
	int			whole;			/* the item */

	/* the item in hand */
	const DynValue *values;
	uint64		item;			/* its number, from 1 */
	bool		undecided;		/* a fault hides whether it is a row */
	bool		quiet;			/* faults do not count */

	Finding		unclaimed;
	Finding		expired;
	List	   *shared;			/* of SharedItems * */
} Check;

/* ---- findings ---- */

static const DynTableMeta *
meta_of(const Check *check)
{
	return check->scan->meta;
}

static void
append_member(StringInfo json, const char *name, const char *value)
{
	appendStringInfoChar(json, json->len == 0 ? '{' : ',');
	escape_json(json, name);
	appendStringInfo(json, ": %s", value);
}

/* The key of the item in hand, as JSON; NULL if jsonb cannot hold it. */
static char *
key_of_item(Check *check)
{
	StringInfoData json;

	initStringInfo(&json);
	for (int i = 0; i < check->scan->access->nbase; i++)
	{
		const DynValue *value = &check->values[i];
		const char *why;
		Datum		datum;

		if (value->type == DYN_TYPE_ABSENT ||
			!dyn_codec_decode(&check->jsonb, value, true, &datum, &why))
			return NULL;
		append_member(&json,
					  dyn_from_utf8_lossy(check->scan->access->base[i].name),
					  JsonbToCString(NULL, &DatumGetJsonbP(datum)->root,
									 VARSIZE_ANY_EXHDR(DatumGetPointer(datum))));
	}
	appendStringInfoChar(&json, '}');
	return json.data;
}

static void
count(Check *check, Finding *finding, const char *detail)
{
	MemoryContext oldcontext;

	if (finding->last_item == check->item)
		return;
	finding->last_item = check->item;
	if (finding->items++ > 0)
		return;
	oldcontext = MemoryContextSwitchTo(check->context);
	finding->example = key_of_item(check);
	finding->detail = detail ? pstrdup(detail) : NULL;
	MemoryContextSwitchTo(oldcontext);
}

/* Called by the rows of a reader. */
static void
note_fault(void *arg, DynRowFault fault, AttrNumber attnum, const char *why)
{
	Reader	   *reader = arg;
	Check	   *check = reader->check;

	if (check->quiet)
		return;
	check->undecided |= fault == DYN_FAULT_AMBIGUOUS || fault == DYN_FAULT_SCALAR;
	switch (fault)
	{
		case DYN_FAULT_MISMATCH:
			dyn_absence_see_value(reader->absence, attnum);
			count(check, &reader->mismatches[attnum], why);
			break;
		case DYN_FAULT_NULL:
			count(check, &reader->nulls[attnum], NULL);
			break;
		case DYN_FAULT_SCALAR:
			count(check, &reader->mismatches[0],
				  psprintf("a value of DynamoDB type %s has no elements to unnest", why));
			break;
		case DYN_FAULT_AMBIGUOUS:
			count(check, &reader->ambiguous,
				  psprintf("attribute \"%s\" fits its template only if a part contains the character that ends it",
						   dyn_from_utf8_lossy(why)));
			break;
	}
}

/* ---- items ---- */

/* As the reader's owner; the caller restores the user. */
static void
become_owner(const Reader *reader, Oid *user, int *context)
{
	GetUserIdAndSecContext(user, context);
	SetUserIdAndSecContext(reader->owner,
						   *context | SECURITY_RESTRICTED_OPERATION);
}

/* Is the item a row?  Faults do not count. */
static bool
is_row_of(Check *check, DynRows *rows, const DynValue *values)
{
	bool		is_row;

	check->quiet = true;
	dyn_rows_begin(rows, values);
	is_row = dyn_rows_has_more(rows);
	dyn_rows_end(rows);
	check->quiet = false;
	return is_row;
}

static bool
has_all(const TupleTableSlot *slot, const Bitmapset *columns)
{
	int			attnum = -1;

	while ((attnum = bms_next_member(columns, attnum)) >= 0)
	{
		if (slot->tts_isnull[attnum - 1])
			return false;
	}
	return true;
}

/* Of the item whose row is in the slot. */
static void
check_promises(Reader *reader, const DynValue *values)
{
	ListCell   *lc;

	foreach(lc, reader->promises)
	{
		Promise    *promise = lfirst(lc);

		if (has_all(reader->slot, promise->columns) &&
			!is_row_of(reader->check, promise->rows, values + promise->first_path))
			count(reader->check, &promise->broken, NULL);
	}
}

/* Is the item a row, or several?  All of their values are looked at. */
static bool
read_rows(Reader *reader, const DynValue *values)
{
	bool		is_row;
	Oid			user;
	int			context;

	become_owner(reader, &user, &context);
	dyn_rows_begin(reader->rows, values + reader->first_path);
	is_row = dyn_rows_has_more(reader->rows);
	dyn_absence_see_item(reader->absence, values + reader->first_absence, is_row);
	if (is_row)
		dyn_folded_see_item(reader->folded, &values[reader->check->whole]);
	while (dyn_rows_next(reader->rows, reader->slot))
	{
		CHECK_FOR_INTERRUPTS();
		dyn_absence_see_row(reader->absence, reader->slot);
		check_promises(reader, values);
	}
	SetUserIdAndSecContext(user, context);
	return is_row;
}

/* Would the item be a row if it had not expired? */
static bool
has_expired(Reader *reader, const DynValue *values)
{
	bool		is_row;
	Oid			user;
	int			context;

	if (reader->untimed == NULL)
		return false;
	become_owner(reader, &user, &context);
	is_row = is_row_of(reader->check, reader->untimed,
					   values + reader->first_untimed);
	SetUserIdAndSecContext(user, context);
	return is_row;
}

static void
count_shared(Check *check, Bitmapset *readers)
{
	MemoryContext oldcontext;
	SharedItems *shared;
	ListCell   *lc;

	foreach(lc, check->shared)
	{
		shared = lfirst(lc);
		if (bms_equal(shared->readers, readers) ||
			list_length(check->shared) == MAX_SETS)
		{
			count(check, &shared->finding, NULL);
			return;
		}
	}
	oldcontext = MemoryContextSwitchTo(check->context);
	shared = palloc0(sizeof(SharedItems));
	shared->readers = bms_copy(readers);
	check->shared = lappend(check->shared, shared);
	MemoryContextSwitchTo(oldcontext);
	count(check, &shared->finding, NULL);
}

/* Does it say something of an item that it is a row, or expired? */
static bool
may_claim(const Reader *reader)
{
	return reader->selective || !reader->check->selective ||
		reader->relation->unnest != NULL;
}

/*
 * Elements of an item are rows beside it, so that tables which unnest claim an
 * item together with others.
 */
static void
check_item(Check *check, const DynValue *values)
{
	Bitmapset  *claims = NULL;
	bool		claimed = false;
	bool		expired = false;
	ListCell   *lc;

	check->values = values;
	check->item++;
	check->undecided = false;
	foreach(lc, check->readers)
	{
		Reader	   *reader = lfirst(lc);
		bool		is_row;

		if (reader->fault != NULL)
			continue;
		is_row = read_rows(reader, values);
		if (!may_claim(reader))
			continue;
		if (!is_row)
			expired |= has_expired(reader, values);
		else
		{
			claimed = true;
			if (reader->relation->unnest == NULL)
				claims = bms_add_member(claims, foreach_current_index(lc));
		}
	}
	if (bms_membership(claims) == BMS_MULTIPLE)
		count_shared(check, claims);
	else if (!claimed && !check->undecided)
		count(check, expired ? &check->expired : &check->unclaimed, NULL);
}

static void
read_items(Check *check, DynStatement *statement)
{
	DynFetch   *fetch = dyn_item_scan_start(check->scan, statement, check->paths,
											check->npaths, 0);
	const DynValue *values;

	while ((values = dyn_fetch_next(fetch)) != NULL)
	{
		MemoryContext oldcontext = MemoryContextSwitchTo(check->item_context);

		CHECK_FOR_INTERRUPTS();
		check_item(check, values);
		MemoryContextSwitchTo(oldcontext);
		MemoryContextReset(check->item_context);
	}
	dyn_fetch_stop(fetch);
}

/* ---- foreign tables ---- */

/* Appends the paths of rows; returns where they begin. */
static int
add_paths(Check *check, const DynPath *paths, int n)
{
	int			first = check->npaths;

	check->paths = check->paths == NULL ? palloc(n * sizeof(DynPath))
		: repalloc(check->paths, (first + n) * sizeof(DynPath));
	memcpy(check->paths + first, paths, n * sizeof(DynPath));
	check->npaths += n;
	return first;
}

static DynRows *
rows_of(Reader *reader, DynRelation *relation)
{
	DynAccess  *access = dyn_scan_all_columns(relation, meta_of(reader->check));
	DynRows    *rows = dyn_rows_create(relation, access, access->base,
									   access->nbase);

	dyn_rows_add_test(rows);
	dyn_rows_add_unnest(rows);
	rows->note_fault = note_fault;
	rows->note_fault_arg = reader;
	return rows;
}

/* The term of ttl is the last one. */
static bool
has_ttl(const DynRowTest *test)
{
	return test->nterms > 0 && test->terms[test->nterms - 1].ttl;
}

/* Elements are not compared with items. */
static bool
is_selective(const DynRelation *relation)
{
	if (relation->unnest != NULL)
		return false;
	for (int i = 0; i < relation->nspelled; i++)
	{
		if (relation->spelled[i].base)
			return true;
	}
	return relation->row_test.nterms > (has_ttl(&relation->row_test) ? 1 : 0);
}

static bool
is_in_key(const DynKeySchema *key, const char *attribute)
{
	return dyn_key_hash_position(key, attribute) >= 0 ||
		dyn_key_range_position(key, attribute) >= 0;
}

/* Appended to the promises if the index has a key with templates. */
static void
add_promise(Reader *reader, const DynRelation *relation,
			const DynIndexMeta *index)
{
	Promise    *promise = palloc0(sizeof(Promise));
	DynRelation *strict = palloc(sizeof(DynRelation));
	bool		any = false;

	*strict = *relation;
	strict->spelled = palloc(relation->nspelled * sizeof(DynSpelled));
	memcpy(strict->spelled, relation->spelled,
		   relation->nspelled * sizeof(DynSpelled));
	for (int i = 0; i < strict->nspelled; i++)
	{
		DynSpelled *spelled = &strict->spelled[i];

		if (spelled->base || !is_in_key(&index->key, dyn_spelled_name(spelled)))
			continue;
		any = spelled->base = true;
		for (int p = 0; p < spelled->tmpl->nparts; p++)
			promise->columns = bms_add_member(promise->columns,
											  spelled->parts[p].attnum);
	}
	if (!any)
		return;
	promise->index = index->name;
	promise->rows = rows_of(reader, strict);
	reader->promises = lappend(reader->promises, promise);
}

/* Columns of elements are in no templates. */
static void
add_promises(Reader *reader, const DynRelation *relation)
{
	ListCell   *lc;

	foreach(lc, relation->trusted_indexes)
	{
		const DynIndexMeta *index = dyn_metadata_index(meta_of(reader->check),
													   lfirst(lc));

		if (index != NULL && relation->unnest == NULL)
			add_promise(reader, relation, index);
	}
}

/*
 * May the code of the table's owner see the items, which are read with the keys
 * of the caller?  A superuser is a member of every role, which means nothing.
 */
static bool
trusts_owner(Oid owner)
{
	return owner == GetUserId() || superuser_arg(owner) ||
		(!superuser() && has_privs_of_role(GetUserId(), owner));
}

static void
check_columns(const Reader *reader, const DynRelation *relation)
{
	if (trusts_owner(reader->owner))
		return;
	for (int i = 0; i < relation->ncolumns; i++)
	{
		const DynColumn *column = &relation->columns[i];

		if (!column->dropped && dyn_codec_runs_user_code(&column->codec))
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					 errmsg("not compared: type %s of column \"%s\" could show the items to role \"%s\"",
							format_type_be(column->codec.typid), column->name,
							GetUserNameFromId(reader->owner, false))));
	}
}

/* May raise an error: options and columns that do not fit. */
static void
open_relation(void *arg)
{
	Reader	   *reader = arg;
	DynRelation *relation = dyn_relation_open(reader->relid, GetUserId());

	check_columns(reader, relation);
	dyn_relation_connect_described(relation, meta_of(reader->check));
	reader->rows = rows_of(reader, relation);
	if (has_ttl(&relation->row_test))
	{
		DynRelation *untimed = palloc(sizeof(DynRelation));

		*untimed = *relation;
		untimed->row_test.nterms--;
		reader->untimed = rows_of(reader, untimed);
	}
	add_promises(reader, relation);
	reader->absence = dyn_absence_create(relation);
	reader->folded = dyn_folded_create(relation);
	reader->selective = is_selective(relation);
	reader->relation = relation;
}

static void
open_reader(Check *check, Relation rel)
{
	Reader	   *reader = palloc0(sizeof(Reader));
	int			ncolumns = RelationGetDescr(rel)->natts;
	const DynPath *paths;
	int			npaths;
	ErrorData  *failure;
	ListCell   *lc;

	reader->check = check;
	reader->relid = RelationGetRelid(rel);
	reader->owner = rel->rd_rel->relowner;
	reader->name = pstrdup(RelationGetRelationName(rel));
	reader->tupdesc = CreateTupleDescCopy(RelationGetDescr(rel));
	check->readers = lappend(check->readers, reader);
	failure = dyn_attempt(open_relation, reader);
	if (failure != NULL && !dyn_failure_is_of_definition(failure))
		ReThrowError(failure);
	if (failure != NULL)
	{
		reader->fault = dyn_failure_text(failure);
		reader->fault_column = failure->column_name;
		return;
	}
	check->selective |= reader->selective;
	reader->slot = MakeSingleTupleTableSlot(reader->tupdesc, &TTSOpsVirtual);
	reader->mismatches = palloc0((ncolumns + 1) * sizeof(Finding));
	reader->nulls = palloc0((ncolumns + 1) * sizeof(Finding));
	reader->first_path = add_paths(check, reader->rows->paths,
								   reader->rows->npaths);
	if (reader->untimed != NULL)
		reader->first_untimed = add_paths(check, reader->untimed->paths,
										  reader->untimed->npaths);
	paths = dyn_absence_paths(reader->absence, &npaths);
	reader->first_absence = add_paths(check, paths, npaths);
	foreach(lc, reader->promises)
	{
		Promise    *promise = lfirst(lc);

		promise->first_path = add_paths(check, promise->rows->paths,
										promise->rows->npaths);
	}
}

static void
open_readers(Check *check, Oid serverid)
{
	ListCell   *lc;

	foreach(lc, dyn_tables_of_server(serverid))
	{
		Oid			relid = lfirst_oid(lc);
		Relation	rel = try_relation_open(relid, AccessShareLock);

		if (rel == NULL)
			continue;			/* dropped meanwhile */
		if (dyn_is_table_over(rel, check->scan->relation.connection,
							  check->scan->relation.table))
			open_reader(check, rel);
		relation_close(rel, NoLock);
	}
}

/* ---- the result ---- */

static void
emit(ReturnSetInfo *rsinfo, const char *kind, const Reader *reader,
	 const char *column, const Finding *finding, const char *detail)
{
	Datum		values[6] = {0};
	bool		nulls[6];
	NameData	name;

	memset(nulls, true, sizeof(nulls));
	values[0] = CStringGetTextDatum(kind);
	nulls[0] = false;
	values[1] = ObjectIdGetDatum(reader ? reader->relid : InvalidOid);
	nulls[1] = reader == NULL;
	/* a template may name what is no column, and too long for one */
	if (column != NULL)
		namestrcpy(&name, pnstrdup(column, pg_mbcliplen(column, strlen(column),
														NAMEDATALEN - 1)));
	values[2] = NameGetDatum(&name);
	nulls[2] = column == NULL;
	values[3] = Int64GetDatum(finding ? (int64) finding->items : 0);
	nulls[3] = finding == NULL;
	nulls[4] = finding == NULL || finding->example == NULL;
	if (!nulls[4])
		values[4] = DirectFunctionCall1(jsonb_in,
										CStringGetDatum(finding->example));
	if (detail == NULL && finding != NULL)
		detail = finding->detail;
	nulls[5] = detail == NULL;
	if (detail != NULL)
		values[5] = CStringGetTextDatum(detail);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

typedef struct Output
{
	ReturnSetInfo *rsinfo;
	const Reader *reader;
} Output;

/* Unless another result says why. */
static void
emit_absence(void *arg, AttrNumber attnum, const char *what)
{
	const Output *output = arg;
	const Reader *reader = output->reader;

	if (attnum > 0 ? reader->nulls[attnum].items > 0
		: reader->mismatches[0].items > 0 || reader->ambiguous.items > 0)
		return;
	emit(output->rsinfo, "absent", reader,
		 attnum > 0 ? reader->relation->columns[attnum - 1].name : NULL, NULL, what);
}

static void
emit_reader(ReturnSetInfo *rsinfo, const Reader *reader)
{
	Output		output = {rsinfo, reader};
	ListCell   *lc;

	if (reader->fault != NULL)
	{
		emit(rsinfo, "definition", reader, reader->fault_column, NULL,
			 reader->fault);
		return;
	}
	if (reader->ambiguous.items > 0)
		emit(rsinfo, "ambiguous", reader, NULL, &reader->ambiguous, NULL);
	for (int i = 0; i <= reader->relation->ncolumns; i++)
	{
		const char *column = i > 0 ? reader->relation->columns[i - 1].name : NULL;

		if (reader->mismatches[i].items > 0)
			emit(rsinfo, "mismatch", reader, column, &reader->mismatches[i], NULL);
		if (reader->nulls[i].items > 0)
			emit(rsinfo, "not null", reader, column, &reader->nulls[i],
				 "the item has no value for a column that is declared NOT NULL");
	}
	foreach(lc, reader->promises)
	{
		const Promise *promise = lfirst(lc);

		if (promise->broken.items > 0)
			emit(rsinfo, "broken promise", reader, NULL, &promise->broken,
				 psprintf("the item lacks the key of trusted index \"%s\" that the templates spell",
						  dyn_from_utf8_lossy(promise->index)));
	}
	dyn_absence_report(reader->absence, emit_absence, &output);
	dyn_folded_report(reader->folded);
}

/* "also of b, c": the tables after the first one. */
static char *
names_of_others(const Check *check, const Bitmapset *readers, int first)
{
	StringInfoData text;
	int			i = first;

	initStringInfo(&text);
	while ((i = bms_next_member(readers, i)) >= 0)
		appendStringInfo(&text, "%s%s", text.len > 0 ? ", " : "the item is also a row of ",
						 quote_identifier(((Reader *) list_nth(check->readers, i))->name));
	return text.data;
}

static void
emit_all(ReturnSetInfo *rsinfo, const Check *check)
{
	ListCell   *lc;

	if (check->unclaimed.items > 0)
		emit(rsinfo, "unclaimed", NULL, NULL, &check->unclaimed,
			 "the item is a row of no foreign table");
	if (check->expired.items > 0)
		emit(rsinfo, "expired", NULL, NULL, &check->expired,
			 "the item has expired, and is a row of no foreign table");
	foreach(lc, check->shared)
	{
		const SharedItems *shared = lfirst(lc);
		int			first = bms_next_member(shared->readers, -1);

		emit(rsinfo, "shared", list_nth(check->readers, first), NULL,
			 &shared->finding, names_of_others(check, shared->readers, first));
	}
	foreach(lc, check->readers)
		emit_reader(rsinfo, lfirst(lc));
}

/* ---- the function ---- */

/* The Scan, with the options of the foreign table that was named. */
static DynItemScan *
open_scan(Oid relid)
{
	ForeignTable *table = GetForeignTable(relid);
	DynConnection *connection = dyn_session_connection(table->serverid, GetUserId());
	Relation	rel = relation_open(relid, NoLock);
	const char *name = dyn_relation_remote_name(connection,
												RelationGetRelationName(rel),
												table->options);
	DynItemScan *scan = dyn_item_scan_create(connection, name,
											 dyn_session_table(connection, name));

	relation_close(rel, NoLock);
	scan->relation.options = dyn_option_reads(table->options, &connection->reads);
	scan->relation.max_read_units = dyn_option_real(table->options,
													"max_read_units", 0);
	return scan;
}

/* It reads the whole table, as it says; so there is no warning of it. */
static void
check_limits(const DynRelation *relation, const DynTableMeta *meta)
{
	double		limit = dyn_statement_max_units(relation->connection);
	DynEstimate estimate;

	dyn_scan_describe(relation, meta, &estimate);
	if (dyn_relation_scan_policy(relation) == DYN_SCAN_ERROR)
		dyn_scan_policy_apply(relation, NULL, &estimate, NULL);
	if (limit > 0)
		dyn_scan_check_units(relation, NULL, &estimate, NULL, 0, limit);
}

static void
add_key_paths(Check *check)
{
	DynFormat	format = {0};

	dyn_codec_init(&check->jsonb, JSONBOID, -1, &format, "example");
	for (int i = 0; i < check->scan->access->nbase; i++)
		(void) add_paths(check,
						 dyn_path_of_attribute(check->scan->access->base[i].name),
						 1);
	check->whole = add_paths(check, dyn_path_of_item(), 1);
}

Datum
dynamo_fdw_check_table(PG_FUNCTION_ARGS)
{
	Oid			relid = PG_GETARG_OID(0);
	EState	   *estate;
	Check	   *check;

	dyn_target_check(relid);
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	check = palloc0(sizeof(Check));
	check->context = CurrentMemoryContext;
	check->item_context = AllocSetContextCreate(CurrentMemoryContext,
												"dynamo_fdw item",
												ALLOCSET_DEFAULT_SIZES);
	check->scan = open_scan(relid);
	check_limits(&check->scan->relation, meta_of(check));
	add_key_paths(check);
	open_readers(check, GetForeignTable(relid)->serverid);
	estate = CreateExecutorState();
	read_items(check, dyn_statement_get(estate));
	FreeExecutorState(estate);
	emit_all((ReturnSetInfo *) fcinfo->resultinfo, check);
	return (Datum) 0;
}
