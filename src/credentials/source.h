/*
 * source.h
 *		Obtains what a user mapping asks for, in the client's loop.
 */
#ifndef DYN_CREDENTIALS_SOURCE_H
#define DYN_CREDENTIALS_SOURCE_H

#include "../aws/provider.h"
#include "source_options.h"

/* "static", "environment", ... in the order of DynSourceKind; NULL ends it. */
extern const char *const dyn_source_names[];

/*
 * Makes the provider of a zeroed DynProvider.  The spec moves into it, also on
 * failure.  Static keys without a role are ready at once, and need no source.
 * Returns false if memory runs out.
 */
extern bool dyn_source_open(DynProvider *provider, DynSourceOptions *spec);

/*
 * Where the current credentials came from, for people: "static keys",
 * "profile \"reports\", role arn:..."; valid until they are obtained again.
 */
extern const char *dyn_describe_source(const DynProvider *provider);

#endif
