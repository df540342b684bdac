/*
 * foreign_scan.h
 *		The executor callbacks of a foreign scan.
 */
#ifndef DYN_EXEC_FOREIGN_SCAN_H
#define DYN_EXEC_FOREIGN_SCAN_H

#include "foreign/fdwapi.h"

extern void dynBeginForeignScan(ForeignScanState *node, int eflags);
extern TupleTableSlot *dynIterateForeignScan(ForeignScanState *node);
extern bool dynRecheckForeignScan(ForeignScanState *node, TupleTableSlot *slot);
extern void dynReScanForeignScan(ForeignScanState *node);
extern void dynEndForeignScan(ForeignScanState *node);

/* explain.c */
extern void dynExplainForeignScan(ForeignScanState *node, struct ExplainState *es);

#endif
