/*
 * match_field.h
 *		Determines which location in the item an expression reads.
 *
 * Each function returns false, with *field undefined, if the expression does
 * not match.
 */
#ifndef DYN_PLAN_MATCH_FIELD_H
#define DYN_PLAN_MATCH_FIELD_H

#include "preds.h"
#include "rel_plan.h"

/* Matches a column of the table. */
extern bool dyn_match_any_column(const DynRelPlan *plan, Node *node,
								 DynField *field);

/*
 * Matches a column, but not one of an unnested element: those have no location
 * in the item.
 */
extern bool dyn_match_column(const DynRelPlan *plan, Node *node,
							 DynField *field);

/*
 * Matches a column, or a jsonb column under constant path operators (->, ->>,
 * #>, #>>).  Sets *as_text if the last operator returns text.
 */
extern bool dyn_match_field(const DynRelPlan *plan, Node *node, DynField *field,
							bool *as_text);

/*
 * Matches the same, ignoring casts that do not affect a comparison.  A field
 * below a jsonb column has no codec of its own, so only its text can be
 * compared.
 */
extern bool dyn_match_comparand(const DynRelPlan *plan, Node *node,
								DynField *field, bool *as_text);

#endif
