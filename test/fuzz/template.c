/*
 * template.c
 *		Fuzzes key templates: parsing, splitting, joining, spans.
 *
 * The first line of the input is a template, the second one the text of an
 * attribute, the others are values for its parts.  A text that is split is
 * joined to itself, and is in the spans of its first values.  Values that the
 * template holds are joined to a text that is split into them.
 */
#include "fuzz.h"
#include "template_facts.h"

static bool
is_text(const char *text, size_t len)
{
	return strlen(text) == len && dyn_utf8_valid(text, len);
}

static bool
same(DynText a, DynText b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

/* A text in the other case is not noticed where its value is not given. */
static bool
is_folded(const DynTemplate *tmpl, const DynText *given)
{
	for (int i = 0; i < tmpl->nparts; i++)
	{
		if (tmpl->parts[i].folding != DYN_FOLD_NONE &&
			(given == NULL || given[i].data == NULL || !dyn_part_compares(&tmpl->parts[i], given[i])))
			return true;
	}
	return false;
}

/* The text is in the span of its first `n` values. */
static void
check_span(const DynTemplate *tmpl, const DynText *values, int n, DynText text)
{
	DynTextSpan found = {0};
	DynScalar	value = {DYN_TYPE_S, text.data, text.len};
	DynSpans	spans = {1, &found.span};

	demand(dyn_template_span(tmpl, values, n, NULL, &found));
	demand(!found.empty && dyn_spans_has(&spans, &value));
	dyn_text_span_free(&found);
}

static void
check_split(const DynTemplate *tmpl, const DynText *given, DynText text)
{
	DynText		values[DYN_TEMPLATE_MAX_PARTS];
	DynBuffer	joined;
	bool		holds = true;

	if (dyn_template_split(tmpl, text.data, text.len, given, values) != DYN_SPLIT_MATCHES ||
		is_folded(tmpl, given))
		return;
	dyn_buffer_init(&joined, 0);
	demand(dyn_template_join(tmpl, values, &joined));
	demand(same((DynText) {joined.data, joined.len}, text) ||
		   (text.len == 0 && joined.len == 0));
	dyn_buffer_free(&joined);
	for (int n = 0; n < tmpl->nparts && holds; n++)
	{
		check_span(tmpl, values, n, text);
		holds = dyn_part_holds(&tmpl->parts[n], values[n]) == DYN_HOLDS_YES;
	}
}

/* An encoding of the part's column: its width, and its characters. */
static bool
is_encoding(const DynTemplatePart *part, DynText value)
{
	for (size_t i = 0; part->facts.charset != NULL && i < value.len; i++)
	{
		if (strchr(part->facts.charset, value.data[i]) == NULL)
			return false;
	}
	return part->facts.width == 0 || dyn_text_chars(value) == part->facts.width;
}

/* Folds the values that are read from elsewhere; the caller frees them. */
static void
make_given(const DynTemplate *tmpl, const DynText *values, DynText *given)
{
	for (int i = 0; i < tmpl->nparts; i++)
	{
		char	   *text = tmpl->parts[i].facts.elsewhere ? malloc(values[i].len + 1) : NULL;

		if (text != NULL)
		{
			memcpy(text, values[i].data, values[i].len);
			dyn_part_fold(&tmpl->parts[i], text, values[i].len);
		}
		given[i] = (DynText) {text, text != NULL ? values[i].len : 0};
	}
}

static void
free_given(const DynTemplate *tmpl, const DynText *given)
{
	for (int i = 0; i < tmpl->nparts; i++)
		free((char *) given[i].data);
}

static void
check_join(const DynTemplate *tmpl, const DynText *values, const DynText *given)
{
	DynText		again[DYN_TEMPLATE_MAX_PARTS];
	DynBuffer	joined;

	for (int i = 0; i < tmpl->nparts; i++)
	{
		if (!is_encoding(&tmpl->parts[i], values[i]) ||
			dyn_part_holds(&tmpl->parts[i], values[i]) != DYN_HOLDS_YES)
			return;
	}
	dyn_buffer_init(&joined, 0);
	demand(dyn_template_join(tmpl, values, &joined));
	demand(dyn_buffer_terminate(&joined) != NULL);
	demand(dyn_template_split(tmpl, joined.data, joined.len, given, again) == DYN_SPLIT_MATCHES);
	for (int i = 0; i < tmpl->nparts; i++)
	{
		if (!tmpl->parts[i].facts.elsewhere)
			demand(same(again[i], values[i]));
	}
	dyn_buffer_free(&joined);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input		input = {(const char *) data, size};
	size_t		len;
	size_t		text_len;
	char	   *source = take_line(&input, &len);
	char	   *text = take_line(&input, &text_len);
	char	   *lines[DYN_TEMPLATE_MAX_PARTS];
	DynText		values[DYN_TEMPLATE_MAX_PARTS];
	bool		are_texts = is_text(source, len) && is_text(text, text_len);
	DynTemplateError error = {0};
	DynTemplate *tmpl = are_texts ? make_template(source, &error) : NULL;

	for (int i = 0; i < DYN_TEMPLATE_MAX_PARTS; i++)
	{
		lines[i] = take_line(&input, &len);
		values[i] = (DynText) {lines[i], len};
		are_texts &= is_text(lines[i], len);
	}
	if (tmpl == NULL)
		demand(source == NULL || !is_text(source, strlen(source)) || error.message != NULL ||
			   !are_texts);
	else
	{
		check_split(tmpl, NULL, (DynText) {text, text_len});
		if (are_texts)
		{
			DynText		given[DYN_TEMPLATE_MAX_PARTS];

			make_given(tmpl, values, given);
			check_split(tmpl, given, (DynText) {text, text_len});
			check_join(tmpl, values, given);
			free_given(tmpl, given);
		}
		dyn_template_free(tmpl);
	}
	for (int i = 0; i < DYN_TEMPLATE_MAX_PARTS; i++)
		free(lines[i]);
	free(source);
	free(text);
	return 0;
}
