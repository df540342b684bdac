/*
 * analyze.h
 *		ANALYZE of a foreign table.
 */
#ifndef DYN_COMMAND_ANALYZE_H
#define DYN_COMMAND_ANALYZE_H

#include "foreign/fdwapi.h"

/*
 * Offers to analyse any foreign table of ours, and tells its size in pages of
 * PostgreSQL's.  Reads as the table's owner, whoever gives the command.
 */
extern bool dynAnalyzeForeignTable(Relation rel, AcquireSampleRowsFunc *func,
								   BlockNumber *totalpages);

#endif
