/*
 * template_columns.c
 *		Parses the option key_templates; connects its templates with columns.
 */
#include "postgres.h"

#include "../server/memory.h"
#include "utils/date.h"
#include "utils/timestamp.h"

#include "../../dynamodb/template_text.h"
#include "../server/encoding.h"
#include "../values/datetime.h"
#include "../values/path.h"
#include "closest.h"
#include "template_columns.h"

Bitmapset *
dyn_templated_columns(const DynTemplatedAttr *templated)
{
	Bitmapset  *attnums = NULL;

	for (int p = 0; p < templated->tmpl->nparts; p++)
		attnums = bms_add_member(attnums, templated->parts[p].attnum);
	return attnums;
}

const char *
dyn_templated_text(const DynTemplatedAttr *templated)
{
	const DynTemplate *tmpl = templated->tmpl;
	StringInfoData text;

	initStringInfo(&text);
	for (int p = 0; p <= tmpl->nparts; p++)
	{
		appendBinaryStringInfo(&text, tmpl->literals[p].data, tmpl->literals[p].len);
		if (p < tmpl->nparts)
			appendStringInfo(&text, "${%s}", tmpl->parts[p].column.data);
	}
	return dyn_from_utf8_lossy(text.data);
}

static const char *
describe_error(const char *attribute, const DynTemplateError *error)
{
	StringInfoData buf;

	dyn_check_oom(error->out_of_memory);
	initStringInfo(&buf);
	appendStringInfo(&buf, "The template of \"%s\" is not valid", attribute);
	if (error->position > 0)
		appendStringInfo(&buf, " at character %d", error->position);
	appendStringInfo(&buf, ": %s.", error->message);
	if (error->hint != NULL)
		appendStringInfo(&buf, " %s", error->hint);
	return buf.data;
}

static void
free_template(void *tmpl)
{
	dyn_template_free(tmpl);
}

/* Returns the templates; NULL with a hint in *why if one is not valid. */
static DynTemplatedAttr *
read_templates(Jsonb *templates, int *n, const char **why)
{
	JsonbIterator *it = JsonbIteratorInit(&templates->root);
	DynTemplatedAttr *templated = palloc0(JB_ROOT_COUNT(templates) * sizeof(DynTemplatedAttr));
	JsonbValue	name,
				value;

	*n = 0;
	(void) JsonbIteratorNext(&it, &value, true);
	while (JsonbIteratorNext(&it, &name, true) == WJB_KEY)
	{
		DynTemplate *tmpl;
		DynTemplateError error = {0};
		const char *text;
		size_t		len;

		(void) JsonbIteratorNext(&it, &value, true);
		*why = name.val.string.len == 0 ? "The name of an attribute must not be empty."
			: value.type != jbvString || value.val.string.len == 0
			? "The template of an attribute must be a string, such as \"user#${email}\"."
			: NULL;
		if (*why != NULL)
			return NULL;
		text = dyn_json_option_text(&value, &len);
		tmpl = dyn_template_parse(text, len, &error);
		if (tmpl == NULL)
		{
			*why = describe_error(pnstrdup(name.val.string.val, name.val.string.len), &error);
			return NULL;
		}
		dyn_call_at_reset(CurrentMemoryContext, free_template, tmpl);
		templated[*n].path = dyn_path_of_attribute(dyn_json_option_text(&name, &len));
		templated[*n].tmpl = tmpl;
		templated[(*n)++].parts = palloc0(Max(tmpl->nparts, 1) * sizeof(DynPart));
	}
	return templated;
}

bool
dyn_templates_check(const char *text, const char **why)
{
	Jsonb	   *object = dyn_json_option_check(text, "{\"pk\": \"user#${email}\"}",
											   why);
	int			n;

	return object != NULL && read_templates(object, &n, why) != NULL;
}

DynTemplatedAttr *
dyn_templates_parse(const char *text, int *n)
{
	const char *why;
	DynTemplatedAttr *templated = read_templates(dyn_json_option_parse(text), n, &why);

	if (templated == NULL)
		dyn_option_invalid("key_templates", text, why);
	return templated;
}

/* Marks template i as needed, and also the templates that its columns need. */
static void
need_template(const DynTemplatedAttr *templated, int i, const DynColumn *columns,
			  bool *needed)
{
	if (needed[i])
		return;
	needed[i] = true;
	for (int p = 0; p < templated[i].tmpl->nparts; p++)
	{
		const DynColumn *column = &columns[templated[i].parts[p].attnum - 1];

		if (dyn_column_is_part(column))
			need_template(templated, column->templated, columns, needed);
	}
}

List *
dyn_templated_paths(const DynTemplatedAttr *templated, int n, const DynColumn *columns,
					const Bitmapset *attnums, bool *needed)
{
	List	   *paths = NIL;
	int			attnum = -1;

	memset(needed, 0, n * sizeof(bool));
	for (int i = 0; i < n; i++)
	{
		if (templated[i].base || templated[i].listed)
			need_template(templated, i, columns, needed);
	}
	while ((attnum = bms_next_member(attnums, attnum)) >= 0)
	{
		const DynColumn *column = &columns[attnum - 1];

		if (dyn_column_is_part(column))
			need_template(templated, column->templated, columns, needed);
		for (int i = 0; i < n && column->document == DYN_REST_OF_ITEM; i++)
		{
			if (templated[i].unasserted)
				need_template(templated, i, columns, needed);
		}
	}
	for (int i = 0; i < n; i++)
	{
		if (!needed[i])
			continue;
		paths = lappend(paths, unconstify(DynPath *, templated[i].path));
		for (int p = 0; p < templated[i].tmpl->nparts; p++)
		{
			const DynColumn *column = &columns[templated[i].parts[p].attnum - 1];

			if (!dyn_column_is_part(column))
				paths = lappend(paths, unconstify(DynPath *, column->path));
		}
	}
	return paths;
}

typedef struct Connector
{
	DynTemplatedAttr *templated;
	int			n;
	DynColumn  *columns;
	int			ncolumns;
	const DynKeyAttr *base;
	int			nbase;
	const DynTableMeta *meta;	/* table description, or NULL */
	const char *table;			/* foreign table's name */
} Connector;

static const char *
shown_name(const DynTemplatedAttr *templated)
{
	return dyn_from_utf8_lossy(dyn_templated_name(templated));
}

/* Raises an error about a template; `column` (a name) and `hint` may be NULL. */
DYN_NORETURN static void
report(const Connector *connector, const DynTemplatedAttr *templated,
	   const char *column, const char *detail, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_FDW_INVALID_ATTRIBUTE_VALUE),
			 column ? err_generic_string(PG_DIAG_COLUMN_NAME, column) : 0,
			 errmsg("template of attribute \"%s\" does not match foreign table \"%s\"",
					shown_name(templated), connector->table),
			 errdetail("%s", detail),
			 hint ? errhint("%s", hint) : 0));
}

static AttrNumber
find_column(const Connector *connector, const DynTemplatedAttr *templated,
			const DynTemplatePart *part)
{
	const char *name = dyn_from_utf8_lossy(part->column.data);
	DynClosest	closest;

	for (int i = 0; i < connector->ncolumns; i++)
	{
		if (!connector->columns[i].dropped &&
			strcmp(connector->columns[i].name, name) == 0)
			return i + 1;
	}
	dyn_closest_init(&closest, name);
	for (int i = 0; i < connector->ncolumns; i++)
	{
		if (!connector->columns[i].dropped)
			dyn_closest_try(&closest, connector->columns[i].name);
	}
	report(connector, templated, name,
		   psprintf("The foreign table has no column \"%s\".", name),
		   closest.best ? psprintf("Perhaps you meant \"%s\".", closest.best)
		   : NULL);
}

DYN_NORETURN static void
report_key_type(const Connector *connector, const DynTemplatedAttr *templated,
				const char *column)
{
	report(connector, templated, column,
		   psprintf("The key attribute has DynamoDB type %s.", dyn_type_name(templated->type)),
		   "Templates are for key attributes of type S. For type N, only ${column} with an integer column is allowed.");
}

static void
connect_names(const Connector *connector)
{
	for (int i = 0; i < connector->n; i++)
	{
		DynTemplatedAttr *templated = &connector->templated[i];

		for (int k = 0; k < connector->nbase; k++)
		{
			if (strcmp(connector->base[k].name, dyn_templated_name(templated)) != 0)
				continue;
			templated->base = true;
			templated->type = connector->base[k].type;
		}
		if (templated->type == DYN_TYPE_B ||
			(templated->type == DYN_TYPE_N && !dyn_template_is_bare(templated->tmpl)))
			report_key_type(connector, templated, NULL);
		for (int p = 0; p < templated->tmpl->nparts; p++)
		{
			AttrNumber	attnum = find_column(connector, templated,
											 &templated->tmpl->parts[p]);
			const DynColumn *column = &connector->columns[attnum - 1];

			if (column->segments > 0)
				report(connector, templated, column->name,
					   psprintf("Column \"%s\" has the option \"segment\".", column->name), NULL);
			if (!dyn_column_is_of_item(column))
				report(connector, templated, column->name,
					   psprintf("Column \"%s\" is read from an element, not from the item.",
								column->name), NULL);
			templated->parts[p].attnum = attnum;
		}
	}
}

bool
dyn_part_is_one_way(const DynTemplatePart *part)
{
	return part->folding != DYN_FOLD_NONE ||
		(part->modifier == DYN_MODIFIER_FORMAT && dyn_format_is_trunc(part->format.data));
}

/* Returns the first part from which the column can be decoded, or -1. */
static int
two_way_part(const DynTemplatedAttr *templated, AttrNumber attnum)
{
	for (int p = 0; p < templated->tmpl->nparts; p++)
	{
		if (templated->parts[p].attnum == attnum &&
			!dyn_part_is_one_way(&templated->tmpl->parts[p]))
			return p;
	}
	return -1;
}

static bool
take_source(const Connector *connector, int i, AttrNumber attnum)
{
	DynTemplatedAttr *templated = &connector->templated[i];
	DynColumn  *column = &connector->columns[attnum - 1];
	int			p = two_way_part(templated, attnum);

	if (p < 0)
		return false;
	templated->parts[p].source = true;
	column->templated = i;
	column->part = p;
	column->path = templated->path;
	return true;
}

/*
 * Returns a sentence that lists all key attributes; "" if the template's
 * attribute is in a key, or the keys are unknown.
 */
static const char *
key_hint(const Connector *connector, const DynTemplatedAttr *templated)
{
	const DynTableMeta *meta = connector->meta;
	StringInfoData list;
	DynClosest	closest;

	if (meta == NULL || dyn_is_key_attribute(meta, dyn_templated_name(templated)))
		return "";
	initStringInfo(&list);
	dyn_closest_init(&closest, shown_name(templated));
	for (int n = 0; n <= meta->nindexes; n++)
	{
		const DynKeySchema *key = dyn_key_number(meta, n);

		for (int i = 0; i < key->nhash + key->nrange; i++)
		{
			const char *name = dyn_key_attr(key, i)->name;
			bool		is_templated = false;

			for (int k = 0; k < connector->n; k++)
				is_templated |= dyn_path_is_attribute(connector->templated[k].path, name);
			name = dyn_from_utf8_lossy(name);
			if (!is_templated)
				dyn_closest_try(&closest, name);
			name = psprintf("\"%s\"", name);
			if (strstr(list.data, name) == NULL)
				appendStringInfo(&list, "%s%s", list.len > 0 ? ", " : "", name);
		}
	}
	return psprintf("The key attributes are %s%s.", list.data,
					closest.best == NULL ? ""
					: psprintf("; perhaps you meant \"%s\"", closest.best));
}

/*
 * Chooses the part that a column in a template is read from.  If an option
 * sets the column's attribute, searches only the template of this attribute.
 * Otherwise searches the templates of the table's key, and raises an error if
 * the column could only be read from other templates.
 */
static void
choose_source(const Connector *connector, AttrNumber attnum)
{
	const DynColumn *column = &connector->columns[attnum - 1];

	for (int i = 0; i < connector->n && column->placed; i++)
	{
		if (dyn_path_equal(column->path, connector->templated[i].path) &&
			take_source(connector, i, attnum))
			return;
	}
	if (column->placed)
		return;
	for (int k = 0; k < connector->nbase; k++)
	{
		for (int i = 0; i < connector->n; i++)
		{
			if (dyn_path_is_attribute(connector->templated[i].path,
									  connector->base[k].name) &&
				take_source(connector, i, attnum))
				return;
		}
	}
	for (int i = 0; i < connector->n; i++)
	{
		const DynTemplatedAttr *templated = &connector->templated[i];
		const char *keys;

		if (two_way_part(templated, attnum) < 0)
			continue;
		/* list the key attributes: the template's attribute may be misspelled */
		keys = key_hint(connector, templated);
		report(connector, templated, column->name,
			   psprintf("%s column \"%s\", but the attribute that the column is read from is unknown.",
						keys[0] == '\0' ? "The template uses"
						: "The attribute is not a key attribute. Its template uses",
						column->name),
			   psprintf("%s%s the column option \"attribute\" to \"%s\", or to another attribute that contains the value.",
						keys, keys[0] == '\0' ? "Set" : " Otherwise set",
						shown_name(templated)));
	}
}

uint64
dyn_templated_members(const DynTemplatedAttr *templated, int part)
{
	const DynTemplatePart *shape = &templated->tmpl->parts[part];

	if (dyn_part_is_enumerated(shape))
		return dyn_part_members(shape);
	return templated->base && templated->parts[part].column.codec.kind == DYN_CODEC_BOOL ? 2 : 0;
}

const DynPart *
dyn_templated_determiner(const DynTemplatedAttr *templated, int p, int n)
{
	const DynPart *part = &templated->parts[p];
	const DynPart *finest = NULL;

	for (int i = 0; i < n && part->column.codec.format.pattern != NULL; i++)
	{
		const DynPart *other = &templated->parts[i];
		const DynFormat *format = &other->column.codec.format;

		if (other->attnum == part->attnum && format->pattern != NULL &&
			format->zone == part->column.codec.format.zone &&
			(finest == NULL || dyn_pattern_unit(format->pattern) <
			 dyn_pattern_unit(finest->column.codec.format.pattern)))
			finest = other;
	}
	return finest == part ? NULL : finest;
}

bool
dyn_part_may_be_number(const DynTemplatePart *part, const DynCodec *codec)
{
	return dyn_codec_is_integer(codec) &&
		(part->modifier == DYN_MODIFIER_RANGE ||
		 (part->modifier == DYN_MODIFIER_NONE && codec->format.kind == DYN_FORMAT_NONE));
}

/*
 * Sets *format to the format of a placeholder: the format in its modifier or,
 * without a modifier, the format of the column, or a default.
 */
static void
choose_format(const Connector *connector, const DynTemplatedAttr *templated,
			  const DynTemplatePart *part, const DynColumn *column,
			  DynFormat *format)
{
	const char *why;

	memset(format, 0, sizeof(*format));
	if (part->modifier == DYN_MODIFIER_FORMAT)
	{
		const char *text = dyn_from_utf8_lossy(part->format.data);

		if (!dyn_format_parse(text, true, format, &why))
			report(connector, templated, column->name,
				   psprintf("\"%s\" is not a valid modifier of a placeholder.", text), why);
	}
	else if (part->modifier == DYN_MODIFIER_NONE &&
			 column->codec.format.kind != DYN_FORMAT_NONE)
	{
		*format = column->codec.format;
		/*
		 * bool(01,00) in a column's format stands for the numbers 1 and 0; in
		 * a template it stands for the texts "01" and "00"
		 */
		if (format->numeric)
			(void) dyn_format_parse(format->text, true, format, &why);
	}
	else if (dyn_codec_is_integer(&column->codec))
		format->kind = DYN_FORMAT_DIGITS;
	else if (column->codec.kind == DYN_CODEC_DATE)
		format->pattern = dyn_pattern_parse("YYYY-MM-DD", &why);
	else if (column->codec.kind == DYN_CODEC_BOOL)
	{
		format->kind = DYN_FORMAT_BOOL;
		format->true_text = "true";
		format->false_text = "false";
	}
}

static void
init_part(const Connector *connector, DynTemplatedAttr *templated, int p)
{
	const DynTemplatePart *part = &templated->tmpl->parts[p];
	const DynColumn *column = &connector->columns[templated->parts[p].attnum - 1];
	DynColumn  *as = &templated->parts[p].column;
	DynFormat	format;

	choose_format(connector, templated, part, column, &format);
	*as = *column;
	dyn_codec_init(&as->codec, column->codec.typid,
				   column->codec.is_domain ? -1 : column->codec.typmod, &format,
				   column->name);
	for (int other = 0; other < p; other++)
	{
		if (templated->parts[other].attnum == templated->parts[p].attnum &&
			(templated->tmpl->parts[other].any || part->any))
			report(connector, templated, column->name,
				   psprintf("Column \"%s\" occurs twice, once with the modifier any.",
							column->name), NULL);
	}
	if (templated->type == DYN_TYPE_N && !dyn_part_may_be_number(part, &column->codec))
		report_key_type(connector, templated, column->name);
	dyn_traits_init_part(as, templated->base, part->folding != DYN_FOLD_NONE);
	if (!as->traits.point || as->codec.wire != DYN_TYPE_S)
		report(connector, templated, column->name,
			   psprintf("Column \"%s\" does not have a unique encoding as text.",
						column->name),
			   "Columns of type text, uuid, integer, boolean and date can be placeholders. Other types require a format with a unique encoding, such as iso8601(3) or padded(10).");
	if (part->modifier == DYN_MODIFIER_RANGE && !dyn_codec_is_integer(&as->codec))
		report(connector, templated, column->name,
			   psprintf("Column \"%s\" does not have an integer type.", column->name),
			   "A range such as 0..9 requires an integer column.");
	if (format.zone != NULL && as->codec.kind != DYN_CODEC_TIMESTAMPTZ)
		report(connector, templated, column->name,
			   psprintf("Column \"%s\" does not have type timestamptz.", column->name),
			   "A time zone requires a column of type timestamptz.");
	if (part->modifier == DYN_MODIFIER_WORDS && as->codec.kind != DYN_CODEC_TEXT)
		report(connector, templated, column->name,
			   psprintf("Column \"%s\" does not have type text.", column->name),
			   "A list of words such as A|B requires a column of type text.");
	if (part->folding != DYN_FOLD_NONE && as->codec.kind != DYN_CODEC_TEXT &&
		as->codec.kind != DYN_CODEC_UUID)
		report(connector, templated, column->name,
			   psprintf("Column \"%s\" has no letters.", column->name),
			   "The modifiers lower and upper require a column of type text or uuid.");
}

static DynPartFacts
part_facts(const DynTemplatePart *part, const DynCodec *codec)
{
	const DynCodecFacts *kind = &dyn_codec_facts[codec->kind];
	DynPartFacts facts = {0};
	Datum		epoch = codec->kind == DYN_CODEC_DATE ? DateADTGetDatum(0)
		: TimestampGetDatum(0);
	DynScalar	sample;

	facts.text = codec->kind == DYN_CODEC_TEXT;
	facts.width = kind->width;
	facts.charset = kind->charset;
	if (codec->kind == DYN_CODEC_UUID && part->folding == DYN_FOLD_UPPER)
		facts.charset = "0123456789ABCDEF-";
	if (codec->format.kind == DYN_FORMAT_PADDED)
	{
		facts.width = codec->format.digits;
		facts.charset = "0123456789";
	}
	/* the texts of other times differ from the sample only in their digits */
	if (kind->instant &&
		dyn_codec_encode(codec, codec->basetype, epoch, &sample) == DYN_ENCODED)
	{
		facts.width = dyn_text_chars((DynText) {sample.data, sample.len});
		facts.charset = psprintf("0123456789%.*s", (int) sample.len, sample.data);
		/* exclude truncated times: they are only compared, never decoded */
		facts.instant = codec->format.kind != DYN_FORMAT_NONE && !dyn_codec_truncates(codec);
	}
	return facts;
}

/* Rejects {column} in a template, which probably should be ${column}. */
static void
check_braces(const Connector *connector, const DynTemplatedAttr *templated,
			 AttrNumber attnum)
{
	const DynColumn *column = &connector->columns[attnum - 1];
	const char *braces = dyn_to_utf8(psprintf("{%s}", column->name));
	DynText		wanted = {braces, strlen(braces)};

	for (int i = 0; i <= templated->tmpl->nparts; i++)
	{
		if (dyn_text_find(templated->tmpl->literals[i], wanted) != NULL)
			report(connector, templated, column->name,
				   psprintf("The template contains the text {%s}, and no template uses column \"%s\".",
							column->name, column->name),
				   psprintf("Write ${%s}. If the braces are intended, set the column option \"attribute\".",
							column->name));
	}
}

/* Returns the codec's precision as a number; a larger number is coarser. */
static int
coarseness(const DynCodec *codec)
{
	static const int64 instants[] = {
		1, 1000, USECS_PER_SEC, USECS_PER_MINUTE, USECS_PER_HOUR,
		USECS_PER_DAY, 31 * USECS_PER_DAY
	};
	DynScalar	text;

	for (int i = 0; i < lengthof(instants); i++)
	{
		Datum		value = codec->kind == DYN_CODEC_DATE
			? DateADTGetDatum((DateADT) (instants[i] / USECS_PER_DAY))
			: TimestampGetDatum(instants[i]);

		if ((codec->kind != DYN_CODEC_DATE || instants[i] >= USECS_PER_DAY) &&
			dyn_codec_encode(codec, codec->basetype, value, &text) == DYN_ENCODED)
			return i;
	}
	return lengthof(instants);
}

/*
 * Raises an error if the templates of the table's key contain the column with
 * two precisions, such as a day and a time, because no item could match both.
 */
static void
check_precision(const Connector *connector, AttrNumber attnum)
{
	const DynTemplatedAttr *first = NULL;
	const DynCodec *codec = NULL;

	if (!dyn_codec_is_instant(&connector->columns[attnum - 1].codec))
		return;
	for (int i = 0; i < connector->n; i++)
	{
		const DynTemplatedAttr *templated = &connector->templated[i];

		for (int p = 0; p < templated->tmpl->nparts && templated->base; p++)
		{
			const DynPart *part = &templated->parts[p];

			if (part->attnum != attnum || !dyn_codec_is_instant(&part->column.codec) ||
				dyn_codec_truncates(&part->column.codec))
				continue;
			if (first != NULL && coarseness(&part->column.codec) != coarseness(codec))
				report(connector, templated, part->column.name,
					   psprintf("Column \"%s\" has a different precision in the template of attribute \"%s\", so no item could be a row.",
								part->column.name, shown_name(first)),
					   "Use the same format for both placeholders, or use two columns.");
			first = templated;
			codec = &part->column.codec;
		}
	}
}

/*
 * Reports mistakes in the templates.  Because this function runs for each
 * statement, it looks for names of columns only in a template with a brace.
 */
static void
check_mistakes(const Connector *connector)
{
	for (AttrNumber attnum = 1; attnum <= connector->ncolumns; attnum++)
	{
		if (!connector->columns[attnum - 1].dropped)
			check_precision(connector, attnum);
	}
	for (int i = 0; i < connector->n; i++)
	{
		const DynTemplate *tmpl = connector->templated[i].tmpl;
		Bitmapset  *named = NULL;	/* columns in any template */
		bool		has_brace = false;

		for (int k = 0; k <= tmpl->nparts; k++)
			has_brace |= dyn_text_find(tmpl->literals[k], (DynText) {"{", 1}) != NULL;
		for (int k = 0; k < connector->n && has_brace; k++)
			named = bms_join(named, dyn_templated_columns(&connector->templated[k]));
		for (AttrNumber attnum = 1; attnum <= connector->ncolumns && has_brace; attnum++)
		{
			const DynColumn *column = &connector->columns[attnum - 1];

			if (!column->dropped && !column->placed && !bms_is_member(attnum, named))
				check_braces(connector, &connector->templated[i], attnum);
		}
	}
}

void
dyn_templated_connect(DynTemplatedAttr *templated, int n, DynColumn *columns,
					  int ncolumns, const DynKeyAttr *base, int nbase,
					  const DynTableMeta *meta, const char *table)
{
	Connector	connector = {templated, n, columns, ncolumns, base, nbase, meta, table};

	connect_names(&connector);
	for (int i = 0; i < ncolumns; i++)
	{
		if (!columns[i].dropped)
			choose_source(&connector, i + 1);
	}
	for (int i = 0; i < n; i++)
	{
		DynPartFacts facts[DYN_TEMPLATE_MAX_PARTS];
		DynTemplateError error = {0};

		for (int p = 0; p < templated[i].tmpl->nparts; p++)
		{
			init_part(&connector, &templated[i], p);
			facts[p] = part_facts(&templated[i].tmpl->parts[p],
								  &templated[i].parts[p].column.codec);
			facts[p].elsewhere = !templated[i].parts[p].source;
		}
		if (!dyn_template_resolve(templated[i].tmpl, facts, &error))
			report(&connector, &templated[i], NULL,
				   describe_error(shown_name(&templated[i]), &error), NULL);
	}
	check_mistakes(&connector);
	/* a column that is read from a part takes the part's codec and traits */
	for (int i = 0; i < ncolumns; i++)
	{
		if (!columns[i].dropped && dyn_column_is_part(&columns[i]))
		{
			const DynColumn *as = &templated[columns[i].templated].parts[columns[i].part].column;

			columns[i].codec = as->codec;
			columns[i].traits = as->traits;
		}
	}
}
