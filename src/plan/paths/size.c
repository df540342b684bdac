/*
 * size.c
 *		Implements GetForeignRelSize: reads the description, classifies
 *		clauses, estimates rows, and declares the key as unique to the planner.
 *
 * The planner uses uniqueness of the primary key to estimate joins and
 * distinct keys, and to stop at the first match.  It derives uniqueness from
 * unique indexes only, so we add one to the relation.  It is marked
 * hypothetical like those of index advisors: it is never scanned.  Rows of an
 * unnested table are unique only together with the position or name of the
 * element.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_am.h"
#include "miscadmin.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/typcache.h"

#include "../../model/tables/relation.h"
#include "cost.h"
#include "planner.h"
#include "table_rows.h"

/*
 * With row locks the planner requests ctid from every partition if some are
 * local; it uses only the ctid of the local ones.
 */
static bool
has_row_mark(const PlannerInfo *root, Index relid)
{
	ListCell   *lc;

	foreach(lc, root->rowMarks)
	{
		if (lfirst_node(PlanRowMark, lc)->rti == relid)
			return true;
	}
	return false;
}

/*
 * Raises an error if the statement needs a column that cannot hold any key.
 * Returns false if the description was outdated.
 */
static bool
keys_match(const DynRelPlan *plan)
{
	ListCell   *lc;

	foreach(lc, plan->fields)
	{
		if (dyn_key_type_check(plan->relation, plan->meta,
							   ((DynField *) lfirst(lc))->attnum) != plan->meta)
			return false;
	}
	return true;
}

static DynRelPlan *
make_rel_plan(PlannerInfo *root, RelOptInfo *baserel, Oid relid)
{
	DynRelPlan *plan = palloc0(sizeof(DynRelPlan));
	Oid			userid = OidIsValid(baserel->userid) ? baserel->userid
		: GetUserId();
	ListCell   *lc;

	plan->root = root;
	plan->relid = baserel->relid;
	plan->relation = dyn_relation_open(relid, userid);
	plan->limited = root->limit_tuples > 0 && root->sort_pathkeys == NIL;
	plan->relation->locked = has_row_mark(root, baserel->relid);
	plan->meta = dyn_session_table(plan->relation->connection,
								   plan->relation->table);
	dyn_relation_connect_described(plan->relation, plan->meta);
	baserel->fdw_private = plan;
	plan->clauses = list_concat(dyn_row_clauses(plan->relation),
								dyn_quals_classify(root, baserel,
												   baserel->baserestrictinfo));
	dyn_collect_fields(plan, (Node *) baserel->reltarget->exprs, &plan->fields);
	foreach(lc, baserel->baserestrictinfo)
		dyn_collect_fields(plan, (Node *) lfirst_node(RestrictInfo, lc)->clause,
						   &plan->fields);
	if (!keys_match(plan))
		return make_rel_plan(root, baserel, relid);
	plan->analysed = baserel->tuples > 0;
	plan->fetched = dyn_fetched_part(plan);
	plan->keyed = dyn_match_keys(plan, NULL, plan->clauses);
	return plan;
}

/* ---- the unique key ---- */

/*
 * Two attributes, each with the columns of a template, and an element's column
 */
#define MAX_KEY_COLUMNS			(2 * DYN_TEMPLATE_MAX_PARTS + 1)
#define MAX_PLAIN_KEY_COLUMNS	3

static bool
has_index_column(const IndexOptInfo *index, AttrNumber attnum)
{
	for (int i = 0; i < index->ncolumns; i++)
	{
		if (index->indexkeys[i] == attnum)
			return true;
	}
	return false;
}

/*
 * Adds a column to the index; false if it does not distinguish keys.  For the
 * planner a date or timestamp does not either, because it also compares these
 * with a timestamptz.  Where the zone's clock goes back, or skips an hour, two
 * timestamps are equal to one instant.
 */
static bool
add_index_column(IndexOptInfo *index, AttrNumber attnum, const DynColumn *column)
{
	TypeCacheEntry *type;
	int			n = index->ncolumns;

	if (has_index_column(index, attnum))
		return true;
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

/* Adds the columns that determine the attribute; false if none do. */
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

/* Adds the position or name, which distinguishes the elements of one item. */
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
	int			most = plan->relation->ntemplated > 0 ? MAX_KEY_COLUMNS
		: MAX_PLAIN_KEY_COLUMNS;

	index->rel = baserel;
	index->indexkeys = palloc0(most * sizeof(int));
	index->indexcollations = palloc0(most * sizeof(Oid));
	index->opfamily = palloc0(most * sizeof(Oid));
	index->opcintype = palloc0(most * sizeof(Oid));
	index->canreturn = palloc0(most * sizeof(bool));
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

	plan->items = dyn_table_items(baserel, plan);
	baserel->tuples = dyn_table_rows(baserel, plan);
	plan->item_rows = dyn_item_rows(baserel, plan);
	add_unique_key(baserel, plan);
	set_baserel_size_estimates(root, baserel);
	if (access == NULL)
		return;
	baserel->rows = Min(baserel->rows,
						dyn_access_most_rows(root, baserel, access));
	/*
	 * the rows are elements of the items: no unique key lets the planner count
	 * them
	 */
	if (access->kind == DYN_ACCESS_GET && plan->relation->unnest != NULL)
		baserel->rows = Max(baserel->rows,
							clamp_row_est(dyn_access_most_rows(root, baserel, access) *
										  clauselist_selectivity(root, access->local_rinfos,
																 baserel->relid, JOIN_INNER, NULL)));
}
