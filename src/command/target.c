/*
 * target.c
 *		Checks arguments of SQL-callable functions, and finds foreign tables.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/pg_foreign_table.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "../dynamodb/page_check.h"
#include "../model/server/pg_compat.h"
#include "target.h"

/* Returns true if the server's wrapper has the handler of this extension. */
static bool
is_our_server(const ForeignServer *server)
{
	ForeignDataWrapper *wrapper = GetForeignDataWrapper(server->fdwid);
	char	   *handler = OidIsValid(wrapper->fdwhandler)
		? get_func_name(wrapper->fdwhandler) : NULL;

	return handler != NULL && strcmp(handler, "dynamo_fdw_handler") == 0;
}

ForeignServer *
dyn_target_find_server(const char *name)
{
	ForeignServer *server = GetForeignServerByName(name, false);

	if (!is_our_server(server))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("server \"%s\" does not use foreign-data wrapper \"dynamo_fdw\"",
						server->servername)));
	return server;
}

DynConnection *
dyn_target_server(const char *name)
{
	ForeignServer *server = dyn_target_find_server(name);
	AclResult	usage;

	usage = dyn_server_usage(server->serverid, GetUserId());
	if (usage != ACLCHECK_OK)
		aclcheck_error(usage, OBJECT_FOREIGN_SERVER, server->servername);
	return dyn_session_connection(server->serverid, GetUserId());
}

Oid
dyn_target_check(Oid relid)
{
	Relation	rel = relation_open(relid, AccessShareLock);
	Oid			owner = rel->rd_rel->relowner;

	if (rel->rd_rel->relkind != RELKIND_FOREIGN_TABLE ||
		!is_our_server(GetForeignServer(GetForeignTable(relid)->serverid)))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a foreign table of dynamo_fdw",
						RelationGetRelationName(rel))));
	if (!dyn_owns_relation(relid, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_FOREIGN_TABLE,
					   RelationGetRelationName(rel));
	relation_close(rel, NoLock);
	return owner;
}

void
dyn_target_check_column(const DynColumn *column, Oid owner)
{
	if (dyn_codec_runs_user_code(&column->codec) && owner != GetUserId() &&
		(!has_privs_of_role(GetUserId(), owner) ||
		 (superuser() && !superuser_arg(owner))))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("type %s of column \"%s\" could run user-defined code",
						format_type_be(column->codec.typid), column->name),
				 errhint("Call the function as the owner of the foreign table, role \"%s\".",
						 GetUserNameFromId(owner, false))));
}

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

	/* `table` or `own` may be the table's ARN instead of its name */
	return strcmp(table, own) == 0 || dyn_names_table(table, own, strlen(own)) ||
		dyn_names_table(own, table, strlen(table));
}
