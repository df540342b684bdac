/*
 * json_option.c
 *		Parses options whose value is a JSON object.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "../../base/text.h"
#include "../server/encoding.h"
#include "options.h"

Jsonb *
dyn_json_option_parse(const char *text)
{
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));
}

Jsonb *
dyn_json_option_check(const char *text, const char *example, const char **why)
{
	size_t		len = strlen(text);
	const char *utf8 = dyn_to_utf8_len(text, &len);
	char	   *err;
	Jsonb	   *object;

	if (!dyn_json_check(utf8, len, &err))
	{
		*why = psprintf("The value must be a JSON object: %s.",
						err ? dyn_from_utf8_lossy(err) : "out of memory");
		free(err);
		return NULL;
	}
	object = dyn_json_option_parse(text);
	if (!JB_ROOT_IS_OBJECT(object))
		*why = psprintf("The value must be a JSON object, such as %s.", example);
	else if (JB_ROOT_COUNT(object) == 0)
		*why = "The object must have at least one member.";
	else
		return object;
	return NULL;
}

char *
dyn_json_option_text(const JsonbValue *string, size_t *len)
{
	char	   *text = pnstrdup(string->val.string.val, string->val.string.len);

	*len = string->val.string.len;
	return unconstify(char *, dyn_to_utf8_len(text, len));
}

void
dyn_option_invalid(const char *name, const char *value, const char *why)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid value for option \"%s\": \"%s\"", name, value),
			 errhint("%s", why)));
}
