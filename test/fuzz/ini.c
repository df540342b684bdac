/*
 * ini.c
 *		Fuzzes the reader of AWS's configuration files.
 *
 * The first byte decides whether section names have prefixes.  What is
 * accepted has entries in the text of the file; errors have a message.
 */
#include "credentials/config.c"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input		input = {(const char *) data, size};
	bool		prefixes = take_number(&input, 2);
	DynBuffer	text;
	DynIni		ini = {0};
	DynError	err = {0};

	dyn_buffer_init(&text, 0);
	dyn_buffer_append(&text, input.data, input.len);
	demand(dyn_buffer_terminate(&text) != NULL);
	if (!parse_ini(&ini, &text, prefixes, "file", &err))
	{
		demand(err.message[0] != '\0' && ini.n == 0);
		dyn_buffer_free(&text);
		return 0;
	}
	for (size_t i = 0; i < ini.n; i++)
	{
		const DynIniEntry *entry = &ini.entries[i];
		const char *value;

		demand(entry->section != NULL && strlen(entry->section) <= size);
		if (entry->key == NULL)
		{
			demand(dyn_ini_place(&ini, entry->kind, entry->section) > 0);
			continue;
		}
		value = dyn_ini_value(&ini, entry->kind, entry->section, entry->key);
		demand(value == NULL || (value[0] != '\0' && strlen(value) <= size));
		demand(entry->value != NULL && strlen(entry->value) <= size);
	}
	clear_ini(&ini);
	return 0;
}
