/*
 * jsonvalue.c
 *		Converts any DynamoDB value to jsonb: plain JSON, not DynamoDB-JSON.
 *
 * S becomes a string, N a number with all its digits, B a base64 string, BOOL
 * a boolean, NULL null, lists and sets arrays, maps objects.  The walk over a
 * validated slice cannot fail; only U+0000 cannot be represented.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

#include "../base/number.h"
#include "encoding.h"
#include "pg_compat.h"
#include "types.h"

static void
set_string(JsonbValue *jbv, char *text, size_t len)
{
	jbv->type = jbvString;
	jbv->val.string.val = text;
	jbv->val.string.len = len;
}

static bool
set_text(JsonbValue *jbv, const DynValue *v, const char **why)
{
	char	   *text = palloc(v->len + 1);
	size_t		len = dyn_value_text(v, text);

	text[len] = '\0';
	if (!dyn_from_utf8(&text, &len, why))
		return false;
	set_string(jbv, text, len);
	return true;
}

static bool
set_number(JsonbValue *jbv, const DynValue *v, const char **why)
{
	char		buf[DYN_NUMBER_BUFSIZE];
	size_t		len;

	if (dyn_number_canonical(v->data, v->len, buf, &len) != DYN_NUMBER_OK)
	{
		*why = "it contains a number that is not a valid DynamoDB number";
		return false;
	}
	jbv->type = jbvNumeric;
	jbv->val.numeric =
		DatumGetNumeric(DirectFunctionCall3(numeric_in, CStringGetDatum(buf),
											ObjectIdGetDatum(InvalidOid),
											Int32GetDatum(-1)));
	return true;
}

static bool
scalar_to_jsonb(const DynValue *v, JsonbValue *jbv, const char **why)
{
	switch (v->type)
	{
		case DYN_TYPE_N:
			return set_number(jbv, v, why);
		case DYN_TYPE_BOOL:
			jbv->type = jbvBool;
			jbv->val.boolean = (v->flags & DYN_VALUE_TRUE) != 0;
			return true;
		case DYN_TYPE_NULL:
			jbv->type = jbvNull;
			return true;
		case DYN_TYPE_B:
			set_string(jbv, pnstrdup(v->data, v->len), v->len);
			return true;
		default:
			Assert(v->type == DYN_TYPE_S);
			return set_text(jbv, v, why);
	}
}

/* Adds a value to the open object, if a name precedes it, or array. */
static JsonbValue *
push_member(JsonbParseState **state, JsonbValue *jbv, bool in_object)
{
	return pushJsonbValue(state, in_object ? WJB_VALUE : WJB_ELEM, jbv);
}

static bool
walk_container(DynWalk *walk, JsonbValue **result, const char **why)
{
	JsonbParseState *state = NULL;
	DynWalkEvent event;
	DynValue	v;
	bool		named = false;

	while ((event = dyn_walk_next(walk, &v)) != DYN_WALK_END)
	{
		JsonbValue	jbv;
		bool		object = (v.type == DYN_TYPE_M);

		switch (event)
		{
			case DYN_WALK_OPEN:
				*result = pushJsonbValue(&state, object ? WJB_BEGIN_OBJECT
										 : WJB_BEGIN_ARRAY, NULL);
				named = false;
				break;
			case DYN_WALK_CLOSE:
				*result = pushJsonbValue(&state, object ? WJB_END_OBJECT
										 : WJB_END_ARRAY, NULL);
				break;
			case DYN_WALK_NAME:
				if (!set_text(&jbv, &v, why))
					return false;
				*result = pushJsonbValue(&state, WJB_KEY, &jbv);
				named = true;
				break;
			default:
				if (!scalar_to_jsonb(&v, &jbv, why))
					return false;
				*result = push_member(&state, &jbv, named);
				named = false;
				break;
		}
	}
	return true;
}

bool
dyn_value_to_jsonb(const DynValue *value, Datum *result, const char **why)
{
	JsonbValue	scalar;
	JsonbValue *root = &scalar;

	if (value->flags & DYN_VALUE_HAS_NUL)
	{
		*why = "it contains the character U+0000, which jsonb cannot represent";
		return false;
	}
	if (value->type >= DYN_TYPE_SS)
	{
		DynWalk		walk;

		dyn_walk_begin(&walk, value);
		if (!walk_container(&walk, &root, why))
			return false;
	}
	else if (!scalar_to_jsonb(value, &scalar, why))
		return false;
	*result = JsonbPGetDatum(JsonbValueToJsonb(root));
	return true;
}
