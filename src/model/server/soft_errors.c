/*
 * soft_errors.c
 *		Runs steps whose errors do not end the command, and checks a domain's
 *		constraints without raising an error.
 *
 * Core's domain_check() raises an error for a value that fails.  Catching that
 * error requires a subtransaction for each value, which is slow, and
 * impossible while parallel workers run.  So the expressions of the
 * constraints are evaluated here.
 */
#include "postgres.h"

#include "access/xact.h"
#include "executor/executor.h"
#include "utils/builtins.h"
#include "utils/expandeddatum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/typcache.h"

#include "soft_errors.h"

ErrorData *
dyn_attempt(void (*step) (void *arg), void *arg)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData  *volatile failure = NULL;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		step(arg);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		failure = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return failure;
}

bool
dyn_failure_is_of_definition(const ErrorData *failure)
{
	switch (failure->sqlerrcode)
	{
		case ERRCODE_QUERY_CANCELED:
		case ERRCODE_OUT_OF_MEMORY:
		case ERRCODE_ADMIN_SHUTDOWN:
		case ERRCODE_INTERNAL_ERROR:
			return false;
		default:
			return failure->elevel == ERROR;
	}
}

char *
dyn_failure_text(const ErrorData *failure)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoString(&text, failure->message);
	if (failure->detail != NULL)
		appendStringInfo(&text, ": %s", failure->detail);
	else if (failure->hint != NULL)
		appendStringInfoChar(&text, '.');
	if (failure->hint != NULL)
		appendStringInfo(&text, " %s", failure->hint);
	return text.data;
}

struct DynDomain
{
	Oid			typid;
	int16		typlen;
	DomainConstraintRef constraints;	/* constraints, updated by the type
										 * cache */
	ExprContext *econtext;
};

static DynDomain *
create_domain(Oid typid, MemoryContext context)
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
dyn_domain_check(Datum value, bool isnull, Oid typid, DynDomain **cached,
				 MemoryContext context, const char **why)
{
	DynDomain  *domain = *cached ? *cached : create_domain(typid, context);
	bool		ok = true;
	ListCell   *lc;

	*cached = domain;
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
