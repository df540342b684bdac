/*
 * item_filter.c
 *		Parses the table options item_filter and ttl_attribute.
 */
#include "postgres.h"

#include "access/xact.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "../../base/number.h"
#include "../server/encoding.h"
#include "../values/path.h"
#include "item_filter.h"
#include "options.h"

/* TTL does not delete items that expired longer ago than this (seconds). */
#define FIVE_YEARS		INT64CONST(157680000)

/* Returns NULL, or a hint after an error; so do the next two functions. */
static const char *
add_scalar(DynFilterTerm *term, const JsonbValue *value)
{
	DynScalar  *scalar = &term->values[term->nvalues];
	char	   *number;
	const char *text;

	switch (value->type)
	{
		case jbvNull:
			term->or_null = true;
			return NULL;
		case jbvBool:
			scalar->type = DYN_TYPE_BOOL;
			scalar->len = value->val.boolean;
			break;
		case jbvString:
			scalar->type = DYN_TYPE_S;
			scalar->data = dyn_json_option_text(value, &scalar->len);
			break;
		case jbvNumeric:
			text = numeric_normalize(value->val.numeric);
			number = palloc(DYN_NUMBER_BUFSIZE);
			if (dyn_number_canonical(text, strlen(text), number, &scalar->len) != DYN_NUMBER_OK)
				return "A number must have at most 38 digits and be in the range of DynamoDB numbers.";
			scalar->type = DYN_TYPE_N;
			scalar->data = number;
			break;
		default:
			return "The value of an attribute must be a string, a number, true, false, null, or an array of these.";
	}
	term->nvalues++;
	return NULL;
}

static const char *
read_term(DynFilterTerm *term, const JsonbValue *name, const JsonbValue *value)
{
	JsonbIterator *it;
	JsonbValue	element;
	JsonbIteratorToken token;
	const char *err = NULL;
	size_t		len;

	if (name->val.string.len == 0)
		return "The name of an attribute must not be empty.";
	term->path = dyn_path_of_attribute(dyn_json_option_text(name, &len));
	if (value->type != jbvBinary || !JsonContainerIsArray(value->val.binary.data))
	{
		term->values = palloc0(sizeof(DynScalar));
		return add_scalar(term, value);
	}
	if (JsonContainerSize(value->val.binary.data) == 0)
		return "An array must not be empty.";
	term->values = palloc0(JsonContainerSize(value->val.binary.data) *
						   sizeof(DynScalar));
	it = JsonbIteratorInit(value->val.binary.data);
	while (err == NULL && (token = JsonbIteratorNext(&it, &element, true)) != WJB_DONE)
	{
		if (token == WJB_ELEM)
			err = add_scalar(term, &element);
	}
	return err;
}

/* Reads all terms, and allocates one more for ttl_attribute. */
static const char *
read_terms(DynItemFilter *test, Jsonb *object)
{
	JsonbIterator *it = JsonbIteratorInit(&object->root);
	JsonbValue	name,
				value;
	const char *err = NULL;

	test->terms = palloc0((JB_ROOT_COUNT(object) + 1) * sizeof(DynFilterTerm));
	(void) JsonbIteratorNext(&it, &value, true);
	while (err == NULL && JsonbIteratorNext(&it, &name, true) == WJB_KEY)
	{
		(void) JsonbIteratorNext(&it, &value, true);
		err = read_term(&test->terms[test->nterms++], &name, &value);
	}
	return err;
}

bool
dyn_item_filter_check(const char *text, const char **why)
{
	Jsonb	   *object = dyn_json_option_check(text, "{\"type\": \"order\"}", why);
	DynItemFilter test = {0, NULL};

	if (object != NULL)
		*why = read_terms(&test, object);
	return *why == NULL;
}

DynItemFilter
dyn_item_filter(const char *match, const char *ttl)
{
	DynItemFilter test = {0, NULL};
	const char *err = NULL;

	if (match != NULL)
		err = read_terms(&test, dyn_json_option_parse(match));
	else if (ttl != NULL)
		test.terms = palloc0(sizeof(DynFilterTerm));
	if (err != NULL)
		dyn_option_invalid("item_filter", match, err);
	if (ttl != NULL)
	{
		test.terms[test.nterms].path = dyn_path_of_attribute(dyn_to_utf8(ttl));
		test.terms[test.nterms++].ttl = true;
	}
	return test;
}

/* Converts `us`, in microseconds since 1970, to a scalar in seconds. */
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
