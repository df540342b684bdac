/*
 * service_process.h
 *		The scripted service (fake_service.py) as a process.
 */
#ifndef DYN_TEST_SERVICE_PROCESS_H
#define DYN_TEST_SERVICE_PROCESS_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

static char url[64];
static char host[64];
static char tls_url[64];		/* "" where openssl is missing */
static char ca_bundle[256];

/* Starts the service; its port is what it prints first. */
static bool
start_service(pid_t *pid, int *keep_open)
{
	int			in[2];
	int			out[2];
	char		line[400] = "";
	int			port = 0;
	int			tls_port = 0;
	FILE	   *reply;

	if (pipe(in) != 0 || pipe(out) != 0)
		return false;
	*pid = fork();
	if (*pid == 0)
	{
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[1]);
		close(out[0]);
		execlp("python3", "python3", "fake_service.py", (char *) NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	*keep_open = in[1];
	/* a full line, which need not come in one piece */
	reply = fdopen(out[0], "r");
	if (reply == NULL || fgets(line, sizeof(line), reply) == NULL ||
		sscanf(line, "%d %d %255s", &port, &tls_port, ca_bundle) != 3)
		return false;
	fclose(reply);
	snprintf(url, sizeof(url), "http://127.0.0.1:%d/", port);
	snprintf(host, sizeof(host), "127.0.0.1:%d", port);
	if (tls_port > 0)
		snprintf(tls_url, sizeof(tls_url), "https://127.0.0.1:%d/", tls_port);
	return true;
}

#endif
