/*
 * fingerprints.h
 *		Stores the fingerprints of a client's latest replies.
 */
#ifndef DYN_AWS_FINGERPRINTS_H
#define DYN_AWS_FINGERPRINTS_H

#include <stdbool.h>
#include <stdint.h>

#define DYN_FINGERPRINTS	1024

/* The values that distinguish a reply from all other replies. */
typedef struct DynFingerprint
{
	uint64_t	request_id;		/* hash of the request id; 0: none */
	uint64_t	reply;			/* hash of request id, body and connection */
	bool		is_first;		/* true for the first reply of a connection */
} DynFingerprint;

/* The latest replies that have a request id; zero-initialize it. */
typedef struct DynFingerprints
{
	uint64_t	request_ids[DYN_FINGERPRINTS];
	uint64_t	replies[DYN_FINGERPRINTS];	/* 0: the id is ignored */
	unsigned	next;			/* position of the next reply */
} DynFingerprints;

/*
 * Adds a reply's fingerprint.  Returns false if the reply repeats an earlier
 * one.
 */
extern bool dyn_fingerprints_add(DynFingerprints *fingerprints,
								 const DynFingerprint *fingerprint);

#endif
