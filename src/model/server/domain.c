/*
 * domain.c
 *		Checks a domain's constraints by evaluating their expressions.
 *
 * Core's domain_check() raises an error for a value that fails.  Catching it
 * requires a subtransaction, which is too slow for each value, and impossible
 * while parallel workers run.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "utils/builtins.h"
#include "utils/expandeddatum.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "domain.h"

struct DynDomain
{
	Oid			typid;
	int16		typlen;
	DomainConstraintRef constraints;	/* constraints, updated by the type
										 * cache */
	ExprContext *econtext;
};

DynDomain *
dyn_domain_create(Oid typid, MemoryContext context)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(context);
	DynDomain  *domain = palloc0(sizeof(DynDomain));

	domain->typid = typid;
	domain->typlen = get_typlen(typid);
	domain->econtext = CreateStandaloneExprContext();
	InitDomainConstraintRef(typid, &domain->constraints, context, true);
	MemoryContextSwitchTo(oldcontext);
	return domain;
}

bool
dyn_domain_check(DynDomain *domain, Datum value, bool isnull, const char **why)
{
	bool		ok = true;
	ListCell   *lc;

	UpdateDomainConstraintRef(&domain->constraints);
	domain->econtext->domainValue_datum =
		MakeExpandedObjectReadOnly(value, isnull, domain->typlen);
	domain->econtext->domainValue_isNull = isnull;
	foreach(lc, domain->constraints.constraints)
	{
		DomainConstraintState *constraint = lfirst(lc);
		bool		is_not_null = constraint->constrainttype == DOM_CONSTRAINT_NOTNULL;

		ok = is_not_null ? !isnull
			: ExecCheck(constraint->check_exprstate, domain->econtext);
		if (ok)
			continue;
		*why = is_not_null
			? psprintf("domain %s does not allow null values",
					   format_type_be(domain->typid))
			: psprintf("value for domain %s violates check constraint \"%s\"",
					   format_type_be(domain->typid), constraint->name);
		break;
	}
	ReScanExprContext(domain->econtext);
	return ok;
}
