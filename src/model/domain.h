/*
 * domain.h
 *		A domain's constraints, checked without raising an error.
 */
#ifndef DYN_MODEL_DOMAIN_H
#define DYN_MODEL_DOMAIN_H

typedef struct DynDomain DynDomain;

/* Lives in `context`. */
extern DynDomain *dyn_domain_create(Oid typid, MemoryContext context);

/*
 * False, with the message in *why, if a constraint fails.  An error that a
 * CHECK expression itself raises is raised.
 */
extern bool dyn_domain_check(DynDomain *domain, Datum value, bool isnull,
							 const char **why);

#endif
