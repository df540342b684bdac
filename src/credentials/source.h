/*
 * source.h
 *		Obtains the credentials of a user mapping, in the client's loop.
 */
#ifndef DYN_CREDENTIALS_SOURCE_H
#define DYN_CREDENTIALS_SOURCE_H

#include "../aws/provider.h"
#include "source_options.h"

/*
 * Names "static", "environment", ... in the order of DynSourceKind, ended by
 * NULL.
 */
extern const char *const dyn_source_names[];

/*
 * Makes the provider of a zeroed DynProvider.  `source_options` moves into it, also on
 * failure.  Static keys without a role are ready at once, and need no source.
 * Returns false if memory runs out.
 */
extern bool dyn_source_open(DynProvider *provider, DynSourceOptions *source_options);

/*
 * Returns a description of the origin of the current credentials, for users:
 * "static keys", "profile \"reports\", role arn:...".  The text is valid until
 * credentials are obtained again.
 */
extern const char *dyn_describe_source(const DynProvider *provider);

#endif
