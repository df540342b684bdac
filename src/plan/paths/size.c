/*
 * size.c
 *		Implements GetForeignRelSize: reads the description, classifies
 *		clauses, estimates rows, and shows the planner that the key is unique.
 *
 * The planner uses the uniqueness of the primary key to estimate joins and
 * distinct keys, and to stop at the first match.  It derives uniqueness from
 * unique indexes only, so we add such an index to the relation.  The index is
 * hypothetical: it is never scanned.  In an unnested table, the key also needs
 * the position or name of the element.
 *
 * Without statistics the planner assumes 200 distinct values per column, which
 * for a large table or index means thousands of items per partition key.  Join
 * estimates would then contradict cost.c, which guesses far fewer items per
 * key.  So a hook gives the planner the number of distinct values that follows
 * from the guess of cost.c.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_statistic.h"
#include "nodes/makefuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "rewrite/rewriteManip.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/selfuncs.h"
#include "utils/typcache.h"

#include "../../model/tables/relation.h"
#include "../clauses/classify.h"
#include "planner.h"

static get_relation_stats_hook_type previous_hook = NULL;

#define UNKNOWN_ITEMS		1000.0
#define ROW_SHARE			0.2 /* assumed fraction of items that are rows
								 * if items may be rejected */
#define ITEM_ROWS			3.0 /* assumed rows per item of an unnested table */
#define TYPE_BYTES			8	/* bytes of JSON around name and value */

BlockNumber
dyn_table_pages(const DynTableMeta *meta)
{
	double		pages = ceil((double) meta->size_bytes / BLCKSZ);

	return (BlockNumber) Max(1, Min(pages, MaxBlockNumber));
}

static double
described_items(const DynTableMeta *meta)
{
	return meta->item_count > 0 ? (double) meta->item_count : UNKNOWN_ITEMS;
}

/*
 * Returns the estimated number of rows of the table: the number that ANALYZE
 * recorded, scaled by the current number of pages (unless the table is now
 * empty).  Uses the table's description instead if ANALYZE never ran or found
 * no rows, or recorded one page and there are more now: the one page may be
 * the minimum, recorded before DynamoDB first counted the table.
 */
static double
table_rows(const RelOptInfo *baserel, const DynRelPlan *plan)
{
	const DynTableMeta *meta = plan->meta;
	double		pages = dyn_table_pages(meta);

	if (baserel->tuples <= 0 || (baserel->pages <= 1 && pages > 1))
	{
		double		rows = described_items(meta);

		if (dyn_relation_may_reject_items(plan->relation))
			rows = clamp_row_est(rows * ROW_SHARE);
		return plan->relation->unnest != NULL ? rows * ITEM_ROWS : rows;
	}
	if (meta->size_bytes == 0 || baserel->pages <= 1)
		return baserel->tuples;
	return clamp_row_est(baserel->tuples * pages / baserel->pages);
}

/*
 * Returns the clauses (DynClause *) of the table's CHECK constraints.
 * PostgreSQL assumes that these are true or NULL for all rows of a foreign
 * table.  A constraint such as "at <= now()" is omitted: it was true when the
 * row was stored, but need not be true with another now().
 */
static List *
check_clauses(DynRelPlan *plan)
{
	Relation	rel = table_open(plan->relation->relid, NoLock);
	const TupleConstr *constr = rel->rd_att->constr;
	List	   *rinfos = NIL;

	for (int i = 0; constr != NULL && i < constr->num_check; i++)
	{
		Node	   *check;
		ListCell   *lc;

		if (!constr->check[i].ccvalid)
			continue;
		check = stringToNode(constr->check[i].ccbin);
		/*
		 * change the varno first: since PostgreSQL 19, eval_const_expressions
		 * looks up whether a Var's column is NOT NULL
		 */
		ChangeVarNodes(check, 1, plan->rel->relid, 0);
		check = eval_const_expressions(plan->root, check);
		foreach(lc, make_ands_implicit(canonicalize_qual((Expr *) check, true)))
		{
			if (!contain_mutable_functions(lfirst(lc)))
				rinfos = lappend(rinfos, make_simple_restrictinfo(plan->root, lfirst(lc)));
		}
	}
	table_close(rel, NoLock);
	return dyn_quals_classify(plan, rinfos);
}

/*
 * Returns the partition constraint (RestrictInfo *) if it is on the segment
 * column, else NIL.  PostgreSQL does not check the constraint when it reads
 * the partition.  So our scan skips items of other segments, and for this
 * purpose reads the segment column in every statement.
 */
static List *
partition_bounds(const DynRelPlan *plan)
{
	Relation	rel;
	Node	   *qual;
	List	   *quals;
	List	   *rinfos = NIL;
	ListCell   *lc;

	if (plan->relation->segment_column == 0)
		return NIL;
	rel = table_open(plan->relation->relid, NoLock);
	quals = copyObject(dyn_relation_segment_bounds(plan->relation, rel));
	table_close(rel, NoLock);
	ChangeVarNodes((Node *) quals, 1, plan->rel->relid, 0);
	/*
	 * Simplify the NOT of a default partition's constraint.  Pass no root:
	 * given a root, core might remove IS NOT NULL tests of the segment column.
	 */
	qual = eval_const_expressions(NULL, (Node *) make_ands_explicit(quals));
	foreach(lc, make_ands_implicit(canonicalize_qual((Expr *) qual, true)))
		rinfos = lappend(rinfos, make_simple_restrictinfo(plan->root, lfirst(lc)));
	return rinfos;
}

/* Estimates the fetched fraction of an item's bytes from column widths. */
static double
fetched_part(const DynRelPlan *plan)
{
	const DynRelation *relation = plan->relation;
	Bitmapset  *wanted = NULL;
	double		rest = 0;
	double		fetched = 0;
	ListCell   *lc;

	foreach(lc, plan->fields)
	{
		const DynField *field = lfirst(lc);

		if (dyn_field_path(relation, field)->nsteps == 0)
			return 1;
		wanted = bms_add_member(wanted, field->attnum);
	}
	for (AttrNumber attnum = 1; attnum <= relation->ncolumns; attnum++)
	{
		const DynColumn *column = dyn_relation_column(relation, attnum);
		int32		width = 0;
		double		bytes;

		if (column->dropped)
			continue;
		if (plan->analyzed)
			width = get_attavgwidth(relation->relid, attnum);
		if (width <= 0)
			width = get_typavgwidth(column->codec.basetype, -1);
		/* a response also contains the attribute's name and type */
		bytes = width + strlen(column->name) + TYPE_BYTES;
		if (bms_is_member(attnum, wanted))
			fetched += bytes;
		else
			rest += bytes;
	}
	bms_free(wanted);
	return rest > 0 ? fetched / (fetched + rest) : 1;
}

static DynRelPlan *
make_rel_plan(PlannerInfo *root, RelOptInfo *baserel, Oid relid)
{
	DynRelPlan *plan = palloc0(sizeof(DynRelPlan));
	ListCell   *lc;

	plan->root = root;
	plan->rel = baserel;
	plan->relation = dyn_relation_open(relid, baserel->userid);
	/*
	 * The plan depends on the role: with another user mapping, the same table
	 * name may stand for another DynamoDB table.
	 */
	root->glob->dependsOnRole |= !OidIsValid(baserel->userid);
	plan->limited = root->limit_tuples > 0 && root->sort_pathkeys == NIL;
	plan->relation->target = bms_is_member(baserel->relid, root->all_result_relids);
	if (plan->relation->target)
	{
		Relation	rel = table_open(relid, NoLock);

		plan->relation->triggered = root->parse->commandType == CMD_UPDATE &&
			dyn_fires_row_trigger(root, baserel->relid, rel, TRIGGER_TYPE_BEFORE);
		table_close(rel, NoLock);
	}
	plan->rechecked = dyn_full_row_is_for_recheck(root, baserel->relid);
	plan->meta = dyn_session_table(plan->relation->connection,
								   plan->relation->table);
	dyn_relation_connect_described(plan->relation, plan->meta);
	baserel->fdw_private = plan;
	plan->bounds = partition_bounds(plan);
	plan->relation->hides_segment = plan->relation->target &&
		plan->relation->segment_column != 0 && plan->bounds == NIL &&
		!dyn_modify_reads_column(root, baserel->relid, relid,
								 plan->relation->segment_column);
	plan->clauses = list_concat(dyn_row_clauses(plan->relation),
								dyn_quals_classify(plan, list_concat_copy(baserel->baserestrictinfo,
																		  plan->bounds)));
	plan->checks = check_clauses(plan);
	plan->lists = dyn_lists_of_equals(root, baserel);
	dyn_collect_fields(plan, (Node *) baserel->reltarget->exprs, &plan->fields);
	foreach(lc, list_concat_copy(baserel->baserestrictinfo, plan->bounds))
		dyn_collect_fields(plan, (Node *) lfirst_node(RestrictInfo, lc)->clause,
						   &plan->fields);
	/*
	 * Raise an error if a column's type does not match its key attribute.  If
	 * the description turns out to be outdated, start again.
	 */
	foreach(lc, plan->fields)
	{
		AttrNumber	attnum = ((DynField *) lfirst(lc))->attnum;

		if (dyn_key_type_check(plan->relation, plan->meta, attnum) != plan->meta)
			return make_rel_plan(root, baserel, relid);
		plan->segments = Max(plan->segments,
							 dyn_relation_column(plan->relation, attnum)->segments);
	}
	plan->analyzed = baserel->tuples > 0;
	plan->fetched = fetched_part(plan);
	plan->keyed = dyn_match_keys(plan, NULL, plan->clauses);
	return plan;
}

/* Maximum number of columns in a unique key (one is for unnested elements) */
#define MAX_KEY_COLUMNS		(2 * DYN_TEMPLATE_MAX_PARTS + 1)

/*
 * Adds a column to the index; returns false if equal values of the column may
 * have different keys.  Also returns false for date and timestamp: the planner
 * would use the index for comparisons with timestamptz, and two timestamps are
 * equal to one timestamptz if the time zone's offset has changed between them.
 */
static bool
add_index_column(IndexOptInfo *index, AttrNumber attnum, const DynColumn *column)
{
	TypeCacheEntry *type;
	int			n = index->ncolumns;

	for (int i = 0; i < n; i++)
	{
		if (index->indexkeys[i] == attnum)
			return true;
	}
	type = lookup_type_cache(column->codec.basetype, TYPECACHE_BTREE_OPFAMILY);
	if (!column->traits.distinct || !OidIsValid(type->btree_opf) ||
		column->codec.basetype == DATEOID ||
		column->codec.basetype == TIMESTAMPOID)
		return false;
	index->indexkeys[n] = attnum;
	index->indexcollations[n] = column->collation;
	index->opfamily[n] = type->btree_opf;
	index->opcintype[n] = type->btree_opintype;
	index->ncolumns = index->nkeycolumns = n + 1;
	return true;
}

static bool
add_index_attribute(IndexOptInfo *index, const DynRelation *relation,
					const DynKeyAttr *attr)
{
	AttrNumber	attnum = dyn_relation_column_of(relation, attr);
	const DynTemplatedAttr *templated = dyn_relation_templated(relation, attr->name);

	if (attnum != 0)
		return add_index_column(index, attnum,
								dyn_relation_column(relation, attnum));
	if (templated == NULL)
		return false;
	for (int p = 0; p < templated->tmpl->nparts; p++)
	{
		if (!add_index_column(index, templated->parts[p].attnum,
							  &templated->parts[p].column))
			return false;
	}
	return true;
}

static bool
add_element_column(IndexOptInfo *index, const DynRelation *relation)
{
	for (AttrNumber attnum = 1; attnum <= relation->ncolumns; attnum++)
	{
		const DynColumn *column = dyn_relation_column(relation, attnum);

		if (!column->dropped && (column->base == DYN_PATH_INDEX ||
								 column->base == DYN_PATH_KEY) &&
			add_index_column(index, attnum, column))
			return true;
	}
	return false;
}

static void
add_unique_key(RelOptInfo *baserel, const DynRelPlan *plan)
{
	const DynKeySchema *key = &plan->meta->key;
	IndexOptInfo *index = makeNode(IndexOptInfo);

	index->rel = baserel;
	index->indexkeys = palloc0(MAX_KEY_COLUMNS * sizeof(int));
	index->indexcollations = palloc0(MAX_KEY_COLUMNS * sizeof(Oid));
	index->opfamily = palloc0(MAX_KEY_COLUMNS * sizeof(Oid));
	index->opcintype = palloc0(MAX_KEY_COLUMNS * sizeof(Oid));
	index->canreturn = palloc0(MAX_KEY_COLUMNS * sizeof(bool));
	index->relam = BTREE_AM_OID;
	index->tuples = baserel->tuples;
	index->unique = index->immediate = index->hypothetical = true;
	if (add_index_attribute(index, plan->relation, &key->hash[0]) &&
		(key->nrange == 0 ||
		 add_index_attribute(index, plan->relation, &key->range[0])) &&
		(plan->relation->unnest == NULL ||
		 add_element_column(index, plan->relation)) &&
		index->ncolumns > 0)
		baserel->indexlist = lappend(baserel->indexlist, index);
}

void
dynGetForeignRelSize(PlannerInfo *root, RelOptInfo *baserel, Oid foreigntableid)
{
	DynRelPlan *plan = make_rel_plan(root, baserel, foreigntableid);
	const DynAccess *access = plan->keyed;

	baserel->tuples = table_rows(baserel, plan);
	/* number of items, including items that are not rows */
	if (plan->relation->unnest != NULL)
		plan->items = plan->meta->item_count > 0 ? (double) plan->meta->item_count
			: clamp_row_est(baserel->tuples / ITEM_ROWS);
	else
		plan->items = !dyn_relation_may_reject_items(plan->relation) ? baserel->tuples
			: Max(baserel->tuples, described_items(plan->meta));
	plan->item_rows = plan->relation->unnest == NULL ? 1
		: dyn_relation_may_reject_items(plan->relation) ? ITEM_ROWS
		: baserel->tuples / plan->items;
	if (plan->bounds != NIL)
		baserel->tuples = clamp_row_est(baserel->tuples *
										dyn_selectivity(plan, plan->bounds));
	add_unique_key(baserel, plan);
	set_baserel_size_estimates(root, baserel);
	if (access == NULL)
		return;
	baserel->rows = Min(baserel->rows, dyn_access_most_rows(plan, access));
	/*
	 * A full key selects one item, but the item of an unnested table yields a
	 * row for each element.  Core does not know this, so raise its estimate.
	 */
	if (access->kind == DYN_ACCESS_GET && plan->relation->unnest != NULL)
	{
		List	   *local = list_difference_ptr(access->local_rinfos, access->key_rinfos);

		baserel->rows = Max(baserel->rows,
							clamp_row_est(dyn_access_most_rows(plan, access) *
										  dyn_selectivity(plan, local)));
	}
}

/* ---- guesses that core uses as statistics ---- */

/*
 * Returns a row of pg_statistic with the fraction of NULLs and the number of
 * distinct values.  If `most` > 0, adds a histogram from 0 to `most`.
 */
static HeapTuple
make_statistics(Oid relid, AttrNumber attnum, float4 nulls_share, float4 distinct,
				const DynCodec *codec, int64 most)
{
	Relation	catalog = table_open(StatisticRelationId, AccessShareLock);
	Datum		values[Natts_pg_statistic] = {0};
	bool		nulls[Natts_pg_statistic] = {false};
	HeapTuple	tuple;

	values[Anum_pg_statistic_starelid - 1] = ObjectIdGetDatum(relid);
	values[Anum_pg_statistic_staattnum - 1] = Int16GetDatum(attnum);
	values[Anum_pg_statistic_stanullfrac - 1] = Float4GetDatum(nulls_share);
	values[Anum_pg_statistic_stadistinct - 1] = Float4GetDatum(distinct);
	for (int i = 0; i < STATISTIC_NUM_SLOTS; i++)
	{
		nulls[Anum_pg_statistic_stanumbers1 - 1 + i] = true;
		nulls[Anum_pg_statistic_stavalues1 - 1 + i] = true;
	}
	if (most > 0)
	{
		Datum		bounds[] = {dyn_codec_integer(codec, 0), dyn_codec_integer(codec, most)};
		TypeCacheEntry *entry = lookup_type_cache(codec->basetype, TYPECACHE_LT_OPR);

		values[Anum_pg_statistic_stakind1 - 1] = Int16GetDatum(STATISTIC_KIND_HISTOGRAM);
		values[Anum_pg_statistic_staop1 - 1] = ObjectIdGetDatum(entry->lt_opr);
		values[Anum_pg_statistic_stavalues1 - 1] =
			PointerGetDatum(construct_array(bounds, lengthof(bounds), codec->basetype,
											entry->typlen, entry->typbyval,
											entry->typalign));
		nulls[Anum_pg_statistic_stavalues1 - 1] = false;
	}
	tuple = heap_form_tuple(RelationGetDescr(catalog), values, nulls);
	table_close(catalog, AccessShareLock);
	return tuple;
}

bool
dyn_is_guess(const VariableStatData *variable)
{
	return HeapTupleIsValid(variable->statsTuple) &&
		variable->freefunc == heap_freetuple;
}

/*
 * Only calls heap_freetuple, but has its own address: dyn_is_guess recognizes
 * guesses by the freefunc heap_freetuple.
 */
static void
free_segment_statistics(HeapTuple tuple)
{
	heap_freetuple(tuple);
}

static bool
report_statistics(PlannerInfo *root, RangeTblEntry *rte, AttrNumber attnum,
				  VariableStatData *variable)
{
	const RelOptInfo *rel = NULL;
	const DynRelPlan *plan;
	float4		nulls;

	if (previous_hook && previous_hook(root, rte, attnum, variable))
		return true;
	if (rte->relkind != RELKIND_FOREIGN_TABLE)
		return false;
	for (int i = 1; i < root->simple_rel_array_size; i++)
	{
		if (root->simple_rte_array[i] == rte)
			rel = root->simple_rel_array[i];
	}
	if (rel == NULL || !dyn_is_our_relation(rel) || rel->fdw_private == NULL)
		return false;
	plan = rel->fdw_private;
	if (attnum > 0 && attnum == plan->relation->segment_column)
	{
		const DynColumn *column = dyn_relation_column(plan->relation, attnum);

		/* all segments are assumed to have the same number of items */
		variable->statsTuple = make_statistics(rte->relid, attnum, 0, column->segments,
											   &column->codec, column->segments - 1);
		variable->freefunc = free_segment_statistics;
		return true;
	}
	if (!dyn_collections_are_unknown(rel, attnum))
		return false;
	/* The table's partition key is never NULL, but that of an index may be. */
	nulls = attnum == dyn_relation_only_column_of(plan->relation, &plan->meta->key.hash[0])
		? 0 : DEFAULT_UNK_SEL;
	variable->statsTuple = make_statistics(rte->relid, attnum, nulls,
										   -1.0f / DYN_COLLECTION_ITEMS, NULL, 0);
	variable->freefunc = heap_freetuple;
	return true;
}

void
dyn_stats_init(void)
{
	previous_hook = get_relation_stats_hook;
	get_relation_stats_hook = report_statistics;
}
