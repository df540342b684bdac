/*
 * write_map.c
 *		Determines which tables and columns can be written.
 */
#include "postgres.h"

#include "foreign/foreign.h"
#include "utils/lsyscache.h"

#include "../../base/macros.h"
#include "../server/encoding.h"
#include "write_map.h"

/* ---- opening a write map ---- */

/*
 * Returns the source of a key attribute, or a source without any field set.  A
 * template takes precedence, because it decides which items are rows.
 */
static DynKeySource
find_source(const DynRelation *relation, const DynKeyAttr *attr)
{
	DynKeySource source = {dyn_relation_templated(relation, attr->name), 0, NULL};

	if (source.templated != NULL)
		return source;
	for (int i = 0; i < relation->ncolumns; i++)
	{
		const DynColumn *column = &relation->columns[i];

		if (dyn_column_shows(column, attr->name) &&
			column->codec.wire == attr->type && column->traits.point)
		{
			source.attnum = i + 1;
			return source;
		}
	}
	for (int i = 0; i < relation->item_filter.nterms; i++)
	{
		const DynFilterTerm *term = &relation->item_filter.terms[i];

		if (source.constant == NULL && !term->ttl && !term->or_null &&
			term->nvalues == 1 && term->values[0].type == attr->type &&
			dyn_path_is_attribute(term->path, attr->name))
			source.constant = &term->values[0];
	}
	return source;
}

static const char *
why_unassignable(const DynColumn *column)
{
	bool		in_list = !dyn_column_is_of_item(column);

	if (dyn_column_is_document(column))
		return "The column shows the item, or its unmapped attributes.";
	if (column->segments > 0)
		return "DynamoDB derives the segment from the key of the item.";
	if (column->codec.format.kind == DYN_FORMAT_ULID ||
		dyn_format_truncates(&column->codec.format))
		return "The attribute contains more than the column shows.";
	for (int i = 0; i < column->path->nsteps; i++)
		in_list |= column->path->steps[i].name == NULL;
	return in_list ? "The path of the column leads into a list." : NULL;
}

static bool
have_overlaps(const DynWriteMap *map)
{
	const DynRelation *relation = map->relation;
	const DynPath **paths = palloc((relation->ncolumns + relation->ntemplated + 1) * sizeof(DynPath *));
	int			n = 0;

	for (int i = 0; i < relation->ncolumns; i++)
	{
		const DynColumn *column = &relation->columns[i];

		if (!column->dropped && !dyn_column_is_part(column) &&
			!bms_is_member(i + 1, map->unassignable))
			paths[n++] = column->path;
	}
	for (int i = 0; i < relation->ntemplated; i++)
		paths[n++] = relation->templated[i].path;
	for (int i = 0; i < n; i++)
	{
		for (int j = 0; j < n; j++)
		{
			if (i != j && dyn_path_is_inside(paths[i], paths[j]))
				return true;
		}
	}
	return false;
}

DynWriteMap *
dyn_write_map_open(Oid relid, Oid user)
{
	DynRelation *relation = dyn_relation_open(relid, user);
	const DynTableMeta *meta = dyn_session_table(relation->connection, relation->table);
	DynWriteMap *map = palloc0(sizeof(DynWriteMap));

	dyn_relation_connect_described(relation, meta);
	map->relation = relation;
	map->meta = meta;
	map->nparts = meta->key.nhash + meta->key.nrange;
	for (int i = 0; i < map->nparts; i++)
	{
		const DynKeySource source = find_source(relation, dyn_key_attr(&meta->key, i));

		map->sources[i] = source;
		if (source.attnum != 0)
			map->key_columns = bms_add_member(map->key_columns, source.attnum);
		else if (source.templated != NULL)
			map->key_columns = bms_add_members(map->key_columns,
											   dyn_templated_columns(source.templated));
	}
	for (int i = 0; i < relation->ncolumns; i++)
	{
		const DynColumn *column = &relation->columns[i];

		if (column->dropped)
			continue;
		if (dyn_column_is_document(column))
			map->documents = bms_add_member(map->documents, i + 1);
		if (why_unassignable(column) != NULL)
			map->unassignable = bms_add_member(map->unassignable, i + 1);
		if (column->path->nsteps == 1 && dyn_column_is_of_item(column) &&
			dyn_is_in_key(&meta->key, column->path->steps[0].name))
			map->from_key = bms_add_member(map->from_key, i + 1);
	}
	map->overlaps = have_overlaps(map);
	return map;
}

/* ---- checks of tables and columns ---- */

DYN_NORETURN static void
report_no_source(const DynWriteMap *map, const DynKeyAttr *attr)
{
	const DynRelation *relation = map->relation;
	const char *name = dyn_from_utf8_lossy(attr->name);
	const DynColumn *shown = NULL;
	bool		is_type;		/* true if `shown` stores the key's type */

	for (int i = 0; i < relation->ncolumns && shown == NULL; i++)
	{
		if (dyn_column_shows(&relation->columns[i], attr->name))
			shown = &relation->columns[i];
	}
	is_type = shown != NULL && shown->codec.wire == attr->type;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cannot write foreign table \"%s\", because its columns do not determine key attribute \"%s\"",
					relation->name, name),
			 shown == NULL
			 ? errdetail("No column, template or item_filter contains the attribute.")
			 : !is_type
			 ? errdetail("Column \"%s\" does not store DynamoDB type %s, the type of the key.",
						 shown->name, dyn_type_name(attr->type))
			 : errdetail("Column \"%s\" does not have a unique encoding for each of its values.",
						 shown->name),
			 is_type
			 ? errhint("Give column \"%s\" a type or format with a unique encoding, such as text, iso8601(3) or padded(10).",
					   shown->name)
			 : errhint("Add a column of another type with the option attribute '%s', or a template of the attribute to the table option key_templates.",
					   name)));
}

void
dyn_write_map_permit(Oid relid, CmdType operation)
{
	const char *name = get_rel_name(relid);

	if (dyn_relation_is_updatable(relid))
		return;
	if (dyn_option_text(GetForeignTable(relid)->options, "unnest") != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot write foreign table \"%s\", because its rows are not items",
						name),
				 errdetail("The table has the option unnest."),
				 errhint("Use a foreign table without unnest, with an array or jsonb column.")));
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("foreign table \"%s\" does not allow %s", name,
					operation == CMD_INSERT ? "inserts"
					: operation == CMD_UPDATE ? "updates" : "deletes"),
			 errhint("Set the option \"updatable\" of the foreign table, or of its server, to on. ROLLBACK cannot undo writes to DynamoDB.")));
}

void
dyn_write_map_require(const DynWriteMap *map, CmdType operation)
{
	dyn_write_map_permit(map->relation->relid, operation);
	for (int i = 0; i < map->nparts; i++)
	{
		const DynKeySource *source = &map->sources[i];

		if (source->templated == NULL && source->attnum == 0 && source->constant == NULL)
			report_no_source(map, dyn_key_attr(&map->meta->key, i));
	}
	/* if item_filter permits several values, the row must choose one */
	for (int i = 0; operation == CMD_INSERT && i < map->relation->item_filter.nterms; i++)
	{
		const DynFilterTerm *term = &map->relation->item_filter.terms[i];

		if (!term->ttl && !term->or_null && term->nvalues > 1 &&
			!dyn_write_map_names(map, term))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("cannot insert into foreign table \"%s\", because no column contains attribute \"%s\"",
							map->relation->name,
							dyn_from_utf8_lossy(dyn_filter_term_attribute(term))),
					 errdetail("The item_filter of the table has several values for the attribute."),
					 errhint("Add a column for the attribute, with one of the values as its DEFAULT.")));
	}
}

void
dyn_write_map_require_column(const DynWriteMap *map, AttrNumber attnum)
{
	const DynColumn *column = dyn_relation_column(map->relation, attnum);

	if (bms_is_member(attnum, map->unassignable))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot assign to column \"%s\" of foreign table \"%s\"",
						column->name, map->relation->name),
				 errdetail("%s", why_unassignable(column)),
				 column->segments > 0 ? errhint("Omit the column.")
				 : dyn_column_is_document(column)
				 ? errhint("Assign to columns of the attributes instead.")
				 : errhint("Assign to a column of the attribute \"%s\" instead.",
						   dyn_from_utf8_lossy(column->path->steps[0].name))));
	if (bms_is_member(attnum, map->from_key))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot change column \"%s\" of foreign table \"%s\"",
						column->name, map->relation->name),
				 errdetail("DynamoDB cannot change the primary key of an item."),
				 errhint("Insert a new row, and delete the old one.")));
}

bool
dyn_write_map_names(const DynWriteMap *map, const DynFilterTerm *term)
{
	const char *attribute = dyn_filter_term_attribute(term);

	for (int i = 0; i < map->relation->ncolumns; i++)
	{
		if (!bms_is_member(i + 1, map->unassignable) &&
			dyn_column_shows(&map->relation->columns[i], attribute))
			return true;
	}
	return dyn_relation_templated(map->relation, attribute) != NULL;
}
