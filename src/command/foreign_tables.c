/*
 * foreign_tables.c
 *		Finds the foreign tables over a DynamoDB table.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_foreign_table.h"
#include "foreign/foreign.h"
#include "utils/rel.h"

#include "../dynamodb/page_check.h"
#include "foreign_tables.h"

List *
dyn_tables_of_server(Oid serverid)
{
	Relation	catalog = table_open(ForeignTableRelationId, AccessShareLock);
	SysScanDesc scan = systable_beginscan(catalog, InvalidOid, false, NULL, 0,
										  NULL);
	List	   *relids = NIL;
	HeapTuple	tuple;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_foreign_table form = (Form_pg_foreign_table) GETSTRUCT(tuple);

		if (form->ftserver == serverid)
			relids = lappend_oid(relids, form->ftrelid);
	}
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	list_sort(relids, list_oid_cmp);
	return relids;
}

bool
dyn_is_table_over(Relation rel, const DynConnection *connection,
				  const char *table)
{
	ForeignTable *definition = GetForeignTable(RelationGetRelid(rel));
	const char *own = dyn_relation_remote_name(connection,
											   RelationGetRelationName(rel),
											   definition->options);

	/* one may be specified by its ARN, the other by its name */
	return strcmp(table, own) == 0 || dyn_names_table(table, own, strlen(own)) ||
		dyn_names_table(own, table, strlen(table));
}
