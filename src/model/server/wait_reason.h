/*
 * wait_reason.h
 *		What a backend waits for, as pg_stat_activity shows it from PostgreSQL 17
 *		on (names in pg_compat.c).
 */
#ifndef DYN_MODEL_WAIT_REASON_H
#define DYN_MODEL_WAIT_REASON_H

typedef enum DynWaitReason
{
	DYN_WAITS_FOR_RESPONSE,		/* pauses before retries included */
	DYN_WAITS_FOR_CAPACITY,		/* throttled, or a budget is used up */
	DYN_WAITS_FOR_TABLE			/* that is being created */
} DynWaitReason;

#endif
