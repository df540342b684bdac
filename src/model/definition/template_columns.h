/*
 * template_columns.h
 *		Attributes that are spelled from columns: the table option key_templates.
 *
 * A template says how a string attribute is composed of columns
 * (dynamodb/template.h); here its parts are connected with the columns.  Each
 * column has one source: the value of an attribute or path, or one part of one
 * template.  A part that is its column's source is decoded from the attribute.
 * Any other part must spell the value that the column has from its source.
 *
 * Templates of the table's key attributes decide which items are rows: their
 * texts must fit.  The others supply values and access paths.
 *
 * A template of one part without literals is also that of a number attribute,
 * whose digits are the part's text.
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
	AttrNumber	attnum;			/* of the column */
	bool		source;			/* the column is read from here */
	DynColumn	column;			/* as it is spelled here: codec, traits */
} DynPart;

typedef struct DynTemplatedAttr
{
	const DynPath *path;		/* of the attribute */
	bool		base;			/* in the table's key */
	bool		listed;			/* no key of the table, but of an index whose
								 * enumerated parts may be asked for */
	bool		unproven;		/* rows may have another text there, which the
								 * rest of the item shows (documents.h) */
	DynType		type;			/* of a key attribute, of the table or of an
								 * index; ABSENT: of none, or not known */
	DynTemplate *tmpl;
	DynPart    *parts;			/* tmpl->nparts */
} DynTemplatedAttr;

/* True if it is a value for templates; otherwise *why is a hint. */
extern bool dyn_templates_check(const char *text, const char **why);

/*
 * Parses the option into CurrentMemoryContext, whose reset frees what is
 * malloc'd.  The parts are not connected yet.
 */
extern DynTemplatedAttr *dyn_templates_parse(const char *text, int *n);

/*
 * Connects the parts with the columns, `base` being the table's key, and sets
 * where the columns are read from.  Raises an error if a column does not
 * exist, has no source, or cannot be spelled.  `meta` may be NULL; it is for
 * hints.  `table` is the foreign table's name.
 */
extern void dyn_templated_connect(DynTemplatedAttr *templated, int n, DynColumn *columns,
								  int ncolumns, const DynKeyAttr *base, int nbase,
								  const DynTableMeta *meta, const char *table);

/*
 * The paths that must be read to cut the texts of the table's key, of listed
 * ones, and of the columns with these attribute numbers, and to compare them with columns that
 * are read from elsewhere.  The rest of the item needs all unproven texts.  A
 * List of DynPath *; sets needed[i] for templates that are cut.
 */
extern List *dyn_templated_paths(const DynTemplatedAttr *templated, int n,
								 const DynColumn *columns,
								 const Bitmapset *attnums, bool *needed);

/*
 * May an attribute of type N be only this part, `codec` being that of the
 * column?
 */
extern bool dyn_part_may_be_number(const DynTemplatePart *part,
								   const DynCodec *codec);

/* The name of the attribute; UTF-8. */
extern const char *dyn_templated_name(const DynTemplatedAttr *templated);

/* The template, without specs, in the database's encoding: user#${email}. */
extern const char *dyn_templated_text(const DynTemplatedAttr *templated);

#endif
