/*
 * filter.h
 *		Predicates with run-time values, as conditions of DynamoDB.
 *
 * A condition keeps every row that its predicate keeps.  NULL operands make a
 * predicate FALSE (SQL's UNKNOWN rejects the row as well); values that no item
 * can hold make it FALSE or leave only the test for the attribute's type.
 */
#ifndef DYN_EXEC_FILTER_H
#define DYN_EXEC_FILTER_H

#include "resolve_keys.h"

/* Allocates in CurrentMemoryContext; not yet simplified. */
extern DynCond *dyn_filter_cond(const DynRelation *relation, const DynPred *pred,
								const DynValues *values);

/* The same for a term of the row test, and for all of them, simplified. */
extern DynCond *dyn_row_cond(const DynRowTerm *term);
extern DynCond *dyn_row_test_cond(const DynRowTest *test);

#endif
