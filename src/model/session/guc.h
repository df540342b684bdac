/*
 * guc.h
 *		The configuration parameters dynamo_fdw.*.
 *
 * Parameters control the session; properties of the DynamoDB service are
 * server options.  Only a superuser can make scan_policy less strict.
 */
#ifndef DYN_MODEL_GUC_H
#define DYN_MODEL_GUC_H

typedef enum DynWriteMode
{
	DYN_WRITE_IMMEDIATE,		/* each item is written by its own request */
	DYN_WRITE_ATOMIC			/* a statement writes all its items, or none */
} DynWriteMode;

extern int	dyn_guc_write_mode; /* DynWriteMode */
extern int	dyn_guc_scan_policy;	/* DynScanPolicy; -1: use the options */
extern bool dyn_guc_consistent_read;
extern bool dyn_guc_log_requests;
extern int	dyn_guc_log_min_duration;	/* ms; -1: off */
extern int	dyn_guc_metadata_ttl;	/* seconds */
extern bool dyn_guc_enable_lookup_join;
extern bool dyn_guc_enable_cached_reads;
extern bool dyn_guc_enable_shared_reads;
extern int	dyn_guc_fetch_memory;	/* limit (kB) for a statement's pages */
extern int	dyn_guc_analyze_read_units; /* limit of read units for ANALYZE */
extern double dyn_guc_max_read_units_per_statement; /* 0: no limit */
extern double dyn_guc_preview_units;	/* read units; -1: use the options */

extern void dyn_guc_init(void);

#endif
