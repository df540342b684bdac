/*
 * driving.h
 *		What calls need of the client that drives them.
 */
#ifndef DYN_AWS_DRIVING_H
#define DYN_AWS_DRIVING_H

#include "client.h"

/*
 * Ends what libcurl has finished, and begins what is due, until nothing more
 * can be done now.
 */
extern void dyn_client_process(DynClient *client);

/* Has the descriptor become readable when the next thing is due. */
extern void dyn_client_arm(DynClient *client);

#endif
