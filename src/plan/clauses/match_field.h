/*
 * match_field.h
 *		Which place in the item of a foreign table an expression reads.
 *
 * Each function returns false, and *field is undefined, where the expression
 * is something else.
 */
#ifndef DYN_PLAN_MATCH_FIELD_H
#define DYN_PLAN_MATCH_FIELD_H

#include "preds.h"
#include "rel_plan.h"

/* A column of the table. */
extern bool dyn_match_any_column(const DynRelPlan *plan, Node *node,
								 DynField *field);

/* One that is not an element's: those have no place in the item. */
extern bool dyn_match_column(const DynRelPlan *plan, Node *node,
							 DynField *field);

/*
 * A column, or a jsonb column under constant path operators (->, ->>, #>,
 * #>>).  Sets *as_text if the last operator returns text.
 */
extern bool dyn_match_field(const DynRelPlan *plan, Node *node, DynField *field,
							bool *as_text);

/*
 * The same, ignoring casts that do not affect a comparison.  A field below a
 * jsonb column has no codec of its own, so only its text can be compared.
 */
extern bool dyn_match_comparand(const DynRelPlan *plan, Node *node,
								DynField *field, bool *as_text);

#endif
