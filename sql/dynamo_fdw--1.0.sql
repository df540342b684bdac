/* dynamo_fdw 1.0 */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION dynamo_fdw" to load this file. \quit

CREATE FUNCTION dynamo_fdw_handler()
RETURNS fdw_handler
AS 'MODULE_PATHNAME'
LANGUAGE C STRICT;

CREATE FUNCTION dynamo_fdw_validator(text[], oid)
RETURNS void
AS 'MODULE_PATHNAME'
LANGUAGE C STRICT;

CREATE FOREIGN DATA WRAPPER dynamo_fdw
  HANDLER dynamo_fdw_handler
  VALIDATOR dynamo_fdw_validator;

COMMENT ON FOREIGN DATA WRAPPER dynamo_fdw IS
  'reads Amazon DynamoDB tables';

COMMENT ON FUNCTION dynamo_fdw_handler() IS
  'callbacks of the foreign data wrapper';

COMMENT ON FUNCTION dynamo_fdw_validator(text[], oid) IS
  'checks options of the foreign data wrapper';

CREATE FUNCTION dynamo_fdw_options(
    OUT context text,
    OUT name text,
    OUT default_value text,
    OUT superuser_only boolean,
    OUT help text)
RETURNS SETOF record
AS 'MODULE_PATHNAME'
LANGUAGE C STABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION dynamo_fdw_options() IS
  'the options of servers, user mappings, foreign tables and columns';

CREATE FUNCTION dynamo_fdw_tables(server name)
RETURNS SETOF text
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION dynamo_fdw_tables(name) IS
  'the DynamoDB tables of a server';

CREATE FUNCTION dynamo_fdw_describe(
    server name,
    table_name text,
    OUT kind text,
    OUT name text,
    OUT types text,
    OUT partition_key text,
    OUT sort_key text,
    OUT items bigint,
    OUT bytes bigint,
    OUT read_units double precision,
    OUT detail text)
RETURNS SETOF record
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 20;

COMMENT ON FUNCTION dynamo_fdw_describe(name, text) IS
  'keys, indexes and size of a DynamoDB table, and the attributes of its first items';

CREATE FUNCTION dynamo_fdw_credentials(
    server name,
    OUT source text,
    OUT access_key_id text,
    OUT expires timestamptz)
RETURNS record
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION dynamo_fdw_credentials(name) IS
  'where the credentials of the current user come from, and when they expire';

CREATE FUNCTION dynamo_fdw_create_table(
    foreign_table regclass,
    partition_key name,
    sort_key name DEFAULT NULL,
    indexes jsonb DEFAULT NULL)
RETURNS void
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE PARALLEL UNSAFE;

-- it costs money
REVOKE ALL ON FUNCTION dynamo_fdw_create_table(regclass, name, name, jsonb) FROM PUBLIC;

COMMENT ON FUNCTION dynamo_fdw_create_table(regclass, name, name, jsonb) IS
  'creates the DynamoDB table of a foreign table';

CREATE FUNCTION dynamo_fdw_check_table(
    foreign_table regclass,
    tables regclass[] DEFAULT NULL,
    schema regnamespace DEFAULT NULL,
    OUT kind text,
    OUT relation regclass,
    OUT column_name name,
    OUT items bigint,
    OUT example jsonb,
    OUT detail text)
RETURNS SETOF record
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE PARALLEL UNSAFE;

COMMENT ON FUNCTION dynamo_fdw_check_table(regclass, regclass[], regnamespace) IS
  'what the foreign tables of a DynamoDB table make of its items';

CREATE FUNCTION dynamo_fdw_encode_key(
    foreign_table regclass,
    attribute text,
    columns jsonb)
RETURNS text
AS 'MODULE_PATHNAME'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION dynamo_fdw_encode_key(regclass, text, jsonb) IS
  'the text of an attribute that a template composes of these columns';

CREATE FUNCTION dynamo_fdw_decode_key(
    foreign_table regclass,
    attribute text,
    key text)
RETURNS jsonb
AS 'MODULE_PATHNAME'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION dynamo_fdw_decode_key(regclass, text, text) IS
  'the columns of which a template composes this text of an attribute';

CREATE FUNCTION dynamo_fdw_stats(
    OUT requests bigint,
    OUT retries bigint,
    OUT throttles bigint,
    OUT pages bigint,
    OUT items_read bigint,
    OUT items_returned bigint,
    OUT bytes bigint,
    OUT read_units double precision,
    OUT items_written bigint,
    OUT write_units double precision,
    OUT conflicts bigint,
    OUT unanswered bigint,
    OUT open_fds integer)
RETURNS record
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION dynamo_fdw_stats() IS
  'counts of the requests of this backend';

CREATE FUNCTION dynamo_fdw_statistics(
    OUT serverid oid,
    OUT userid oid,
    OUT table_name text,
    OUT index_name text,
    OUT statements bigint,
    OUT requests bigint,
    OUT get_item bigint,
    OUT batch_get_item bigint,
    OUT query bigint,
    OUT scan bigint,
    OUT describe_table bigint,
    OUT list_tables bigint,
    OUT put_item bigint,
    OUT update_item bigint,
    OUT delete_item bigint,
    OUT transact_write_items bigint,
    OUT other_requests bigint,
    OUT pages bigint,
    OUT items_read bigint,
    OUT items_returned bigint,
    OUT items_written bigint,
    OUT bytes bigint,
    OUT read_units double precision,
    OUT write_units double precision,
    OUT retries bigint,
    OUT throttles bigint,
    OUT conflicts bigint,
    OUT unanswered bigint,
    OUT errors bigint,
    OUT denied_errors bigint,
    OUT throttling_errors bigint,
    OUT failed_conditions bigint,
    OUT service_errors bigint,
    OUT network_errors bigint,
    OUT request_errors bigint,
    OUT other_errors bigint,
    OUT canceled bigint,
    OUT request_ms double precision,
    OUT slowest_ms double precision,
    OUT wait_ms double precision,
    OUT capacity_wait_ms double precision,
    OUT since timestamptz,
    OUT scope text,
    OUT replaced_entries bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION dynamo_fdw_statistics() IS
  'counts of the requests of all sessions; the view of this name shows them';

CREATE VIEW dynamo_fdw_statistics AS
  SELECT srvname AS server_name, rolname AS user_name, s.*
  FROM dynamo_fdw_statistics() s
  LEFT JOIN pg_catalog.pg_foreign_server f ON f.oid = s.serverid
  LEFT JOIN pg_catalog.pg_roles r ON r.oid = s.userid;

COMMENT ON VIEW dynamo_fdw_statistics IS
  'requests by server, user, and table or index';

GRANT SELECT ON dynamo_fdw_statistics TO PUBLIC;

CREATE FUNCTION dynamo_fdw_statistics_reset()
RETURNS void
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

REVOKE ALL ON FUNCTION dynamo_fdw_statistics_reset() FROM PUBLIC;

COMMENT ON FUNCTION dynamo_fdw_statistics_reset() IS
  'removes these counts, of all databases';

CREATE FUNCTION dynamo_fdw_disconnect(server name)
RETURNS boolean
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION dynamo_fdw_disconnect(name) IS
  'closes idle connections and forgets what is cached of a server; true if there was anything';

CREATE FUNCTION dynamo_fdw_disconnect_all()
RETURNS boolean
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION dynamo_fdw_disconnect_all() IS
  'closes idle connections and forgets what is cached of all servers; true if there was anything';
