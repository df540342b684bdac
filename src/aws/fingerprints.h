/*
 * fingerprints.h
 *		Stores the fingerprints of a client's latest replies.
 */
#ifndef DYN_AWS_FINGERPRINTS_H
#define DYN_AWS_FINGERPRINTS_H

#include <stdbool.h>
#include <stdint.h>

#define DYN_FINGERPRINTS	1024

/* The latest replies that have a request id; zero-initialize it. */
typedef struct DynFingerprints
{
	uint64_t	ids[DYN_FINGERPRINTS];	/* hashes of request ids */
	uint64_t	replies[DYN_FINGERPRINTS];	/* hashes of id, body and
											 * connection; 0: ignore the id */
	unsigned	next;			/* position of the next reply */
} DynFingerprints;

/*
 * Adds a reply.  Returns false if it repeats an earlier one.  `is_first` is
 * true for the first reply of a connection.
 */
extern bool dyn_fingerprints_add(DynFingerprints *fingerprints, uint64_t id,
								 uint64_t reply, bool is_first);

#endif
