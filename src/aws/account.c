/*
 * account.c
 *		Accounts for the file descriptors of a client.
 *
 * The process has a limit of descriptors, which others keep (in PostgreSQL,
 * fd.c): each connection must be granted one, and returns it when it is closed.
 * Without callbacks, every request is granted.
 *
 * Layer: aws.
 */
#include "account.h"

#include <stddef.h>

#include "loop.h"

void
dyn_account_open(DynAccount *account, const DynDescriptors *descriptors)
{
	account->descriptors = descriptors;
	account->granted = 0;
	dyn_account_hold(account, DYN_LOOP_FDS);
}

void
dyn_account_close(DynAccount *account)
{
	(void) dyn_account_settle(account, 0);
	dyn_account_return(account, DYN_LOOP_FDS);
}

void
dyn_account_hold(DynAccount *account, int n)
{
	for (; account->descriptors != NULL && n > 0; n--)
		account->descriptors->reserve();
}

void
dyn_account_return(DynAccount *account, int n)
{
	for (; account->descriptors != NULL && n > 0; n--)
		account->descriptors->release();
}

bool
dyn_account_acquire(DynAccount *account, int used)
{
	if (account->descriptors == NULL || account->granted > used)
		return true;
	if (!account->descriptors->acquire())
		return false;
	account->granted++;
	return true;
}

bool
dyn_account_reserve(DynAccount *account)
{
	account->descriptors->reserve();
	account->granted++;
	return true;
}

bool
dyn_account_settle(DynAccount *account, int open)
{
	if (account->descriptors == NULL)
		return true;
	for (; account->granted > open; account->granted--)
		account->descriptors->release();
	for (; account->granted < open; account->granted++)
		if (!account->descriptors->acquire())
			return false;
	return true;
}
