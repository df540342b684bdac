/*
 * order.c
 *		Determines the order of an access plan's rows.
 *
 * A Query returns the items of one partition by sort key: by its attributes
 * that are not fixed to one value, or by the parts of their texts.
 */
#include "postgres.h"

#include "match_keys.h"
#include "match_template.h"

/* Returns false if the array is full. */
static bool
add_sort(DynAccess *access, const DynKeyAttr *attr, int part)
{
	if (access->nsort == lengthof(access->sort))
		return false;
	access->sort[access->nsort] = *attr;
	access->sort_parts[access->nsort++] = part;
	return true;
}

/*
 * Returns true if every item in the index has the column's value in the part,
 * so that the order of texts is that of values. trusted_indexes asserts this
 * for rows with all columns.
 */
static bool
part_is_sorted(const DynRelPlan *plan, const DynIndexMeta *index,
			   const DynTemplatedAttr *templated, int p)
{
	if (templated->parts[p].source || templated->base)
		return true;
	if (index == NULL || !dyn_relation_trusts(plan->relation, index->name))
		return false;
	for (int i = 0; i < templated->tmpl->nparts; i++)
	{
		if (!dyn_relation_column(plan->relation,
								 templated->parts[i].attnum)->not_null)
			return false;
	}
	return true;
}

/*
 * Returns true if requests can be merged by parts: the text alone must
 * determine their positions.
 */
static bool
can_merge_parts(const DynTemplatedAttr *templated, int bound)
{
	for (int p = 0; p < templated->tmpl->nparts; p++)
	{
		if (!templated->parts[p].source ||
			(templated->tmpl->parts[p].any && p < bound))
			return false;
	}
	return true;
}

/*
 * Adds the parts after fixed ones; false if from some part on the text is not
 * in the order of columns.
 */
static bool
sort_by_parts(const DynRelPlan *plan, const DynIndexMeta *index,
			  const DynTemplatedAttr *templated, const DynKeyAttr *attr, int bound,
			  DynAccess *access)
{
	for (int p = bound; p < templated->tmpl->nparts; p++)
	{
		if (!templated->tmpl->parts[p].ordered ||
			!part_is_sorted(plan, index, templated, p) ||
			!add_sort(access, attr, p))
			return false;
	}
	return true;
}

void
dyn_sort_attributes(const DynRelPlan *plan, const DynIndexMeta *index,
					const DynAccess *from, DynAccess *access)
{
	const DynKeySchema *key = index ? &index->key : &plan->meta->key;

	access->nsort = 0;
	for (int i = 0; i < key->nrange; i++)
	{
		const DynKeyAttr *attr = &key->range[i];
		const DynTemplatedAttr *templated = dyn_relation_templated(plan->relation, attr->name);

		/* an attribute with one value does not affect the order */
		if (access->nsort == 0 && i < from->nrange && from->range[i].values.single)
			continue;
		if (templated != NULL && dyn_relation_column_of(plan->relation, attr) == 0)
		{
			/* only for the first attribute each value gets its own request */
			int			bound = i >= from->nrange ? 0
				: i == 0 ? from->range[i].values.point_parts
				: from->range[i].values.one_value_parts;

			if ((from->multi_partition && !can_merge_parts(templated, bound)) ||
				!sort_by_parts(plan, index, templated, attr, bound, access))
				return;
		}
		else
			(void) add_sort(access, attr, DYN_FULL);
	}
}
