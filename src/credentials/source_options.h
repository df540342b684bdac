/*
 * source_options.h
 *		Defines the credential options of a user mapping.
 */
#ifndef DYN_CREDENTIALS_SOURCE_OPTIONS_H
#define DYN_CREDENTIALS_SOURCE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "../aws/credentials.h"
#include "../aws/exchange.h"

/* The provider kinds, in the order of dyn_source_names (source.c). */
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
	char	   *session_name;	/* name of the session; NULL:
								 * DYN_ROLE_SESSION_NAME */
	char	   *external_id;
	int			duration;		/* duration in seconds; 0: the service's
								 * default */
} DynRole;

#define DYN_ROLE_SESSION_NAME	"dynamo_fdw"

/* Everything is malloc'd and owned by the struct. */
typedef struct DynSourceOptions
{
	DynSourceKind kind;
	DynCredentials keys;		/* keys (STATIC) */
	char	   *profile;		/* name of the profile (PROFILE, DEFAULT);
								 * NULL: AWS_PROFILE, AWS_DEFAULT_PROFILE or
								 * "default" */
	DynRole		role;			/* role assumed last; arn is NULL if there is
								 * none */
	char	   *region;			/* region of STS, for which requests are
								 * signed */
	char	   *domain;			/* domain of the region's partition:
								 * "amazonaws.com", ... */
	char	   *sts_endpoint_url;	/* "https://host/", or NULL: the region's */
	char	   *ca_bundle;		/* CA bundle, as in DynService */
	char	   *proxy;			/* proxy, as in DynService */
	int			connect_timeout_ms;
	int			request_timeout_ms;
} DynSourceOptions;

/* Each wipes and frees the strings, and zeroes the struct. */
extern void dyn_role_clear(DynRole *role);
extern void dyn_spec_clear(DynSourceOptions *spec);

#endif
