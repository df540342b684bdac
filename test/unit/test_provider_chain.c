/*
 * test_provider_chain.c
 *		Which source of credentials is found, by the environment and the files.
 *
 * Each case sets both files and all variables.  Secrets in them contain
 * the word HIDDEN, and no error ever does.
 */
#include "harness.h"

#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "credentials/files.h"
#include "credentials/provider_chain.h"

#define LENGTHOF(array) (sizeof(array) / sizeof((array)[0]))

#define ROLE	"arn:aws:iam::123456789012:role/"
#define KEYS	"aws_access_key_id = AKIA\naws_secret_access_key = HIDDEN\n"

static char directory[] = "/tmp/test_route.XXXXXX";
static char config_path[200];
static char credentials_path[200];
static DynProviderChain chain;
static DynError err;

static const char *const variables[] = {
	"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
	"AWS_SECURITY_TOKEN", "AWS_CREDENTIAL_EXPIRATION", "AWS_PROFILE",
	"AWS_DEFAULT_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN",
	"AWS_ROLE_SESSION_NAME", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
	"AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_EC2_METADATA_DISABLED"
};

/* ---- the surroundings of a case --------------------------------------- */

static void
write_file(const char *path, const char *text)
{
	FILE	   *file;

	unlink(path);
	if (text == NULL)
		return;
	file = fopen(path, "w");
	if (CHECK(file != NULL))
	{
		CHECK(fputs(text, file) >= 0);
		fclose(file);
	}
}

/* No variables, and these files, or none. */
static void
surround(const char *config, const char *credentials)
{
	size_t		i;

	for (i = 0; i < LENGTHOF(variables); i++)
		unsetenv(variables[i]);
	setenv("AWS_CONFIG_FILE", config_path, 1);
	setenv("AWS_SHARED_CREDENTIALS_FILE", credentials_path, 1);
	write_file(config_path, config);
	write_file(credentials_path, credentials);
}

static void
set(const char *name, const char *value)
{
	setenv(name, value, 1);
}

static bool
find(DynSourceKind kind, const char *profile)
{
	DynSourceOptions spec = {.kind = kind,.profile = (char *) profile};

	memset(&err, 0, sizeof(err));
	return dyn_chain_find(&spec, &chain, &err);
}

/* Is it found, from this origin, in these words? */
static bool
finds(DynSourceKind kind, const char *profile, DynProviderKind provider_kind,
	  const char *words)
{
	if (!CHECK(find(kind, profile)))
	{
		printf("#     %s\n", err.message);
		return false;
	}
	return CHECK_EQ_INT(chain.provider_kind, provider_kind) & CHECK_EQ_STR(chain.words, words);
}

/* Is it refused with this in the message, and this in the hint? */
static void
refuses(DynSourceKind kind, const char *profile, const char *message,
		const char *hint)
{
	static const DynProviderChain empty;

	if (!CHECK(!find(kind, profile)))
	{
		printf("#     found: %s, not: %s\n", chain.words, message);
		dyn_chain_clear(&chain);
		return;
	}
	if (!CHECK(strstr(err.message, message) != NULL) |
		!CHECK(strstr(err.hint, hint) != NULL))
		printf("#     %s\n#     %s\n#     wanted: %s\n", err.message,
			   err.hint, message);
	CHECK(strstr(err.message, "HIDDEN") == NULL);
	CHECK(strstr(err.hint, "HIDDEN") == NULL);
	CHECK(err.excerpt[0] == '\0' && !err.out_of_memory && !err.passing);
	CHECK(memcmp(&chain, &empty, sizeof(empty)) == 0);
}

static void
has_keys(const char *id, const char *secret, const char *token)
{
	CHECK_EQ_STR(chain.keys.access_key_id, id);
	CHECK_EQ_STR(chain.keys.secret_access_key, secret);
	if (token)
		CHECK_EQ_STR(chain.keys.session_token, token);
	else
		CHECK(chain.keys.session_token == NULL);
}

static void
end(void)
{
	dyn_chain_clear(&chain);
	CHECK(chain.words == NULL && chain.nroles == 0);
}

/* ---- static keys ------------------------------------------------------ */

static void
static_keys(void)
{
	DynSourceOptions spec = {
		.kind = DYN_SOURCE_STATIC,
		.keys = {"AKIA", "HIDDEN", "TOKEN", 77},
		.role = {ROLE "last", "me", "extern", 1000}
	};

	surround(NULL, NULL);
	CHECK(dyn_chain_find(&spec, &chain, &err));
	CHECK_EQ_INT(chain.provider_kind, DYN_PROVIDER_KEYS);
	CHECK_EQ_STR(chain.words, "static keys, role " ROLE "last");
	has_keys("AKIA", "HIDDEN", "TOKEN");
	CHECK_EQ_INT(chain.keys.expires, 77);
	CHECK_EQ_INT(chain.nroles, 1);
	CHECK_EQ_STR(chain.roles[0].arn, ROLE "last");
	CHECK_EQ_STR(chain.roles[0].session_name, "me");
	CHECK_EQ_STR(chain.roles[0].external_id, "extern");
	CHECK_EQ_INT(chain.roles[0].duration, 1000);
	end();
	refuses(DYN_SOURCE_STATIC, NULL, "the user mapping has no access keys", "");
}

/* ---- the environment -------------------------------------------------- */

static void
environment(void)
{
	surround(NULL, NULL);
	set("AWS_ACCESS_KEY_ID", "AKIA");
	set("AWS_SECRET_ACCESS_KEY", "HIDDEN");
	if (finds(DYN_SOURCE_ENVIRONMENT, NULL, DYN_PROVIDER_KEYS, "environment"))
		has_keys("AKIA", "HIDDEN", NULL);
	CHECK_EQ_INT(chain.keys.expires, 0);
	end();
	set("AWS_SECURITY_TOKEN", "OLD");
	if (finds(DYN_SOURCE_ENVIRONMENT, NULL, DYN_PROVIDER_KEYS, "environment"))
		has_keys("AKIA", "HIDDEN", "OLD");
	end();
	set("AWS_SESSION_TOKEN", "NEW");
	set("AWS_CREDENTIAL_EXPIRATION", "2030-01-02T03:04:05Z");
	if (finds(DYN_SOURCE_ENVIRONMENT, NULL, DYN_PROVIDER_KEYS, "environment"))
		has_keys("AKIA", "HIDDEN", "NEW");
	CHECK_EQ_INT(chain.keys.expires, 1893553445);
	end();
}

static void
environment_is_refused(void)
{
	surround(NULL, NULL);
	refuses(DYN_SOURCE_ENVIRONMENT, NULL, "AWS_ACCESS_KEY_ID and "
			"AWS_SECRET_ACCESS_KEY are not set", "the server was started");
	set("AWS_ACCESS_KEY_ID", "AKIA");
	refuses(DYN_SOURCE_ENVIRONMENT, NULL, "AWS_ACCESS_KEY_ID is set, but "
			"AWS_SECRET_ACCESS_KEY is not", "");
	set("AWS_SECRET_ACCESS_KEY", "");
	refuses(DYN_SOURCE_DEFAULT, NULL, "AWS_ACCESS_KEY_ID is set, but "
			"AWS_SECRET_ACCESS_KEY is not", "");
	set("AWS_SECRET_ACCESS_KEY", "HIDDEN\n");
	refuses(DYN_SOURCE_ENVIRONMENT, NULL, "AWS_SECRET_ACCESS_KEY contains a "
			"control character", "");
	set("AWS_SECRET_ACCESS_KEY", "HIDDEN");
	set("AWS_SECURITY_TOKEN", "HIDDEN\n");
	refuses(DYN_SOURCE_ENVIRONMENT, NULL, "AWS_SECURITY_TOKEN contains a "
			"control character", "");
	set("AWS_SESSION_TOKEN", "HIDDEN\n");
	refuses(DYN_SOURCE_ENVIRONMENT, NULL, "AWS_SESSION_TOKEN contains a "
			"control character", "");
	unsetenv("AWS_SECURITY_TOKEN");
	unsetenv("AWS_SESSION_TOKEN");
	set("AWS_CREDENTIAL_EXPIRATION", "tomorrow HIDDEN");
	refuses(DYN_SOURCE_ENVIRONMENT, NULL, "AWS_CREDENTIAL_EXPIRATION is not a "
			"time", "");
	unsetenv("AWS_ACCESS_KEY_ID");
	refuses(DYN_SOURCE_ENVIRONMENT, NULL, "AWS_SECRET_ACCESS_KEY is set, but "
			"AWS_ACCESS_KEY_ID is not", "");
}

static void
web_identity(void)
{
	surround(NULL, NULL);
	refuses(DYN_SOURCE_WEB_IDENTITY, NULL, "AWS_WEB_IDENTITY_TOKEN_FILE is not "
			"set", "");
	set("AWS_WEB_IDENTITY_TOKEN_FILE", "/a/token");
	refuses(DYN_SOURCE_WEB_IDENTITY, NULL, "AWS_WEB_IDENTITY_TOKEN_FILE is set, "
			"but AWS_ROLE_ARN is not", "");
	set("AWS_ROLE_ARN", "HIDDEN");
	refuses(DYN_SOURCE_WEB_IDENTITY, NULL, "AWS_ROLE_ARN is not the ARN of a "
			"role", "");
	set("AWS_ROLE_ARN", ROLE "web");
	if (finds(DYN_SOURCE_WEB_IDENTITY, NULL, DYN_PROVIDER_WEB_IDENTITY,
			  "web identity, role " ROLE "web"))
	{
		CHECK_EQ_STR(chain.token_file, "/a/token");
		CHECK_EQ_STR(chain.web_role.arn, ROLE "web");
		CHECK(chain.web_role.session_name == NULL);
		CHECK_EQ_INT(chain.nroles, 0);
	}
	end();
	set("AWS_ROLE_SESSION_NAME", "a b");
	refuses(DYN_SOURCE_WEB_IDENTITY, NULL, "AWS_ROLE_SESSION_NAME is not the "
			"name of a session", "");
	set("AWS_ROLE_SESSION_NAME", "me@there");
	if (finds(DYN_SOURCE_WEB_IDENTITY, NULL, DYN_PROVIDER_WEB_IDENTITY,
			  "web identity, role " ROLE "web"))
		CHECK_EQ_STR(chain.web_role.session_name, "me@there");
	end();
}

static void
container_and_instance(void)
{
	surround(NULL, NULL);
	refuses(DYN_SOURCE_CONTAINER, NULL,
			"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "");
	set("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/x");
	finds(DYN_SOURCE_CONTAINER, NULL, DYN_PROVIDER_CONTAINER, "container");
	end();
	finds(DYN_SOURCE_INSTANCE, NULL, DYN_PROVIDER_INSTANCE, "instance");
	end();
	set("AWS_EC2_METADATA_DISABLED", "true");
	refuses(DYN_SOURCE_INSTANCE, NULL, "AWS_EC2_METADATA_DISABLED",
			"Remove the variable from the environment of the server");
}

/* ---- profiles with keys ----------------------------------------------- */

static void
profile_keys(void)
{
	surround(NULL, "[default]\n" KEYS);
	if (finds(DYN_SOURCE_PROFILE, NULL, DYN_PROVIDER_KEYS, "profile \"default\""))
		has_keys("AKIA", "HIDDEN", NULL);
	end();
	surround("[profile my name]\n[profile \"my name\"]\n" KEYS
			 "aws_session_token = T\n", NULL);
	set("AWS_DEFAULT_PROFILE", "my name");
	set("AWS_PROFILE", "my name");
	if (finds(DYN_SOURCE_PROFILE, NULL, DYN_PROVIDER_KEYS, "profile \"my name\""))
		has_keys("AKIA", "HIDDEN", "T");
	end();
	surround("[default]\n" KEYS "[profile b]\naws_access_key_id=B\n"
			 "aws_secret_access_key=HIDDENB\naws_security_token=T\n", NULL);
	set("AWS_DEFAULT_PROFILE", "b");
	if (finds(DYN_SOURCE_PROFILE, NULL, DYN_PROVIDER_KEYS, "profile \"b\""))
		has_keys("B", "HIDDENB", "T");
	end();
	if (finds(DYN_SOURCE_PROFILE, "default", DYN_PROVIDER_KEYS,
			  "profile \"default\""))
		has_keys("AKIA", "HIDDEN", NULL);
	end();
}

/* Key, secret and token are of one file. */
static void
credentials_file_wins(void)
{
	surround("[profile a]\naws_access_key_id = C\naws_secret_access_key = "
			 "HIDDENC\naws_session_token = TC\n", "[a]\n" KEYS);
	if (finds(DYN_SOURCE_PROFILE, "a", DYN_PROVIDER_KEYS, "profile \"a\""))
		has_keys("AKIA", "HIDDEN", NULL);
	end();
	surround("[profile a]\n" KEYS "aws_security_token = HIDDEN\n T\n", NULL);
	refuses(DYN_SOURCE_PROFILE, "a", "key \"aws_security_token\" of profile "
			"\"a\"", "");
	surround("[profile a]\n" KEYS, "[a]\naws_access_key_id = B\n");
	refuses(DYN_SOURCE_PROFILE, "a", "has \"aws_access_key_id\", but not "
			"\"aws_secret_access_key\"", "");
	CHECK(strstr(err.message, credentials_path) != NULL);
	surround("[profile a]\nrole_arn = x\nrole_arn =\n", "[a]\n" KEYS);
	finds(DYN_SOURCE_PROFILE, "a", DYN_PROVIDER_KEYS, "profile \"a\"");
	end();
	surround("[default]\n" KEYS "[profile default]\nregion=x\n", NULL);
	refuses(DYN_SOURCE_PROFILE, "default", "\"default\" has no credentials", "");
	surround("[profile default]\nregion=x\n[default]\n" KEYS, NULL);
	finds(DYN_SOURCE_PROFILE, "default", DYN_PROVIDER_KEYS,
		  "profile \"default\"");
	end();
	surround("[profile default]\n" KEYS "[default]\nregion=x\n", NULL);
	refuses(DYN_SOURCE_PROFILE, "default", "\"default\" has no credentials", "");
}

/* The tools of AWS disagree about which of them wins. */
static void
two_names_of_a_profile_are_refused(void)
{
	static const DynSourceKind sources[] = {
		DYN_SOURCE_PROFILE, DYN_SOURCE_DEFAULT
	};
	size_t		i;

	for (i = 0; i < 2; i++)
	{
		surround("[profile a]\n" KEYS "[profile b]\n" KEYS, NULL);
		set("AWS_PROFILE", "a");
		set("AWS_DEFAULT_PROFILE", "b");
		refuses(sources[i], NULL, "AWS_PROFILE and AWS_DEFAULT_PROFILE name "
				"different profiles, \"a\" and \"b\"", "user mapping");
		surround("[profile a]\n" KEYS "[profile b]\n" KEYS, NULL);
		set("AWS_PROFILE", "a");
		set("AWS_DEFAULT_PROFILE", "b");
		finds(sources[i], "b", DYN_PROVIDER_KEYS, "profile \"b\"");
		end();
	}
}

static void
profile_keys_are_refused(void)
{
	surround("[profile a]\naws_access_key_id = AKIA\n", NULL);
	refuses(DYN_SOURCE_PROFILE, "a", "has \"aws_access_key_id\", but not "
			"\"aws_secret_access_key\"", "");
	CHECK(strstr(err.message, config_path) != NULL);
	surround(NULL, "[a]\naws_secret_access_key = HIDDEN\n");
	refuses(DYN_SOURCE_PROFILE, "a", "has \"aws_secret_access_key\", but not "
			"\"aws_access_key_id\"", "");
	surround(NULL, "[a]\naws_access_key_id = AKIA\naws_secret_access_key = x\n"
			 " HIDDEN\n");
	refuses(DYN_SOURCE_PROFILE, "a", "key \"aws_secret_access_key\" of profile "
			"\"a\" in file", "");
}

/* ---- files and names -------------------------------------------------- */

static void
missing_profiles(void)
{
	char		wanted[500];

	surround(NULL, NULL);
	snprintf(wanted, sizeof(wanted), "profile \"a\" exists neither in file "
			 "\"%s\" nor in file \"%s\"", config_path, credentials_path);
	refuses(DYN_SOURCE_PROFILE, "a", wanted, "operating-system user");
	surround("[a]\n" KEYS, "[b]\n");
	refuses(DYN_SOURCE_PROFILE, "a", wanted, "write [profile a] instead of [a]");
	refuses(DYN_SOURCE_PROFILE, "A", "profile \"A\" exists neither", "");
	refuses(DYN_SOURCE_PROFILE, "b", "profile \"b\" has no credentials",
			"credential_process");
}

static void
unreadable_files(void)
{
	surround(NULL, NULL);
	set("AWS_CONFIG_FILE", directory);
	refuses(DYN_SOURCE_PROFILE, "a", "is not a regular file", "");
	refuses(DYN_SOURCE_DEFAULT, NULL, "is not a regular file", "");
	CHECK(strstr(err.message, directory) != NULL);
	surround(NULL, "[default]\nHIDDEN\n");
	refuses(DYN_SOURCE_DEFAULT, NULL, "line 2 of file", "not shown");
	CHECK(strstr(err.message, credentials_path) != NULL);
	surround("[default\n", NULL);
	refuses(DYN_SOURCE_PROFILE, NULL, "line 1 of file", "not shown");
	CHECK(strstr(err.message, config_path) != NULL);
}

/* A variable may begin with the user's home directory, not with $HOME. */
static void
files_below_home(void)
{
	const struct passwd *entry = getpwuid(geteuid());
	char		wanted[500];

	if (entry == NULL)
		SKIP("the user has no entry");
	surround(NULL, NULL);
	set("HOME", directory);
	set("AWS_CONFIG_FILE", "~/no such file");
	set("AWS_SHARED_CREDENTIALS_FILE", "/no/such/file");
	snprintf(wanted, sizeof(wanted), "\"%s/no such file\"", entry->pw_dir);
	refuses(DYN_SOURCE_PROFILE, "a", wanted, "");
}

/* As in a container that is run with any number. */
static void
user_without_home(void)
{
	uid_t		before = geteuid();

	if (before != 0 || getpwuid(54321) != NULL)
		SKIP("needs root, and user 54321 without an entry");
	surround(NULL, "[default]\n" KEYS);
	CHECK(chmod(directory, 0755) == 0);
	unsetenv("AWS_CONFIG_FILE");
	CHECK(seteuid(54321) == 0);
	finds(DYN_SOURCE_DEFAULT, NULL, DYN_PROVIDER_KEYS, "profile \"default\"");
	end();
	refuses(DYN_SOURCE_PROFILE, "a", "profile \"a\" does not exist in file", "");
	unsetenv("AWS_SHARED_CREDENTIALS_FILE");
	refuses(DYN_SOURCE_PROFILE, "a", "user \"54321\" has no home directory",
			"AWS_CONFIG_FILE");
	finds(DYN_SOURCE_DEFAULT, NULL, DYN_PROVIDER_INSTANCE, "instance");
	end();
	set("AWS_EC2_METADATA_DISABLED", "true");
	refuses(DYN_SOURCE_DEFAULT, NULL, "no credentials were found",
			".aws/credentials");
	CHECK(seteuid(before) == 0);
}

/* ---- roles ------------------------------------------------------------ */

static void
roles(void)
{
	surround("[profile a]\nrole_arn = " ROLE "A\nsource_profile = b\n"
			 "role_session_name = me\nexternal_id = e/x\nduration_seconds = 900\n"
			 "[profile b]\nrole_arn=" ROLE "B\nsource_profile=c\n",
			 "[c]\n" KEYS "[a]\naws_access_key_id=no\naws_secret_access_key=no\n");
	if (finds(DYN_SOURCE_PROFILE, "a", DYN_PROVIDER_KEYS,
			  "profile \"a\", role " ROLE "B, role " ROLE "A"))
	{
		has_keys("AKIA", "HIDDEN", NULL);
		CHECK_EQ_INT(chain.nroles, 2);
		CHECK_EQ_STR(chain.roles[0].arn, ROLE "B");
		CHECK(chain.roles[0].session_name == NULL);
		CHECK(chain.roles[0].external_id == NULL);
		CHECK_EQ_INT(chain.roles[0].duration, 0);
		CHECK_EQ_STR(chain.roles[1].arn, ROLE "A");
		CHECK_EQ_STR(chain.roles[1].session_name, "me");
		CHECK_EQ_STR(chain.roles[1].external_id, "e/x");
		CHECK_EQ_INT(chain.roles[1].duration, 900);
	}
	end();
}

/* A source with keys does not assume its role; the first profile does. */
static void
sources_with_keys(void)
{
	surround("[profile a]\nrole_arn=" ROLE "A\nsource_profile=a\n" KEYS, NULL);
	if (finds(DYN_SOURCE_PROFILE, "a", DYN_PROVIDER_KEYS,
			  "profile \"a\", role " ROLE "A"))
		has_keys("AKIA", "HIDDEN", NULL);
	end();
	surround("[profile a]\nrole_arn=" ROLE "A\nsource_profile=b\n"
			 "aws_access_key_id=no\naws_secret_access_key=no\n"
			 "[profile b]\nrole_arn=" ROLE "B\nsource_profile=c\n"
			 "aws_access_key_id=B\naws_secret_access_key=HIDDENB\n"
			 "[profile c]\n" KEYS, NULL);
	if (finds(DYN_SOURCE_PROFILE, "a", DYN_PROVIDER_KEYS,
			  "profile \"a\", role " ROLE "A"))
		has_keys("B", "HIDDENB", NULL);
	end();
	surround("[profile a]\nrole_arn=" ROLE "A\nsource_profile=b\n"
			 "[profile b]\nrole_arn=" ROLE "B\naws_access_key_id=B\n", NULL);
	refuses(DYN_SOURCE_PROFILE, "a", "profile \"b\" in file", "");
}

static void
named_sources(void)
{
	surround("[profile a]\nrole_arn=" ROLE "A\ncredential_source=Environment\n"
			 "[profile b]\nrole_arn=" ROLE "B\ncredential_source="
			 "Ec2InstanceMetadata\n"
			 "[profile c]\nrole_arn=" ROLE "C\ncredential_source=EcsContainer\n"
			 "[profile d]\nrole_arn=" ROLE "D\nsource_profile=c\n"
			 "[profile e]\nrole_arn=" ROLE "D\ncredential_source=HIDDEN\n",
			 NULL);
	refuses(DYN_SOURCE_PROFILE, "a", "AWS_ACCESS_KEY_ID", "");
	set("AWS_ACCESS_KEY_ID", "ENV");
	set("AWS_SECRET_ACCESS_KEY", "HIDDENENV");
	if (finds(DYN_SOURCE_PROFILE, "a", DYN_PROVIDER_KEYS,
			  "profile \"a\", role " ROLE "A"))
		has_keys("ENV", "HIDDENENV", NULL);
	end();
	finds(DYN_SOURCE_PROFILE, "b", DYN_PROVIDER_INSTANCE,
		  "profile \"b\", role " ROLE "B");
	end();
	set("AWS_EC2_METADATA_DISABLED", "true");
	refuses(DYN_SOURCE_PROFILE, "b", "AWS_EC2_METADATA_DISABLED", "");
	refuses(DYN_SOURCE_PROFILE, "c", "no container endpoint", "");
	set("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1/");
	finds(DYN_SOURCE_PROFILE, "d", DYN_PROVIDER_CONTAINER,
		  "profile \"d\", role " ROLE "C, role " ROLE "D");
	end();
	refuses(DYN_SOURCE_PROFILE, "e", "key \"credential_source\" of profile "
			"\"e\"", "Ec2InstanceMetadata");
}

/* What is wrong with [profile a] after its role_arn. */
static const struct
{
	const char *rest;
	const char *message;
	const char *hint;
}			bad_roles[] =
{
	{"", "has \"role_arn\", but not source_profile, credential_source or "
	"web_identity_token_file", "its own name"},
	{KEYS, "has \"role_arn\", but not source_profile", "its own name"},
	{"source_profile=b\ncredential_source=Environment\n",
	"profile \"a\" has both \"source_profile\" and \"credential_source\"",
	"Remove"},
	{"source_profile=b\nweb_identity_token_file=/x\n",
	"has both \"web_identity_token_file\" and \"source_profile\"", "Remove"},
	{"credential_source=Environment\nweb_identity_token_file=/x\n",
	"has both \"web_identity_token_file\" and \"credential_source\"", "Remove"},
	{"source_profile=none\n", "profile \"a\" has source_profile \"none\", which "
	"does not exist", "test_route"},
	{"source_profile=a\n", "is the profile itself, which has no keys", ""},
	{"source_profile=empty\n", "profile \"empty\" has no credentials", ""},
	{"source_profile=a2\n[profile a2]\nrole_arn=" ROLE "2\nsource_profile=a\n",
	"cycle: \"a\", \"a2\", \"a\"", ""},
	{KEYS "source_profile=a2\n[profile a2]\nrole_arn=" ROLE "2\n"
	"source_profile=a\n", "cycle: \"a\", \"a2\", \"a\"", ""},
	{"source_profile=a2\n[profile a2]\nrole_arn=" ROLE "2\nsource_profile=a2\n",
	"key \"source_profile\" of profile \"a2\"", ""},
	{"source_profile=b\nmfa_serial=HIDDEN\n", "key \"mfa_serial\" of profile "
	"\"a\"", "trust policy"},
	{"source_profile=b\nduration_seconds=899\n", "key \"duration_seconds\" of "
	"profile \"a\"", ""},
	{"source_profile=b\nduration_seconds=43201\n", "duration_seconds", ""},
	{"source_profile=b\nduration_seconds=99999999999999999999\n",
	"duration_seconds", ""},
	{"source_profile=b\nduration_seconds=1000s\n", "duration_seconds", ""},
	{"source_profile=b\nduration_seconds=-1000\n", "duration_seconds", ""},
	{"source_profile=b\nrole_session_name=a b\n", "key \"role_session_name\"",
	""},
	{"source_profile=b\nrole_session_name=a\n", "key \"role_session_name\"", ""},
	{"source_profile=b\nexternal_id=HIDDEN!\n", "key \"external_id\"", ""},
	{"source_profile=b\n HIDDEN\n", "key \"source_profile\" of profile \"a\" in "
	"file", "indented"},
	{"source_profile=b\nrole_arn=HIDDEN\n", "key \"role_arn\" of profile \"a\"",
	""},
	{"source_profile=b\nrole_arn=arn:aws:iam::123456789012:role/a b HIDDEN\n",
	"is not the ARN of a role", ""},
};

static void
roles_are_refused(void)
{
	size_t		i;

	for (i = 0; i < LENGTHOF(bad_roles); i++)
	{
		char		config[2000];

		snprintf(config, sizeof(config), "[profile empty]\nregion=x\n"
				 "[profile b]\n" KEYS "[profile a]\nrole_arn=" ROLE "A\n%s",
				 bad_roles[i].rest);
		surround(config, NULL);
		refuses(DYN_SOURCE_PROFILE, "a", bad_roles[i].message,
				bad_roles[i].hint);
		if (strstr(bad_roles[i].message, "empty") == NULL)
			refuses(DYN_SOURCE_DEFAULT, "a", bad_roles[i].message,
					bad_roles[i].hint);
	}
}

/* [profile p1] assumes its role by p2, and so on; the last one has keys. */
static void
chain_of(int n)
{
	static char config[4000];
	int			len = 0;
	int			i;

	for (i = 1; i <= n; i++)
		len += snprintf(config + len, sizeof(config) - (size_t) len,
						"[profile p%d]\nrole_arn=" ROLE "%d\n"
						"source_profile=p%d\n", i, i, i + 1);
	snprintf(config + len, sizeof(config) - (size_t) len, "[profile p%d]\n" KEYS,
			 n + 1);
	surround(config, NULL);
}

static void
chains_are_bounded(void)
{
	DynSourceOptions spec = {
		.kind = DYN_SOURCE_PROFILE,
		.profile = (char *) "p1",
		.role = {.arn = (char *) ROLE "last"}
	};

	chain_of(8);
	CHECK(find(DYN_SOURCE_PROFILE, "p1"));
	CHECK_EQ_INT(chain.nroles, 8);
	CHECK_EQ_STR(chain.roles[0].arn, ROLE "8");
	CHECK_EQ_STR(chain.roles[7].arn, ROLE "1");
	end();
	CHECK(!dyn_chain_find(&spec, &chain, &err));
	CHECK(strstr(err.message, "more than 8 roles") != NULL);
	chain_of(7);
	CHECK(dyn_chain_find(&spec, &chain, &err));
	CHECK_EQ_INT(chain.nroles, 8);
	CHECK_EQ_STR(chain.roles[7].arn, ROLE "last");
	end();
	chain_of(9);
	refuses(DYN_SOURCE_PROFILE, "p1", "profile \"p1\" requires a chain of more than 8 roles",
			"");
}

static void
profile_web_identity(void)
{
	surround("[profile a]\nrole_arn=" ROLE "A\nweb_identity_token_file=/t\n"
			 "role_session_name=me\nduration_seconds=1000\n" KEYS
			 "[profile b]\nrole_arn=" ROLE "B\nsource_profile=a2\n"
			 "[profile a2]\nrole_arn=" ROLE "A\nweb_identity_token_file=/t\n"
			 "[profile c]\nweb_identity_token_file=/t\n", NULL);
	if (finds(DYN_SOURCE_PROFILE, "a", DYN_PROVIDER_WEB_IDENTITY,
			  "profile \"a\", role " ROLE "A"))
	{
		CHECK_EQ_STR(chain.token_file, "/t");
		CHECK_EQ_STR(chain.web_role.arn, ROLE "A");
		CHECK_EQ_STR(chain.web_role.session_name, "me");
		CHECK_EQ_INT(chain.web_role.duration, 1000);
		CHECK_EQ_INT(chain.nroles, 0);
	}
	end();
	if (finds(DYN_SOURCE_PROFILE, "b", DYN_PROVIDER_WEB_IDENTITY,
			  "profile \"b\", role " ROLE "A, role " ROLE "B"))
		CHECK_EQ_INT(chain.nroles, 1);
	end();
	refuses(DYN_SOURCE_PROFILE, "c", "has \"web_identity_token_file\", but not "
			"\"role_arn\"", "");
}

/* ---- programs and SSO ------------------------------------------------- */

static void
programs(void)
{
	surround("[profile a]\ncredential_process = /bin/x \"a b\"\n   --more\n"
			 KEYS "[profile b]\nrole_arn=" ROLE "B\nsource_profile=a2\n"
			 "[profile a2]\ncredential_process = /bin/y\n",
			 "[c]\ncredential_process = /bin/z\n" KEYS);
	if (finds(DYN_SOURCE_PROFILE, "a", DYN_PROVIDER_PROCESS, "profile \"a\""))
		CHECK_EQ_STR(chain.command, "/bin/x \"a b\" --more");
	CHECK(chain.keys.access_key_id == NULL);
	end();
	if (finds(DYN_SOURCE_PROFILE, "b", DYN_PROVIDER_PROCESS,
			  "profile \"b\", role " ROLE "B"))
		CHECK_EQ_STR(chain.command, "/bin/y");
	end();
	finds(DYN_SOURCE_PROFILE, "c", DYN_PROVIDER_KEYS, "profile \"c\"");
	end();
}

#define SESSION "[sso-session s]\nsso_start_url=https://x/start\n" \
	"sso_region=eu-west-1\n"

/* The cache file of this name, below the user's home directory. */
static void
has_cache_file(const char *name)
{
	char	   *wanted = dyn_file_below_home(name, &err);

	if (wanted)
		CHECK_EQ_STR(chain.sso.cache_file, wanted);
	free(wanted);
}

static void
sso(void)
{
	if (getpwuid(geteuid()) == NULL)
		SKIP("the user has no entry");
	surround(SESSION "[profile a]\nsso_session=s\nsso_account_id=123456789012\n"
			 "sso_role_name=reader\n" KEYS
			 "[profile b]\nsso_start_url=https://y/start\nsso_region=eu-west-2\n"
			 "sso_account_id=2\nsso_role_name=writer\n"
			 "[profile c]\nrole_arn=" ROLE "C\nsource_profile=b\n", NULL);
	if (finds(DYN_SOURCE_PROFILE, "a", DYN_PROVIDER_SSO, "profile \"a\""))
	{
		CHECK_EQ_STR(chain.sso.profile, "a");
		CHECK_EQ_STR(chain.sso.region, "eu-west-1");
		CHECK_EQ_STR(chain.sso.account_id, "123456789012");
		CHECK_EQ_STR(chain.sso.role_name, "reader");
		has_cache_file(".aws/sso/cache/"
					   "a0f1490a20d0211c997b44bc357e1972deab8ae3.json");
	}
	end();
	if (finds(DYN_SOURCE_PROFILE, "c", DYN_PROVIDER_SSO,
			  "profile \"c\", role " ROLE "C"))
	{
		CHECK_EQ_STR(chain.sso.profile, "b");
		CHECK_EQ_STR(chain.sso.region, "eu-west-2");
		has_cache_file(".aws/sso/cache/"
					   "30c927ecc8d8349bdcfe657abfc19de9afe86ad8.json");
	}
	end();
}

static const struct
{
	const char *profile;
	const char *message;
}			bad_sso[] =
{
	{"sso_session=s\nsso_account_id=1\n", "has no \"sso_role_name\""},
	{"sso_session=s\nsso_role_name=r\n", "has no \"sso_account_id\""},
	{"sso_session=s\n", "has no \"sso_account_id\""},
	{"sso_session=u\nsso_account_id=1\n", "has no \"sso_role_name\""},
	{"sso_start_url=x\n", "has no \"sso_region\""},
	{"sso_account_id=1\nsso_role_name=r\nsso_region=x\n",
	"has no \"sso_start_url\""},
	{"sso_session=none\nsso_account_id=1\nsso_role_name=r\n",
	"names the SSO session \"none\", which has no section"},
	{"sso_session=s\nsso_account_id=1\nsso_role_name=r\nsso_region=x\n",
	"key \"sso_region\" of profile \"a\""},
	{"sso_start_url=x\nsso_region=a.b/\nsso_account_id=1\nsso_role_name=r\n",
	"\"sso_region\" in profile \"a\""},
	{"sso_session=t\nsso_account_id=1\nsso_role_name=r\n",
	"\"sso_start_url\" in profile \"a\""},
	{"login_session=HIDDEN\n", "key \"login_session\""},
};

static void
sso_is_refused(void)
{
	size_t		i;

	for (i = 0; i < LENGTHOF(bad_sso); i++)
	{
		char		config[2000];

		snprintf(config, sizeof(config), SESSION "[sso-session t]\n"
				 "sso_region=x\nsso_start_url=x\n  y\n"
				 "[sso-session u]\nsso_region=x\nsso_start_url=x\n"
				 "sso_role_name=r\n[profile a]\n%s",
				 bad_sso[i].profile);
		surround(config, NULL);
		refuses(DYN_SOURCE_PROFILE, "a", bad_sso[i].message, "");
	}
	surround("[default]\nsso_session=s\n" KEYS SESSION, NULL);
	finds(DYN_SOURCE_PROFILE, NULL, DYN_PROVIDER_KEYS, "profile \"default\"");
	end();
}

/* ---- the default order ------------------------------------------------ */

/* All is configured, and taken away one by one. */
static void
default_order(void)
{
	surround("[default]\nrole_arn=" ROLE "A\ncredential_source="
			 "Ec2InstanceMetadata\n", NULL);
	set("AWS_ACCESS_KEY_ID", "ENV");
	set("AWS_SECRET_ACCESS_KEY", "HIDDENENV");
	set("AWS_WEB_IDENTITY_TOKEN_FILE", "/t");
	set("AWS_ROLE_ARN", ROLE "web");
	set("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1/");
	finds(DYN_SOURCE_DEFAULT, NULL, DYN_PROVIDER_KEYS, "environment");
	end();
	unsetenv("AWS_ACCESS_KEY_ID");
	unsetenv("AWS_SECRET_ACCESS_KEY");
	finds(DYN_SOURCE_DEFAULT, NULL, DYN_PROVIDER_INSTANCE,
		  "profile \"default\", role " ROLE "A");
	end();
	write_file(config_path, "[default]\n" KEYS);
	finds(DYN_SOURCE_DEFAULT, NULL, DYN_PROVIDER_WEB_IDENTITY,
		  "web identity, role " ROLE "web");
	end();
	unsetenv("AWS_WEB_IDENTITY_TOKEN_FILE");
	finds(DYN_SOURCE_DEFAULT, NULL, DYN_PROVIDER_KEYS, "profile \"default\"");
	end();
	write_file(config_path, "[default]\nregion=x\n");
	finds(DYN_SOURCE_DEFAULT, NULL, DYN_PROVIDER_CONTAINER, "container");
	end();
	unsetenv("AWS_CONTAINER_CREDENTIALS_FULL_URI");
	finds(DYN_SOURCE_DEFAULT, NULL, DYN_PROVIDER_INSTANCE, "instance");
	end();
	write_file(config_path, NULL);
	finds(DYN_SOURCE_DEFAULT, NULL, DYN_PROVIDER_INSTANCE, "instance");
	end();
}

/* The environment's own keys are not what a named profile requires. */
static void
default_with_named_profile(void)
{
	surround("[profile a]\n" KEYS "[profile b]\nregion=x\n", NULL);
	set("AWS_ACCESS_KEY_ID", "ENV");
	set("AWS_SECRET_ACCESS_KEY", "HIDDENENV");
	set("AWS_WEB_IDENTITY_TOKEN_FILE", "/t");
	set("AWS_ROLE_ARN", ROLE "web");
	finds(DYN_SOURCE_DEFAULT, "a", DYN_PROVIDER_KEYS, "profile \"a\"");
	end();
	finds(DYN_SOURCE_DEFAULT, "b", DYN_PROVIDER_INSTANCE, "instance");
	end();
	refuses(DYN_SOURCE_DEFAULT, "none", "profile \"none\" exists neither", "");
	set("AWS_PROFILE", "a");
	finds(DYN_SOURCE_DEFAULT, NULL, DYN_PROVIDER_KEYS, "environment");
	end();
	unsetenv("AWS_ACCESS_KEY_ID");
	unsetenv("AWS_SECRET_ACCESS_KEY");
	unsetenv("AWS_WEB_IDENTITY_TOKEN_FILE");
	finds(DYN_SOURCE_DEFAULT, NULL, DYN_PROVIDER_KEYS, "profile \"a\"");
	end();
	set("AWS_PROFILE", "none");
	refuses(DYN_SOURCE_DEFAULT, NULL, "profile \"none\" exists neither", "");
}

/* What is half there is not passed over. */
static void
default_stops_at_errors(void)
{
	surround("[default]\ncredential_process=x\n", "[default]\n"
			 "aws_access_key_id=AKIA\n");
	set("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1/");
	refuses(DYN_SOURCE_DEFAULT, NULL, "but not \"aws_secret_access_key\"", "");
	surround(NULL, NULL);
	set("AWS_WEB_IDENTITY_TOKEN_FILE", "/t");
	refuses(DYN_SOURCE_DEFAULT, NULL, "but AWS_ROLE_ARN is not", "");
	surround("[default]\nrole_arn=" ROLE "A\nsource_profile=b\n[profile b]\n",
			 NULL);
	refuses(DYN_SOURCE_DEFAULT, NULL, "profile \"b\" has no credentials", "");
}

static void
default_explains(void)
{
	static const char *const parts[] = {
		"AWS_ACCESS_KEY_ID", "AWS_WEB_IDENTITY_TOKEN_FILE",
		"profile \"default\" does not exist",
		"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
		"AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_EC2_METADATA_DISABLED"
	};
	size_t		i;

	surround(NULL, NULL);
	set("AWS_EC2_METADATA_DISABLED", "true");
	for (i = 0; i < LENGTHOF(parts); i++)
		refuses(DYN_SOURCE_DEFAULT, NULL, parts[i], config_path);
	CHECK(strstr(err.hint, credentials_path) != NULL);
	write_file(config_path, "[profile a]\nregion = x\n");
	refuses(DYN_SOURCE_DEFAULT, "a", "profile \"a\" has none", "");
	CHECK(strstr(err.message, "AWS_ACCESS_KEY_ID") == NULL);
}

/* ---- anything --------------------------------------------------------- */

static uint32_t
draw(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* Any lines, any kind: a provider or an error, never a crash or an endless walk. */
static void
survives_random_profiles(void)
{
	static const char *const lines[] = {
		"[profile a]\n", "[profile b]\n", "[profile c]\n", "[default]\n",
		"[sso-session s]\n", "source_profile = a\n", "source_profile = b\n",
		"source_profile = c\n", "role_arn = " ROLE "A\n", " HIDDEN\n",
		"credential_source = Ec2InstanceMetadata\n", "sso_session = s\n",
		"sso_region = x\n", "sso_start_url = x\n", "sso_role_name = r\n",
		"sso_account_id = 1\n", "web_identity_token_file = /t\n", KEYS,
		"aws_access_key_id = x\n", "credential_process = /x\n",
		"duration_seconds = 1000\n", "external_id = xy\n", "s3 =\n", " a = b\n"
	};
	uint32_t	state = 22;
	int			found = 0;
	int			i;

	for (i = 0; i < 3000; i++)
	{
		char		texts[2][2000] = {"[profile a]\n", "[a]\n"};
		int			n = (int) (draw(&state) % 20);

		while (n-- > 0)
			strcat(texts[draw(&state) % 4 == 0],
				   lines[draw(&state) % LENGTHOF(lines)]);
		surround(texts[0], texts[1]);
		if (find(i % 2 ? DYN_SOURCE_PROFILE : DYN_SOURCE_DEFAULT, "a"))
		{
			found++;
			end();
		}
		else
			CHECK(err.message[0] && !strstr(err.message, "HIDDEN"));
	}
	CHECK(found > 100 && found < 2900);
}

/*
 * Whose files are read is not known then, and others' rights are not used.  The
 * first test, as modules of the user database that are loaded may know root.
 */
static void
the_user_database_may_fail(void)
{
	struct rlimit before;
	struct rlimit none;
	bool		found;

	surround(NULL, NULL);
	unsetenv("AWS_CONFIG_FILE");
	unsetenv("AWS_SHARED_CREDENTIALS_FILE");
	set("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1/x");
	CHECK(getrlimit(RLIMIT_NOFILE, &before) == 0);
	none = before;
	none.rlim_cur = 0;
	CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
	found = find(DYN_SOURCE_DEFAULT, NULL);
	CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0);
	if (!CHECK(!found && err.passing))
		printf("#     %s\n", found ? chain.words : err.message);
	CHECK(strstr(err.message, "could not find the home directory of operating-system user") != NULL);
	dyn_chain_clear(&chain);
}

int
main(void)
{
	if (mkdtemp(directory) == NULL)
		return 1;
	snprintf(config_path, sizeof(config_path), "%s/config", directory);
	snprintf(credentials_path, sizeof(credentials_path), "%s/credentials",
			 directory);
	RUN(the_user_database_may_fail);
	RUN(static_keys);
	RUN(environment);
	RUN(environment_is_refused);
	RUN(web_identity);
	RUN(container_and_instance);
	RUN(profile_keys);
	RUN(credentials_file_wins);
	RUN(two_names_of_a_profile_are_refused);
	RUN(profile_keys_are_refused);
	RUN(missing_profiles);
	RUN(unreadable_files);
	RUN(files_below_home);
	RUN(user_without_home);
	RUN(roles);
	RUN(sources_with_keys);
	RUN(named_sources);
	RUN(roles_are_refused);
	RUN(chains_are_bounded);
	RUN(profile_web_identity);
	RUN(programs);
	RUN(sso);
	RUN(sso_is_refused);
	RUN(default_order);
	RUN(default_with_named_profile);
	RUN(default_stops_at_errors);
	RUN(default_explains);
	RUN(survives_random_profiles);
	surround(NULL, NULL);
	rmdir(directory);
	return DONE("route");
}
