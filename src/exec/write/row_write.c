/*
 * row_write.c
 *		Composes the write of a row, and renders its request.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "common/hashfn.h"
#include "executor/executor.h"
#include "executor/nodeModifyTable.h"
#include "utils/datum.h"
#include "utils/rel.h"

#include "../../dynamodb/expression.h"
#include "../../model/server/encoding.h"
#include "../../model/server/memory.h"
#include "../../model/session/usage.h"
#include "../../model/values/types.h"
#include "../keys/filter.h"
#include "row_write.h"

/* Maximum number of values in a guard after dyn_write_guard_replaced. */
#define MOST_GUARDED		100

/*
 * Checks row-level security and WITH CHECK OPTION, too: for foreign tables,
 * core checks them only after the write, or not at all.  If the old row was
 * not read, constraints need no check here: the planner has ensured that the
 * assignments violate none (plan/paths/plan_modify.c).
 */
void
dyn_modify_check_row(DynModify *modify, TupleTableSlot *row)
{
	ResultRelInfo *rinfo = modify->rinfo;
	Relation	relation = rinfo->ri_RelationDesc;

	row->tts_tableOid = modify->relation->relid;
	/* use the operation of the node: an UPDATE may have moved the row here */
	if (rinfo->ri_WithCheckOptions != NIL)
		ExecWithCheckOptions(modify->mtstate->operation == CMD_INSERT
							 ? WCO_RLS_INSERT_CHECK : WCO_RLS_UPDATE_CHECK,
							 rinfo, row, modify->estate);
	if (relation->rd_att->constr != NULL && !modify->presumes)
		ExecConstraints(rinfo, row, modify->estate);
	if (relation->rd_rel->relispartition)
		(void) ExecPartitionCheck(rinfo, row, modify->estate, true);
	if (rinfo->ri_WithCheckOptions != NIL)
		ExecWithCheckOptions(WCO_VIEW_CHECK, rinfo, row, modify->estate);
}

TupleTableSlot *
dyn_modify_complete_row(DynModify *modify, TupleTableSlot *row)
{
	const TupleConstr *constr = RelationGetDescr(modify->rinfo->ri_RelationDesc)->constr;

	if (constr != NULL && constr->has_generated_stored)
		ExecComputeStoredGenerated(modify->rinfo, modify->estate, row, CMD_UPDATE);
	dyn_modify_check_row(modify, row);
	return row;
}

/* ---- memory ---- */

/*
 * Allocates the struct in the writer's own memory context: a reset deletes
 * child contexts before it calls forget_writer, which uses the struct.
 */
DynWrite *
dyn_write_create(DynModify *modify, DynOperation op)
{
	MemoryContext context = modify->writer->context;
	DynWrite   *write = MemoryContextAllocZero(context, sizeof(DynWrite));

	write->modify = modify;
	write->op = op;
	write->context = AllocSetContextCreate(context, "dynamo_fdw write",
										   ALLOCSET_SMALL_SIZES);
	return write;
}

void
dyn_write_free(DynWrite *write)
{
	Assert(write->state != DYN_WRITE_SENT && write->state != DYN_WRITE_PAUSED);
	if (write->call != NULL)
		dyn_call_destroy(write->call);
	MemoryContextDelete(write->context);
	pfree(write);
}

/* ---- keys ---- */

/*
 * Stores the row's key in `key`.  Returns the encoding of table and key; rows
 * with the same encoding have the same item.
 */
static const char *
compose_key(DynModify *modify, TupleTableSlot *row, DynKeyPart *key, size_t *len)
{
	const DynTableMeta *meta = modify->map->meta;
	DynBuffer	bytes;

	slot_getallattrs(row);
	/* true skips a check, which dyn_write_map_insert makes for a new row */
	dyn_write_map_key(modify->map, row, true, key);
	dyn_buffer_init(&bytes, 0);
	dyn_buffer_append_str(&bytes, meta->id ? meta->id : meta->name);
	dyn_wire_key(&bytes, key, modify->map->nparts);
	return dyn_take_bytes(&bytes, len);
}

DynWrite *
dyn_write_find(const List *writes, const DynWrite *write)
{
	ListCell   *lc;

	foreach(lc, writes)
	{
		DynWrite   *other = lfirst(lc);

		if (other->key_len == write->key_len &&
			memcmp(other->key_bytes, write->key_bytes, write->key_len) == 0)
			return other;
	}
	return NULL;
}

DynWrite
dyn_write_of_row(DynModify *modify, TupleTableSlot *row)
{
	DynWrite	write = {.modify = modify};

	write.key_bytes = compose_key(modify, row, write.key, &write.key_len);
	return write;
}

HTAB *
dyn_met_create(const DynWriter *writer)
{
	HASHCTL		ctl = {.keysize = 2 * sizeof(uint64),.entrysize = 2 * sizeof(uint64),
	.hcxt = writer->context};

	return hash_create("dynamo_fdw rows written", 1024, &ctl,
					   HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

/*
 * Identifies a row by a 128-bit digest of its foreign table and key.  Rows of
 * two foreign tables are different rows, even if they have the same item.
 */
bool
dyn_met_change(HTAB *met, const DynWrite *write, HASHACTION action)
{
	const unsigned char *bytes = (const unsigned char *) write->key_bytes;
	uint64		seed = write->modify->relation->relid;
	uint64		digest[2] = {
		hash_bytes_extended(bytes, write->key_len, seed),
		hash_bytes_extended(bytes, write->key_len, seed ^ UINT64CONST(0x9E3779B97F4A7C15))
	};
	bool		found = false;

	if (met != NULL)
		(void) hash_search(met, digest, action, &found);
	return found;
}

static DynScalar
compose_item(const DynPathValue *values, int n)
{
	DynScalar	item = {DYN_TYPE_M, NULL, 0};
	DynBuffer	text;

	dyn_buffer_init(&text, 0);
	(void) dyn_path_values_item(values, n, &text);
	item.data = dyn_take_bytes(&text, &item.len);
	return item;
}

/*
 * Computes a lower bound of the size that DynamoDB counts, from names, strings
 * and binary values.  Raises an error if it exceeds the maximum of an item.
 */
static void
set_size(DynWrite *write, const DynPathValue *values, int n)
{
	write->least_bytes = 0;
	for (int i = 0; i < n; i++)
	{
		if (values[i].value.type != DYN_TYPE_ABSENT)
			write->least_bytes += values[i].path->steps[values[i].path->nsteps - 1].name_len;
		if (values[i].value.type == DYN_TYPE_S || values[i].value.type == DYN_TYPE_B)
			write->least_bytes += values[i].value.len;
	}
	if (write->least_bytes > DYN_MAX_ITEM_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("row of foreign table \"%s\" is too large for DynamoDB",
						write->modify->relation->name),
				 errdetail("Its item has at least %zu bytes; the maximum is %d.",
						   write->least_bytes, DYN_MAX_ITEM_BYTES)));
}

/* ---- composing ---- */

void
dyn_modify_insert(DynWrite *write, TupleTableSlot *row)
{
	DynModify  *modify = write->modify;
	DynPathValue *values;
	int			n;

	write->key_bytes = compose_key(modify, row, write->key, &write->key_len);
	n = dyn_write_map_insert(modify->map, row, &values);
	set_size(write, values, n);
	write->item = compose_item(values, n);
	if (dyn_reread_check(modify->reread, &write->item, row, NULL, NULL, NULL, 0, modify->scratch))
		dyn_modify_check_row(modify, row);
}

/* Sets the guard: the condition that `columns` still have their old values. */
static void
set_guard(DynWrite *write, TupleTableSlot *old, Bitmapset *columns, Bitmapset *replaced)
{
	write->old_row = ExecCopySlotMinimalTuple(old);
	write->guarded = columns;
	write->replaced = write->modify->presumes ? NULL : replaced;
	write->guards_replaced = false;
	write->nguard = dyn_write_map_guard(write->modify->map, old, columns, &write->guard);
}

/*
 * Returns the columns that the guard always compares.  If RETURNING shows the
 * row before its request is sent, no response can correct the row, so the
 * guard also compares the columns of RETURNING.
 */
static Bitmapset *
depended_columns(const DynModify *modify)
{
	return bms_union(modify->plan.read,
					 modify->deferred || modify->atomic ? modify->plan.returned : NULL);
}

/*
 * Returns the assigned columns whose value changes; stores the other assigned
 * columns in *unchanged.  UPDATE row triggers may have assigned any column, so
 * if there are such triggers, all columns whose value changes are returned.
 * (In DO UPDATE, has_row_triggers is about triggers for INSERT.)
 */
static Bitmapset *
changed_columns(DynModify *modify, TupleTableSlot *old, TupleTableSlot *new,
				Bitmapset **unchanged)
{
	const DynRelation *relation = modify->relation;
	Bitmapset  *assigned = modify->has_row_triggers && modify->upsert == NULL ? NULL
		: ExecGetAllUpdatedCols(modify->rinfo, modify->estate);
	Bitmapset  *changed = NULL;

	for (int i = 0; i < relation->ncolumns; i++)
	{
		bool		is_assigned =
			bms_is_member(i + 1 - FirstLowInvalidHeapAttributeNumber, assigned);
		Form_pg_attribute attr = TupleDescAttr(new->tts_tupleDescriptor, i);

		if (relation->columns[i].dropped || (assigned != NULL && !is_assigned))
			continue;
		if (modify->presumes || old->tts_isnull[i] != new->tts_isnull[i] ||
			(!new->tts_isnull[i] &&
			 !datum_image_eq(old->tts_values[i], new->tts_values[i], attr->attbyval,
							 attr->attlen)))
			changed = bms_add_member(changed, i + 1);
		else if (is_assigned)
			*unchanged = bms_add_member(*unchanged, i + 1);
	}
	return changed;
}

static void
check_key(DynModify *modify, const DynKeyPart *old, TupleTableSlot *new,
		  Bitmapset *changed)
{
	DynKeyPart	key[2];

	if (!bms_overlap(modify->map->key_columns, changed))
		return;
	dyn_write_map_key(modify->map, new, !bms_overlap(modify->map->from_key, changed), key);
	for (int i = 0; i < modify->map->nparts; i++)
	{
		if (dyn_scalar_equal(&key[i].value, &old[i].value))
			continue;
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot change the primary key of a row of foreign table \"%s\"",
						modify->relation->name),
				 errdetail("DynamoDB cannot change the key attribute \"%s\" of an item.",
						   dyn_from_utf8_lossy(key[i].name)),
				 errhint("Insert a new row, and delete the old one.")));
	}
}

/*
 * Returns the path of the map that contains the i-th value of an update.  The
 * update requires that the map exists, because DynamoDB does not create it.
 * Returns NULL for a top-level attribute, or if an earlier value of the update
 * is in the same map.
 */
static const DynPath *
map_of(const DynWrite *write, int i)
{
	DynPath		map = *write->values[i].path;

	if (--map.nsteps == 0)
		return NULL;
	for (int j = 0; j < i; j++)
	{
		if (dyn_path_is_inside(write->values[j].path, &map))
			return NULL;
	}
	return memcpy(palloc(sizeof(map)), &map, sizeof(map));
}

bool
dyn_modify_update(DynWrite *write, TupleTableSlot *old, TupleTableSlot *new)
{
	DynModify  *modify = write->modify;
	Bitmapset  *unchanged = NULL;
	Bitmapset  *changed;
	Bitmapset  *compared;
	Bitmapset  *guarded;
	Bitmapset  *rewritten;
	DynPathValue *values;
	DynScalar	item;
	int			n;

	write->key_bytes = compose_key(modify, old, write->key, &write->key_len);
	slot_getallattrs(new);
	changed = changed_columns(modify, old, new, &unchanged);
	check_key(modify, write->key, new, changed);
	/*
	 * The key stays the same (check_key).  So a changed column that is read
	 * from the key needs no write if the key is also composed from it.  If the
	 * key is not composed from it, the column stays in `changed`, and
	 * dyn_write_map_require_column raises an error.
	 */
	changed = bms_difference(changed, bms_intersect(modify->map->from_key,
													modify->map->key_columns));
	unchanged = bms_difference(unchanged, modify->map->from_key);
	if (bms_is_empty(changed))
		return false;
	guarded = bms_union(depended_columns(modify), unchanged);
	for (int attnum = -1; (attnum = bms_next_member(changed, attnum)) >= 0;)
	{
		dyn_write_map_require_column(modify->map, attnum);
		/*
		 * The write's condition also compares jsonb and array columns with our
		 * encoding of the value that was read.  This encoding has lists, so
		 * the condition fails if the stored value is or contains a set, which
		 * a list must not replace.
		 */
		if (dyn_relation_column(modify->relation, attnum)->codec.wire == DYN_TYPE_ABSENT)
			guarded = bms_add_member(guarded, attnum);
	}
	/* check that the new item would be read as the new row */
	n = dyn_write_map_update(modify->map, new, changed, &compared, &values);
	item = compose_item(values, n);
	write->nvalues = dyn_write_map_update(modify->map, new, changed, NULL, &write->values);
	if (dyn_reread_check(modify->reread, &item, new, compared, changed, write->values,
						 write->nvalues, modify->scratch))
		dyn_modify_check_row(modify, new);
	write->composed = write->values;
	write->ncomposed = write->nvalues;
	write->ncreated = 0;
	set_size(write, write->values, write->nvalues);
	rewritten = dyn_write_map_rewritten(modify->map, changed);
	set_guard(write, old, bms_union(guarded, bms_difference(rewritten, changed)), changed);
	write->derived = modify->plan.derives || !bms_is_subset(rewritten, changed);
	return true;
}

void
dyn_modify_delete(DynWrite *write, TupleTableSlot *old)
{
	write->key_bytes = compose_key(write->modify, old, write->key, &write->key_len);
	set_guard(write, old, depended_columns(write->modify), write->modify->plan.returned);
}

/* ---- values that are stored in another encoding ---- */

/* Counts the failure now, because another error may prevent its report. */
void
dyn_write_fail(DynWrite *write, void (*report) (DynWrite *write), const char *why)
{
	if (write->call != NULL && dyn_call_is_repeated(write->call))
		dyn_usage_give_up(write->modify->usage, write->op, write->call, DYN_USAGE_OTHER);
	write->state = DYN_WRITE_FAILED;
	write->report = report;
	write->why = why;
}

static void
report_hidden_values(DynWrite *write)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cannot replace attribute \"%s\" of foreign table \"%s\"",
					write->why, write->modify->relation->name),
			 errdetail("It contains sets or binary values, which its column cannot show as such."),
			 errhint("Use columns with the option \"path\" for the values to change.")));
}

static void
report_not_a_map(DynWrite *write)
{
	ereport(ERROR,
			(errcode(ERRCODE_FDW_INVALID_DATA_TYPE),
			 errmsg("cannot set a value inside \"%s\" of foreign table \"%s\"",
					write->why, write->modify->relation->name),
			 errdetail("The item has a value of another type than a map there.")));
}

/*
 * Returns the item's value at a path, in a buffer of its own, because a buffer
 * moves as it grows.  The item was parsed before, and DynamoDB sends valid
 * base64, so dyn_item_value fails only if memory runs out.
 */
static DynScalar
stored_value(const DynScalar *item, const DynPath *path)
{
	DynScalar	stored;

	dyn_check_oom(!dyn_item_value(item, path, dyn_buffer_create(), &stored));
	return stored;
}

static bool
is_json(const DynCodec *codec)
{
	return codec->kind == DYN_CODEC_JSONB || codec->kind == DYN_CODEC_JSON;
}

/*
 * Returns true if a column shows the type of a stored value at this path.  A
 * json or jsonb column shows a binary value like a string.  Only an array
 * column that is not NULL in modify->old shows that a value is a set.
 */
static bool
shows_value(const DynModify *modify, const DynPath *path, DynType type)
{
	const DynRelation *relation = modify->relation;

	for (int i = 0; i < relation->ncolumns; i++)
	{
		const DynColumn *column = &relation->columns[i];
		const DynCodec *element = column->codec.element;

		if (column->dropped || !dyn_path_equal(column->path, path))
			continue;
		if (type >= DYN_TYPE_SS ? element != NULL && !is_json(element) &&
			!modify->old->tts_isnull[i]
			: type != DYN_TYPE_B || !is_json(&column->codec))
			return true;
	}
	return false;
}

/*
 * Changes the guard so that it requires the stored values.  The write fails if
 * it would change the type of a stored value, such as a set to a list, because
 * the columns cannot represent that type.
 */
static void
guard_stored_values(DynWrite *write, const DynScalar *item)
{
	for (int i = 0; i < write->nguard; i++)
	{
		DynPathValue *guard = &write->guard[i];
		DynScalar	stored = stored_value(item, guard->path);
		bool		replaced = false;

		if (dyn_scalar_same(&stored, &guard->value))
			continue;
		for (int j = 0; j < write->nvalues; j++)
			replaced |= write->values[j].value.type != DYN_TYPE_ABSENT &&
				dyn_path_equal(write->values[j].path, guard->path);
		if (replaced && stored.type != DYN_TYPE_ABSENT &&
			!shows_value(write->modify, guard->path, stored.type))
		{
			dyn_write_fail(write, report_hidden_values, dyn_path_text(guard->path));
			return;
		}
		/* the item may be in the response, which the next attempt replaces */
		if (stored.data != NULL)
			stored.data = memcpy(palloc(stored.len + 1), stored.data, stored.len);
		guard->value = stored;
	}
}

/*
 * Returns true if the item lacks a map on `path`.  Stores in *missing the path
 * of the outermost missing map, and the value (ABSENT or NULL) that the item
 * has there.  The write fails if a value on `path` is neither a map nor NULL.
 */
static bool
find_missing_map(DynWrite *write, const DynPath *path, const DynScalar *item,
				 DynPathValue *missing)
{
	DynPath    *map = palloc(sizeof(DynPath));

	*map = *path;
	for (map->nsteps = 1; map->nsteps <= path->nsteps; map->nsteps++)
	{
		*missing = (DynPathValue) {map, stored_value(item, map)};
		if (missing->value.type == DYN_TYPE_ABSENT || missing->value.type == DYN_TYPE_NULL)
			return true;
		if (missing->value.type != DYN_TYPE_M)
		{
			dyn_write_fail(write, report_not_a_map, dyn_path_text(map));
			return false;
		}
	}
	return false;
}

/*
 * Changes the update to set each outermost missing map as one value, which
 * contains the values inside the map.  Starts from write->composed, because
 * another session may have created or removed a map since the last attempt.
 */
static void
create_maps(DynWrite *write, const DynScalar *item)
{
	int			n = write->nvalues = write->ncomposed;
	int			i = 0;

	/*
	 * space for n + 1 values: each step first adds a map, then removes the
	 * values (at least one) that this map replaces
	 */
	write->created = palloc((n + 1) * sizeof(DynPathValue));
	write->values = palloc((n + 1) * sizeof(DynPathValue));
	if (n > 0)
		memcpy(write->values, write->composed, n * sizeof(DynPathValue));
	write->ncreated = 0;
	while (i < write->nvalues && write->state != DYN_WRITE_FAILED)
	{
		const DynPath *path = map_of(write, i);
		DynPathValue *missing = &write->created[write->ncreated];

		if (path == NULL || !find_missing_map(write, path, item, missing))
		{
			i++;
			continue;
		}
		write->ncreated++;
		/*
		 * Append the missing map; dyn_path_values_merge then removes value i,
		 * so the next value to look at is at position i again.
		 */
		write->values[write->nvalues] = (DynPathValue) {missing->path, {DYN_TYPE_ABSENT, NULL, 0}};
		write->nvalues = dyn_path_values_merge(write->values, write->nvalues + 1,
											   dyn_buffer_create());
		dyn_check_oom(write->nvalues < 0);
		/* do not create an empty map */
		if (write->values[write->nvalues - 1].value.type == DYN_TYPE_ABSENT)
			write->nvalues--;
	}
}

bool
dyn_write_require_stored(DynWrite *write, const DynScalar *item)
{
	create_maps(write, item);
	if (write->state != DYN_WRITE_FAILED)
		guard_stored_values(write, item);
	/* nothing is left if the update only removes values from missing maps */
	return write->op != DYN_OP_UPDATE_ITEM || write->nvalues > 0;
}

void
dyn_modify_old_row(DynModify *modify, TupleTableSlot *planSlot)
{
	TupleTableSlot *old = modify->old;
	bool		isnull;

	if (modify->operation == CMD_UPDATE)
	{
		ExecStoreHeapTupleDatum(slot_getattr(planSlot, modify->rinfo->ri_RowIdAttNo, &isnull),
								old);
		Assert(!isnull);
		return;
	}
	ExecStoreAllNullTuple(old);
	for (int i = 0; i < old->tts_tupleDescriptor->natts; i++)
	{
		if (modify->junk[i] != 0)
			old->tts_values[i] = slot_getattr(planSlot, modify->junk[i],
											  &old->tts_isnull[i]);
	}
}

void
dyn_modify_keep_segment(const DynWrite *write)
{
	const DynModify *modify = write->modify;
	AttrNumber	attnum = modify->relation->segment_column;

	if (attnum == 0 || write->old_row == NULL)
		return;
	ExecForceStoreMinimalTuple(write->old_row, modify->old, false);
	modify->scratch->tts_values[attnum - 1] =
		slot_getattr(modify->old, attnum, &modify->scratch->tts_isnull[attnum - 1]);
}

/* ---- requests ---- */

/* Returns a condition on the partition key, which each existing item has. */
static DynCond *
key_condition(const DynModify *modify, DynCondKind kind)
{
	return dyn_make_cond(kind, dyn_path_of_attribute(modify->map->meta->key.hash[0].name), NULL, 0);
}

/* Returns the condition of an INSERT: the item is absent, or has expired. */
static DynCond *
not_exists_condition(const DynModify *modify)
{
	const DynFilterTerm *ttl = dyn_item_filter_ttl(&modify->relation->item_filter);
	DynCond    *absent = key_condition(modify, DYN_COND_NOT_EXISTS);
	DynScalar  *limits;

	if (ttl == NULL)
		return absent;
	limits = palloc(2 * sizeof(DynScalar));
	dyn_expired_range(&limits[0], &limits[1]);
	return dyn_make_both(DYN_COND_OR, absent,
						 dyn_make_cond(DYN_COND_BETWEEN, ttl->path, limits, 2));
}

/* Returns the condition of an UPDATE or DELETE. */
static DynCond *
exists_condition(const DynWrite *write)
{
	const DynModify *modify = write->modify;
	const DynItemFilter *filter = &modify->relation->item_filter;
	DynCond    *all = dyn_make_junction(DYN_COND_AND, 1 + filter->nterms +
										write->nguard + write->ncreated + write->nvalues);

	dyn_cond_add(all, key_condition(modify, DYN_COND_EXISTS));
	/* omit the term for ttl_attribute: an expired row is still the same row */
	for (int i = 0; i < filter->nterms; i++)
	{
		const DynFilterTerm *term = &filter->terms[i];

		if (!term->ttl &&
			!dyn_is_in_key(&modify->map->meta->key, dyn_filter_term_attribute(term)))
			dyn_cond_add(all, dyn_filter_term_cond(term));
	}
	for (int i = 0; i < write->nguard + write->ncreated; i++)
	{
		const DynPathValue *guard = i < write->nguard ? &write->guard[i]
			: &write->created[i - write->nguard];

		/*
		 * dyn_only_theirs stands for a stored value that we cannot encode: let
		 * the condition fail, so that the response contains the value
		 */
		dyn_cond_add(all, dyn_scalar_equal(&guard->value, &dyn_only_theirs)
					 ? key_condition(modify, DYN_COND_NOT_EXISTS)
					 : guard->value.type == DYN_TYPE_ABSENT
					 ? dyn_make_cond(DYN_COND_NOT_EXISTS, guard->path, NULL, 0)
					 : dyn_make_cond(DYN_COND_EQ, guard->path, &guard->value, 1));
	}
	for (int i = 0; i < write->nvalues; i++)
	{
		const DynPath *map = map_of(write, i);
		DynCond    *is_map;

		if (map == NULL)
			continue;
		is_map = dyn_make_cond(DYN_COND_IS_TYPE, map, NULL, 0);
		is_map->type = DYN_TYPE_M;
		dyn_cond_add(all, is_map);
	}
	return all;
}

/*
 * Renders the update and the condition into buffers of the writer.  If an
 * expression is too long, leaves its buffer empty, and returns false.
 */
static bool
render_expressions(const DynWrite *write)
{
	DynWriter  *writer = write->modify->writer;
	DynCond    *cond = write->op == DYN_OP_PUT_ITEM ? not_exists_condition(write->modify)
		: exists_condition(write);

	dyn_tokens_reset(writer->tokens);
	dyn_buffer_reset(&writer->update);
	dyn_buffer_reset(&writer->condition);
	return (write->op != DYN_OP_UPDATE_ITEM ||
			dyn_expr_update(writer->tokens, write->values, write->nvalues, &writer->update)) &&
		dyn_expr_condition(writer->tokens, dyn_cond_simplify(cond), &writer->condition);
}

void
dyn_write_render(const DynWrite *write, DynBuffer *out, bool member)
{
	DynModify  *modify = write->modify;
	DynWriter  *writer = modify->writer;
	MemoryContext oldcontext = MemoryContextSwitchTo(write->context);
	bool		complete = render_expressions(write);
	DynWriteRequest request = {
		.op = write->op,
		.table = modify->relation->table,
		.item = write->item,
		.key = write->key,
		.nparts = modify->map->nparts,
		.tokens = writer->tokens,
		.returning = dyn_write_returns(write),
		.omits_item = writer->omits_items
	};

	dyn_check_oom(writer->update.failed || writer->condition.failed ||
				  dyn_tokens_out_of_memory(writer->tokens));
	if (!complete)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("%s for foreign table \"%s\" is too long for DynamoDB",
						write->op == DYN_OP_UPDATE_ITEM && writer->update.len == 0
						? "the update" : "the condition of the write", modify->relation->name),
				 errdetail("DynamoDB allows %d bytes, and %d operators.",
						   DYN_EXPR_MAX_BYTES, DYN_EXPR_MAX_OPERATORS),
				 errhint("Read or assign fewer columns in the statement, or map fewer columns.")));
	dyn_check_oom(!dyn_buffer_terminate(&writer->update) || !dyn_buffer_terminate(&writer->condition));
	if (write->op == DYN_OP_UPDATE_ITEM)
		request.update = writer->update.data;
	request.condition = writer->condition.data;
	dyn_write_write(out, &request, member);
	dyn_check_oom(out->failed);
	MemoryContextSwitchTo(oldcontext);
}

/*
 * Stores write->old_row in a slot of its own, because a suspended statement
 * (dyn_writers_await) may be using the slots of write->modify.
 */
bool
dyn_write_guard_replaced(DynWrite *write)
{
	DynModify  *modify = write->modify;
	Bitmapset  *columns = bms_difference(write->replaced, write->guarded);
	TupleTableSlot *old;
	DynPathValue *more;
	int			n;

	if (write->guards_replaced || bms_is_empty(columns))
		return true;
	old = MakeSingleTupleTableSlot(modify->old->tts_tupleDescriptor, &TTSOpsMinimalTuple);
	ExecStoreMinimalTuple(write->old_row, old, false);
	slot_getallattrs(old);
	n = dyn_write_map_guard(modify->map, old, columns, &more);
	ExecDropSingleTupleTableSlot(old);
	if (write->nguard + n > MOST_GUARDED)
		return false;
	write->guard = repalloc(write->guard, (write->nguard + n) * sizeof(DynPathValue));
	memcpy(write->guard + write->nguard, more, n * sizeof(DynPathValue));
	write->nguard += n;
	write->guards_replaced = true;
	if (!render_expressions(write))
		return false;
	dyn_write_render(write, dyn_call_body(write->call), false);
	return true;
}
