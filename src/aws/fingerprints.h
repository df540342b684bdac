/*
 * fingerprints.h
 *		Remembers the identities of a client's latest replies.
 */
#ifndef DYN_AWS_IDENTITIES_H
#define DYN_AWS_IDENTITIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* At least so many marks are known, two of a reply, and at most twice as many. */
#define DYN_FINGERPRINTS	2048

typedef struct DynFingerprintTable
{
	uint64_t	slots[DYN_FINGERPRINTS * 2];	/* 0: free */
	size_t		n;
} DynFingerprintTable;

/* Zero-initialise it; there is nothing to free. */
typedef struct DynFingerprints
{
	DynFingerprintTable tables[2];
	int			current;		/* the table that is being filled */
} DynFingerprints;

/* What tells a reply from others. */
typedef struct DynFingerprint
{
	uint64_t	request_id;		/* a hash of it; 0: there was none */
	uint64_t	reply;			/* of request id, body and connection */
	bool		is_first;		/* on its connection */
} DynFingerprint;

/* Records a reply.  Returns false if it repeats an earlier one. */
extern bool dyn_fingerprints_add(DynFingerprints *fingerprints,
								 const DynFingerprint *fingerprint);

#endif
