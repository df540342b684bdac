/*
 * test_ini.c
 *		The format of AWS's files.
 *
 * The cases that AWS's SDKs share among themselves are here, with those of
 * Python's configparser, which AWS's command line uses.
 */
#include "harness.h"

#include <stdint.h>
#include <stdlib.h>

#include "credentials/config.c"
#include "credentials/files.h"

#define LENGTHOF(array) (sizeof(array) / sizeof((array)[0]))

/* Parses a copy that ends where its memory does. */
static bool
parse(DynIni *ini, const char *text, size_t len, bool prefixes,
	  DynError *err)
{
	DynBuffer	copy;

	dyn_buffer_init(&copy, 0);
	CHECK(dyn_buffer_enlarge(&copy, len + 1));
	memcpy(copy.data, text, len);
	copy.data[len] = '\0';
	copy.len = len;
	return parse_ini(ini, &copy, prefixes, "/a/file", err);
}

/* ---- what is understood ----------------------------------------------- */

#define P DYN_INI_PROFILE
#define S DYN_INI_SSO_SESSION
#define N DYN_INI_PLAIN

static const struct
{
	const char *text;
	DynIniKind	kind;
	const char *section;
	const char *key;
	const char *value;			/* NULL: not found, but the section is */
}			values[] =
{
	{"[profile foo]", P, "foo", "name", NULL},
	{"[profile some-thing:long/the_one%only.foo@bar+]", P,
	"some-thing:long/the_one%only.foo@bar+", "name", NULL},
	{"[profile \tfoo \t]", P, "foo", "name", NULL},
	{"[profile\tfoo]", P, "foo", "name", NULL},
	{"[   profile foo    ]\nname = value\n[profile bar]", P, "foo", "name",
	"value"},
	{"[profile foo]\nname = value", P, "foo", "name", "value"},
	{"[profile foo]\r\nname = value\r\n", P, "foo", "name", "value"},
	{"\xEF\xBB\xBF[profile foo]\nname = value", P, "foo", "name", "value"},
	{"[profile foo]\nname = val=ue", P, "foo", "name", "val=ue"},
	{"[profile foo]\nname = \xF0\x9F\x98\x82", P, "foo", "name",
	"\xF0\x9F\x98\x82"},
	{"[profile foo]\nname = value\nname2 = value2", P, "foo", "name2", "value2"},
	{"[profile foo]\nname \t=  \tvalue \t", P, "foo", "name", "value"},
	{"[profile foo]\nname=value", P, "foo", "name", "value"},
	{"[profile foo]\nname =", P, "foo", "name", NULL},
	{"[profile foo]\nNAME = Value", P, "foo", "name", "Value"},
	{"[profile foo]\n[profile bar]\nname = value", P, "foo", "name", NULL},
	{"\t \n[profile foo]\n\t\n \nname = value\n\t \n[profile bar]\n \t", P, "foo",
	"name", "value"},
	/* comments */
	{"# Comment\n[profile foo] # Comment\nname = value # Comment with # sign",
	P, "foo", "name", "value"},
	{"; Comment\n[profile foo] ; Comment\nname = value ; Comment with ; sign",
	P, "foo", "name", "value"},
	{";\n[profile foo];\nname = value ;\n", P, "foo", "name", "value"},
	{"[profile foo]# Adjacent\nname = value\t# Comment", P, "foo", "name",
	"value"},
	{"[profile foo]\nname = value; Adjacent", P, "foo", "name",
	"value; Adjacent"},
	{"[profile foo]\nname = value# Adjacent", P, "foo", "name",
	"value# Adjacent"},
	{"[profile foo]\nname = # Comment\n", P, "foo", "name", NULL},
	{"[profile foo]\nCredential_Process = /bin/a # b ;c ", P, "foo",
	"credential_process", "/bin/a # b ;c"},
	{"[profile foo]\ncredential_process = # b\nname = a # b", P, "foo", "name",
	"a"},
	{"[profile foo]\nname =#value", P, "foo", "name", "#value"},
	{"[profile foo]\n#a\n  # b\n\t;c\nname = value", P, "foo", "name", "value"},
	{"[profile foo]\n# not UTF-8: \xFF\nname = value", P, "foo", "name",
	"value"},
	/* indented lines */
	{"[profile foo]\nname = value\n -continued", P, "foo", "name",
	"value\n-continued"},
	{"[profile foo]\r\nname = value\r\n -continued\r\n\t-twice\r\n", P, "foo",
	"name", "value\n-continued\n-twice"},
	{"[profile foo]\nname = value\n \t -continued \t \nb = c", P, "foo", "name",
	"value\n-continued"},
	{"[profile foo]\nname = value # gone\n -continued # Comment", P, "foo",
	"name", "value\n-continued # Comment"},
	{"[profile foo]\nname = value\n [profile bar]\nb = c", P, "foo", "b", "c"},
	{"[profile foo]\n  name = value\n  b = c\n    d = e\n  f = g", P, "foo", "b",
	"c\nd = e"},
	{"[profile foo]\n  name = value\n  f = g", P, "foo", "f", "g"},
	{"  [profile foo]\n  name = value\n  [profile bar]\n  b = c", P, "bar", "b",
	"c"},
	{"[profile foo]\ns3 =\n name = value", P, "foo", "s3", "\nname = value"},
	{"[profile foo]\ns3 = # Comment\n name = value", P, "foo", "s3",
	"\nname = value"},
	{"[profile foo]\ns3 =\n name =", P, "foo", "s3", "\nname ="},
	{"[profile foo]\ns3 =\n in valid = value", P, "foo", "s3",
	"\nin valid = value"},
	{"[profile foo]\ns3 =\n name = value\n\t \n # Comment\n name2 = value2", P,
	"foo", "s3", "\nname = value\nname2 = value2"},
	{"[profile foo]\nservices =\n role_arn = x\nb = c", P, "foo", "role_arn",
	NULL},
	{"[services s]\ndynamodb =\n  endpoint_url = x\n[profile foo]\nb = c", P,
	"foo", "b", "c"},
	/* equal names */
	{"[profile foo]\nname = value\n[profile foo]\nname2 = value2", P, "foo",
	"name", "value"},
	{"[profile foo]\nname = value\n[profile foo]\nname2 = value2", P, "foo",
	"name2", "value2"},
	{"[profile foo]\nname = value\nname = value2", P, "foo", "name", "value2"},
	{"[profile foo]\nName = value\n[profile b]\n[profile foo]\nname = value2", P,
	"foo", "name", "value2"},
	{"[profile foo]\nname = value\nname =", P, "foo", "name", NULL},
	/* names of several words, and quoted ones */
	{"[profile \"my name\"]\nname = value", P, "my name", "name", "value"},
	{"[profile 'my ] name' ] # c\nname = value", P, "my ] name", "name",
	"value"},
	{"[profile \"a\\\"b\\\\c\"]\nname = value", P, "a\"b\\c", "name", "value"},
	{"[profile \"foo\"]\nname = value", P, "foo", "name", "value"},
	{"[profile bob's]\nname = value", P, "bob's", "name", "value"},
	{"[profile \"half]\nname = value", P, "\"half", "name", "value"},
	{"[profile in valid]\nname = value\n[profile foo]\nb = c", P, "foo", "name",
	NULL},
	/* kinds */
	{"[default]\nname = value", N, "default", "name", "value"},
	{"[profile default]\nname = value", P, "default", "name", "value"},
	{"[profilefoo]\nname = value", N, "profilefoo", "name", "value"},
	{"[sso-session foo]\nname = value", S, "foo", "name", "value"},
	{"[sso-sessionfoo]\nname = value", N, "sso-sessionfoo", "name", "value"},
	{"[profile]\nname = value", N, "profile", "name", "value"},
};

static void
finds_values(void)
{
	size_t		i;

	for (i = 0; i < LENGTHOF(values); i++)
	{
		DynIni		ini;
		DynError	err = {0};
		const char *value;

		if (!CHECK(parse(&ini, values[i].text, strlen(values[i].text), true,
						 &err)))
		{
			printf("#     %s: %s\n", values[i].text, err.message);
			continue;
		}
		CHECK(dyn_ini_place(&ini, values[i].kind, values[i].section) > 0);
		value = dyn_ini_value(&ini, values[i].kind, values[i].section,
							  values[i].key);
		if (values[i].value != NULL)
			CHECK_EQ_STR(value, values[i].value);
		else if (!CHECK(value == NULL))
			printf("#     %s\n", values[i].text);
		clear_ini(&ini);
	}
}

/* ---- the credentials file --------------------------------------------- */

static void
has_no_prefixes_in_credentials(void)
{
	static const char text[] = "[   foo    ]\nname = value\n[my name]\na = b\n"
		"[profile foo]\nc = d\n[\"my other name\"]\ne = f\n";
	DynIni		ini;
	DynError	err;

	CHECK(parse(&ini, text, strlen(text), false, &err));
	CHECK_EQ_STR(dyn_ini_value(&ini, N, "foo", "name"), "value");
	CHECK_EQ_STR(dyn_ini_value(&ini, N, "my name", "a"), "b");
	CHECK_EQ_STR(dyn_ini_value(&ini, N, "profile foo", "c"), "d");
	CHECK_EQ_STR(dyn_ini_value(&ini, N, "my other name", "e"), "f");
	CHECK_EQ_INT(dyn_ini_place(&ini, P, "foo"), 0);
	CHECK(dyn_ini_value(&ini, N, "foo", "c") == NULL);
	clear_ini(&ini);
	CHECK_EQ_INT(dyn_ini_place(&ini, N, "foo"), 0);
}

static void
allows_empty_files(void)
{
	static const char *const texts[] = {"", "\n", "\xEF\xBB\xBF", "# only", " "};
	size_t		i;

	for (i = 0; i < LENGTHOF(texts); i++)
	{
		DynIni		ini;
		DynError	err;

		CHECK(parse(&ini, texts[i], strlen(texts[i]), true, &err));
		CHECK_EQ_INT(ini.n, 0);
		CHECK(dyn_ini_value(&ini, P, "foo", "name") == NULL);
		clear_ini(&ini);
	}
}

/* ---- what is refused -------------------------------------------------- */

static const struct
{
	const char *text;
	size_t		len;			/* 0: up to the NUL */
	int			line;
	const char *wrong;
}			errors[] =
{
	{"name = SECRET", 0, 1, "is not in a section"},
	{"\n\n -SECRET", 0, 3, "is not in a section"},
	{"[profile foo\nname = SECRET", 0, 1, "has a \"[\" without \"]\""},
	{"[profile foo] SECRET", 0, 1, "has text after \"]\""},
	{"[]", 0, 1, "has a section without a name"},
	{"# c\n[ \t]\n", 0, 2, "has a section without a name"},
	{"[profile \"\"]\n", 0, 1, "has a section without a name"},
	{"[profile foo]\r\n= SECRET", 0, 2, "has no key before \"=\""},
	{"[profile foo]\nkey : SECRET", 0, 2, "is not of the form \"key = value\""},
	{"[profile foo]\nSECRET # = x", 0, 2, "is not of the form \"key = value\""},
	{"[profile foo]\n -SECRET", 0, 2, "is not of the form \"key = value\""},
	{"[profile foo]\na = b\n[profile foo]\n -SECRET", 0, 4,
	"is not of the form \"key = value\""},
	{"[profile foo]\n  a = b\n SECRET", 0, 3,
	"is not of the form \"key = value\""},
	{"[profile foo]\ns3 =\n SECRET", 0, 3,
	"is indented, and not of the form \"key = value\""},
	{"[profile foo]\ns3 =\n a = b\n = SECRET", 0, 4, "has no key before \"=\""},
	{"[profile foo]\nSECRET = \xFF", 0, 2, "is not valid UTF-8"},
	{"[profile \xC3]\n", 0, 1, "is not valid UTF-8"},
	{"[profile foo]\nSECRET = a\0b\n", 27, 2, "has a control character"},
	{"[profile foo]\nSECRET = a\x1B[31m\n", 0, 2, "has a control character"},
	{"[profile foo]\ra = SECRET\r", 0, 1, "has a control character"},
	{"\xFF\xFE[\0d\0", 6, 1, "is not valid UTF-8"},
};

static void
refuses_malformed_lines(void)
{
	size_t		i;

	for (i = 0; i < LENGTHOF(errors); i++)
	{
		size_t		len = errors[i].len ? errors[i].len : strlen(errors[i].text);
		char		wanted[200];
		DynIni		ini;
		DynError	err = {0};

		snprintf(wanted, sizeof(wanted), "line %d of file \"/a/file\" %s",
				 errors[i].line, errors[i].wrong);
		if (!CHECK(!parse(&ini, errors[i].text, len, true, &err)))
			clear_ini(&ini);
		CHECK_EQ_STR(err.message, wanted);
		CHECK(err.hint[0] != '\0' && err.excerpt[0] == '\0');
		CHECK(strstr(err.message, "SECRET") == NULL);
		CHECK(ini.text.data == NULL && ini.n == 0);
	}
}

/* ---- anything --------------------------------------------------------- */

static const char good[] = "\xEF\xBB\xBF# a file\r\n"
"[default]\r\nregion = eu-west-1\r\n\n"
"[profile \"my \\\"name\"] ; quoted\naws_access_key_id = AKIA # c\n"
"credential_process = /bin/x \"a b\"\n   --more\n\t--and more\n"
"s3 =\n   max = 1\n\n   min = \xC3\xA9\n"
"[services 'x y']\ndynamodb =\n  endpoint_url = http://x\n"
"[sso-session s]# c\nsso_region=eu-west-1\n[default]\nregion =\n";

/* Reads all that there is, so that the sanitizers see each byte. */
static void
try_any(const char *text, size_t len, bool prefixes)
{
	DynIni		ini;
	DynError	err = {0};
	size_t		i;
	size_t		total = 0;

	if (!parse(&ini, text, len, prefixes, &err))
	{
		CHECK(strncmp(err.message, "line ", 5) == 0);
		return;
	}
	for (i = 0; i < ini.n; i++)
	{
		total += strlen(ini.entries[i].section);
		if (ini.entries[i].key != NULL)
			total += strlen(ini.entries[i].key) + strlen(ini.entries[i].value);
	}
	CHECK(total <= len * (ini.n + 1));
	clear_ini(&ini);
}

static void
survives_truncation(void)
{
	size_t		len;

	for (len = 0; len < sizeof(good); len++)
	{
		try_any(good, len, true);
		try_any(good, len, false);
	}
}

static uint32_t
draw(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* Characters that mean something are drawn often. */
static void
survives_random_bytes(void)
{
	static const char likely[] = "[]\"'\\=#; \t\n\r\nab";
	uint32_t	state = 20;
	int			i;

	for (i = 0; i < 100000; i++)
	{
		char		text[40];
		size_t		len = draw(&state) % (sizeof(text) + 1);
		size_t		k;

		for (k = 0; k < len; k++)
			text[k] = draw(&state) % 16 == 0 ? (char) draw(&state) :
				likely[draw(&state) % (sizeof(likely) - 1)];
		try_any(text, len, i % 2 == 0);
	}
}

static void
survives_changed_bytes(void)
{
	uint32_t	state = 21;
	int			i;

	for (i = 0; i < 20000; i++)
	{
		char		text[sizeof(good)];

		memcpy(text, good, sizeof(good));
		text[draw(&state) % sizeof(good)] = (char) draw(&state);
		text[draw(&state) % sizeof(good)] = "\n \"]=#"[draw(&state) % 6];
		try_any(text, sizeof(good) - 1, true);
	}
}

int
main(void)
{
	RUN(finds_values);
	RUN(has_no_prefixes_in_credentials);
	RUN(allows_empty_files);
	RUN(refuses_malformed_lines);
	RUN(survives_truncation);
	RUN(survives_random_bytes);
	RUN(survives_changed_bytes);
	return DONE("ini");
}
