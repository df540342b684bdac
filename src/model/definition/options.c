/*
 * options.c
 *		The option table, and the validator that uses it.
 *
 * An option needs one line in `options_table`, code that reads the option, and
 * one row in docs/options.md (test/t/test_options.py compares the tables).
 *
 * PostgreSQL passes the complete new list of an object's options and the OID of
 * its catalog to the validator, but neither the object nor the old list.  The
 * validator reads no other objects and sends no requests, because it also runs
 * while a dump is restored.
 */
#include "postgres.h"

#include "access/reloptions.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_foreign_server.h"
#include "catalog/pg_foreign_table.h"
#include "catalog/pg_user_mapping.h"
#include "commands/defrem.h"
#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/tuplestore.h"

#include "../../credentials/source.h"
#include "../server/pg_compat.h"
#include "../values/format.h"
#include "../values/path.h"
#include "closest.h"
#include "item_filter.h"
#include "options.h"
#include "template_columns.h"

static const char *const scan_policies[] = {"allow", "warn", "error", NULL};

const DynReadOptions dyn_default_reads = {
	.scan_policy = DYN_SCAN_WARN,
	.preview_units = 25,
	.round_trip_ms = 5,
	.read_percent = 100,
	.unit_cost_ms = 0.2
};

static const char *const describe_mismatch[] = {"error", "null", NULL};
static const char *const document_words[] = {"item", "rest", NULL};

/* Kinds of objects that may have an option; bit n stands for places[n]. */
#define ON_SERVER	0x01
#define ON_MAPPING	0x02
#define ON_TABLE	0x04
#define ON_COLUMN	0x08
#define ON_IMPORT	0x10

static const struct
{
	Oid			catalog;		/* catalog that contains the options */
	const char *name;
}			places[] = {
	{ForeignServerRelationId, "a server"},
	{UserMappingRelationId, "a user mapping"},
	{ForeignTableRelationId, "a foreign table"},
	{AttributeRelationId, "a column of a foreign table"},
	{InvalidOid, "an import of a foreign schema"},
};

typedef enum ValueKind
{
	VALUE_TEXT,					/* any text except the empty one */
	VALUE_PREFIX,				/* any text, including the empty one */
	VALUE_REGION,
	VALUE_URL,
	VALUE_BOOL,
	VALUE_INT,					/* integer from min to max */
	VALUE_REAL,					/* number from min to max */
	VALUE_ENUM,
	VALUE_ROLE_ARN,
	VALUE_EXTERNAL_ID,
	VALUE_SESSION_NAME,
	VALUE_PATH,
	VALUE_COLUMN_PATH,			/* path that may begin with @ */
	VALUE_FORMAT,
	VALUE_MATCH,
	VALUE_TEMPLATES,
	VALUE_NAMES
} ValueKind;

typedef struct OptionEntry
{
	const char *name;
	int			where;
	ValueKind	kind;
	double		min;			/* smallest value (VALUE_INT, VALUE_REAL) */
	double		max;
	const char *const *words;	/* valid words, NULL-terminated (VALUE_ENUM) */
	const char *fallback;		/* default value as shown to users */
	bool		superuser;		/* true if only a superuser may set it */
	const char *help;
} OptionEntry;

static const OptionEntry options_table[] = {
	{"region", ON_SERVER, VALUE_REGION, 0, 0, NULL, "none", false,
	"AWS region: signs requests and, without endpoint_url, names the endpoint"},
	{"endpoint_url", ON_SERVER, VALUE_URL, 0, 0, NULL, "the region's", false,
	"URL of the service: a VPC endpoint, DynamoDB Local"},
	{"table_prefix", ON_SERVER, VALUE_PREFIX, 0, 0, NULL, "none", false,
	"prepended to every table_name that is not an ARN"},
	{"max_concurrency", ON_SERVER, VALUE_INT, 1, 256, NULL, "16", false,
	"maximum number of concurrent requests of one statement"},
	{"max_idle_connections", ON_SERVER, VALUE_INT, 0, 256, NULL, "max_concurrency",
	false, "maximum number of idle connections of a session between statements"},
	/* the minimum is 0.1, at which half a unit already takes five seconds */
	{"max_read_units_per_second", ON_SERVER | ON_TABLE, VALUE_REAL, 0.1, 1e9, NULL, "none",
	false, "maximum read units per second of all sessions together"},
	{"max_write_units_per_second", ON_SERVER | ON_TABLE, VALUE_REAL, 0.1, 1e9, NULL, "none",
	false, "maximum write units per second of all sessions together"},
	{"max_read_units_per_statement", ON_SERVER, VALUE_REAL, 0.1, 1e9, NULL, "none", false,
	"maximum read units of one statement"},
	{"updatable", ON_SERVER | ON_TABLE, VALUE_BOOL, 0, 0, NULL, "off", false,
	"permits INSERT, UPDATE, DELETE and COPY FROM"},
	{"connect_timeout", ON_SERVER, VALUE_INT, 1, 600000, NULL, "2000", false,
	"milliseconds until opening a connection fails"},
	{"request_timeout", ON_SERVER, VALUE_INT, 1, 3600000, NULL, "30000", false,
	"milliseconds until one attempt of a request fails"},
	{"max_attempts", ON_SERVER, VALUE_INT, 1, 100, NULL, "8", false,
	"maximum number of attempts of one request"},
	{"throttle_timeout", ON_SERVER, VALUE_INT, 0, INT_MAX, NULL, "600000", false,
	"milliseconds without progress until a throttled statement fails; 0: no limit"},
	{"ca_bundle", ON_SERVER, VALUE_TEXT, 0, 0, NULL, "the system's", true,
	"file of CA certificates to verify the endpoint"},
	{"proxy", ON_SERVER, VALUE_TEXT, 0, 0, NULL, "none", true,
	"URL of an HTTP proxy; proxies of the environment are never used"},
	{"fetch_size", ON_SERVER | ON_TABLE, VALUE_INT, 0, 1000000, NULL, "0", false,
	"items per page; 0: pages of 1 MB, as DynamoDB returns them"},
	{"scan_policy", ON_SERVER | ON_TABLE, VALUE_ENUM, 0, 0,
		scan_policies, "warn", false,
	"what to do if a statement requires a full table scan"},
	{"preview_units", ON_SERVER | ON_TABLE, VALUE_REAL, 0, 1e9, NULL, "25", false,
	"read units for the rows of a LIMIT if scan_policy rejects full scans"},
	{"consistent_read", ON_SERVER | ON_TABLE, VALUE_BOOL, 0, 0, NULL, "off",
	false, "strongly consistent reads, without global secondary indexes"},
	{"round_trip_ms", ON_SERVER | ON_TABLE, VALUE_REAL, 0, 60000, NULL, "5", false,
	"duration of a request in milliseconds, for the planner"},
	{"read_capacity", ON_SERVER | ON_TABLE, VALUE_REAL, 1, 1e9, NULL,
	"described", false,
	"read units per second of the table and of each index"},
	{"read_percent", ON_SERVER | ON_TABLE, VALUE_REAL, 1, 100, NULL, "100", false,
	"percentage of a known capacity that all sessions together may use"},
	{"unit_cost_ms", ON_SERVER | ON_TABLE, VALUE_REAL, 0, 1e6, NULL, "0.2", false,
	"milliseconds of waiting that cost as much as a read unit, for the planner"},
	{"access_key_id", ON_MAPPING, VALUE_TEXT, 0, 0, NULL, "none", false,
	"AWS access key"},
	{"secret_access_key", ON_MAPPING, VALUE_TEXT, 0, 0, NULL, "none", false,
	"AWS secret access key"},
	{"session_token", ON_MAPPING, VALUE_TEXT, 0, 0, NULL, "none", false,
	"session token of temporary credentials"},
	{"credential_provider", ON_MAPPING, VALUE_ENUM, 0, 0, dyn_source_names, "static",
		true,
	"provider of the credentials: the access keys of the user mapping, or the database server"},
	{"profile", ON_MAPPING, VALUE_TEXT, 0, 0, NULL, "AWS_PROFILE or default", true,
	"profile in the files of the AWS CLI"},
	{"role_arn", ON_MAPPING, VALUE_ROLE_ARN, 0, 0, NULL, "none", false,
	"role to assume with these credentials"},
	{"external_id", ON_MAPPING, VALUE_EXTERNAL_ID, 0, 0, NULL, "none", false,
	"external id that the role's trust policy requires"},
	{"role_session_name", ON_MAPPING, VALUE_SESSION_NAME, 0, 0, NULL,
		DYN_ROLE_SESSION_NAME, false,
	"name of the role's session, as CloudTrail shows it"},
	{"role_duration", ON_MAPPING, VALUE_INT, 900, 43200, NULL, "3600", false,
	"seconds for which the role is assumed"},
	{"sts_endpoint_url", ON_MAPPING, VALUE_URL, 0, 0, NULL, "the region's", true,
	"URL of the security token service: a VPC endpoint"},
	{"allowed_endpoint_url", ON_MAPPING, VALUE_URL, 0, 0, NULL, "the region's", true,
	"the only URL for credentials of the database server"},
	{"table_name", ON_TABLE, VALUE_TEXT, 0, 0, NULL, "the foreign table's name",
	false, "name (or ARN) of the DynamoDB table"},
	{"item_filter", ON_TABLE, VALUE_MATCH, 0, 0, NULL, "none", false,
	"JSON object of attributes and the constants that rows have in them"},
	{"key_templates", ON_TABLE, VALUE_TEMPLATES, 0, 0, NULL, "none", false,
	"JSON object of attributes and their templates, which compose them from columns"},
	{"trusted_indexes", ON_TABLE, VALUE_NAMES, 0, 0, NULL, "none", false,
	"indexes that contain every row that has values for the columns of their templates"},
	{"ttl_attribute", ON_TABLE, VALUE_TEXT, 0, 0, NULL, "none", false,
	"attribute with the time at which an item expires; expired items are not rows"},
	{"unnest", ON_TABLE, VALUE_PATH, 0, 0, NULL, "none", false,
	"document path of a list, set or map whose elements are the rows"},
	{"on_mismatch", ON_TABLE | ON_COLUMN, VALUE_ENUM, 0, 0, describe_mismatch,
	"error", false, "what to do with a value that the column type cannot represent"},
	{"attribute", ON_COLUMN, VALUE_TEXT, 0, 0, NULL, "the column's name", false,
	"name of the top-level attribute, verbatim"},
	{"path", ON_COLUMN, VALUE_COLUMN_PATH, 0, 0, NULL, "the attribute", false,
	"document path, such as info.rating or tags[0]; with unnest also @, @.name, @index, @key"},
	{"document", ON_COLUMN, VALUE_ENUM, 0, 0, document_words, "none", false,
	"the full item as jsonb, or only the attributes without a column"},
	{"format", ON_COLUMN, VALUE_FORMAT, 0, 0, NULL, "the type's own", false,
	"representation of the value in DynamoDB"},
	{"segment", ON_COLUMN, VALUE_INT, 1, 1000000, NULL, "none", false,
	"number of segments of a Scan; the column shows in which of them, from 0, the item is"},
	{"sample_items", ON_IMPORT, VALUE_INT, 0, 10000, NULL, "100", false,
	"number of items that determine the columns of each table; 0: keys only"},
	{"entity_attribute", ON_IMPORT, VALUE_TEXT, 0, 0, NULL, "none", false,
	"attribute whose values divide a table into foreign tables"},
};

/* Wrong names that users may try, such as those of similar programs */
static const struct
{
	const char *name;
	const char *option;
}			other_names[] = {
	{"endpoint", "endpoint_url"},
	{"keep_connections", "max_idle_connections"},
	{"max_read_units", "max_read_units_per_second"},
	{"max_statement_units", "max_read_units_per_statement"},
	{"throttle_patience", "throttle_timeout"},
	{"ca_file", "ca_bundle"},
	{"credential_source", "credential_provider"},
	{"credentials", "credential_provider"},
	{"duration", "role_duration"},
	{"duration_seconds", "role_duration"},
	{"sts_endpoint", "sts_endpoint_url"},
	{"allowed_endpoint", "allowed_endpoint_url"},
	{"match", "item_filter"},
	{"templates", "key_templates"},
	{"ttl", "ttl_attribute"},
	{"sample", "sample_items"},
	{"entity_tag", "entity_attribute"},
};

PG_FUNCTION_INFO_V1(dynamo_fdw_validator);
PG_FUNCTION_INFO_V1(dynamo_fdw_options);

static const OptionEntry *
find_entry(const char *name, int where)
{
	for (int i = 0; i < lengthof(options_table); i++)
	{
		if ((options_table[i].where & where) != 0 &&
			strcmp(options_table[i].name, name) == 0)
			return &options_table[i];
	}
	return NULL;
}

/*
 * Returns the option that a misspelled name probably means, or NULL.  If the
 * most similar name is in other_names, this is its option.  Otherwise, an
 * option that begins with the name, or contains it after an underscore, takes
 * precedence over the most similar option.
 */
static const char *
closest_option(const char *name, int where)
{
	const char *option = NULL;
	const char *longer = NULL;
	DynClosest	closest;

	dyn_closest_init(&closest, name);
	for (int i = 0; i < lengthof(options_table); i++)
	{
		const char *part = strstr(options_table[i].name, name);

		if ((options_table[i].where & where) == 0)
			continue;
		dyn_closest_try(&closest, options_table[i].name);
		if (longer == NULL && part != NULL && strlen(name) > 2 &&
			(part == options_table[i].name || part[-1] == '_'))
			longer = options_table[i].name;
	}
	for (int i = 0; i < lengthof(other_names); i++)
	{
		if (find_entry(other_names[i].option, where) != NULL &&
			dyn_closest_try(&closest, other_names[i].name))
			option = other_names[i].option;
	}
	return option != NULL ? option : longer != NULL ? longer : closest.best;
}

static const char *
describe_where(int where)
{
	return places[pg_rightmost_one_pos32(where)].name;
}

DYN_NORETURN static void
report_unknown(const char *name, int where)
{
	const char *closest = closest_option(name, where);
	int			hint = 0;

	for (int bit = ON_SERVER; bit <= ON_IMPORT; bit <<= 1)
	{
		if (find_entry(name, bit) != NULL)
			hint = bit;
	}
	ereport(ERROR,
			(errcode(ERRCODE_FDW_INVALID_OPTION_NAME),
			 errmsg("invalid option \"%s\"", name),
			 where == 0
			 ? errhint("The foreign-data wrapper has no options. Set options on the server, the user mapping, the table or its columns.")
			 : hint != 0
			 ? errhint("The option \"%s\" belongs to %s.", name, describe_where(hint))
			 : closest != NULL
			 ? errhint("Perhaps you meant the option \"%s\".", closest)
			 : errhint("The function dynamo_fdw_options() lists the options of %s.",
					   describe_where(where))));
}

/* Returns true for http(s)://host[:port][/]; a user name is not accepted. */
static bool
url_is_valid(const char *value)
{
	const char *host;

	if (pg_strncasecmp(value, "https://", 8) == 0)
		host = value + 8;
	else if (pg_strncasecmp(value, "http://", 7) == 0)
		host = value + 7;
	else
		return false;
	for (const char *p = host; *p; p++)
	{
		if (*p == '/')
			return p > host && p[1] == '\0';
		if (!isalnum((unsigned char) *p) && strchr(".-_:[]%", *p) == NULL)
			return false;
	}
	return *host != '\0';
}

static const char *
enum_hint(const char *const *words)
{
	StringInfoData buf;

	initStringInfo(&buf);
	appendStringInfoString(&buf, "Valid values are ");
	for (int i = 0; words[i] != NULL; i++)
		appendStringInfo(&buf, "%s\"%s\"", i == 0 ? "" : ", ", words[i]);
	appendStringInfoChar(&buf, '.');
	return buf.data;
}

static int
enum_position(const char *const *words, const char *value)
{
	for (int i = 0; words[i] != NULL; i++)
	{
		if (pg_strcasecmp(words[i], value) == 0)
			return i;
	}
	return -1;
}

/* Returns the default unit (GUC_UNIT_...) of an option with a time, else 0. */
static int
unit_of(const char *name)
{
	if (strcmp(name, "role_duration") == 0)
		return GUC_UNIT_S;
	return strstr(name, "timeout") ? GUC_UNIT_MS : 0;
}

/* Returns true if the value is valid; otherwise sets *why to a hint. */
static bool
value_is_valid(const OptionEntry *entry, const char *value, const char **why)
{
	bool		flag;
	int			full;
	int			unit = unit_of(entry->name);
	double		number;
	DynPathBase base;
	DynFormat	format;

	switch (entry->kind)
	{
		case VALUE_TEXT:
			*why = "The value must not be empty.";
			return value[0] != '\0';
		case VALUE_REGION:
			*why = "A region looks like eu-west-1: lower-case letters, digits and hyphens.";
			return dyn_role_is_region(value);
		case VALUE_URL:
			*why = "An endpoint looks like https://host or http://127.0.0.1:8000, without a path.";
			return url_is_valid(value);
		case VALUE_BOOL:
			*why = "The value must be a Boolean, such as on or off.";
			return parse_bool(value, &flag);
		case VALUE_INT:
			*why = psprintf(unit == 0 ? "The value must be an integer from %d to %d."
							: unit == GUC_UNIT_S ? "The value must be a time from %dmin to %dh."
							: "The value must be a time from %d ms to %d ms.",
							(int) entry->min / (unit == GUC_UNIT_S ? 60 : 1),
							(int) entry->max / (unit == GUC_UNIT_S ? 3600 : 1));
			return parse_int(value, &full, unit, NULL) &&
				full >= entry->min && full <= entry->max;
		case VALUE_REAL:
			*why = psprintf("The value must be a number from %g to %.0f.",
							entry->min, entry->max);
			return parse_real(value, &number, 0, NULL) &&
				number >= entry->min && number <= entry->max;
		case VALUE_ENUM:
			*why = enum_hint(entry->words);
			return enum_position(entry->words, value) >= 0;
		case VALUE_ROLE_ARN:
			*why = "The ARN of a role looks like arn:aws:iam::123456789012:role/name.";
			return dyn_role_is_arn(value);
		case VALUE_EXTERNAL_ID:
			*why = "An external id has 2 to 1224 letters, digits and characters of \"_+=,.@:/-\".";
			return dyn_role_is_external_id(value);
		case VALUE_SESSION_NAME:
			*why = "A session name has 2 to 64 letters, digits and characters of \"_+=,.@-\".";
			return dyn_role_is_session_name(value);
		case VALUE_PATH:
			return dyn_path_parse(value, NULL, why) != NULL;
		case VALUE_COLUMN_PATH:
			return dyn_path_parse(value, &base, why) != NULL;
		case VALUE_FORMAT:
			return dyn_format_parse(value, false, &format, why);
		case VALUE_MATCH:
			return dyn_item_filter_check(value, why);
		case VALUE_TEMPLATES:
			return dyn_templates_check(value, why);
		case VALUE_NAMES:
			*why = "The value must be a list of index names, separated by commas.";
			return dyn_option_names(value) != NIL;
		default:
			return true;
	}
}

static bool
has_option(List *options, const char *name)
{
	return dyn_option_text(options, name) != NULL;
}

static void
check_apart(List *options, const char *name, const char *other, const char *hint)
{
	if (strcmp(name, other) != 0 && has_option(options, name) && has_option(options, other))
		ereport(ERROR,
				(errcode(ERRCODE_FDW_INVALID_OPTION_NAME),
				 errmsg("options \"%s\" and \"%s\" are mutually exclusive", name, other),
				 errhint("%s", hint)));
}

static void
check_column(List *options)
{
	static const char *const others[] = {"attribute", "path", "format", "document"};

	check_apart(options, "attribute", "path",
				"Use only \"path\"; it begins with the name of the attribute.");
	for (int i = 0; i < lengthof(others); i++)
	{
		check_apart(options, "segment", others[i],
					"Remove one of them, because a segment is not a value of the item.");
		check_apart(options, "document", others[i],
					"Remove one of them, because a document is the full item.");
	}
}

static void
check_mapping(List *options)
{
	static const char *const keys[] =
	{"access_key_id", "secret_access_key", "session_token"};
	static const char *const others[][2] = {
		{"session_token", "access_key_id"}, {"external_id", "role_arn"},
		{"role_session_name", "role_arn"}, {"role_duration", "role_arn"}
	};
	int			source = dyn_option_enum(options, "credential_provider",
										 dyn_source_names, DYN_SOURCE_STATIC);

	if (has_option(options, "access_key_id") != has_option(options, "secret_access_key"))
		ereport(ERROR,
				(errcode(ERRCODE_FDW_DYNAMIC_PARAMETER_VALUE_NEEDED),
				 errmsg("options \"access_key_id\" and \"secret_access_key\" must be set together"),
				 errhint("Set both of them in the user mapping.")));
	for (int i = 0; i < lengthof(keys) && source != DYN_SOURCE_STATIC; i++)
	{
		if (has_option(options, keys[i]))
			ereport(ERROR,
					(errcode(ERRCODE_FDW_INVALID_OPTION_NAME),
					 errmsg("option \"%s\" and credential_provider \"%s\" are mutually exclusive",
							keys[i], dyn_source_names[source]),
					 errhint("Use either access keys or credential_provider.")));
	}
	if (has_option(options, "profile") && source != DYN_SOURCE_PROFILE &&
		source != DYN_SOURCE_DEFAULT)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_DYNAMIC_PARAMETER_VALUE_NEEDED),
				 errmsg("option \"profile\" requires credential_provider \"%s\" or \"%s\"",
						dyn_source_names[DYN_SOURCE_PROFILE],
						dyn_source_names[DYN_SOURCE_DEFAULT]),
				 errhint("Set credential_provider, or drop the option \"profile\".")));
	for (int i = 0; i < lengthof(others); i++)
	{
		if (has_option(options, others[i][0]) && !has_option(options, others[i][1]))
			ereport(ERROR,
					(errcode(ERRCODE_FDW_DYNAMIC_PARAMETER_VALUE_NEEDED),
					 errmsg("option \"%s\" requires option \"%s\"", others[i][0], others[i][1]),
					 errhint("Set %s, or drop the option \"%s\".", others[i][1], others[i][0])));
	}
}

static void
check_options(List *options, int where)
{
	ListCell   *lc;

	foreach(lc, options)
	{
		DefElem    *def = lfirst_node(DefElem, lc);
		const OptionEntry *entry = find_entry(def->defname, where);
		const char *value = defGetString(def);
		const char *why = NULL;

		if (entry == NULL)
			report_unknown(def->defname, where);
		/* reject duplicates: IMPORT FOREIGN SCHEMA does not check for them */
		if (dyn_option_text(options, def->defname) != value)
			ereport(ERROR,
					(errcode(ERRCODE_DUPLICATE_OBJECT),
					 errmsg("option \"%s\" provided more than once", def->defname)));
		/*
		 * the list also has the options that stay unchanged, so an ordinary
		 * user cannot change an object if one of its options is for superusers
		 */
		if (entry->superuser && !superuser())
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					 errmsg("permission denied to create or change %s with option \"%s\"",
							describe_where(where), def->defname),
					 errhint("Only superusers can create or change %s that has this option. The server's owner can drop the option.",
							 describe_where(where))));
		/* hide a URL that may contain a password */
		if (!value_is_valid(entry, value, &why))
			dyn_option_invalid(entry->name,
							   entry->kind == VALUE_URL && strchr(value, '@') != NULL
							   ? "..." : value, why);
	}
	if (where == ON_COLUMN)
		check_column(options);
	if (where == ON_MAPPING)
		check_mapping(options);
}

Datum
dynamo_fdw_validator(PG_FUNCTION_ARGS)
{
	Oid			catalog = PG_GETARG_OID(1);
	int			where = 0;		/* 0: the foreign-data wrapper */

	for (int i = 0; i < lengthof(places); i++)
	{
		if (places[i].catalog == catalog)
			where = 1 << i;
	}
	check_options(untransformRelOptions(PG_GETARG_DATUM(0)), where);
	PG_RETURN_VOID();
}

void
dyn_options_check_import(List *options)
{
	check_options(options, ON_IMPORT);
}

const char *
dyn_option_text(List *options, const char *name)
{
	ListCell   *lc;

	foreach(lc, options)
	{
		DefElem    *def = lfirst_node(DefElem, lc);

		if (strcmp(def->defname, name) == 0)
			return defGetString(def);
	}
	return NULL;
}

List *
dyn_option_names(const char *value)
{
	List	   *names = NIL;
	const char *p = value;

	for (;;)
	{
		size_t		len = strcspn(p, ",");
		const char *start = p + strspn(p, " ");
		const char *end = p + len;

		while (end > start && end[-1] == ' ')
			end--;
		if (end <= start)
			return NIL;
		names = lappend(names, pnstrdup(start, end - start));
		if (p[len] == '\0')
			return names;
		p += len + 1;
	}
}

int
dyn_option_int(List *options, const char *name, int fallback)
{
	const char *value = dyn_option_text(options, name);
	int			number = fallback;

	if (value != NULL)
		(void) parse_int(value, &number, unit_of(name), NULL);
	return number;
}

int
dyn_option_int_or_default(List *options, const char *name)
{
	const OptionEntry *entry = find_entry(name, ~0);

	Assert(entry != NULL && entry->kind == VALUE_INT);
	return dyn_option_int(options, name, pg_strtoint32(entry->fallback));
}

bool
dyn_option_bool(List *options, const char *name, bool fallback)
{
	const char *value = dyn_option_text(options, name);
	bool		flag = fallback;

	if (value != NULL)
		(void) parse_bool(value, &flag);
	return flag;
}

double
dyn_option_real(List *options, const char *name, double fallback)
{
	const char *value = dyn_option_text(options, name);
	double		number = fallback;

	if (value != NULL)
		(void) parse_real(value, &number, 0, NULL);
	return number;
}

int
dyn_option_enum(List *options, const char *name, const char *const *words,
				int fallback)
{
	const char *value = dyn_option_text(options, name);
	int			position = value ? enum_position(words, value) : -1;

	return position < 0 ? fallback : position;
}

DynDocument
dyn_option_document(List *options)
{
	return (DynDocument) (DYN_FULL_ITEM +
						  dyn_option_enum(options, "document", document_words,
										  DYN_NO_DOCUMENT - DYN_FULL_ITEM));
}

DynReadOptions
dyn_option_reads(List *options, const DynReadOptions *fallback)
{
	DynReadOptions reads = *fallback;

	reads.scan_policy = dyn_option_enum(options, "scan_policy", scan_policies, reads.scan_policy);
	reads.preview_units = dyn_option_real(options, "preview_units", reads.preview_units);
	reads.consistent = dyn_option_bool(options, "consistent_read", reads.consistent);
	reads.fetch_size = dyn_option_int(options, "fetch_size", reads.fetch_size);
	reads.round_trip_ms = dyn_option_real(options, "round_trip_ms", reads.round_trip_ms);
	reads.read_capacity = dyn_option_real(options, "read_capacity", reads.read_capacity);
	reads.read_percent = dyn_option_real(options, "read_percent", reads.read_percent);
	reads.unit_cost_ms = dyn_option_real(options, "unit_cost_ms", reads.unit_cost_ms);
	return reads;
}

/* Returns the help text, adapted if sessions do not share their budgets. */
static const char *
help_of(const OptionEntry *entry)
{
	static const char all[] = "all sessions together";
	const char *found = strstr(entry->help, all);

	if (found == NULL || dyn_has_shared_memory(NULL))
		return entry->help;
	return psprintf("%.*sone session%s; for all together, add dynamo_fdw to shared_preload_libraries",
					(int) (found - entry->help), entry->help, found + strlen(all));
}

Datum
dynamo_fdw_options(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < lengthof(options_table); i++)
	{
		const OptionEntry *entry = &options_table[i];

		for (int bit = ON_SERVER; bit <= ON_IMPORT; bit <<= 1)
		{
			Datum		values[5];
			bool		nulls[5] = {false};

			if ((entry->where & bit) == 0)
				continue;
			values[0] = CStringGetTextDatum(strchr(describe_where(bit), ' ') + 1);
			values[1] = CStringGetTextDatum(entry->name);
			values[2] = CStringGetTextDatum(entry->fallback);
			values[3] = BoolGetDatum(entry->superuser);
			values[4] = CStringGetTextDatum(help_of(entry));
			tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
		}
	}
	return (Datum) 0;
}
