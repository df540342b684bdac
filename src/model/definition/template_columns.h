/*
 * template_columns.h
 *		Connects the templates of the table option key_templates with columns.
 *
 * A template such as ORDER#${id} composes a string attribute from columns
 * (dynamodb/template_text.h).  Its placeholders are called parts.  Each column
 * is read from one source: an attribute, a path, or a part.  If the column is
 * also in other parts, their texts must match the value from this source.
 *
 * An item is a row only if the key attributes of the table match their
 * templates.  Other templates only supply values and access paths.
 *
 * A template that is a single part, such as ${id}, may also belong to a number
 * attribute; then the part's text is the number's digits.
 */
#ifndef DYN_MODEL_TEMPLATE_COLUMNS_H
#define DYN_MODEL_TEMPLATE_COLUMNS_H

#include "access/attnum.h"
#include "nodes/bitmapset.h"
#include "nodes/pg_list.h"

#include "../../dynamodb/metadata.h"
#include "../../dynamodb/template_text.h"
#include "column.h"

typedef struct DynPart
{
	AttrNumber	attnum;			/* number of the column */
	bool		source;			/* true if the column is read from this part */
	DynColumn	column;			/* copy with the part's codec and traits */
} DynPart;

typedef struct DynTemplatedAttr
{
	const DynPath *path;		/* path of the attribute */
	bool		base;			/* true for a key attribute of the table */
	bool		listed;			/* true if a statement may send one request for
								 * each value that a part lists, as in
								 * ${type:A|B}; never true for a key attribute
								 * of the table */
	bool		unasserted;		/* true if the attribute may differ from the
								 * string that the template composes, and
								 * columns with document 'rest' show it in the
								 * items where it differs */
	DynType		type;			/* type of the key attribute; ABSENT if it is
								 * unknown, or the attribute is in no key */
	DynTemplate *tmpl;
	DynPart    *parts;			/* tmpl->nparts elements */
} DynTemplatedAttr;

/* Returns true if the option's text is valid; else sets *why to a hint. */
extern bool dyn_templates_check(const char *text, const char **why);

/*
 * Returns the option's templates, not yet connected with columns, and sets *n
 * to their number.  Raises an error if the text is not valid.  A reset of
 * CurrentMemoryContext frees the result, including its malloc'd memory.
 */
extern DynTemplatedAttr *dyn_templates_parse(const char *text, int *n);

/*
 * Connects the parts with the columns, and sets the source of each column.
 * `base` is the table's key.  Raises an error if a column does not exist, has
 * no source, or cannot be encoded.  `meta` (may be NULL) and `table`, the
 * foreign table's name, are for error messages.
 */
extern void dyn_templated_connect(DynTemplatedAttr *templated, int n, DynColumn *columns,
								  int ncolumns, const DynKeyAttr *base, int nbase,
								  const DynTableMeta *meta, const char *table);

/*
 * Sets needed[i] to true if a scan that reads the columns `attnums` must split
 * attribute i by its template.  There are three reasons to split an attribute:
 * - It decides which items are rows (`base` or `listed` is true).
 * - It supplies a column of `attnums`, or of a needed attribute's template.
 * - A column in `attnums` with document 'rest' shows the attribute if it
 *   differs from the string of its template (`unasserted` is true).
 *
 * Returns the paths (DynPath *) of the needed attributes, and the paths of
 * their templates' columns, except columns that are read from a template.
 */
extern List *dyn_templated_paths(const DynTemplatedAttr *templated, int n,
								 const DynColumn *columns,
								 const Bitmapset *attnums, bool *needed);

/* Returns true if a template with only this part suits a number attribute. */
extern bool dyn_part_may_be_number(const DynTemplatePart *part,
								   const DynCodec *codec);

/* Returns true if the part loses the case of letters, or digits of a time. */
extern bool dyn_part_is_one_way(const DynTemplatePart *part);

/*
 * Returns the number of values that the part can have in rows, if they can be
 * enumerated: words, integers, or booleans in the table's key; else 0.
 */
extern uint64 dyn_templated_members(const DynTemplatedAttr *templated, int part);

/*
 * If part `p` shows a time column in some unit (such as ${at:year}), returns
 * the part whose text determines that of `p`: the first part that shows the
 * finest unit of the same column in the same time zone (such as ${at:month}).
 * Considers only the first `n` parts, where n > p.  Returns NULL if `p` itself
 * is this part, or has no unit.
 */
extern const DynPart *dyn_templated_determiner(const DynTemplatedAttr *templated,
											   int p, int n);

/* Returns the name of the attribute (UTF-8). */
static inline const char *
dyn_templated_name(const DynTemplatedAttr *templated)
{
	return templated->path->steps[0].name;
}

extern Bitmapset *dyn_templated_columns(const DynTemplatedAttr *templated);

/* Returns the template's text, without modifiers, for messages. */
extern const char *dyn_templated_text(const DynTemplatedAttr *templated);

#endif
