/*
 * analyze.h
 *		ANALYZE of a foreign table.
 */
#ifndef DYN_COMMAND_ANALYZE_H
#define DYN_COMMAND_ANALYZE_H

#include "foreign/fdwapi.h"

/*
 * Supports ANALYZE for every foreign table of this wrapper, and sets
 * *totalpages to its size in PostgreSQL pages.  Reads as the table's owner,
 * not as the current user.
 */
extern bool dynAnalyzeForeignTable(Relation rel, AcquireSampleRowsFunc *func,
								   BlockNumber *totalpages);

#endif
