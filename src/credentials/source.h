/*
 * source.h
 *		Obtains the credentials of a user mapping, in the client's event loop.
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
 * Sets up *provider, which must be zeroed; returns false if memory runs out.
 * Takes over the contents of *source_options, also on failure.  Static keys
 * without a role are ready at once, and need no source.
 */
extern bool dyn_source_open(DynProvider *provider, DynSourceOptions *source_options);

/*
 * Returns a description of the current credentials' origin for users, such as
 * "static keys" or "profile \"reports\", role arn:..."; "" before there are
 * credentials.  The text is valid until credentials are obtained again.
 */
extern const char *dyn_describe_source(const DynProvider *provider);

#endif
