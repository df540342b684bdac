/*
 * fuzz.h
 *		What every target of libFuzzer has.
 */
#ifndef DYN_TEST_FUZZ_H
#define DYN_TEST_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/text.h"

extern int	LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program, and reports the condition, unless it holds. */
#define demand(condition) \
	((condition) ? (void) 0 : fail(__FILE__, __LINE__, #condition))

static inline void
fail(const char *file, int line, const char *condition)
{
	fprintf(stderr, "%s:%d: not so: %s\n", file, line, condition);
	abort();
}

/* The input, from which values are taken one after the other. */
typedef struct Input
{
	const char *data;
	size_t		len;
} Input;

/* Takes a number below `n`; 0 at the end of the input. */
static inline unsigned
take_number(Input *input, unsigned n)
{
	unsigned	value;

	if (input->len == 0)
		return 0;
	value = (unsigned char) input->data[0] % n;
	input->data++;
	input->len--;
	return value;
}

/*
 * Takes the bytes up to the next line feed, or the rest.  Returns a copy of
 * exactly that length and a NUL, which the caller frees.
 */
static inline char *
take_line(Input *input, size_t *len)
{
	const char *end = input->len ? memchr(input->data, '\n', input->len) : NULL;
	char	   *line;

	*len = end ? (size_t) (end - input->data) : input->len;
	line = malloc(*len + 1);
	demand(line != NULL);
	if (*len > 0)
		memcpy(line, input->data, *len);
	line[*len] = '\0';
	input->data += *len + (end != NULL);
	input->len -= *len + (end != NULL);
	return line;
}

/* Takes such a line as a text without NUL. */
static inline char *
take_text(Input *input)
{
	size_t		len;

	return take_line(input, &len);
}

/* Copies the rest of the input to memory of exactly its size, and a NUL. */
static inline char *
take_rest(Input *input, size_t *len)
{
	char	   *rest = malloc(input->len + 1);

	demand(rest != NULL);
	*len = input->len;
	if (*len > 0)
		memcpy(rest, input->data, *len);
	rest[*len] = '\0';
	input->len = 0;
	return rest;
}

#endif
