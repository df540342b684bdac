/*
 * process.c
 *		Obtains credentials that a program prints (credential_process).
 *
 * The program writes into two pipes, for its output and its errors.  A third
 * pipe, which exec closes, reports why the program could not be executed.
 * We do not wait for exec, which may take long if the file is on a network.
 * An epoll descriptor watches the pipes and a pidfd; in kernels before 5.3,
 * which do not have pidfds, a timer replaces the pidfd.
 *
 * The result is complete when the program ends, not when its output ends.  The
 * program may close its output early, or leave a process running that keeps
 * the pipe open.  The end of the program is checked before the pipes are read,
 * so all of its output is read.
 *
 * The program is not reaped before dyn_process_destroy, so that its pid, which
 * is also its group's id, is not reused.  But if SIGCHLD is ignored, or other
 * code waits for any child, our wait fails with ECHILD.  Then the program's
 * status is not known, and only its output determines the result.
 *
 * Between fork and exec only async-signal-safe functions are called, because
 * other threads (libcurl's resolver) may hold locks.  So arguments and
 * environment are prepared before the fork.  Signals are blocked before fork,
 * because this process's signal handlers must not run in the child.
 *
 * The command is split as in AWS's Python tools (shlex).  Inside "..." a
 * backslash is special only before a backslash or a double quote.  There are
 * no variables, patterns, pipes or comments.
 *
 * The server's environment may contain anything, such as LD_PRELOAD or
 * passwords of other programs.  So only PATH and AWS_* are passed on; HOME is
 * set from the user database.  AWS_* may be secret, so we make no copies.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE				/* pipe2, dup3 */
#endif

#include "providers.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/wait.h>

#include "../base/macros.h"
#include "files.h"

#define LONGEST_OUTPUT		DYN_EXCHANGE_LONGEST

#define WHOSE				"the output of credential_process"

/* Maximum number of bytes to store from the end of the error output. */
#define ERRORS_TAIL			511

/* Maximum number of successive reads of error output, which may be endless. */
#define MOST_READS			16

/* Interval of checks whether the program has ended, if there is no pidfd. */
#define TICK_NS				(50 * 1000 * 1000)

/* Interval and maximum number of checks whether a killed program has ended. */
#define REAP_NS				(100 * 1000)
#define MOST_REAPS			10000

/* Directories that are searched if the environment has no PATH. */
#define DEFAULT_PATH		"/usr/local/bin:/usr/bin:/bin"

#define AWS_PREFIX			"AWS_"

extern char **environ;

/* Indexes of descriptors; the first three are pipes. */
enum
{
	OUT,
	ERRORS,
	REPORT,
	PIPES,
	END = PIPES,
	EPOLL
};

struct DynProcess
{
	pid_t		pid;			/* pid and group id; 0 or -1 if not started */
	bool		reaped;			/* true if reaped, but not by this file */
	bool		ticks;			/* true if fds[END] is a timer, not a pidfd */
	int			fds[DYN_PROCESS_FDS];	/* -1 if closed */
	char		name[200];		/* name of the program, maybe truncated */
	size_t		out_len;
	size_t		errors_len;
	char		out[LONGEST_OUTPUT + 1];	/* the extra byte shows that the
											 * output is too long */
	char		errors[ERRORS_TAIL];
};

/* Programs that had not ended when their DynProcess was destroyed. */
static pid_t lingering[16];

/* ---- the program ------------------------------------------------------ */

/* The arguments and the environment.  The AWS_* strings are not copied. */
typedef struct Program
{
	char	  **argv;			/* words of the command, ended by NULL */
	char	  **envp;			/* PATH, HOME and AWS_*, ended by NULL */
	char	   *words;			/* memory with the strings of argv */
	char	   *path_setting;	/* "PATH=..." */
	char	   *home_setting;	/* "HOME=...", or NULL */
} Program;

static bool
split_command(Program *program, const char *command, DynError *err)
{
	char	   *out = program->words = malloc(strlen(command) + 1);
	char		quote = '\0';	/* open quotation mark; 0 if none */
	bool		in_word = false;
	size_t		n = 0;

	program->argv = calloc(strlen(command) / 2 + 3, sizeof(char *));
	if (program->words == NULL || program->argv == NULL)
		return dyn_error_memory(err);
	for (const char *in = command; *in; in++)
	{
		char		c = *in;

		if (!quote && strchr(" \t\r\n", c))
		{
			if (in_word)
				*out++ = '\0';
			in_word = false;
			continue;
		}
		if (!in_word)
			program->argv[n++] = out;
		in_word = true;
		if (c == '\\' && quote != '\'')
		{
			c = *++in;
			if (c == '\0')
				return dyn_error_set(err, "credential_process ends with a "
									 "backslash");
			if (quote && c != '"' && c != '\\')
				*out++ = '\\';
			*out++ = c;
		}
		else if (c == quote)
			quote = '\0';
		else if (!quote && (c == '"' || c == '\''))
			quote = c;
		else
			*out++ = c;
	}
	*out = '\0';
	if (quote)
		return dyn_error_set(err, "credential_process has a quotation mark "
							 "that is not closed");
	if (n == 0 || program->argv[0][0] == '\0')
		return dyn_error_set(err, "credential_process is empty");
	return true;
}

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
make_environment(Program *program, DynError *err)
{
	const char *path = getenv("PATH");
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
	program->path_setting = make_setting("PATH", path && *path ? path : DEFAULT_PATH);
	for (setting = environ; setting && *setting; setting++)
		n++;
	program->envp = calloc(n + 3, sizeof(char *));
	if (program->path_setting == NULL || program->envp == NULL)
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

/* ---- the child -------------------------------------------------------- */

enum
{
	READ_END,
	WRITE_END
};

typedef int Pipes[PIPES][2];

typedef struct Report
{
	int			error;			/* errno of the call that failed */
	int			executing;		/* true if exec was called */
} Report;

/* A directory entry as getdents64 writes it. */
typedef struct Entry
{
	uint64_t	inode;
	int64_t		offset;
	unsigned short length;
	unsigned char type;
	char		name[];
} Entry;

/*
 * Closes all open descriptors from `lowest` on.  Reads their list in /proc
 * with system calls, since opendir() is not async-signal-safe.
 */
static bool
close_listed(int lowest)
{
	_Alignas(Entry) char buf[2048];
	int			fd = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long		len = -1;

	while (fd >= 0 && (len = syscall(SYS_getdents64, fd, buf, sizeof(buf))) > 0)
		for (long at = 0; at < len; at += ((Entry *) (buf + at))->length)
		{
			const char *digits = ((Entry *) (buf + at))->name;
			int			listed = 0;

			while (*digits >= '0' && *digits <= '9')
				listed = 10 * listed + *digits++ - '0';
			if (listed >= lowest && listed != fd)
				close(listed);
		}
	return len == 0;
}

/*
 * Connects descriptor 0 to /dev/null, 1 and 2 to the pipes for output, and 3
 * to the pipe for the report.  Any of these files may already have a number
 * from 0 to 3, so all of them are first moved to numbers above 3.  Closes all
 * other descriptors.
 */
static bool
arrange_descriptors(Pipes pipes)
{
	int			fds[4] = {
		open("/dev/null", O_RDONLY | O_CLOEXEC), pipes[OUT][WRITE_END],
		pipes[ERRORS][WRITE_END], pipes[REPORT][WRITE_END]
	};

	for (int i = 0; i < 4; i++)
		if (fds[i] < 0 || (fds[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 4)) < 0)
			return false;
	for (int i = 0; i < 4; i++)
		if (dup3(fds[i], i, i == 3 ? O_CLOEXEC : 0) < 0)
			return false;
#ifdef SYS_close_range
	if (syscall(SYS_close_range, 4U, ~0U, 0) == 0)
		return true;
#endif
	return close_listed(4);
}

/*
 * Executes the program.  A name without a slash is searched for in PATH.
 * Relative directories are skipped, since the child's working directory is /.
 * Directories without search permission are skipped, too.  Returns the errno
 * of execve for the first file that exists, or ENOENT if none exists.
 */
static int
execute(const Program *program)
{
	const char *name = program->argv[0];
	size_t		name_len = strlen(name);
	char		path[PATH_MAX];
	size_t		len;
	int			first = 0;

	if (strchr(name, '/'))
	{
		execve(name, program->argv, program->envp);
		return errno == ENOTDIR ? ENOENT : errno;
	}
	for (const char *dir = program->path_setting + strlen("PATH="); *dir;
		 dir += len + (dir[len] == ':'))
	{
		int			error = ENAMETOOLONG;

		len = strcspn(dir, ":");
		if (dir[0] != '/')
			continue;
		if (len + name_len + 2 <= sizeof(path))
		{
			memcpy(path, dir, len);
			path[len] = '/';
			memcpy(path + len + 1, name, name_len + 1);
			execve(path, program->argv, program->envp);
			error = errno;
		}
		if (first == 0 && error != ENOENT && error != ENOTDIR &&
			(error != EACCES || access(path, F_OK) == 0))
			first = error;
	}
	return first ? first : ENOENT;
}

/*
 * Executes the program in the child, or reports an error and exits.  The
 * kernel kills the child when the parent ends, but not if the parent has ended
 * before prctl, so the parent's pid is checked.  Signals that we ignore would
 * still be ignored after exec, so all signals are reset.
 *
 * coverage: the child executes these lines, but does not write its counters.
 */
static void
run_child(const Program *program, Pipes pipes, pid_t parent)
{
	int			report_fd = pipes[REPORT][WRITE_END];
	Report		report = {0, 0};
	struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t	none;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && setsid() >= 0 &&
		chdir("/") == 0 && arrange_descriptors(pipes))
	{
		report_fd = 3;
		for (int i = 1; i < NSIG; i++)
			(void) sigaction(i, &action, NULL);
		sigemptyset(&none);
		if (sigprocmask(SIG_SETMASK, &none, NULL) == 0 && getppid() == parent)
		{
			report.error = execute(program);
			report.executing = 1;
		}
	}
	if (!report.executing)
		report.error = errno;
	if (write(report_fd, &report, sizeof(report)) < 0)
		_exit(126);
	_exit(127);
}

/* ---- starting --------------------------------------------------------- */

static bool
cannot_start(DynError *err, int error)
{
	char		text[128];

	dyn_error_errno_text(error, text, sizeof(text));
	dyn_error_set(err, "could not start credential_process: %s", text);
	err->passing = true;
	return false;
}

static void
close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static bool
fork_and_execute(DynProcess *process, const Program *program, Pipes pipes,
				 DynError *err)
{
	pid_t		parent = getpid();
	sigset_t	all;
	sigset_t	before;
	int			error;

	for (int i = 0; i < PIPES; i++)
		if (pipe2(pipes[i], O_CLOEXEC) != 0 ||
			fcntl(pipes[i][READ_END], F_SETFL, O_NONBLOCK) != 0)
			return cannot_start(err, errno);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	process->pid = fork();
	error = errno;
	if (process->pid == 0)
		run_child(program, pipes, parent);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (process->pid < 0)
		return cannot_start(err, error);
	snprintf(process->name, sizeof(process->name), "%s", program->argv[0]);
	for (int i = 0; i < PIPES; i++)
	{
		process->fds[i] = pipes[i][READ_END];
		pipes[i][READ_END] = -1;
	}
	return true;
}

static bool
watch(DynProcess *process, DynError *err)
{
	struct epoll_event event = {.events = EPOLLIN};
	struct itimerspec every = {{0, TICK_NS}, {0, TICK_NS}};
	int		   *fds = process->fds;
	bool		ok = true;

#ifdef SYS_pidfd_open
	fds[END] = (int) syscall(SYS_pidfd_open, process->pid, 0);
#endif
	process->ticks = fds[END] < 0;
	if (process->ticks)
	{
		fds[END] = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
		ok = fds[END] >= 0 && timerfd_settime(fds[END], 0, &every, NULL) == 0;
	}
	fds[EPOLL] = ok ? epoll_create1(EPOLL_CLOEXEC) : -1;
	ok = fds[EPOLL] >= 0;
	for (int i = 0; ok && i < EPOLL; i++)
		ok = epoll_ctl(fds[EPOLL], EPOLL_CTL_ADD, fds[i], &event) == 0;
	return ok || cannot_start(err, errno);
}

/* ---- reading ---------------------------------------------------------- */

/* Returns the number of bytes read; closes the pipe at its end. */
static size_t
read_pipe(DynProcess *process, int *fd, char *bytes, size_t size)
{
	ssize_t		len;

	if (*fd < 0)
		return 0;
	do
		len = read(*fd, bytes, size);
	while (len < 0 && errno == EINTR);

	/*
	 * Close a pipe at end of file, since it would stay readable.  First remove
	 * it from epoll, which watches a descriptor until all processes close it.
	 */
	if (len == 0 || (len < 0 && errno != EAGAIN))
	{
		(void) epoll_ctl(process->fds[EPOLL], EPOLL_CTL_DEL, *fd, NULL);
		close_fd(fd);
	}
	return len > 0 ? (size_t) len : 0;
}

/* Returns false, with *err set, if the program could not be executed. */
static bool
read_report(DynProcess *process, DynError *err)
{
	char		text[128];
	Report		report;

	if (read_pipe(process, &process->fds[REPORT], (char *) &report,
				  sizeof(report)) != sizeof(report))
		return true;
	if (!report.executing)
		return cannot_start(err, report.error);
	dyn_error_errno_text(report.error, text, sizeof(text));
	for (char *c = process->name; *c; c++)
		if (*c < 0x20 || *c >= 0x7f)
			*c = '?';
	dyn_error_set(err, "could not execute program \"%s\" of credential_process: %s", process->name, text);
	if (report.error == ENOENT && strchr(process->name, '/') == NULL)
		dyn_error_hint(err, "The program was not found in the PATH of the database server.");
	if (report.error == ENOEXEC)
		dyn_error_hint(err, "The program is executed without a shell, so a script must begin with \"#!\" and its interpreter.");
	return false;
}

/* Reads the error output, and stores its last ERRORS_TAIL bytes. */
static void
read_errors(DynProcess *process)
{
	char		bytes[ERRORS_TAIL + 4096];
	const char *end;
	size_t		len;

	for (int i = 0; i < MOST_READS; i++)
	{
		len = read_pipe(process, &process->fds[ERRORS], bytes + ERRORS_TAIL,
						sizeof(bytes) - ERRORS_TAIL);
		if (len == 0)
			break;
		end = bytes + ERRORS_TAIL + len;
		/* copy the older bytes directly before the new ones */
		memcpy(bytes + ERRORS_TAIL - process->errors_len, process->errors,
			   process->errors_len);
		process->errors_len += len;
		if (process->errors_len > ERRORS_TAIL)
			process->errors_len = ERRORS_TAIL;
		memcpy(process->errors, end - process->errors_len, process->errors_len);
	}
	explicit_bzero(bytes, sizeof(bytes));
}

/* ---- the result ------------------------------------------------------- */

/*
 * Returns true if the program has ended.  Then *info is the result of waitid,
 * or all zeros if the status is not known.
 */
static bool
has_ended(DynProcess *process, siginfo_t *info)
{
	memset(info, 0, sizeof(*info));
	if (!process->reaped &&
		waitid(P_PID, (id_t) process->pid, info,
			   WEXITED | WNOHANG | WNOWAIT) == 0)
		return info->si_pid == process->pid;
	memset(info, 0, sizeof(*info));
	process->reaped = true;
	return true;
}

static bool
read_credentials(const DynProcess *process, DynCredentials *credentials,
				 DynError *err)
{
	static const DynResponseNames names = {
		.access_key_id = "AccessKeyId",
		.secret_access_key = "SecretAccessKey",
		.session_token = "SessionToken",
		.expires = "Expiration"
	};
	json_t	   *document;
	json_t	   *version;
	bool		ok;

	if (process->out_len == 0)
		return dyn_error_set(err, "credential_process printed nothing");
	document = dyn_secret_json_open(process->out, process->out_len, WHOSE, err);
	if (document == NULL)
		return false;
	version = json_object_get(document, "Version");
	if (json_is_object(document) &&
		!(json_is_integer(version) && json_integer_value(version) == 1))
		ok = dyn_error_set(err, "%s does not have \"Version\": 1", WHOSE);
	else
		ok = dyn_response_read_object(document, &names, WHOSE, credentials,
									  err);
	dyn_secret_json_close(document);
	return ok;
}

/*
 * Adds the program's error output to *err, and returns FAILED.  Omits the
 * first word if it may be the end of a token whose beginning was not stored.
 */
static DynProviderResponse
failed(DynProcess *process, DynError *err)
{
	size_t		start = 0;

	if (process->errors_len == ERRORS_TAIL)
		while (start < ERRORS_TAIL && !strchr(" \r\n", process->errors[start]))
			start++;
	if (!err->out_of_memory)
		dyn_response_excerpt(err, process->errors + start,
							 process->errors_len - start);
	return DYN_RESPONSE_FAILED;
}

/* ---- the interface ---------------------------------------------------- */

/* Reaps the process; returns false if it still runs after `times` checks. */
static bool
reap(pid_t pid, int times)
{
	struct timespec pause = {0, REAP_NS};
	pid_t		ended;

	for (;;)
	{
		do
			ended = waitpid(pid, NULL, WNOHANG);
		while (ended < 0 && errno == EINTR);
		if (ended != 0 || --times == 0)
			return ended != 0;
		nanosleep(&pause, NULL);
	}
}

DynProcess *
dyn_process_start(const char *command, DynError *err)
{
	DynProcess *process = calloc(1, sizeof(*process));
	Program		program = {0};
	Pipes		pipes = {{-1, -1}, {-1, -1}, {-1, -1}};
	bool		started;

	for (size_t i = 0; i < LENGTHOF(lingering); i++)
		if (lingering[i] != 0 && reap(lingering[i], 1))
			lingering[i] = 0;
	if (process == NULL)
	{
		dyn_error_memory(err);
		return NULL;
	}
	for (size_t i = 0; i < DYN_PROCESS_FDS; i++)
		process->fds[i] = -1;
	started = split_command(&program, command, err) &&
		make_environment(&program, err) &&
		fork_and_execute(process, &program, pipes, err) &&
		watch(process, err);
	for (size_t i = 0; i < PIPES; i++)
	{
		close_fd(&pipes[i][READ_END]);
		close_fd(&pipes[i][WRITE_END]);
	}
	dyn_secret_free(program.words);
	free(program.argv);
	free(program.envp);
	free(program.path_setting);
	free(program.home_setting);
	if (started)
		return process;
	dyn_process_destroy(process);
	return NULL;
}

int
dyn_process_fd(const DynProcess *process)
{
	return process->fds[EPOLL];
}

DynProviderResponse
dyn_process_response(DynProcess *process, DynCredentials *credentials,
					 DynError *err)
{
	siginfo_t	info;
	bool		ended;
	size_t		len;
	uint64_t	ticks;

	/* read the timer, which would otherwise remain readable */
	if (process->ticks)
		(void) !read(process->fds[END], &ticks, sizeof(ticks));
	ended = has_ended(process, &info);
	if (!read_report(process, err))
		return DYN_RESPONSE_FAILED;
	read_errors(process);
	while (process->out_len < sizeof(process->out) &&
		   (len = read_pipe(process, &process->fds[OUT],
							process->out + process->out_len,
							sizeof(process->out) - process->out_len)) > 0)
		process->out_len += len;
	if (process->out_len > LONGEST_OUTPUT)
	{
		dyn_error_set(err, "credential_process printed more than %zu bytes",
					  LONGEST_OUTPUT);
		return failed(process, err);
	}
	if (!ended)
		return DYN_RESPONSE_AGAIN;
	if (info.si_pid != 0 &&
		(info.si_code != CLD_EXITED || info.si_status != 0))
	{
		dyn_error_set(err, info.si_code == CLD_EXITED
					  ? "credential_process ended with exit status %d"
					  : "credential_process was terminated by signal %d",
					  info.si_status);
		err->passing = true;
		return failed(process, err);
	}
	return read_credentials(process, credentials, err)
		? DYN_RESPONSE_CREDENTIALS : failed(process, err);
}

void
dyn_process_destroy(DynProcess *process)
{
	siginfo_t	info;
	bool		killed;
	size_t		i = 0;

	if (process == NULL)
		return;
	if (process->pid > 0)
		(void) has_ended(process, &info);

	/*
	 * If the program was reaped, and another process has its pid, there is
	 * nothing to kill: the program's group no longer exists, because the
	 * kernel does not reuse a pid while it is the id of a group.
	 */
	if (process->pid > 0 &&
		!(process->reaped && (kill(process->pid, 0) == 0 || errno != ESRCH)))
	{
		/* before exec, the child may still be in our own process group */
		if (process->fds[REPORT] >= 0 && !process->reaped)
			(void) kill(process->pid, SIGKILL);
		killed = kill(-process->pid, SIGKILL) == 0 || errno != EPERM;
		if (!process->reaped && !reap(process->pid, killed ? MOST_REAPS : 1))
		{
			while (i < LENGTHOF(lingering) - 1 && lingering[i] != 0)
				i++;
			lingering[i] = process->pid;
		}
	}
	for (i = 0; i < DYN_PROCESS_FDS; i++)
		close_fd(&process->fds[i]);
	explicit_bzero(process, sizeof(*process));
	free(process);
}
