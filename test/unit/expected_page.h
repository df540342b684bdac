/*
 * expected_page.h
 *		What a response should give, by a plain reading of the rules on the
 *		tree that jansson makes of it.
 *
 * Written without a look at the reader it judges: recursion, a tree, a regular
 * expression for numbers.  rules_begin() comes first, rules_end() last.
 */
#ifndef DYN_TEST_EXPECTED_PAGE_H
#define DYN_TEST_EXPECTED_PAGE_H

#include "dynamodb/page.h"

#include <jansson.h>
#include <regex.h>
#include <string.h>

static regex_t number_form;

static bool
rules_begin(void)
{
	return regcomp(&number_form, "^[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)"
				   "([eE][-+]?[0-9]+)?$", REG_EXTENDED | REG_NOSUB) == 0;
}

static void
rules_end(void)
{
	regfree(&number_form);
}

static bool
is_number_text(const json_t *j)
{
	return json_is_string(j) &&
		strlen(json_string_value(j)) == json_string_length(j) &&
		regexec(&number_form, json_string_value(j), 0, NULL, 0) == 0;
}

static bool
is_text(const json_t *j)
{
	return json_is_string(j);
}

static bool
is_set(const json_t *j, bool (*element) (const json_t *))
{
	size_t		i;

	if (!json_is_array(j) || json_array_size(j) == 0)
		return false;
	for (i = 0; i < json_array_size(j); i++)
	{
		if (!element(json_array_get(j, i)))
			return false;
	}
	return true;
}

static bool is_value(json_t *j, int depth);

static bool
is_list(json_t *j, int depth)
{
	size_t		i;

	if (!json_is_array(j) || depth > DYN_MAX_DEPTH)
		return false;
	for (i = 0; i < json_array_size(j); i++)
	{
		if (!is_value(json_array_get(j, i), depth))
			return false;
	}
	return true;
}

static bool
is_map(json_t *j, int depth)
{
	const char *name;
	json_t	   *member;

	if (!json_is_object(j) || depth > DYN_MAX_DEPTH)
		return false;
	json_object_foreach(j, name, member)
	{
		if (!is_value(member, depth))
			return false;
	}
	return true;
}

/* The one member of an attribute value, its tag in *tag; or NULL. */
static json_t *
payload_of(json_t *j, const char **tag)
{
	void	   *iter;

	if (!json_is_object(j) || json_object_size(j) != 1)
		return NULL;
	iter = json_object_iter(j);
	*tag = json_object_iter_key(iter);
	return json_object_iter_value(iter);
}

static DynType
type_of(const char *tag)
{
	int			type;

	for (type = DYN_TYPE_S; type < DYN_TYPE_COUNT; type++)
	{
		if (strcmp(dyn_type_name(type), tag) == 0)
			return type;
	}
	return DYN_TYPE_ABSENT;
}

static bool
is_value(json_t *j, int depth)
{
	const char *tag;
	json_t	   *payload = payload_of(j, &tag);

	if (payload == NULL)
		return false;
	switch (type_of(tag))
	{
		case DYN_TYPE_S:
		case DYN_TYPE_B:
			return json_is_string(payload);
		case DYN_TYPE_N:
			return is_number_text(payload);
		case DYN_TYPE_BOOL:
			return json_is_boolean(payload);
		case DYN_TYPE_NULL:
			return json_is_true(payload);
		case DYN_TYPE_SS:
		case DYN_TYPE_BS:
			return is_set(payload, is_text);
		case DYN_TYPE_NS:
			return is_set(payload, is_number_text);
		case DYN_TYPE_L:
			return is_list(payload, depth + 1);
		case DYN_TYPE_M:
			return is_map(payload, depth + 1);
		default:
			return false;
	}
}

/* What a response should give; items are borrowed from the tree. */
typedef struct Expected
{
	json_t	   *items;			/* array */
	json_t	   *last_key;
	json_t	   *unprocessed;
	bool		has_count;
	json_int_t	count;
	json_int_t	scanned;
	double		units;
} Expected;

static bool
expect_item(Expected *e, json_t *j)
{
	json_array_append(e->items, j);
	return is_map(j, 0);
}

static bool
expect_items(Expected *e, json_t *j)
{
	size_t		i;

	if (!json_is_array(j))
		return false;
	for (i = 0; i < json_array_size(j); i++)
	{
		if (!expect_item(e, json_array_get(j, i)))
			return false;
	}
	return true;
}

static bool
expect_tables(Expected *e, json_t *j)
{
	const char *name;
	json_t	   *table;

	if (!json_is_object(j))
		return false;
	json_object_foreach(j, name, table)
	{
		if (!expect_items(e, table))
			return false;
	}
	return true;
}

static bool
expect_units_of(Expected *e, json_t *j)
{
	json_t	   *units;

	if (!json_is_object(j))
		return false;
	units = json_object_get(j, "CapacityUnits");
	if (units != NULL && !json_is_number(units) && !json_is_null(units))
		return false;
	if (json_number_value(units) > 0 &&
		json_number_value(units) <= DYN_PAGE_MOST_UNITS)
		e->units += json_number_value(units);
	return true;
}

static bool
expect_units(Expected *e, json_t *j)
{
	size_t		i;

	if (!json_is_array(j))
		return expect_units_of(e, j);
	for (i = 0; i < json_array_size(j); i++)
	{
		if (!expect_units_of(e, json_array_get(j, i)))
			return false;
	}
	return true;
}

static bool
expect_count(json_t *j, json_int_t *count)
{
	*count = json_integer_value(j);
	return json_is_integer(j) && *count >= 0 &&
		*count <= 999999999999999999;
}

static bool
expect_member(Expected *e, const char *name, json_t *j)
{
	if (json_is_null(j))
		return true;
	if (strcmp(name, "Items") == 0)
		return expect_items(e, j);
	if (strcmp(name, "Item") == 0)
		return expect_item(e, j);
	if (strcmp(name, "Responses") == 0)
		return expect_tables(e, j);
	if (strcmp(name, "ConsumedCapacity") == 0)
		return expect_units(e, j);
	if (strcmp(name, "ScannedCount") == 0)
		return expect_count(j, &e->scanned);
	if (strcmp(name, "Count") == 0)
	{
		e->has_count = true;
		return expect_count(j, &e->count);
	}
	if (strcmp(name, "LastEvaluatedKey") == 0)
	{
		e->last_key = j;
		return is_map(j, 0);
	}
	if (strcmp(name, "UnprocessedKeys") == 0)
	{
		e->unprocessed = j;
		return json_is_object(j);
	}
	return true;
}

static bool
expect(Expected *e, json_t *tree)
{
	const char *name;
	json_t	   *member;

	memset(e, 0, sizeof(*e));
	e->items = json_array();
	if (!json_is_object(tree))
		return false;
	json_object_foreach(tree, name, member)
	{
		if (!expect_member(e, name, member))
			return false;
	}
	return true;
}

#endif
