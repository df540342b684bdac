/*
 * domain.h
 *		Checks a domain's constraints without raising an error.
 */
#ifndef DYN_MODEL_DOMAIN_H
#define DYN_MODEL_DOMAIN_H

typedef struct DynDomain DynDomain;

/* Returns a new domain, allocated in `context`. */
extern DynDomain *dyn_domain_create(Oid typid, MemoryContext context);

/*
 * Returns false, with the message in *why, if a constraint fails.  Errors
 * raised by a CHECK expression itself are not caught.
 */
extern bool dyn_domain_check(DynDomain *domain, Datum value, bool isnull,
							 const char **why);

#endif
