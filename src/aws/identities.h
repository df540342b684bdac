/*
 * identities.h
 *		Remembers the identities of a client's latest replies.
 */
#ifndef DYN_AWS_IDENTITIES_H
#define DYN_AWS_IDENTITIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* At least so many of the latest are known, at most twice as many. */
#define DYN_IDENTITIES	2048

typedef struct DynIdentityTable
{
	uint64_t	slots[DYN_IDENTITIES * 2];	/* 0: free */
	size_t		n;
} DynIdentityTable;

/* Zero-initialise it; there is nothing to free. */
typedef struct DynIdentities
{
	DynIdentityTable tables[2];
	int			current;		/* the table that is being filled */
} DynIdentities;

/*
 * Records the identity of a reply (0: unknown).  Returns false if it is known
 * already: then the reply is a repetition.
 */
extern bool dyn_identities_add(DynIdentities *identities, uint64_t identity);

#endif
