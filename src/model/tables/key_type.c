/*
 * key_type.c
 *		Detects columns whose type does not match the type of a key
 *		attribute.
 *
 * The type of a key attribute is known before an item is read.  Without this
 * check, a condition on such a column would be a filter that selects nothing:
 * the table would seem to be empty.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "../../base/attributes.h"
#include "../server/encoding.h"
#include "key_type.h"

bool
dyn_column_shows(const DynColumn *column, const char *attribute)
{
	return !column->dropped && dyn_column_is_of_item(column) &&
		!dyn_column_is_part(column) && !dyn_column_is_document(column) &&
		dyn_path_is_attribute(column->path, attribute);
}

static const char *
hint_of(const DynCodec *codec, DynType type)
{
	if (dyn_codec_is_instant(codec) && type == DYN_TYPE_N)
		return "Set the column option \"format\" to \"epoch\" for seconds, or to \"epoch_ms\" for milliseconds.";
	if (codec->wire == DYN_TYPE_N && type == DYN_TYPE_S)
		return "Change the column type to text. If the key contains numbers as text, set the column option \"format\" to \"string\" instead.";
	return psprintf("Change the column type to %s.",
					type == DYN_TYPE_S ? "text" : type == DYN_TYPE_N ? "numeric"
					: "bytea");
}

/*
 * Returns the attribute of the table's own key that the column shows and whose
 * values it cannot hold, or NULL.  Each row would be an error there, and a
 * condition on it would select nothing.
 *
 * Columns with a format, or under on_mismatch 'null', are not checked.  Keys
 * of indexes are not checked either, since an older item may have any type
 * there.
 */
static const DynKeyAttr *
unmatched_attribute(const DynRelation *relation, const DynTableMeta *meta,
					AttrNumber attnum)
{
	const DynColumn *column = dyn_relation_column(relation, attnum);
	const DynKeyAttr *attrs[] = {&meta->key.hash[0],
	meta->key.nrange > 0 ? &meta->key.range[0] : NULL};

	if (column->dropped)
		return NULL;
	for (int i = 0; i < lengthof(attrs); i++)
	{
		if (attrs[i] != NULL && dyn_column_shows(column, attrs[i]->name) &&
			dyn_column_rejects(column, attrs[i]->type))
			return attrs[i];
	}
	return NULL;
}

DYN_NORETURN static void
report_no_match(const DynRelation *relation, const DynColumn *column,
				const DynKeyAttr *attr, const char *role)
{
	const char *name = dyn_from_utf8_lossy(attr->name);

	ereport(ERROR,
			(errcode(ERRCODE_FDW_INVALID_DATA_TYPE),
			 errmsg("column \"%s\" of foreign table \"%s\" has type %s, but key attribute \"%s\" has DynamoDB type %s",
					column->name, relation->name,
					format_type_be(column->codec.typid), name,
					dyn_type_name(attr->type)),
			 errdetail("The %s \"%s\" of DynamoDB table \"%s\" has this type in every item, so the column can never match.",
					   role, name, relation->table),
			 errhint("%s", hint_of(&column->codec, attr->type))));
}

const DynTableMeta *
dyn_key_type_check(const DynRelation *relation, const DynTableMeta *meta,
				   AttrNumber attnum)
{
	const DynKeyAttr *attr;

	if (unmatched_attribute(relation, meta, attnum) == NULL)
		return meta;
	dyn_session_forget_table(relation->connection, relation->table);
	meta = dyn_session_table(relation->connection, relation->table);
	attr = unmatched_attribute(relation, meta, attnum);
	if (attr != NULL)
		report_no_match(relation, dyn_relation_column(relation, attnum), attr,
						attr == &meta->key.hash[0] ? "partition key" : "sort key");
	return meta;
}
