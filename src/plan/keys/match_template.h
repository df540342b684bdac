/*
 * match_template.h
 *		Matches clauses to the text of an attribute that a template spells.
 */
#ifndef DYN_PLAN_MATCH_TEMPLATE_H
#define DYN_PLAN_MATCH_TEMPLATE_H

#include "terms.h"

/*
 * Unbound enumerations have no more members than this, in product: of a
 * partition key, and of a sort key, where each means another Query.
 */
#define DYN_MAX_MEMBERS			1000
#define DYN_MAX_SORT_MEMBERS	25

/*
 * What the clauses say of the attribute's text: a predicate DYN_PRED_TEMPLATED,
 * whose args are, for the leading parts, an AND of predicates on the part, or
 * DYN_PRED_MEMBERS.  All rows that satisfy the clauses, and have the attribute,
 * satisfy it.  With `points`, finitely many texts do, else infinitely many.
 * NULL if the attribute has no template, or nothing is known.
 *
 * `index` is where the attribute is a key, NULL for the table or for a filter.
 * Parts that no clause binds are enumerated if there are at most so many
 * members.  Adds to *used the clauses that the predicate uses.
 */
extern DynPred *dyn_match_template(const DynRelation *relation,
								   const DynKeyAttr *attr, const DynIndexMeta *index,
								   List *clauses, bool points,
								   int most_members, List **used);

/*
 * What the clauses demand of the attribute's text, which the rows have whose
 * columns are read from it: a predicate DYN_PRED_TEMPLATED with an AND for each
 * part, of which some are empty.  It is for index_complete.c, and matches no key:
 * parts without a condition may precede others.  NULL if no clause demands
 * anything.
 */
extern DynPred *dyn_template_demands(const DynRelation *relation,
									 const DynKeyAttr *attr, List *clauses);

/*
 * Would the clauses give values for the partition key of an index that is not
 * trusted, if it were?
 */
extern bool dyn_index_lacks_trust(const DynRelation *relation,
								  const DynIndexMeta *index, List *clauses);

#endif
