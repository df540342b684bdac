/*
 * account.h
 *		Accounts for the file descriptors of a client.
 */
#ifndef DYN_AWS_ACCOUNT_H
#define DYN_AWS_ACCOUNT_H

#include <stdbool.h>

#include "client.h"

typedef struct DynAccount
{
	const DynDescriptors *descriptors;	/* NULL: nobody asks */
	int			granted;		/* acquired for connections */
} DynAccount;

/* Reserves the descriptors of the loop; dyn_account_close returns all. */
extern void dyn_account_open(DynAccount *account,
							 const DynDescriptors *descriptors);
extern void dyn_account_close(DynAccount *account);

/*
 * Acquires one for another connection, unless more than `used` are granted
 * already; false if that fails.
 */
extern bool dyn_account_acquire(DynAccount *account, int used);

/* Takes one in any case, and returns true. */
extern bool dyn_account_reserve(DynAccount *account);

/* Reserves and returns `n` that are no connections. */
extern void dyn_account_hold(DynAccount *account, int n);
extern void dyn_account_return(DynAccount *account, int n);

/* Returns or acquires some, until `open` are granted; false if that fails. */
extern bool dyn_account_settle(DynAccount *account, int open);

#endif
