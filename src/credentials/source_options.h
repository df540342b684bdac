/*
 * source_options.h
 *		Defines the credential options of a user mapping.  Checks whether AWS
 *		would accept a role's ARN, session name, external id or duration, or a
 *		region.
 */
#ifndef DYN_CREDENTIALS_SOURCE_OPTIONS_H
#define DYN_CREDENTIALS_SOURCE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "../aws/credentials.h"

/* Sources of credentials, in the order of dyn_source_names (source.c). */
typedef enum DynSourceKind
{
	DYN_SOURCE_STATIC,			/* keys of the user mapping */
	DYN_SOURCE_ENVIRONMENT,
	DYN_SOURCE_PROFILE,
	DYN_SOURCE_WEB_IDENTITY,
	DYN_SOURCE_CONTAINER,
	DYN_SOURCE_INSTANCE,
	DYN_SOURCE_DEFAULT			/* the first provider that is configured */
} DynSourceKind;

/* A role to assume; the strings are malloc'd or NULL. */
typedef struct DynRole
{
	char	   *arn;
	char	   *session_name;	/* session name; NULL: DYN_ROLE_SESSION_NAME */
	char	   *external_id;
	int			duration;		/* duration (s); 0: the service's default */
} DynRole;

#define DYN_ROLE_SESSION_NAME	"dynamo_fdw"

/* The limits that STS sets for a duration (s). */
#define DYN_ROLE_SHORTEST	900
#define DYN_ROLE_LONGEST	43200

/* The strings are malloc'd, and owned by the struct. */
typedef struct DynSourceOptions
{
	DynSourceKind kind;
	DynCredentials keys;		/* keys (STATIC) */
	char	   *profile;		/* name of the profile (PROFILE, DEFAULT);
								 * NULL: AWS_PROFILE, AWS_DEFAULT_PROFILE or
								 * "default" */
	DynRole		role;			/* role assumed last; arn is NULL if there is
								 * none */
	char	   *region;			/* region of STS, also for signing */
	char	   *domain;			/* partition's domain: "amazonaws.com", ... */
	char	   *sts_endpoint_url;	/* "https://host/", or NULL for the
									 * region's endpoint */
	char	   *ca_bundle;		/* CA bundle, as in DynService */
	char	   *proxy;			/* proxy, as in DynService */
	int			connect_timeout_ms;
	int			request_timeout_ms;
} DynSourceOptions;

/* Wipe and free the strings, and zero the struct. */
extern void dyn_role_clear(DynRole *role);
extern void dyn_source_options_clear(DynSourceOptions *source_options);

/* Return false for a value that AWS would refuse. */
extern bool dyn_role_is_arn(const char *text);
extern bool dyn_role_is_session_name(const char *text);
extern bool dyn_role_is_external_id(const char *text);

/*
 * Returns true if the text can be a region, which becomes part of a host name
 * and of signatures.
 */
extern bool dyn_role_is_region(const char *text);

/*
 * Reads a duration; returns false if it is not a number, or is out of range.
 */
extern bool dyn_role_read_duration(const char *text, int *seconds);

/*
 * Copies a role to *to, which must be zeroed.  Returns false, with *to empty,
 * if memory runs out.
 */
extern bool dyn_role_copy(DynRole *to, const DynRole *from);

#endif
