/*
 * fingerprints.h
 *		Stores the fingerprints of a client's latest replies.
 */
#ifndef DYN_AWS_FINGERPRINTS_H
#define DYN_AWS_FINGERPRINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum number of marks in one table; each reply has two marks. */
#define DYN_FINGERPRINTS	2048

typedef struct DynFingerprintTable
{
	uint64_t	slots[DYN_FINGERPRINTS * 2];	/* marks; 0 if free */
	size_t		n;
} DynFingerprintTable;

/*
 * The marks of the latest replies; zero-initialize it.  There is nothing to
 * free.
 */
typedef struct DynFingerprints
{
	DynFingerprintTable tables[2];
	int			current;		/* index of the table that is being filled */
} DynFingerprints;

/* The values that distinguish a reply from all other replies. */
typedef struct DynFingerprint
{
	uint64_t	request_id;		/* hash of the request id; 0: none */
	uint64_t	reply;			/* hash of request id, body and connection */
	bool		is_first;		/* true for the first reply of a connection */
} DynFingerprint;

/*
 * Adds a reply's fingerprint.  Returns false if the reply repeats an earlier
 * one.
 */
extern bool dyn_fingerprints_add(DynFingerprints *fingerprints,
								 const DynFingerprint *fingerprint);

#endif
