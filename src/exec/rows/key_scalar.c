/*
 * key_scalar.c
 *		Reads the values of an item's key.
 */
#include "postgres.h"

#include "../../base/number.h"
#include "../../model/server/encoding.h"
#include "key_scalar.h"

/* Stores the value as a scalar.  Returns false if a key cannot have it. */
static bool
read_key_scalar(const DynValue *value, DynScalar *scalar)
{
	char	   *data = palloc(Max(value->len, DYN_NUMBER_BUFSIZE) + 1);

	scalar->type = value->type;
	scalar->data = data;
	scalar->len = 0;
	if (value->type == DYN_TYPE_S)
		scalar->len = dyn_value_text(value, data);
	else if (value->type == DYN_TYPE_B)
		scalar->len = Max(dyn_value_bytes(value, (unsigned char *) data), 0);
	else
		return value->type == DYN_TYPE_N &&
			dyn_number_canonical(value->data, value->len, data,
								 &scalar->len) == DYN_NUMBER_OK;
	return true;
}

void
dyn_key_scalar(const DynRelation *relation, const char *name,
			   const DynValue *value, DynScalar *scalar)
{
	if (!read_key_scalar(value, scalar))
		ereport(ERROR,
				(errcode(ERRCODE_FDW_INVALID_DATA_TYPE),
				 errmsg("invalid value in key attribute \"%s\" of DynamoDB table \"%s\"",
						dyn_from_utf8_lossy(name), relation->table),
				 value->type == DYN_TYPE_ABSENT
				 ? errdetail("An item in the response lacks the attribute.")
				 : errdetail("An item in the response has a value of type %s.",
							 dyn_type_name(value->type)),
				 errhint("Check the server option endpoint_url, and whether a proxy changes the responses.")));
}

char *
dyn_item_key_text(const DynKeyAttr *base, int nbase, const int *slots,
				  const DynValue *values)
{
	DynKeyPart	parts[2];

	for (int i = 0; i < nbase; i++)
	{
		if (slots[i] < 0 || values[slots[i]].type == DYN_TYPE_ABSENT ||
			!read_key_scalar(&values[slots[i]], &parts[i].value))
			return NULL;
		parts[i].name = base[i].name;
	}
	return dyn_key_text(parts, nbase, ", ");
}

char *
dyn_key_text(const DynKeyPart *parts, int nparts, const char *separator)
{
	DynBuffer	text;
	char	   *copy;

	dyn_buffer_init(&text, 0);
	for (int i = 0; i < nparts; i++)
	{
		dyn_buffer_printf(&text, "%s%s = ", i == 0 ? "" : separator,
						  parts[i].name);
		dyn_scalar_print(&text, &parts[i].value);
	}
	copy = pnstrdup(text.data, text.len);
	dyn_buffer_free(&text);
	return copy;
}
