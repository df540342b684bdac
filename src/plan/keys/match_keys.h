/*
 * match_keys.h
 *		Matches classified clauses to the keys of a table or index.
 */
#ifndef DYN_PLAN_MATCH_KEYS_H
#define DYN_PLAN_MATCH_KEYS_H

#include "terms.h"

/*
 * Returns the access plan that reads the index (NULL: the table) by key; NULL
 * if the clauses (DynClause *) do not match the key.
 */
extern DynAccess *dyn_match_keys(const DynRelPlan *plan, const DynIndexMeta *index,
								 List *clauses);

/*
 * Returns the access plan of a Scan; `index` is NULL for the table.  The index
 * must have all fields that the query may need.
 */
extern DynAccess *dyn_match_scan(const DynRelPlan *plan, const DynIndexMeta *index,
								 List *clauses);

/* Returns true if the index has all fields that the query may need. */
extern bool dyn_index_covers(const DynRelPlan *plan, const DynIndexMeta *index);

/* Sets access->fields to `fields` (DynField *); computes access->scalars. */
extern void dyn_set_fields(const DynRelPlan *plan, DynAccess *access,
						   List *fields);

/* Raises an error for a system column that items do not have. */
extern void dyn_check_system_column(const DynRelation *relation, AttrNumber attnum);

/*
 * Adds the fields (DynField *) of this relation that the expression refers to;
 * raises an error for system columns that items do not have.
 */
extern void dyn_collect_fields(const DynRelPlan *plan, Node *node,
							   List **fields);

/* ---- match_template.c ---- */

/*
 * Maximum number of combinations of values that a template enumerates for
 * placeholders (parts) that no clause restricts, in a partition key and in a
 * sort key.  In a sort key, each combination needs a Query of its own.
 */
#define DYN_MAX_MEMBERS			1000
#define DYN_MAX_SORT_MEMBERS	25

/*
 * Returns the predicate (DYN_PRED_TEMPLATED) that the clauses imply for the
 * attribute's text in all rows that have the attribute; NULL if there is none.
 * With `points`, it allows finitely many strings, otherwise a range.
 *
 * `index` is the index that has the attribute in its key; NULL for the table
 * or for a filter.  Parts that no clause restricts may be enumerated, with up
 * to most_members combinations.  Adds the predicate's clauses to *used.
 */
extern DynPred *dyn_match_template(const DynRelPlan *plan,
								   const DynKeyAttr *attr, const DynIndexMeta *index,
								   List *clauses, bool points,
								   int most_members, List **used);

/*
 * Returns the conditions that an attribute's text must meet so that the
 * columns read from it can satisfy the clauses; NULL if there are none.  The
 * result is a DYN_PRED_TEMPLATED with an AND, which may be empty, for each
 * part.  The result cannot be matched to a key, since restricted parts may
 * come after unrestricted ones.
 */
extern DynPred *dyn_template_demands(const DynRelPlan *plan,
									 const DynKeyAttr *attr, List *clauses);

/*
 * Returns true if part `p` of the attribute's template has no key values:
 * neither clauses nor the template give it any, or the part cannot be used.
 * Sets *usable to false in the second case, else to true.
 */
extern bool dyn_part_lacks_values(const DynRelPlan *plan, const DynKeyAttr *attr,
								  const DynIndexMeta *index, List *clauses, int p,
								  bool *usable);

/*
 * Returns true if the index is not in the option trusted_indexes, but the
 * clauses would determine its partition key if it were.
 */
extern bool dyn_index_lacks_trust(const DynRelPlan *plan,
								  const DynIndexMeta *index, List *clauses);

/* Returns a table Scan that reads all columns except the segment column. */
extern DynAccess *dyn_match_all_columns(DynRelation *relation,
										const DynTableMeta *meta);

/* ---- index_complete.c ---- */

/* Changes by which an index would be known to contain all rows that qualify */
typedef struct DynIndexLack
{
	const char *column;			/* column to be declared NOT NULL, or NULL */
	const char *nonempty;		/* column for which a clause <> '' would be
								 * sufficient, or NULL */
	bool		trust;			/* true if the index could be used if the
								 * option trusted_indexes named it */
} DynIndexLack;

/*
 * Returns true if the index may be read, and has all items that satisfy the
 * clauses, for at least some run-time values.  If not, stores in *lack (unless
 * NULL) which changes would make the index usable.  `full` is true for a Scan,
 * which may need rows whose key columns are empty strings; such items are
 * never in the index, even if the columns are NOT NULL.
 */
extern bool dyn_index_is_usable(const DynRelPlan *plan,
								const DynIndexMeta *index, bool full,
								List *clauses, DynIndexLack *lack);

/* Adds to access->conditions what must hold for the index to be complete. */
extern void dyn_index_conditions_add(const DynRelPlan *plan, const DynIndexMeta *index,
									 List *clauses, DynAccess *access);

/*
 * Returns true if the index is complete with these run-time values, one for
 * each of the fdw_exprs.  Allocates in CurrentMemoryContext.
 */
extern bool dyn_index_conditions_hold(const DynAccess *access,
									  const DynRelation *relation,
									  const Datum *values, const bool *nulls);

#endif
