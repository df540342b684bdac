/* Programs of credential_process: what they get, what they give, their end. */
#define _GNU_SOURCE				/* dup3 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "harness.h"

#include "credentials/providers.h"

#define lengthof(array) (sizeof(array) / sizeof((array)[0]))

#define NO_USER		65534
#define LONGEST		65536

/* A shell's command that prints credentials. */
#define PRINT \
	"printf '{\"Version\":1,\"AccessKeyId\":\"AKIAEXAMPLE\"," \
	"\"SecretAccessKey\":\"swordfish\"}'\n"

static char directory[] = "/tmp/test_process.XXXXXX";
static char script[64];
static char seen_path[80];
static char seen[16384];

/* ---- helpers ---------------------------------------------------------- */

static double
now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double) time.tv_sec + (double) time.tv_nsec / 1e9;
}

static void
sleep_ms(int ms)
{
	(void) poll(NULL, 0, ms);
}

static void
write_file(const char *path, const char *text, mode_t mode)
{
	FILE	   *file = fopen(path, "w");

	if (!CHECK(file != NULL))
		return;
	fputs(text, file);
	fclose(file);
	chmod(path, mode);
}

static void
write_script(const char *text)
{
	char		full[4096];

	snprintf(full, sizeof(full), "#!/bin/sh\n%s", text);
	write_file(script, full, 0755);
	unlink(seen_path);
}

/* What the script has written into "$0.seen"; "" if nothing. */
static const char *
read_seen(void)
{
	FILE	   *file = fopen(seen_path, "r");
	size_t		len = file ? fread(seen, 1, sizeof(seen) - 1, file) : 0;

	seen[len] = '\0';
	if (file)
		fclose(file);
	return seen;
}

/* Waits until the script has written a line there. */
static const char *
await_seen(void)
{
	double		end = now() + 20;

	while (strchr(read_seen(), '\n') == NULL && now() < end)
		sleep_ms(5);
	return seen;
}

/* The state of a process in /proc; 0 if it is gone. */
static char
state_of(pid_t pid)
{
	char		path[64];
	char		line[512] = "";
	FILE	   *file;
	char	   *end;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int) pid);
	file = fopen(path, "r");
	if (file == NULL)
		return '\0';
	if (fgets(line, sizeof(line), file) == NULL)
		line[0] = '\0';
	fclose(file);
	end = strrchr(line, ')');
	return end ? end[2] : '\0';
}

/* A process that is not reaped in a container is dead all the same. */
static bool
dies(pid_t pid)
{
	double		end = now() + 10;

	while (now() < end)
	{
		char		state = state_of(pid);

		if (state == '\0' || state == 'Z' || state == 'X')
			return true;
		sleep_ms(5);
	}
	return false;
}

static int
count_descriptors(void)
{
	DIR		   *dir = opendir("/proc/self/fd");
	int			n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static bool
has_children(void)
{
	return waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD;
}

/* ---- a run ------------------------------------------------------------ */

typedef struct Run
{
	DynProcess *process;
	DynProviderResponse	response;
	DynCredentials credentials;
	DynError	err;
	int			looks;			/* how often there was something to do */
} Run;

static bool
begin(Run *run, const char *command)
{
	memset(run, 0, sizeof(*run));
	run->response = DYN_RESPONSE_FAILED;
	run->process = dyn_process_start(command, &run->err);
	return run->process != NULL;
}

static void
await(Run *run)
{
	double		end = now() + 30;

	do
	{
		struct pollfd fd = {dyn_process_fd(run->process), POLLIN, 0};

		if (poll(&fd, 1, 1000) > 0)
			run->looks++;
		run->response = dyn_process_response(run->process, &run->credentials,
										 &run->err);
	} while (run->response == DYN_RESPONSE_AGAIN && now() < end);
}

static void
finish(Run *run)
{
	dyn_credentials_clear(&run->credentials);
	dyn_process_destroy(run->process);
}

static void
check_credentials(const Run *run)
{
	if (!CHECK_EQ_INT(run->response, DYN_RESPONSE_CREDENTIALS))
		printf("#     %s (%s)\n", run->err.message, run->err.excerpt);
	CHECK_EQ_STR(run->credentials.access_key_id, "AKIAEXAMPLE");
	CHECK_EQ_STR(run->credentials.secret_access_key, "swordfish");
}

static void
command_succeeds(const char *command)
{
	Run			run;

	if (CHECK(begin(&run, command)))
		await(&run);
	check_credentials(&run);
	finish(&run);
}

static void
succeeds(const char *text)
{
	write_script(text);
	command_succeeds(script);
}

/* The error without the program's output. */
static void
check_error(const Run *run, const char *message, const char *excerpt,
			bool passing)
{
	CHECK_EQ_INT(run->response, DYN_RESPONSE_FAILED);
	CHECK_EQ_STR(run->err.message, message);
	CHECK_EQ_STR(run->err.excerpt, excerpt);
	CHECK_EQ_INT(run->err.passing, passing);
	CHECK(run->credentials.access_key_id == NULL);
	CHECK(strstr(run->err.message, "swordfish") == NULL);
	CHECK(strstr(run->err.excerpt, "swordfish") == NULL);
}

static void
fails(const char *text, const char *message, const char *excerpt, bool passing)
{
	Run			run;

	write_script(text);
	if (CHECK(begin(&run, script)))
		await(&run);
	check_error(&run, message, excerpt, passing);
	finish(&run);
}

static void
does_not_start(const char *command, const char *message, const char *hint)
{
	Run			run;

	if (begin(&run, command))
		await(&run);
	check_error(&run, message, "", false);
	CHECK_EQ_STR(run.err.hint, hint);
	finish(&run);
	CHECK(!has_children());
}

/* ---- the command ------------------------------------------------------ */

static void
reads_what_is_printed(void)
{
	Run			run;

	succeeds(PRINT);
	write_script("printf '{\"Version\": 1, \"AccessKeyId\": \"A\", "
				 "\"SecretAccessKey\": \"B\", \"SessionToken\": \"C\", "
				 "\"Expiration\": \"2026-01-02T03:04:05Z\"}'");
	if (CHECK(begin(&run, script)))
		await(&run);
	CHECK_EQ_INT(run.response, DYN_RESPONSE_CREDENTIALS);
	CHECK_EQ_STR(run.credentials.access_key_id, "A");
	CHECK_EQ_STR(run.credentials.secret_access_key, "B");
	CHECK_EQ_STR(run.credentials.session_token, "C");
	CHECK_EQ_INT(run.credentials.expires, 1767323045);
	finish(&run);
	CHECK(!has_children());
}

typedef struct Words
{
	const char *text;			/* after the program's name */
	const char *wanted;
} Words;

static const Words words[] = {
	{"", ""},
	{" \t ", ""},
	{" a  b\tc\nd\re ", "<a><b><c><d><e>"},
	{" 'a b' c", "<a b><c>"},
	{" \"a b\" c", "<a b><c>"},
	{" a' b 'c\" d \"e", "<a b c d e>"},
	{" '' \"\" x", "<><><x>"},
	{" ''\"\"", "<>"},
	{" a\\ b", "<a b>"},
	{" \\'a\\\" \\\\", "<'a\"><\\>"},
	{" 'a\\b\\\\'", "<a\\b\\\\>"},
	{" \"a\\b\\n\\$\\`\"", "<a\\b\\n\\$\\`>"},
	{" \"a\\\\b\\\"c\"", "<a\\b\"c>"},
	{" 'say \"x\"' \"it's\"", "<say \"x\"><it's>"},
	{" # ; | & $HOME $(id) `id` * ~ > x", "<#><;><|><&><$HOME><$(id)><`id`>"
	"<*><~><>><x>"},
	{" gr\xc3\xbc\xc3\x9f" "e", "<gr\xc3\xbc\xc3\x9f" "e>"}
};

static void
splits_words_as_a_shell(void)
{
	char		command[256];
	size_t		i;

	for (i = 0; i < lengthof(words); i++)
	{
		write_script("for word in \"$@\"; do printf '<%s>' \"$word\"; done "
					 ">\"$0.seen\"\n" PRINT);
		snprintf(command, sizeof(command), "%s%s", script, words[i].text);
		command_succeeds(command);
		CHECK_EQ_STR(read_seen(), words[i].wanted);
	}
	snprintf(command, sizeof(command), "  \"%.10s\"'%s'\\%s", script,
			 "/../", script + 1);
	write_script(PRINT);
	snprintf(command, sizeof(command), "\n '%.9s'\"%s\"", script, script + 9);
	command_succeeds(command);
}

static void
refuses_commands_without_end(void)
{
	const char *open = "credential_process has a quotation mark that is not "
	"closed";
	const char *backslash = "credential_process ends with a backslash";
	const char *nothing = "credential_process is empty";

	does_not_start("/bin/echo 'a", open, "");
	does_not_start("/bin/echo \"a'", open, "");
	does_not_start("/bin/echo \"a\\\"", open, "");
	does_not_start("/bin/echo a\\", backslash, "");
	does_not_start("/bin/echo \"a\\", backslash, "");
	does_not_start("", nothing, "");
	does_not_start(" \n", nothing, "");
	does_not_start("'' a", nothing, "");
}

static void
reports_why_a_program_is_not_executed(void)
{
	char		message[256];

	does_not_start("/nonexistent/program x",
				   "could not execute program \"/nonexistent/program\" of credential_process: No such file or directory", "");
	does_not_start("no-such-program-of-ours",
				   "could not execute program \"no-such-program-of-ours\" of credential_process: No such file or directory",
				   "The program was not found in the PATH of the database server.");
	does_not_start("/etc/passwd/x",
				   "could not execute program \"/etc/passwd/x\" of credential_process: No such file or directory", "");
	does_not_start("/tmp",
				   "could not execute program \"/tmp\" of credential_process: Permission denied", "");
	write_file(script, "#!/bin/sh\n" PRINT, 0644);
	snprintf(message, sizeof(message), "could not execute program \"%s\" of credential_process: Permission denied",
			 script);
	does_not_start(script, message, "");
	write_file(script, PRINT, 0755);
	snprintf(message, sizeof(message), "could not execute program \"%s\" of credential_process: Exec format error",
			 script);
	does_not_start(script, message, "The program is executed without a shell, so a script must begin with \"#!\" and its interpreter.");
	does_not_start("'/x\n\xff'", "could not execute program \"/x??\" of credential_process: No such file or directory", "");
}

static void
looks_for_programs_in_the_path(void)
{
	char		path[256];
	char	   *before = strdup(getenv("PATH"));

	write_script(PRINT);
	snprintf(path, sizeof(path), ":relative:/nonexistent:/etc/passwd:%s:%s",
			 directory, before);
	setenv("PATH", path, 1);
	command_succeeds(strrchr(script, '/') + 1);
	CHECK(chdir(directory) == 0);
	setenv("PATH", "::.:", 1);
	does_not_start("script", "could not execute program \"script\" of credential_process: No such file or directory",
				   "The program was not found in the PATH of the database server.");
	CHECK(chdir("/") == 0);
	unsetenv("PATH");
	write_script("tr '\\0' '\\n' </proc/$$/environ >\"$0.seen\"\n" PRINT);
	command_succeeds(script);
	CHECK(strncmp(read_seen(), "PATH=/usr/local/bin:/usr/bin:/bin\n", 34) == 0);
	setenv("PATH", before, 1);
	free(before);
}

/* ---- what it ends with ------------------------------------------------ */

static void
reports_how_a_program_ended(void)
{
	fails("exit 3", "credential_process ended with exit status 3", "", true);
	fails(PRINT "echo 'line one' >&2; printf 'a\\tb\\001\\r\\n\\n' >&2; exit 1",
		  "credential_process ended with exit status 1", "line one a b",
		  true);
	fails(PRINT "kill -9 $$", "credential_process was terminated by signal 9",
		  "", true);
	fails(PRINT "kill -15 $$", "credential_process was terminated by signal 15",
		  "", true);
	fails("echo oh >&2", "credential_process printed nothing", "oh", false);
}

static void
wants_version_1(void)
{
	const char *message = "the output of credential_process does not have "
	"\"Version\": 1";
	const char *texts[] = {
		"{}", "{\"Version\": 2}", "{\"Version\": \"1\"}", "{\"Version\": null}",
		"{\"Version\": true}", "{\"version\": 1}", "{\"Version\": [1]}",
		"{\"Version\": 2, \"AccessKeyId\": \"A\", \"SecretAccessKey\": \"B\"}"
	};
	char		text[256];
	size_t		i;

	for (i = 0; i < lengthof(texts); i++)
	{
		snprintf(text, sizeof(text), "printf '%s'", texts[i]);
		fails(text, message, "", false);
	}
}

/* The words are those of dyn_response_read_object. */
static void
refuses_other_output(void)
{
	const char *texts[] = {
		"swordfish", "[]", "[1]", "1", "{\"Version\": 1",
		"{\"Version\": 1}", "{\"Version\": 1, \"AccessKeyId\": \"A\"}",
		"{\"Version\": 1, \"SecretAccessKey\": \"swordfish\"}",
		"{\"Version\": 1, \"AccessKeyId\": \"A\", \"SecretAccessKey\": 3}"
	};
	size_t		i;

	for (i = 0; i < lengthof(texts); i++)
	{
		char		text[256];
		Run			run;

		snprintf(text, sizeof(text), "printf '%s'; echo why >&2", texts[i]);
		write_script(text);
		if (CHECK(begin(&run, script)))
			await(&run);
		check_error(&run, run.err.message, "why", false);
		CHECK(strncmp(run.err.message, "the output of credential_process",
					  32) == 0);
		finish(&run);
	}
}

static void
bounds_its_output(void)
{
	char		text[512];
	int			len = (int) strlen("{\"Version\":1,\"AccessKeyId\":\"AKIAEXAMPLE\""
								   ",\"SecretAccessKey\":\"swordfish\"}");
	const char *message = "credential_process printed more than 65536 bytes";
	const char *format = PRINT "head -c %d /dev/zero | tr '\\0' ' '";

	snprintf(text, sizeof(text), format, LONGEST - len);
	succeeds(text);
	snprintf(text, sizeof(text), format, LONGEST - len + 1);
	fails(text, message, "", false);
	snprintf(text, sizeof(text), format, 1000000);
	fails(text, message, "", false);
	fails("exec cat /dev/zero", message, "", false);
	CHECK(!has_children());
}

static void
keeps_the_end_of_its_errors(void)
{
	Run			run;

	write_script("yes word | head -c 1000000 >&2\n"
				 "echo last words >&2; exit 3");
	if (CHECK(begin(&run, script)))
		await(&run);
	check_error(&run, "credential_process ended with exit status 3",
				run.err.excerpt, true);
	CHECK_EQ_INT(strlen(run.err.excerpt), 505);
	CHECK_EQ_STR(run.err.excerpt + 490, "word last words");
	finish(&run);
	succeeds("head -c 1000000 /dev/zero >&2\n" PRINT);
	fails("printf '%0500d so\\nthere' 0 >&2; exit 3",
		  "credential_process ended with exit status 3", "*** so there", true);
	fails("printf '%0600d so\\nthere' 0 >&2; exit 3",
		  "credential_process ended with exit status 3", "so there", true);
}

static void
errors_without_end_do_not_hold_up(void)
{
	Run			run;
	int			i;

	write_script("exec cat /dev/zero >&2");
	if (!CHECK(begin(&run, script)))
		return;
	for (i = 0; i < 100; i++)
		CHECK_EQ_INT(dyn_process_response(run.process, &run.credentials,
										&run.err), DYN_RESPONSE_AGAIN);
	finish(&run);
	CHECK(!has_children());
}

/* ---- when it ends ----------------------------------------------------- */

static void
reads_output_in_pieces(void)
{
	Run			run;

	write_script("printf '{\"Version\":1,\"Access'; sleep 0.1\n"
				 "printf 'KeyId\":\"AKIAEXAMPLE\",\"Secret'; sleep 0.1\n"
				 "printf 'AccessKey\":\"swordfish\"}'; sleep 0.1");
	if (CHECK(begin(&run, script)))
		await(&run);
	check_credentials(&run);
	CHECK(run.looks >= 4);
	finish(&run);
}

/* Its end is waited for, without polling. */
static void
may_close_its_output_early(void)
{
	Run			run;

	write_script(PRINT "exec >&- 2>&-; sleep 0.3");
	if (CHECK(begin(&run, script)))
		await(&run);
	check_credentials(&run);
	CHECK(run.looks < 20);
	finish(&run);
	fails("exec >&- 2>&-; sleep 0.1; exit 4",
		  "credential_process ended with exit status 4", "", true);
}

static void
is_not_requested_while_it_is_silent(void)
{
	Run			run;
	struct pollfd fd = {-1, POLLIN, 0};

	if (!CHECK(begin(&run, "/bin/sleep 1000")))
		return;
	fd.fd = dyn_process_fd(run.process);
	CHECK_EQ_INT(poll(&fd, 1, 10000), 1);	/* it is executed */
	CHECK_EQ_INT(dyn_process_response(run.process, &run.credentials, &run.err),
				 DYN_RESPONSE_AGAIN);
	CHECK_EQ_STR(run.err.message, "");
	CHECK_EQ_INT(poll(&fd, 1, 20), 0);
	finish(&run);
}

/* As one on a network that does not respond. */
int
execve(const char *path, char *const argv[], char *const envp[])
{
	while (strcmp(path, "/hangs") == 0)
		pause();
	return (int) syscall(SYS_execve, path, argv, envp);
}

static void
may_take_long_to_be_executed(void)
{
	Run			run;
	double		start = now();

	alarm(20);
	if (!CHECK(begin(&run, "/hangs")))
		return;
	alarm(0);
	CHECK_EQ_INT(dyn_process_response(run.process, &run.credentials, &run.err),
				 DYN_RESPONSE_AGAIN);
	finish(&run);
	CHECK(now() - start < 1);
	CHECK(!has_children());
}

static void
others_may_keep_its_output_open(void)
{
	Run			run;
	double		start = now();

	write_script("sleep 1000 &\necho $! >\"$0.seen\"\n" PRINT);
	if (CHECK(begin(&run, script)))
		await(&run);
	check_credentials(&run);
	CHECK(now() - start < 10);
	CHECK(state_of(atoi(read_seen())) != '\0');
	finish(&run);
	CHECK(dies(atoi(seen)));
	CHECK(!has_children());
}

static void
its_children_are_killed(void)
{
	Run			run;

	write_script("sleep 1000 &\necho $! >\"$0.seen\"\nwait");
	if (!CHECK(begin(&run, script)))
		return;
	await_seen();
	finish(&run);
	CHECK(atoi(seen) > 1);
	CHECK(dies(atoi(seen)));
	CHECK(!has_children());
}

static void
is_destroyed_at_any_time(void)
{
	int			before = count_descriptors();
	double		start = now();
	int			late = 0;
	int			i;

	for (i = 0; i < 1000; i++)
	{
		Run			run;

		if (!CHECK(begin(&run, "/bin/sleep 1000")))
			break;
		if (i == 0)
			CHECK_EQ_INT(count_descriptors() - before, DYN_PROCESS_FDS);
		finish(&run);
		/* on a busy machine, some are killed, but have not ended yet */
		if (has_children())
		{
			late++;
			CHECK(waitpid(-1, NULL, 0) >= 0 || errno == ECHILD);
		}
	}
	CHECK_EQ_INT(i, 1000);
	CHECK(late < 500);
	CHECK(now() - start < 60);
	CHECK_EQ_INT(count_descriptors(), before);
	dyn_process_destroy(NULL);
}

/* A signal that it ignores does not save it, nor does being stopped. */
static void
cannot_resist(void)
{
	Run			run;

	write_script("trap '' TERM HUP INT\necho $$ >\"$0.seen\"\n"
				 "kill -STOP $$\nsleep 1000");
	if (!CHECK(begin(&run, script)))
		return;
	await_seen();
	finish(&run);
	CHECK(!has_children());
}

static void
ends_with_this_process(void)
{
	pid_t		pid;

	write_script("echo $$ >\"$0.seen\"\nexec sleep 1000");
	pid = fork();
	if (pid == 0)
	{
		Run			run;

		if (begin(&run, script))
			await_seen();
		kill(getpid(), SIGKILL);
	}
	CHECK(waitpid(pid, NULL, 0) == pid);
	CHECK(atoi(await_seen()) > 1);
	CHECK(dies(atoi(seen)));
}

/* ---- what it gets ----------------------------------------------------- */

/* Those of AWS that the tests were started with. */
static void
forget_settings(void)
{
	char		name[256];
	char	  **setting = environ;

	while (*setting)
		if (strncmp(*setting, "AWS_", 4) == 0)
		{
			snprintf(name, sizeof(name), "%.*s",
					 (int) strcspn(*setting, "="), *setting);
			unsetenv(name);
			setting = environ;
		}
		else
			setting++;
}

static void
gets_some_of_the_environment(void)
{
	char		wanted[512];

	forget_settings();
	setenv("AWS_SECRET_ACCESS_KEY", "of ours", 1);
	setenv("AWS_", "", 1);
	setenv("HOME", "/wrong", 1);
	setenv("LD_LIBRARY_PATH", "/wrong", 1);
	setenv("LD_PRELOAD", "/wrong", 1);
	setenv("PGPASSWORD", "wrong", 1);
	setenv("XAWS_X", "wrong", 1);
	setenv("AWS", "wrong", 1);
	write_script("tr '\\0' '\\n' </proc/$$/environ | sort >\"$0.seen\"\n"
				 PRINT);
	command_succeeds(script);
	snprintf(wanted, sizeof(wanted), "AWS_=\nAWS_SECRET_ACCESS_KEY=of ours\n"
			 "HOME=%s\nPATH=%s\n", getpwuid(geteuid())->pw_dir,
			 getenv("PATH"));
	CHECK_EQ_STR(read_seen(), wanted);
	CHECK_EQ_STR(getenv("LD_LIBRARY_PATH"), "/wrong");
	unsetenv("LD_PRELOAD");
	unsetenv("LD_LIBRARY_PATH");
}

/* 3 is that of ls, which reads the directory. */
static void
gets_three_descriptors(void)
{
	static const int numbers[] = {3, 4, 5, 9, 63, 64, 200, 999};
	char		wanted[256];
	char		path[256];
	size_t		i;

	for (i = 0; i < lengthof(numbers); i++)
		if (fcntl(numbers[i], F_GETFD) < 0)
			CHECK(dup2(1, numbers[i]) == numbers[i]);
	write_script("ls /proc/self/fd >\"$0.seen\"\n"
				 "readlink /proc/$$/fd/0 >>\"$0.seen\"\n"
				 "pwd >>\"$0.seen\"\n" PRINT);
	command_succeeds(script);
	snprintf(wanted, sizeof(wanted), "0\n1\n2\n3\n/dev/null\n/\n");
	CHECK_EQ_STR(read_seen(), wanted);
	for (i = 0; i < lengthof(numbers); i++)
	{
		snprintf(path, sizeof(path), "/proc/self/fd/%d", numbers[i]);
		CHECK(fcntl(numbers[i], F_GETFD) >= 0);
		close(numbers[i]);
	}
}

static void
gets_default_signals(void)
{
	sigset_t	blocked;
	sigset_t	after;
	unsigned long long mask = 1;
	unsigned long long ignored = 1;

	/* which sigaction() does not touch, and pthreads set themselves */
	const unsigned long long of_libc = 3ULL << 31;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	write_script("grep -E '^Sig(Blk|Ign)' /proc/self/status >\"$0.seen\"\n"
				 PRINT);
	command_succeeds(script);
	CHECK(sscanf(read_seen(), "SigBlk: %llx SigIgn: %llx", &mask,
				 &ignored) == 2);
	CHECK_EQ_INT(mask, 0);
	CHECK_EQ_INT(ignored & ~of_libc, 0);
	sigprocmask(SIG_SETMASK, NULL, &after);
	CHECK(sigismember(&after, SIGUSR1) && sigismember(&after, SIGTERM));
	CHECK(!sigismember(&after, SIGHUP));
	CHECK(signal(SIGPIPE, SIG_DFL) == SIG_IGN);
	signal(SIGINT, SIG_DFL);
	sigemptyset(&blocked);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
}

static void
gets_a_session(void)
{
	int			pid = 0;
	int			group = 0;
	int			session = 0;

	write_script("cut -d ' ' -f 1,5,6 /proc/$$/stat >\"$0.seen\"\n" PRINT);
	command_succeeds(script);
	CHECK(sscanf(read_seen(), "%d %d %d", &pid, &group, &session) == 3);
	CHECK(pid > 1);
	CHECK_EQ_INT(group, pid);
	CHECK_EQ_INT(session, pid);
}

/* ---- the process that starts it --------------------------------------- */

static void
in_child(void (*test) (void))
{
	int			status = 0;
	pid_t		pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0)
	{
		harness_bad_checks = 0;
		test();
		fflush(stdout);
		_exit(harness_bad_checks > 0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ_INT(status, 0);
}

static void
works_without_status(void)
{
	Run			run;

	succeeds(PRINT);
	succeeds("sleep 0.1\n" PRINT);
	fails("sleep 0.1", "credential_process printed nothing", "", false);
	others_may_keep_its_output_open();
	its_children_are_killed();
	if (CHECK(begin(&run, "/bin/sleep 1000")))
		finish(&run);
	CHECK(!has_children());
	does_not_start("/nonexistent/program",
				   "could not execute program \"/nonexistent/program\" of credential_process: No such file or directory", "");
}

/* The status is never known then, and the output decides. */
static void
ignoring_sigchld(void)
{
	signal(SIGCHLD, SIG_IGN);
	works_without_status();
	succeeds("sleep 0.1\n" PRINT "exit 3");
	fails("sleep 0.1; echo oh >&2; exit 3",
		  "credential_process printed nothing", "oh", false);
}

static void
reap_any(int signal_number)
{
	int			error = errno;

	(void) signal_number;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		continue;
	errno = error;
}

/* Which may reap the program before its status was seen, or after. */
static void
with_a_handler(void)
{
	struct sigaction action = {0};

	action.sa_handler = reap_any;
	sigaction(SIGCHLD, &action, NULL);
	works_without_status();
}

static void
does_not_need_its_status(void)
{
	in_child(ignoring_sigchld);
	in_child(with_a_handler);
}

static void
leaves_others_children_alone(void)
{
	pid_t		other = fork();
	int			status = 0;

	if (other == 0)
		_exit(7);
	succeeds(PRINT);
	CHECK(waitpid(other, &status, 0) == other);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

static void
close_and_succeed(void)
{
	int			first;
	int			fd;

	for (first = 0; first < 4; first++)
	{
		int			saved = fcntl(1, F_DUPFD, 20);

		for (fd = first; fd < 20; fd++)
			close(fd);
		succeeds(PRINT "echo x >&2\n");
		fails("exit 3", "credential_process ended with exit status 3", "",
			  true);
		CHECK(dup2(saved, 1) == 1);
	}
}

static void
does_not_need_standard_descriptors(void)
{
	in_child(close_and_succeed);
}

static void
limit_descriptors(unsigned long most)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = most;
	CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

static void
without_descriptors(void)
{
	int			before = count_descriptors();
	int			n;
	Run			run;

	write_script(PRINT);
	for (n = 3; n < 20; n++)
	{
		limit_descriptors((unsigned long) n);
		if (begin(&run, script))
			await(&run);
		if (run.response == DYN_RESPONSE_CREDENTIALS)
			check_credentials(&run);
		else
		{
			CHECK_EQ_STR(run.err.message, "could not start credential_process: Too many open files");
			CHECK(run.err.passing);
		}
		finish(&run);
		limit_descriptors(1024);
		CHECK_EQ_INT(count_descriptors(), before);
		CHECK(!has_children());
	}
}

static void
fails_without_descriptors(void)
{
	in_child(without_descriptors);
}

/* It became another user, whom we cannot kill. */
static void
without_permission(void)
{
	Run			run;
	char		command[256];
	double		start;

	CHECK(setgid(NO_USER) == 0 && setuid(NO_USER) == 0);
	snprintf(command, sizeof(command), "%s/become --reuid=0 sleep 1",
			 directory);
	if (!CHECK(begin(&run, command)))
		return;
	sleep_ms(300);
	start = now();
	finish(&run);
	CHECK(now() - start < 0.5);
	CHECK(has_children());
	sleep_ms(1500);
	if (CHECK(begin(&run, "/bin/sleep 1000")))
		finish(&run);
	CHECK(!has_children());
}

static void
does_not_wait_for_what_it_cannot_kill(void)
{
	char		command[256];

	snprintf(command, sizeof(command), "cp /usr/bin/setpriv %s/become && "
			 "chmod 4755 %s/become && su -s /bin/sh nobody -c "
			 "'%s/become --reuid=0 true' >/dev/null 2>&1",
			 directory, directory, directory);
	if (geteuid() != 0 || system(command) != 0)
		SKIP("needs root, and a file system for setuid programs");
	in_child(without_permission);
}

/* ---- everything ------------------------------------------------------- */

static void
run_many(void)
{
	reads_what_is_printed();
	reports_how_a_program_ended();
	bounds_its_output();
	reads_output_in_pieces();
	may_close_its_output_early();
	others_may_keep_its_output_open();
	its_children_are_killed();
	gets_three_descriptors();
	does_not_need_its_status();
	is_destroyed_at_any_time();
}

/* Kernels before 5.3 have no pidfd_open, and before 5.9 no close_range. */
static bool
become_old(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS)
	};
	struct sock_fprog program = {lengthof(filter), filter};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void
on_an_old_kernel(void)
{
	if (!become_old())
		_exit(2);
	CHECK(syscall(SYS_pidfd_open, getpid(), 0) < 0 && errno == ENOSYS);
	CHECK(syscall(SYS_close_range, 1000, 1000, 0) < 0 && errno == ENOSYS);
	run_many();
}

static void
works_on_older_kernels(void)
{
	in_child(on_an_old_kernel);
}

int
main(void)
{
	int			status;
	char		command[64];

	if (mkdtemp(directory) == NULL)
		return 1;
	chmod(directory, 0755);
	snprintf(script, sizeof(script), "%s/script", directory);
	snprintf(seen_path, sizeof(seen_path), "%s.seen", script);
	RUN(reads_what_is_printed);
	RUN(splits_words_as_a_shell);
	RUN(refuses_commands_without_end);
	RUN(reports_why_a_program_is_not_executed);
	RUN(looks_for_programs_in_the_path);
	RUN(reports_how_a_program_ended);
	RUN(wants_version_1);
	RUN(refuses_other_output);
	RUN(bounds_its_output);
	RUN(keeps_the_end_of_its_errors);
	RUN(errors_without_end_do_not_hold_up);
	RUN(reads_output_in_pieces);
	RUN(may_close_its_output_early);
	RUN(is_not_requested_while_it_is_silent);
	RUN(may_take_long_to_be_executed);
	RUN(others_may_keep_its_output_open);
	RUN(its_children_are_killed);
	RUN(is_destroyed_at_any_time);
	RUN(cannot_resist);
	RUN(ends_with_this_process);
	RUN(gets_some_of_the_environment);
	RUN(gets_three_descriptors);
	RUN(gets_default_signals);
	RUN(gets_a_session);
	RUN(does_not_need_its_status);
	RUN(leaves_others_children_alone);
	RUN(does_not_need_standard_descriptors);
	RUN(fails_without_descriptors);
	RUN(does_not_wait_for_what_it_cannot_kill);
	RUN(works_on_older_kernels);
	status = DONE("process");
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command) == 0 ? status : 1;
}
