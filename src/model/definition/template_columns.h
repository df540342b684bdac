/*
 * template_columns.h
 *		Connects the templates of the table option key_templates with columns.
 *
 * A template defines how a string attribute is composed from columns
 * (dynamodb/template_text.h); here its parts are connected with the columns.
 * Each column has one source: the value of an attribute or path, or one part
 * of one template.  A part that is the source of its column is decoded.  Any
 * other part must match the value that its column has from the column's
 * source.
 *
 * An item is a row only if its values of the table's key attributes match
 * their templates.  Other templates supply values and access paths.
 *
 * A template of one part without literals may also belong to a number
 * attribute; then the number's digits are the text of the part.
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
	DynColumn	column;			/* copy of the column, with the part's codec
								 * and traits */
} DynPart;

typedef struct DynTemplatedAttr
{
	const DynPath *path;		/* path of the attribute */
	bool		base;			/* true if it is a key attribute of the
								 * table */
	bool		listed;			/* true if the attribute is in the key of an
								 * index, but not of the table, and statements
								 * can request the values that a part
								 * enumerates */
	bool		unasserted;		/* true if the attribute may differ from the
								 * string that the template composes from a
								 * row's columns; a column with document
								 * 'rest' then shows the attribute
								 * (relation.c) */
	DynType		type;			/* type of a key attribute of the table or an
								 * index; ABSENT for other attributes, and if
								 * the keys are unknown */
	DynTemplate *tmpl;
	DynPart    *parts;			/* tmpl->nparts elements */
} DynTemplatedAttr;

/* Returns true if the text is valid; else sets *why to a hint. */
extern bool dyn_templates_check(const char *text, const char **why);

/*
 * Returns the templates of the option, not connected yet, and sets *n to their
 * number.  A reset of CurrentMemoryContext frees the result, including its
 * malloc'd memory.
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
 * Sets needed[i] if values of attribute i must be split by its template: if
 * the attribute is in the table's key, is `listed`, or is the source of a
 * column in `attnums` or in another needed template.  A column with document
 * 'rest' also needs all unasserted attributes.  Returns the paths (DynPath *)
 * of the needed attributes, and of the columns that occur in their templates
 * but are read from elsewhere, since the parts are compared with these
 * columns.
 */
extern List *dyn_templated_paths(const DynTemplatedAttr *templated, int n,
								 const DynColumn *columns,
								 const Bitmapset *attnums, bool *needed);

/* Returns true if a template of this part alone can be of a number. */
extern bool dyn_part_may_be_number(const DynTemplatePart *part,
								   const DynCodec *codec);

/* Returns true if the part has folded letters or a truncated time. */
extern bool dyn_part_is_one_way(const DynTemplatePart *part);

/*
 * Returns the number of values that the part can have in rows, if they can be
 * enumerated: words, a range of integers, or (in the table's key) booleans.
 * Otherwise returns 0.
 */
extern uint64 dyn_templated_members(const DynTemplatedAttr *templated, int part);

/* Returns the name of the attribute (UTF-8). */
static inline const char *
dyn_templated_name(const DynTemplatedAttr *templated)
{
	return templated->path->steps[0].name;
}

/* Returns the columns of the template's parts. */
extern Bitmapset *dyn_templated_columns(const DynTemplatedAttr *templated);

/* Returns the template without modifiers (user#${email}) for messages. */
extern const char *dyn_templated_text(const DynTemplatedAttr *templated);

#endif
