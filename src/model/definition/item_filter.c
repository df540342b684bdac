/*
 * item_filter.c
 *		Parses the table options item_filter and ttl_attribute.
 */
#include "postgres.h"

#include "access/xact.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "../../base/number.h"
#include "../server/encoding.h"
#include "../values/path.h"
#include "json_option.h"
#include "item_filter.h"

/* DynamoDB does not delete items that expired longer ago, in seconds. */
#define FIVE_YEARS		INT64CONST(157680000)

/* ---- checking ---- */

static const char *
error_of_scalar(const JsonbValue *value)
{
	char		buf[DYN_NUMBER_BUFSIZE];
	const char *text;
	size_t		len;

	switch (value->type)
	{
		case jbvNull:
		case jbvBool:
		case jbvString:
			return NULL;
		case jbvNumeric:
			text = numeric_normalize(value->val.numeric);
			return dyn_number_canonical(text, strlen(text), buf, &len) == DYN_NUMBER_OK
				? NULL : "A number must have at most 38 digits and be in the range of DynamoDB numbers.";
		default:
			return "The value of an attribute must be a string, a number, true, false, null, or an array of these.";
	}
}

static const char *
error_of_array(JsonbContainer *array)
{
	JsonbIterator *it = JsonbIteratorInit(array);
	const char *err = NULL;
	JsonbValue	value;
	JsonbIteratorToken token;

	if (JsonContainerSize(array) == 0)
		return "An array must not be empty.";
	while (err == NULL && (token = JsonbIteratorNext(&it, &value, true)) != WJB_DONE)
	{
		if (token == WJB_ELEM)
			err = error_of_scalar(&value);
	}
	return err;
}

bool
dyn_item_filter_check(const char *text, const char **why)
{
	Jsonb	   *object = dyn_json_option_check(text, "{\"type\": \"order\"}",
											   why);
	JsonbIterator *it;
	JsonbValue	value;
	JsonbIteratorToken token;

	if (object == NULL)
		return false;
	it = JsonbIteratorInit(&object->root);
	while (*why == NULL && (token = JsonbIteratorNext(&it, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY && value.val.string.len == 0)
			*why = "The name of an attribute must not be empty.";
		else if (token == WJB_VALUE && value.type == jbvBinary &&
				 JsonContainerIsArray(value.val.binary.data))
			*why = error_of_array(value.val.binary.data);
		else if (token == WJB_VALUE)
			*why = error_of_scalar(&value);
	}
	return *why == NULL;
}

/* ---- terms ---- */

static void
add_scalar(DynFilterTerm *term, const JsonbValue *value)
{
	DynScalar  *scalar = &term->values[term->nvalues];
	char	   *number;
	const char *text;

	switch (value->type)
	{
		case jbvNull:
			term->or_null = true;
			return;
		case jbvBool:
			scalar->type = DYN_TYPE_BOOL;
			scalar->len = value->val.boolean;
			break;
		case jbvString:
			scalar->type = DYN_TYPE_S;
			scalar->data = dyn_json_option_text(value, &scalar->len);
			break;
		default:
			Assert(value->type == jbvNumeric);
			text = numeric_normalize(value->val.numeric);
			number = palloc(DYN_NUMBER_BUFSIZE);
			(void) dyn_number_canonical(text, strlen(text), number, &scalar->len);
			scalar->type = DYN_TYPE_N;
			scalar->data = number;
			break;
	}
	term->nvalues++;
}

static void
read_term(DynFilterTerm *term, const JsonbValue *name, const JsonbValue *value)
{
	JsonbIterator *it;
	JsonbValue	element;
	JsonbIteratorToken token;
	size_t		len;

	term->path = dyn_path_of_attribute(dyn_json_option_text(name, &len));
	if (value->type != jbvBinary)
	{
		term->values = palloc0(sizeof(DynScalar));
		add_scalar(term, value);
		return;
	}
	term->values = palloc0(JsonContainerSize(value->val.binary.data) *
						   sizeof(DynScalar));
	it = JsonbIteratorInit(value->val.binary.data);
	while ((token = JsonbIteratorNext(&it, &element, true)) != WJB_DONE)
	{
		if (token == WJB_ELEM)
			add_scalar(term, &element);
	}
}

DynItemFilter
dyn_item_filter(const char *match, const char *ttl)
{
	DynItemFilter test = {0, NULL};
	Jsonb	   *object = match ? dyn_json_option_parse(match) : NULL;

	test.terms = palloc0(((object ? JB_ROOT_COUNT(object) : 0) + 1) * sizeof(DynFilterTerm));
	if (object != NULL)
	{
		JsonbIterator *it = JsonbIteratorInit(&object->root);
		JsonbValue	name,
					value;

		(void) JsonbIteratorNext(&it, &value, true);
		while (JsonbIteratorNext(&it, &name, true) == WJB_KEY)
		{
			(void) JsonbIteratorNext(&it, &value, true);
			read_term(&test.terms[test.nterms++], &name, &value);
		}
	}
	if (ttl != NULL)
	{
		test.terms[test.nterms].path = dyn_path_of_attribute(dyn_to_utf8(ttl));
		test.terms[test.nterms++].ttl = true;
	}
	return test;
}

/* Sets the scalar to seconds; `us` is microseconds since 1970. */
static void
set_seconds(DynScalar *scalar, int64 us)
{
	char	   *buf = palloc(DYN_NUMBER_BUFSIZE);
	char	   *text = psprintf(INT64_FORMAT ".%06d", us / USECS_PER_SEC,
								(int) (us % USECS_PER_SEC));

	Assert(us >= 0);
	(void) dyn_number_canonical(text, strlen(text), buf, &scalar->len);
	scalar->type = DYN_TYPE_N;
	scalar->data = buf;
}

void
dyn_expired_range(DynScalar *first, DynScalar *last)
{
	int64		now = GetCurrentTransactionStartTimestamp() +
		(int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;

	set_seconds(first, Max(now - FIVE_YEARS * USECS_PER_SEC, 0));
	set_seconds(last, Max(now, 0));
}
