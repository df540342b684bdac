/*
 * source_options.h
 *		Which credentials a user mapping asks for.
 */
#ifndef DYN_CREDENTIALS_SPEC_H
#define DYN_CREDENTIALS_SPEC_H

#include <stdbool.h>
#include <stddef.h>

#include "../aws/credentials.h"
#include "../aws/exchange.h"

/* In the order of dyn_source_names (source.c). */
typedef enum DynSourceKind
{
	DYN_SOURCE_STATIC,			/* the keys of the user mapping */
	DYN_SOURCE_ENVIRONMENT,
	DYN_SOURCE_PROFILE,
	DYN_SOURCE_WEB_IDENTITY,
	DYN_SOURCE_CONTAINER,
	DYN_SOURCE_INSTANCE,
	DYN_SOURCE_DEFAULT			/* the first of them that is configured */
} DynSourceKind;

/* A role to assume; the strings are malloc'd or NULL. */
typedef struct DynRole
{
	char	   *arn;
	char	   *session_name;	/* NULL: DYN_ROLE_SESSION_NAME */
	char	   *external_id;
	int			duration;		/* seconds; 0: the service's default */
} DynRole;

#define DYN_ROLE_SESSION_NAME	"dynamo_fdw"

/* Everything is malloc'd and owned by the spec. */
typedef struct DynSourceOptions
{
	DynSourceKind kind;
	DynCredentials keys;		/* STATIC */
	char	   *profile;		/* PROFILE, DEFAULT: its name; NULL: AWS_PROFILE,
								 * AWS_DEFAULT_PROFILE or "default" */
	DynRole		role;			/* assumed in the end; arn is NULL: none */
	char	   *region;			/* of STS, and what it is signed for */
	char	   *domain;			/* of the region's partition:
								 * "amazonaws.com", ... */
	char	   *sts_endpoint_url;	/* "https://host/", or NULL: the region's */
	char	   *ca_bundle;		/* as in DynService */
	char	   *proxy;			/* likewise */
	int			connect_timeout_ms;
	int			request_timeout_ms;
} DynSourceOptions;

/* Wipe and free the strings, and zero the struct. */
extern void dyn_role_clear(DynRole *role);
extern void dyn_spec_clear(DynSourceOptions *spec);

#endif
