/*
 * role.h
 *		Checks the values that AWS accepts for a role to assume, and for a
 *		region.
 */
#ifndef DYN_CREDENTIALS_ROLE_H
#define DYN_CREDENTIALS_ROLE_H

#include <stdbool.h>

#include "source_options.h"

/* Limits in seconds, by the service's rule. */
#define DYN_ROLE_SHORTEST	900
#define DYN_ROLE_LONGEST	43200

/* Each returns false for a value that AWS would refuse. */
extern bool dyn_role_is_arn(const char *text);
extern bool dyn_role_is_session_name(const char *text);
extern bool dyn_role_is_external_id(const char *text);

/*
 * Returns true if the text can be part of a host name, and the region for
 * which a request is signed.
 */
extern bool dyn_role_is_region(const char *text);

/*
 * Reads a duration; returns false if it is not a number, or is out of range.
 */
extern bool dyn_role_read_duration(const char *text, int *seconds);

/*
 * Copies a role into a zeroed one.  Returns false, with *to empty, if memory
 * runs out.
 */
extern bool dyn_role_copy(DynRole *to, const DynRole *from);

#endif
