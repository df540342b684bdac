/*
 * template_ways.h
 *		All ways in which a text may be cut by a key template.
 *
 * dyn_template_split() takes one way, in linear time.  Where a column occurs in
 * several texts, one of which can be cut in more than one way, they have to be
 * tried together: this enumerates the ways of one text.
 */
#ifndef DYN_DYNAMODB_TEMPLATE_WAYS_H
#define DYN_DYNAMODB_TEMPLATE_WAYS_H

#include "template.h"

/* `values` as of dyn_template_split(); true: no other way is needed. */
typedef bool (*DynWayFound) (void *arg, const DynText *values);

typedef struct DynWays
{
	const DynTemplate *tmpl;	/* resolved */
	DynText		text;

	/*
	 * The texts of parts, not folded, where they are known; data NULL: any text
	 * that the part may have, or that is not empty, if it is read from elsewhere.  Known texts of
	 * folded parts that are not ASCII are not compared.
	 */
	const DynText *known;

	bool		guess;			/* undecided parts may contain their edges */
	DynWayFound found;
	void	   *arg;
	int		   *steps;			/* that are left; negative: given up */
} DynWays;

/* True if `found` was satisfied, or no steps are left. */
extern bool dyn_template_ways(const DynWays *ways);

#endif
