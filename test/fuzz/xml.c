/*
 * xml.c
 *		Fuzzes the reader of the replies of AWS's query services.
 *
 * A value is not longer than the document, valid UTF-8, and without white
 * space around it.
 */
#include "credentials/xml.h"
#include "fuzz.h"

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const paths[] = {
		"Root/Child/Leaf", "a", "a/b",
		"AssumeRoleResponse/AssumeRoleResult/Credentials/AccessKeyId"
	};
	Input		input = {(const char *) data, size};
	size_t		len;
	char	   *text = take_rest(&input, &len);

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
	{
		DynBuffer	value;
		DynXml		result;

		dyn_buffer_init(&value, 0);
		result = dyn_xml_find(text, len, paths[i], &value);
		demand(result == DYN_XML_FOUND || value.len == 0);
		if (result == DYN_XML_FOUND)
		{
			size_t		n = strlen(value.data);

			demand(n <= len && dyn_utf8_valid(value.data, n) &&
				   (n == 0 || (!is_space(value.data[0]) && !is_space(value.data[n - 1]))));
		}
		dyn_buffer_free(&value);
	}
	free(text);
	return 0;
}
