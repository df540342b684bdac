/*
 * relation.c
 *		Reads a foreign table's definition from the catalogs.
 *
 * An option that is not set is inherited: by a column from its table, by a
 * table from its server.  Otherwise a built-in default applies.
 *
 * The types of key attributes are known before an item is read.  So this file
 * also detects a column whose type does not match its key attribute.  A
 * condition on such a column would select nothing, as if the table were empty.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "foreign/foreign.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/partcache.h"
#include "utils/rel.h"

#include "../../base/text.h"
#include "../../dynamodb/template_text.h"
#include "../definition/closest.h"
#include "../server/encoding.h"
#include "../server/pg_compat.h"
#include "../session/guc.h"
#include "../values/path.h"
#include "relation.h"

static const char *const on_mismatch_words[] = {"error", "null", NULL};

static void
read_path(DynColumn *column, const DynRelation *relation, List *options)
{
	const char *text = dyn_option_text(options, "path");
	const char *attribute = dyn_option_text(options, "attribute");
	const char *why;

	column->placed = column->document != DYN_NO_DOCUMENT || text != NULL ||
		column->segments > 0 || attribute != NULL;
	if (column->segments > 0)
		column->path = dyn_path_of_attribute(DYN_SEGMENT_NAME);
	else if (column->document != DYN_NO_DOCUMENT)
		column->path = dyn_path_of_item();
	else if (text == NULL)
		column->path = dyn_path_of_attribute(dyn_to_utf8(attribute ? attribute : column->name));
	else
	{
		column->path = dyn_path_parse(text, &column->base, &why);
		if (column->path == NULL)
			dyn_option_invalid("path", text, why);
	}
	if (dyn_column_is_of_item(column))
		return;
	if (relation->unnest == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_INCONSISTENT_DESCRIPTOR_INFORMATION),
				 errmsg("path \"%s\" of column \"%s\" of foreign table \"%s\" requires table option \"unnest\"",
						text, column->name, relation->name),
				 errhint("Set the table option \"unnest\" to the path of a list, set or map. If the path is the name of an attribute, write it in double quotes.")));
	column->below = column->path;
	column->path = relation->unnest;
}

static void
check_segment(const DynColumn *column, const DynRelation *relation)
{
	const DynCodec *codec = &column->codec;

	if (!dyn_codec_is_integer(codec) || codec->is_domain)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_INVALID_DATA_TYPE),
				 errmsg("column \"%s\" with option \"segment\" must have type smallint, integer or bigint",
						column->name),
				 errhint("Change the type with ALTER FOREIGN TABLE ... ALTER COLUMN ... TYPE integer, or drop the option.")));
	if (column->segments - 1 > dyn_codec_facts[codec->kind].most)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_INVALID_DATA_TYPE),
				 errmsg("column \"%s\" of type %s cannot hold the numbers of %d segments",
						column->name, format_type_be(codec->typid), column->segments),
				 errhint("Change the type with ALTER FOREIGN TABLE ... ALTER COLUMN ... TYPE integer.")));
	if (relation->segment_column != 0)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_INCONSISTENT_DESCRIPTOR_INFORMATION),
				 errmsg("columns \"%s\" and \"%s\" of foreign table \"%s\" both have option \"segment\"",
						dyn_relation_column(relation, relation->segment_column)->name,
						column->name, relation->name),
				 errhint("Drop the option, or the column, from one of them. Use another foreign table for another number of segments.")));
}

static void
read_column(DynColumn *column, TupleDesc desc, int i,
			const DynRelation *relation)
{
	const FormData_pg_attribute *attr = TupleDescAttr(desc, i);
	List	   *options;
	const char *text;
	const char *why;
	DynFormat	format = {0};

	memset(column, 0, sizeof(*column));
	column->name = pstrdup(NameStr(attr->attname));
	/* skip a virtual generated column like a dropped one: core computes it */
	column->dropped = attr->attisdropped || dyn_is_virtual(attr);
	column->templated = -1;
	if (column->dropped)
		return;
	options = GetForeignColumnOptions(relation->relid, attr->attnum);
	column->not_null = dyn_is_never_null(desc, i);
	column->collation = attr->attcollation;
	column->null_on_mismatch =
		dyn_option_enum(options, "on_mismatch", on_mismatch_words,
						relation->skips_scalars) == 1;
	column->document = dyn_option_document(options);
	column->segments = dyn_option_int(options, "segment", 0);
	/* on_mismatch does not apply to a segment number, which is not stored */
	column->null_on_mismatch &= column->segments == 0;
	read_path(column, relation, options);
	text = dyn_option_text(options, "format");
	if (text != NULL && !dyn_format_parse(text, false, &format, &why))
		dyn_option_invalid("format", text, why);
	dyn_codec_init(&column->codec, attr->atttypid, attr->atttypmod, &format, column->name);
	/* checked here, because the options' validator does not know the type */
	if (column->document != DYN_NO_DOCUMENT && column->codec.basetype != JSONBOID)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_INVALID_DATA_TYPE),
				 errmsg("column \"%s\" with option \"document\" must have type jsonb",
						column->name),
				 errhint("Change the type with ALTER FOREIGN TABLE ... ALTER COLUMN ... TYPE jsonb, or drop the option.")));
	dyn_traits_init(column);
}

/*
 * Returns the attributes that a column with document 'rest' omits.  These are
 * the attributes that other columns show completely, those of templates, and
 * those that the item filter compares, except ttl_attribute.
 *
 * Also sets `unasserted` of each template (template_columns.h): true if the
 * attribute is shown in rows where it differs from what the template composes.
 * In each row, the table's key attributes equal what their templates compose,
 * since other items are not rows.  This does not hold if the template folds
 * letters.
 */
static DynNames *
attributes_shown(DynRelation *relation)
{
	DynNames   *names = palloc0(sizeof(DynNames));

	names->names = palloc((relation->ncolumns + relation->item_filter.nterms +
						   relation->ntemplated + 1) * sizeof(char *));
	for (int i = 0; i < relation->ncolumns; i++)
	{
		const DynColumn *column = &relation->columns[i];

		if (!column->dropped && dyn_column_is_of_item(column) &&
			!dyn_column_is_part(column) && column->path->nsteps == 1)
			names->names[names->n++] = column->path->steps[0].name;
	}
	for (int i = 0; i < relation->item_filter.nterms; i++)
	{
		if (!relation->item_filter.terms[i].ttl)
			names->names[names->n++] = dyn_filter_term_attribute(&relation->item_filter.terms[i]);
	}
	dyn_names_sort(names);
	/*
	 * a column with the option document 'rest' always omits the attributes
	 * that have been added to `names` so far
	 */
	for (int i = 0; i < relation->ntemplated; i++)
	{
		DynTemplatedAttr *templated = &relation->templated[i];
		const char *name = dyn_templated_name(templated);
		bool		is_asserted = templated->base;

		for (int p = 0; p < templated->tmpl->nparts; p++)
			is_asserted &= templated->tmpl->parts[p].folding == DYN_FOLD_NONE;
		templated->unasserted = !is_asserted && !dyn_names_have(names, name, strlen(name));
	}
	for (int i = 0; i < relation->ntemplated; i++)
		names->names[names->n++] = dyn_templated_name(&relation->templated[i]);
	dyn_names_sort(names);
	return names;
}

static void
finish_documents(DynRelation *relation)
{
	const DynNames *shown = NULL;

	for (int i = 0; i < relation->ncolumns; i++)
	{
		DynColumn  *column = &relation->columns[i];

		if (column->document != DYN_REST_OF_ITEM)
			continue;
		if (shown == NULL)
			shown = attributes_shown(relation);
		column->codec.members.without = shown;
	}
}

const char *
dyn_relation_quoted_name(const DynRelation *relation)
{
	const char *schema = NULL;

	if (!RelationIsVisible(relation->relid))
		schema = get_namespace_name(get_rel_namespace(relation->relid));
	return quote_qualified_identifier(schema, relation->name);
}

bool
dyn_relation_is_readable(const DynRelation *relation, const Bitmapset *columns)
{
	int			attnum = -1;

	if (pg_class_aclcheck(relation->relid, GetUserId(), ACL_SELECT) == ACLCHECK_OK)
		return true;
	if (columns == NULL)
		return pg_attribute_aclcheck_all(relation->relid, GetUserId(), ACL_SELECT,
										 ACLMASK_ALL) == ACLCHECK_OK;
	while ((attnum = bms_next_member(columns, attnum)) >= 0)
	{
		if (pg_attribute_aclcheck(relation->relid, attnum, GetUserId(),
								  ACL_SELECT) != ACLCHECK_OK)
			return false;
	}
	return true;
}

/* An ARN is a complete name, to which table_prefix is not added. */
const char *
dyn_relation_remote_name(const DynConnection *connection, const char *name,
						 List *options)
{
	const char *option = dyn_option_text(options, "table_name");

	if (option != NULL)
		name = option;
	if (strncmp(name, "arn:", 4) == 0)
		return pstrdup(name);
	return psprintf("%s%s", connection->table_prefix, name);
}

static void
read_options(DynRelation *relation, List *table)
{
	const char *unnest = dyn_option_text(table, "unnest");
	const char *text;
	const char *why;

	relation->table = dyn_relation_remote_name(relation->connection,
											   relation->name, table);
	relation->options = dyn_option_reads(table, &relation->connection->reads);
	relation->consistent = dyn_guc_consistent_read || relation->options.consistent;
	/* the server's option is a budget for all of its tables, not a default */
	relation->max_read_units_per_second = dyn_option_real(table, "max_read_units_per_second", 0);
	relation->max_write_units_per_second = dyn_option_real(table, "max_write_units_per_second", 0);
	relation->item_filter = dyn_item_filter(dyn_option_text(table, "item_filter"),
											dyn_option_text(table, "ttl_attribute"));
	relation->unnest = unnest ? dyn_path_parse(unnest, NULL, &why) : NULL;
	if (unnest != NULL && relation->unnest == NULL)
		dyn_option_invalid("unnest", unnest, why);
	relation->skips_scalars =
		dyn_option_enum(table, "on_mismatch", on_mismatch_words, 0) == 1;
	if ((text = dyn_option_text(table, "key_templates")) != NULL)
		relation->templated = dyn_templates_parse(text, &relation->ntemplated);
	if ((text = dyn_option_text(table, "trusted_indexes")) != NULL)
		relation->trusted_indexes = dyn_option_names(text);
}

bool
dyn_relation_is_updatable(Oid relid)
{
	ForeignTable *table = GetForeignTable(relid);
	ForeignServer *server = GetForeignServer(table->serverid);

	return dyn_option_bool(table->options, "updatable",
						   dyn_option_bool(server->options, "updatable", false)) &&
		dyn_option_text(table->options, "unnest") == NULL;
}

void
dyn_relation_connect(DynRelation *relation, const DynKeyAttr *base, int nbase,
					 const DynTableMeta *meta)
{
	if (relation->ntemplated == 0)
		return;
	Assert(!relation->connected);
	relation->connected = true;
	dyn_templated_connect(relation->templated, relation->ntemplated,
						  relation->columns, relation->ncolumns, base, nbase,
						  meta, relation->name);
	finish_documents(relation);
}

/*
 * Sets `listed` of each template: true if an index may be read by requesting
 * only the values that a placeholder of the template lists.  Such a read
 * misses items with other values, so all other statements raise an error for
 * them: otherwise, results would depend on the access path.
 */
static void
mark_listed(DynRelation *relation)
{
	for (int i = 0; i < relation->ntemplated; i++)
	{
		DynTemplatedAttr *templated = &relation->templated[i];

		templated->listed = false;
		if (templated->base || templated->type == DYN_TYPE_ABSENT)
			continue;
		for (int p = 0; p < templated->tmpl->nparts; p++)
			templated->listed |= dyn_part_is_enumerated(&templated->tmpl->parts[p]) &&
				templated->parts[p].column.traits.members &&
				(templated->parts[p].source || relation->trusted_indexes != NIL);
	}
}

void
dyn_relation_connect_described(DynRelation *relation, const DynTableMeta *meta)
{
	DynKeyAttr	base[2] = {meta->key.hash[0], meta->key.range[0]};
	ListCell   *lc;

	for (int i = 0; i < relation->ntemplated; i++)
	{
		const char *name = dyn_templated_name(&relation->templated[i]);
		const DynKeyAttr *attr = NULL;

		for (int k = 0; k <= meta->nindexes && attr == NULL; k++)
			attr = dyn_key_find(dyn_key_number(meta, k), name);
		relation->templated[i].type = attr != NULL ? attr->type : DYN_TYPE_ABSENT;
	}
	dyn_relation_connect(relation, base, meta->key.nrange > 0 ? 2 : 1, meta);
	mark_listed(relation);
	foreach(lc, relation->trusted_indexes)
	{
		const char *index = lfirst(lc);
		DynClosest	closest;

		if (dyn_metadata_index(meta, index) != NULL)
			continue;
		dyn_closest_init(&closest, index);
		for (int i = 0; i < meta->nindexes; i++)
			dyn_closest_try(&closest, meta->indexes[i].name);
		ereport(ERROR,
				(errcode(ERRCODE_FDW_INVALID_ATTRIBUTE_VALUE),
				 errmsg("DynamoDB table \"%s\" has no index \"%s\"",
						relation->table, index),
				 errdetail("The index is in the table option trusted_indexes of foreign table \"%s\".",
						   relation->name),
				 closest.best ? errhint("Perhaps you meant \"%s\".", closest.best) : 0));
	}
}

List *
dyn_relation_text_types(const DynRelation *relation)
{
	List	   *types = NIL;

	for (int i = 0; i < relation->ntemplated; i++)
		types = lappend_int(types, relation->templated[i].type);
	return types;
}

void
dyn_relation_set_text_types(DynRelation *relation, const List *types)
{
	Assert(list_length(types) == relation->ntemplated);
	for (int i = 0; i < relation->ntemplated; i++)
		relation->templated[i].type = list_nth_int(types, i);
	mark_listed(relation);
}

const DynTemplatedAttr *
dyn_relation_templated(const DynRelation *relation, const char *attribute)
{
	for (int i = 0; i < relation->ntemplated; i++)
	{
		if (dyn_path_is_attribute(relation->templated[i].path, attribute))
			return &relation->templated[i];
	}
	return NULL;
}

bool
dyn_relation_may_reject_items(const DynRelation *relation)
{
	if (relation->item_filter.nterms > 0)
		return true;
	for (int i = 0; i < relation->ntemplated; i++)
	{
		if (relation->templated[i].base)
			return true;
	}
	return false;
}

bool
dyn_relation_trusts(const DynRelation *relation, const char *index)
{
	ListCell   *lc;

	foreach(lc, relation->trusted_indexes)
	{
		if (strcmp(lfirst(lc), index) == 0)
			return true;
	}
	return false;
}

DynRelation *
dyn_relation_open(Oid relid, Oid userid)
{
	DynRelation *relation = palloc0(sizeof(DynRelation));
	ForeignTable *table = GetForeignTable(relid);
	Relation	rel = table_open(relid, NoLock);

	relation->relid = relid;
	relation->name = pstrdup(RelationGetRelationName(rel));
	relation->connection = dyn_session_connection(table->serverid,
												  OidIsValid(userid) ? userid : GetUserId());
	read_options(relation, table->options);
	relation->ncolumns = RelationGetDescr(rel)->natts;
	relation->columns = palloc(Max(relation->ncolumns, 1) * sizeof(DynColumn));
	for (int i = 0; i < relation->ncolumns; i++)
	{
		read_column(&relation->columns[i], RelationGetDescr(rel), i, relation);
		if (relation->columns[i].segments == 0)
			continue;
		check_segment(&relation->columns[i], relation);
		relation->segment_column = i + 1;
	}
	if (relation->ntemplated == 0)
		finish_documents(relation);
	table_close(rel, NoLock);
	return relation;
}

DynScanPolicy
dyn_relation_scan_policy(const DynRelation *relation)
{
	if (dyn_guc_scan_policy < 0)
		return relation->options.scan_policy;
	/* only superusers can set "allow", which loosens the option */
	if (dyn_guc_scan_policy == DYN_SCAN_ALLOW)
		return DYN_SCAN_ALLOW;
	return Max(relation->options.scan_policy, (DynScanPolicy) dyn_guc_scan_policy);
}

AttrNumber
dyn_relation_column_of(const DynRelation *relation, const DynKeyAttr *attr)
{
	for (int i = 0; i < relation->ncolumns; i++)
	{
		if (dyn_column_shows(&relation->columns[i], attr->name) &&
			relation->columns[i].codec.wire == attr->type)
			return i + 1;
	}
	return 0;
}

AttrNumber
dyn_relation_only_column_of(const DynRelation *relation, const DynKeyAttr *attr)
{
	AttrNumber	attnum = dyn_relation_column_of(relation, attr);
	const DynTemplatedAttr *templated;

	if (attnum != 0)
		return attnum;
	templated = dyn_relation_templated(relation, attr->name);
	return templated != NULL && templated->tmpl->nparts == 1 &&
		!dyn_codec_truncates(&templated->parts[0].column.codec)
		? templated->parts[0].attnum : 0;
}

const DynColumn *
dyn_relation_folded_column(const DynRelation *relation, const char *attribute)
{
	const DynColumn *folded = NULL;

	for (int i = 0; i < relation->ncolumns; i++)
	{
		const DynColumn *column = &relation->columns[i];

		if (dyn_column_shows(column, attribute))
			return NULL;
		if (!column->dropped && !column->placed && !dyn_column_is_part(column) &&
			dyn_compare_ignoring_case(column->path->steps[0].name, attribute) == 0)
			folded = column;
	}
	return dyn_relation_templated(relation, attribute) == NULL ? folded : NULL;
}

bool
dyn_column_shows(const DynColumn *column, const char *attribute)
{
	return !column->dropped && dyn_column_is_of_item(column) &&
		!dyn_column_is_part(column) && dyn_path_is_attribute(column->path, attribute);
}

/*
 * Returns the attribute of the table's key that the column shows, if the
 * column's type cannot hold the attribute's values; otherwise NULL.  Columns
 * with a format or on_mismatch 'null' are not checked.  Keys of indexes are
 * not checked, since items older than an index may have values of any type.
 */
static const DynKeyAttr *
unmatched_attribute(const DynRelation *relation, const DynTableMeta *meta,
					AttrNumber attnum)
{
	const DynColumn *column = dyn_relation_column(relation, attnum);

	for (int i = 0; i < meta->key.nhash + meta->key.nrange; i++)
	{
		const DynKeyAttr *attr = dyn_key_attr(&meta->key, i);

		if (dyn_column_shows(column, attr->name) &&
			dyn_column_rejects(column, attr->type))
			return attr;
	}
	return NULL;
}

const DynTableMeta *
dyn_key_type_check(const DynRelation *relation, const DynTableMeta *meta,
				   AttrNumber attnum)
{
	const DynKeyAttr *attr;
	const DynColumn *column;
	const char *name;

	if (unmatched_attribute(relation, meta, attnum) == NULL)
		return meta;
	dyn_session_forget_table(relation->connection, relation->table);
	meta = dyn_session_table(relation->connection, relation->table);
	attr = unmatched_attribute(relation, meta, attnum);
	if (attr == NULL)
		return meta;
	column = dyn_relation_column(relation, attnum);
	name = dyn_from_utf8_lossy(attr->name);
	ereport(ERROR,
			(errcode(ERRCODE_FDW_INVALID_DATA_TYPE),
			 errmsg("column \"%s\" of foreign table \"%s\" has type %s, but key attribute \"%s\" has DynamoDB type %s",
					column->name, relation->name,
					format_type_be(column->codec.typid), name,
					dyn_type_name(attr->type)),
			 errdetail("The %s \"%s\" of DynamoDB table \"%s\" has this type in every item, so the column can never match.",
					   attr == &meta->key.hash[0] ? "partition key" : "sort key",
					   name, relation->table),
			 dyn_codec_is_instant(&column->codec) && attr->type == DYN_TYPE_N
			 ? errhint("Set the column option \"format\" to \"epoch\" for seconds, or to \"epoch_ms\" for milliseconds.")
			 : column->codec.wire == DYN_TYPE_N && attr->type == DYN_TYPE_S
			 ? errhint("Change the column type to text. If the key contains numbers as text, set the column option \"format\" to \"string\" instead.")
			 : errhint("Change the column type to %s.",
					   attr->type == DYN_TYPE_S ? "text"
					   : attr->type == DYN_TYPE_N ? "numeric" : "bytea")));
}

bool
dyn_relation_same_table(const DynRelation *a, const DynRelation *b)
{
	return dyn_session_same_table(a->connection, a->table, b->connection, b->table);
}

List *
dyn_relation_segment_bounds(const DynRelation *relation, Relation rel)
{
	List	   *quals = relation->segment_column != 0 ? RelationGetPartitionQual(rel) : NIL;
	Bitmapset  *attnums = NULL;

	pull_varattnos((Node *) quals, 1, &attnums);
	return bms_is_member(relation->segment_column - FirstLowInvalidHeapAttributeNumber,
						 attnums) ? quals : NIL;
}
