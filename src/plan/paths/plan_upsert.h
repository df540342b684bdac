/*
 * plan_upsert.h
 *		INSERT ... ON CONFLICT (key) DO NOTHING or DO UPDATE.
 *
 * Core permits only ON CONFLICT DO NOTHING without columns for foreign tables,
 * because it would look for a unique index.  A planner hook removes the
 * columns if they are those of the DynamoDB table's primary key; the executor
 * then resolves the conflict itself.  Core still checks the privileges for the
 * UPDATE, and plans its expressions.
 */
#ifndef DYN_PLAN_PLAN_UPSERT_H
#define DYN_PLAN_PLAN_UPSERT_H

#include "foreign/fdwapi.h"

/* Installs the hook.  Called once, when the library is loaded. */
extern void dyn_upsert_init(void);

#endif
