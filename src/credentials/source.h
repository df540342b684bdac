/*
 * source.h
 *		Obtains the credentials that a user mapping selects.
 */
#ifndef DYN_CREDENTIALS_SOURCE_H
#define DYN_CREDENTIALS_SOURCE_H

#include "../aws/provider.h"

/* Values of the option credential_provider. */
typedef enum DynSourceKind
{
	DYN_SOURCE_STATIC,			/* access keys of the user mapping */
	DYN_SOURCE_ENVIRONMENT,
	DYN_SOURCE_PROFILE,
	DYN_SOURCE_WEB_IDENTITY,
	DYN_SOURCE_CONTAINER,
	DYN_SOURCE_INSTANCE,
	DYN_SOURCE_DEFAULT			/* the first provider that is configured */
} DynSourceKind;

/* Names "static", ... in the order of DynSourceKind, ended by NULL. */
extern const char *const dyn_source_names[];

/* A role to assume; the strings are malloc'd or NULL. */
typedef struct DynRole
{
	char	   *arn;
	char	   *session_name;	/* if NULL, DYN_ROLE_SESSION_NAME is used */
	char	   *external_id;
	int			duration;		/* seconds, or 0 for the service's default */
} DynRole;

#define DYN_ROLE_SESSION_NAME	"dynamo_fdw"

/* STS's limits for the duration of a role's session (s). */
#define DYN_ROLE_SHORTEST	900
#define DYN_ROLE_LONGEST	43200

/* The strings are malloc'd, and owned by the struct. */
typedef struct DynSourceOptions
{
	DynSourceKind kind;
	DynCredentials keys;		/* access keys (STATIC) */
	char	   *profile;		/* profile (PROFILE, DEFAULT).  If NULL,
								 * AWS_PROFILE or AWS_DEFAULT_PROFILE names
								 * the profile, or else "default" is used */
	DynRole		role;			/* role to assume last; none if arn is NULL */
	char	   *region;			/* region of STS, also for signing */
	char	   *sts_endpoint_url;	/* URL of STS.  If it is NULL, sts.c
									 * chooses the endpoint */
	char	   *ca_bundle;		/* path; NULL for the system's certificates */
	char	   *proxy;			/* URL, or NULL for no proxy */
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

/* Returns true if the text can be a region in URLs and signatures. */
extern bool dyn_role_is_region(const char *text);

/* Reads a duration; returns false if it is not a number or is out of range. */
extern bool dyn_role_read_duration(const char *text, int *seconds);

/* Copies a role to the zeroed *to; zeroes *to and returns false on failure. */
extern bool dyn_role_copy(DynRole *to, const DynRole *from);

/*
 * Sets up *provider, which must be zeroed; returns false if memory runs out.
 * Takes ownership of the contents of *source_options, also on failure.  Static
 * keys without a role are ready at once, and need no source.
 */
extern bool dyn_source_open(DynProvider *provider, DynSourceOptions *source_options);

/*
 * Returns a text that shows users where the current credentials come from,
 * such as "static keys"; returns "" if there are no credentials.  The text is
 * valid until credentials are obtained again.
 */
extern const char *dyn_describe_source(const DynProvider *provider);

#endif
