/*
 * program.c
 *		Prepares the arguments and environment of a credential_process program.
 *
 * The command is split like in AWS's Python tools (shlex).  Words end at white
 * space.  '...' is literal.  Inside "..." a backslash is special only before a
 * backslash or a double quote; outside of quotes it makes the next character
 * literal.  There are no variables, no patterns, no pipes, no comments.
 *
 * The database server's environment may contain anything, such as LD_PRELOAD
 * or passwords of other programs.  So only PATH and AWS_* are passed on; HOME
 * is set from the user database.  The strings of AWS_* are not copied, since
 * some are secrets.
 */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../aws/credentials.h"
#include "files.h"

/* Directories that are searched if the environment has no PATH. */
#define DEFAULT_PATH	"/usr/local/bin:/usr/bin:/bin"

#define AWS_PREFIX		"AWS_"

extern char **environ;

/* ---- words ------------------------------------------------------------ */

typedef struct Splitter
{
	const char *in;				/* unread rest of the command */
	char	   *out;			/* end of the words written so far */
	char		quote;			/* open quotation mark; 0 if none */
	bool		in_word;
} Splitter;

/*
 * Handles one character of a word, or a backslash and the character after it;
 * returns false if nothing follows the backslash.
 */
static bool
copy_character(Splitter *splitter)
{
	char		c = *splitter->in;

	if (c == '\\' && splitter->quote != '\'')
	{
		c = *++splitter->in;
		if (c == '\0')
			return false;
		if (splitter->quote && c != '"' && c != '\\')
			*splitter->out++ = '\\';
		*splitter->out++ = c;
	}
	else if (c == splitter->quote)
		splitter->quote = '\0';
	else if ((c == '"' || c == '\'') && !splitter->quote)
		splitter->quote = c;
	else
		*splitter->out++ = c;
	return true;
}

static bool
make_description(DynProgram *program, const char *command, DynError *err)
{
	Splitter	splitter = {.in = command};
	size_t		n = 0;

	program->words = splitter.out = malloc(strlen(command) + 1);
	program->argv = calloc(strlen(command) / 2 + 3, sizeof(char *));
	if (program->words == NULL || program->argv == NULL)
		return dyn_error_memory(err);
	for (; *splitter.in; splitter.in++)
	{
		bool		in_word = splitter.quote ||
			strchr(" \t\r\n", *splitter.in) == NULL;

		if (in_word && !splitter.in_word)
			program->argv[n++] = splitter.out;
		else if (!in_word && splitter.in_word)
			*splitter.out++ = '\0';
		splitter.in_word = in_word;
		if (in_word && !copy_character(&splitter))
			return dyn_error_set(err, "credential_process ends with a "
								 "backslash");
	}
	*splitter.out = '\0';
	if (splitter.quote)
		return dyn_error_set(err, "credential_process has a quotation mark "
							 "that is not closed");
	if (n == 0 || program->argv[0][0] == '\0')
		return dyn_error_set(err, "credential_process is empty");
	return true;
}

/* ---- files ------------------------------------------------------------ */

/*
 * Lists the files that the program's name may refer to.  A name without a
 * slash is searched for in the absolute directories of PATH.  Relative
 * directories are skipped, because the server's working directory is its data
 * directory.
 */
static bool
make_paths(DynProgram *program, const char *path, DynError *err)
{
	char	   *name = program->argv[0];
	size_t		most = 1;
	size_t		n = 0;
	char	   *out;

	for (const char *p = path; *p; p++)
		most += *p == ':';
	program->paths = calloc(most + 1, sizeof(char *));
	program->path_text = malloc(strlen(path) + most * (strlen(name) + 2));
	if (program->paths == NULL || program->path_text == NULL)
		return dyn_error_memory(err);
	if (strchr(name, '/'))
	{
		program->paths[0] = name;
		return true;
	}
	out = program->path_text;
	while (*path)
	{
		size_t		len = strcspn(path, ":");

		if (path[0] == '/')
		{
			program->paths[n++] = out;
			out += sprintf(out, "%.*s/%s", (int) len, path, name) + 1;
		}
		path += len + (path[len] == ':');
	}
	return true;
}

/* ---- the environment -------------------------------------------------- */

/* Returns "NAME=value", malloc'd. */
static char *
make_setting(const char *name, const char *value)
{
	size_t		size = strlen(name) + strlen(value) + 2;
	char	   *setting = malloc(size);

	if (setting)
		snprintf(setting, size, "%s=%s", name, value);
	return setting;
}

static bool
make_environment(DynProgram *program, DynError *err)
{
	DynError	why = {0};
	char	   *home = dyn_file_below_home("", &why);
	size_t		len = home ? strlen(home) : 0;
	size_t		n = 0;
	char	  **setting;

	/* HOME is not set if the home directory is not known */
	if (home == NULL && why.out_of_memory)
		return dyn_error_memory(err);
	if (home != NULL)
	{
		while (len > 1 && home[len - 1] == '/')
			home[--len] = '\0';
		program->home_setting = make_setting("HOME", home);
		free(home);
		if (program->home_setting == NULL)
			return dyn_error_memory(err);
	}
	for (setting = environ; setting && *setting; setting++)
		n++;
	program->envp = calloc(n + 3, sizeof(char *));
	if (program->envp == NULL)
		return dyn_error_memory(err);
	n = 0;
	program->envp[n++] = program->path_setting;
	if (program->home_setting)
		program->envp[n++] = program->home_setting;
	for (setting = environ; setting && *setting; setting++)
		if (strncmp(*setting, AWS_PREFIX, strlen(AWS_PREFIX)) == 0)
			program->envp[n++] = *setting;
	return true;
}

/* ---- the program ------------------------------------------------------ */

bool
dyn_program_prepare(DynProgram *program, const char *command, DynError *err)
{
	const char *path = getenv("PATH");

	if (path == NULL || path[0] == '\0')
		path = DEFAULT_PATH;
	program->path_setting = make_setting("PATH", path);
	if (program->path_setting == NULL)
		dyn_error_memory(err);
	else if (make_description(program, command, err) &&
			 make_paths(program, path, err) &&
			 make_environment(program, err))
		return true;
	dyn_program_clear(program);
	return false;
}

void
dyn_program_clear(DynProgram *program)
{
	dyn_secret_free(program->words);
	free(program->argv);
	free(program->paths);
	free(program->envp);
	free(program->path_text);
	free(program->path_setting);
	free(program->home_setting);
	memset(program, 0, sizeof(*program));
}
