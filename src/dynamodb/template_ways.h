/*
 * template_ways.h
 *		Enumerates all ways to split a text by a key template.
 *
 * dyn_template_split() finds one way, in linear time.  If a column occurs in
 * several texts, and one of them can be split in more than one way, the ways
 * have to be tried together: this enumerates the ways of one text.
 */
#ifndef DYN_DYNAMODB_TEMPLATE_WAYS_H
#define DYN_DYNAMODB_TEMPLATE_WAYS_H

#include "template.h"

/*
 * A callback for each way; `values` are those of dyn_template_split().
 * Returns true if no other way is needed.
 */
typedef bool (*DynWayFound) (void *arg, const DynText *values);

typedef struct DynWays
{
	const DynTemplate *tmpl;	/* template (resolved) */
	DynText		text;

	/*
	 * texts of parts, not folded, where they are known.  data NULL: any text
	 * that the part may have, or any that is not empty, if it is read from
	 * elsewhere.  Known texts of folded parts that are not ASCII are not
	 * compared.
	 */
	const DynText *known;

	bool		guess;			/* true if undecided parts may contain their
								 * separators */
	DynWayFound found;
	void	   *arg;
	int		   *steps;			/* steps that are left; negative: given up */
} DynWays;

/* Returns true if `found` returned true, or no steps are left. */
extern bool dyn_template_ways(const DynWays *ways);

#endif
