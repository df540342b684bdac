/*
 * template_columns.h
 *		Connects templates with columns: the table option key_templates.
 *
 * A template defines how a string attribute is composed from columns
 * (dynamodb/template.h); here its parts are connected with the columns.  Each
 * column has one source: the value of an attribute or path, or one part of one
 * template.  A part that is its column's source is decoded from the attribute.
 * Any other part must match the value that the column has from its source.
 *
 * Templates of the table's key attributes decide which items are rows: their
 * texts must match.  Other templates supply values and access paths.
 *
 * A template of one part without literals may also belong to a number
 * attribute; then its digits are the part's text.
 */
#ifndef DYN_MODEL_TEMPLATE_COLUMNS_H
#define DYN_MODEL_TEMPLATE_COLUMNS_H

#include "access/attnum.h"
#include "nodes/bitmapset.h"
#include "nodes/pg_list.h"

#include "../../dynamodb/metadata.h"
#include "../../dynamodb/template.h"
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
	bool		base;			/* true if in the table's key */
	bool		listed;			/* true if it is in the key of an index (not of
								 * the table) whose enumerated parts may be
								 * requested */
	bool		unasserted;		/* true if rows may have another text in the
								 * attribute, which the column for the rest of
								 * the item then shows (relation.c) */
	DynType		type;			/* type of a key attribute, of the table or an
								 * index; ABSENT: none, or unknown */
	DynTemplate *tmpl;
	DynPart    *parts;			/* tmpl->nparts elements */
} DynTemplatedAttr;

/*
 * Returns true if the text is valid for key_templates; otherwise sets *why to
 * a hint.
 */
extern bool dyn_templates_check(const char *text, const char **why);

/*
 * Parses the option into CurrentMemoryContext, whose reset frees malloc'd
 * memory.  The parts are not connected yet.
 */
extern DynTemplatedAttr *dyn_templates_parse(const char *text, int *n);

/*
 * Connects the parts with the columns, and sets where the columns are read
 * from.  `base` is the table's key.  Raises an error if a column does not
 * exist, has no source, or cannot be encoded.  `meta` may be NULL; it is for
 * hints.  `table` is the foreign table's name.
 */
extern void dyn_templated_connect(DynTemplatedAttr *templated, int n, DynColumn *columns,
								  int ncolumns, const DynKeyAttr *base, int nbase,
								  const DynTableMeta *meta, const char *table);

/*
 * Returns the paths to read, as a List of DynPath *.  Texts are split for the
 * table's key, for `listed` templates, and for the columns in `attnums`; parts
 * whose columns are read from other attributes are compared with these.  The
 * column for the rest of the item needs all unasserted texts.  Sets needed[i]
 * for templates whose texts are split.
 */
extern List *dyn_templated_paths(const DynTemplatedAttr *templated, int n,
								 const DynColumn *columns,
								 const Bitmapset *attnums, bool *needed);

/*
 * Returns true if an attribute of type N may consist of this part only;
 * `codec` is that of the column.
 */
extern bool dyn_part_may_be_number(const DynTemplatePart *part,
								   const DynCodec *codec);

/*
 * Returns true if the part's text does not determine the column's value: its
 * letters are folded, or its time is truncated.
 */
extern bool dyn_part_is_one_way(const DynTemplatePart *part);

/*
 * Returns the number of values that the part has in rows, if they are listed:
 * words, a range of integers, or in the table's key the booleans; else 0.
 */
extern uint64 dyn_templated_members(const DynTemplatedAttr *templated, int part);

/* Returns the name of the attribute (UTF-8). */
static inline const char *
dyn_templated_name(const DynTemplatedAttr *templated)
{
	return templated->path->steps[0].name;
}

/*
 * Returns the template without specifications, in the database's encoding,
 * such as user#${email}.
 */
extern const char *dyn_templated_text(const DynTemplatedAttr *templated);

#endif
