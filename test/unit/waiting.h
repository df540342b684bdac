/*
 * waiting.h
 *		How a test that is no backend waits for its client.
 */
#ifndef DYN_TEST_WAITING_H
#define DYN_TEST_WAITING_H

#include <poll.h>

#include "aws/client.h"

static DynWait
wait_readable(void *arg, int fd, long timeout_ms)
{
	struct pollfd poll_fd = {fd, POLLIN, 0};

	(void) arg;
	return poll(&poll_fd, 1, (int) timeout_ms) > 0 ?
		DYN_WAIT_READY : DYN_WAIT_TIMEOUT;
}

#endif
