/*
 * keys.c
 *		Composes strings with key templates, and splits them into columns:
 *		dynamo_fdw_encode_key() and dynamo_fdw_decode_key().
 *
 * With these functions, users can try templates without DynamoDB.  No request
 * is sent, so the key attributes are not known: a column that a template names
 * is assumed to be part of the key attribute that the template composes,
 * unless the column sets option "attribute".
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "../dynamodb/template_text.h"
#include "../model/definition/closest.h"
#include "../model/server/encoding.h"
#include "../model/server/memory.h"
#include "../model/server/pg_compat.h"
#include "../model/tables/relation.h"
#include "target.h"

PG_FUNCTION_INFO_V1(dynamo_fdw_encode_key);
PG_FUNCTION_INFO_V1(dynamo_fdw_decode_key);

/*
 * Returns the template of the attribute (argument 1), and sets *opened to the
 * foreign table (argument 0).  Treats all attributes with templates as key
 * attributes of the table.  The requested attribute comes first, so that a
 * column that occurs in several templates is read from this attribute.
 */
static const DynTemplatedAttr *
open_template(FunctionCallInfo fcinfo, DynRelation **opened)
{
	Oid			relid = PG_GETARG_OID(0);
	const char *attribute = dyn_to_utf8(text_to_cstring(PG_GETARG_TEXT_PP(1)));
	DynRelation *relation;
	Oid			owner = dyn_target_check(relid);
	const DynTemplatedAttr *templated;
	DynKeyAttr *base;
	DynClosest	closest;

	*opened = relation = dyn_relation_open(relid, GetUserId());
	templated = dyn_relation_templated(relation, attribute);
	dyn_closest_init(&closest, dyn_from_utf8_lossy(attribute));
	for (int i = 0; i < relation->ntemplated; i++)
		dyn_closest_try(&closest,
						dyn_from_utf8_lossy(dyn_templated_name(&relation->templated[i])));
	if (templated == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("foreign table \"%s\" has no template for attribute \"%s\"",
						relation->name, dyn_from_utf8_lossy(attribute)),
				 closest.best ? errhint("Perhaps you meant the attribute \"%s\".",
										closest.best)
				 : errhint("Use the name of an attribute in the table option key_templates, as it is in DynamoDB.")));
	base = palloc((relation->ntemplated + 1) * sizeof(DynKeyAttr));
	for (int i = 0; i <= relation->ntemplated; i++)
	{
		base[i].name = i == 0 ? attribute : dyn_templated_name(&relation->templated[i - 1]);
		base[i].type = DYN_TYPE_S;
	}
	dyn_relation_connect(relation, base, relation->ntemplated + 1, NULL);
	for (int p = 0; p < templated->tmpl->nparts; p++)
		dyn_target_check_column(&templated->parts[p].column, owner);
	return templated;
}

/* Raises an error for (misspelled) members that are not columns. */
static void
check_members(const DynRelation *relation, Jsonb *columns)
{
	JsonbIterator *it = JsonbIteratorInit(&columns->root);
	JsonbValue	value;

	(void) JsonbIteratorNext(&it, &value, true);
	while (JsonbIteratorNext(&it, &value, true) == WJB_KEY)
	{
		const char *name = pnstrdup(value.val.string.val, value.val.string.len);
		bool		found = false;
		DynClosest	closest;

		(void) JsonbIteratorNext(&it, &value, true);
		dyn_closest_init(&closest, name);
		for (int i = 0; i < relation->ncolumns; i++)
		{
			if (relation->columns[i].dropped)
				continue;
			found |= strcmp(relation->columns[i].name, name) == 0;
			dyn_closest_try(&closest, relation->columns[i].name);
		}
		if (!found)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("column \"%s\" of foreign table \"%s\" does not exist",
							name, relation->name),
					 closest.best ? errhint("Perhaps you meant the column \"%s\".", closest.best)
					 : 0));
	}
}

/* Returns false if the value is missing, or the template cannot contain it. */
static bool
encode_part(Jsonb *columns, const DynTemplatedAttr *templated, int p, DynText *encoded)
{
	const DynColumn *column = &templated->parts[p].column;
	const DynTemplatePart *part = &templated->tmpl->parts[p];
	DynScalar	scalar;
	const JsonbValue *member;
	Datum		as_text;
	Datum		value;
	Oid			input,
				ioparam;

	member = getKeyJsonValueFromContainer(&columns->root, column->name,
										  strlen(column->name), NULL);
	if (member == NULL || member->type == jbvNull)
		return false;
	as_text = DirectFunctionCall2(jsonb_object_field_text, JsonbPGetDatum(columns),
								  CStringGetTextDatum(column->name));
	getTypeInputInfo(column->codec.typid, &input, &ioparam);
	value = OidInputFunctionCall(input, TextDatumGetCString(as_text), ioparam,
								 column->codec.is_domain ? -1
								 : column->codec.typmod);
	if (dyn_codec_encode(&column->codec, column->codec.basetype, value,
						 &scalar) != DYN_ENCODED)
		return false;
	encoded->data = scalar.data;
	encoded->len = scalar.len;
	return dyn_part_holds(part, *encoded) == DYN_HOLDS_YES &&
		(!templated->parts[p].source || dyn_part_lists(part, *encoded));
}

Datum
dynamo_fdw_encode_key(PG_FUNCTION_ARGS)
{
	Jsonb	   *columns = PG_GETARG_JSONB_P(2);
	DynRelation *relation;
	const DynTemplatedAttr *templated = open_template(fcinfo, &relation);
	DynText		texts[DYN_TEMPLATE_MAX_PARTS];
	DynBuffer	buffer;
	char	   *key;
	size_t		len;
	const char *why;

	if (!JB_ROOT_IS_OBJECT(columns))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the columns must be a JSON object"),
				 errhint("Write an object such as {\"column\": value, ...}.")));
	check_members(relation, columns);
	for (int p = 0; p < templated->tmpl->nparts; p++)
	{
		if (!encode_part(columns, templated, p, &texts[p]))
			PG_RETURN_NULL();
	}
	dyn_buffer_init(&buffer, 0);
	(void) dyn_template_join(templated->tmpl, texts, &buffer);
	key = dyn_take_bytes(&buffer, &len);
	if (!dyn_from_utf8(&key, &len, &why))
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text_with_len(key, len));
}

/*
 * Adds the placeholder's column to the JSON object; to_jsonb() converts the
 * value.  Returns false if the text is not a valid value for the column.
 */
static bool
decode_part(const DynTemplatedAttr *templated, int p, DynText text, DynJsonbState *state)
{
	DynColumn  *column = &templated->parts[p].column;
	Oid			type = column->codec.basetype;
	DynValue	value = {text.data, text.len, DYN_TYPE_S, 0};
	Datum		datum;
	const char *why;
	FmgrInfo	function;
	Const	   *constant;
	JsonbValue	key,
				member;

	if (!dyn_part_lists(&templated->tmpl->parts[p], text) ||
		!dyn_codec_decode(&column->codec, &value, true, &datum, &why))
		return false;
	constant = makeConst(type, -1, InvalidOid, get_typlen(type), datum, false,
						 get_typbyval(type));
	fmgr_info(F_TO_JSONB, &function);
	fmgr_info_set_expr((Node *) makeFuncExpr(F_TO_JSONB, JSONBOID,
											 list_make1(constant), InvalidOid,
											 InvalidOid, COERCE_EXPLICIT_CALL), &function);
	if (!JsonbExtractScalar(&DatumGetJsonbP(FunctionCall1(&function, datum))->root,
							&member))
		elog(ERROR, "a placeholder of a template is not a scalar");
	key.type = jbvString;
	key.val.string.val = unconstify(char *, column->name);
	key.val.string.len = strlen(column->name);
	dyn_jsonb_push(state, WJB_KEY, &key);
	dyn_jsonb_push(state, WJB_VALUE, &member);
	return true;
}

Datum
dynamo_fdw_decode_key(PG_FUNCTION_ARGS)
{
	DynRelation *relation;
	const DynTemplatedAttr *templated = open_template(fcinfo, &relation);
	DynText		texts[DYN_TEMPLATE_MAX_PARTS];
	DynJsonbState state = {0};
	DynScalar	key;

	if (!dyn_encode_text(PG_GETARG_DATUM(2), &key) ||
		dyn_template_split(templated->tmpl, key.data, key.len, NULL,
						   texts) != DYN_SPLIT_MATCHES)
		PG_RETURN_NULL();
	dyn_jsonb_push(&state, WJB_BEGIN_OBJECT, NULL);
	for (int p = 0; p < templated->tmpl->nparts; p++)
	{
		/* texts of one column must agree, unless one is a truncated time */
		for (int other = 0; other < p; other++)
		{
			if (templated->parts[other].attnum == templated->parts[p].attnum &&
				!dyn_codec_truncates(&templated->parts[other].column.codec) &&
				!dyn_codec_truncates(&templated->parts[p].column.codec) &&
				!dyn_part_agrees(&templated->tmpl->parts[p], texts[p], texts[other]))
				PG_RETURN_NULL();
		}
		if (!dyn_part_is_one_way(&templated->tmpl->parts[p]) &&
			!decode_part(templated, p, texts[p], &state))
			PG_RETURN_NULL();
	}
	dyn_jsonb_push(&state, WJB_END_OBJECT, NULL);
	PG_RETURN_JSONB_P(JsonbValueToJsonb(state.result));
}
