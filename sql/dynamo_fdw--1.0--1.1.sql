/* dynamo_fdw 1.0 to 1.1 */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION dynamo_fdw UPDATE TO '1.1'" to load this file. \quit

COMMENT ON FOREIGN DATA WRAPPER dynamo_fdw IS
  'reads Amazon DynamoDB tables';

COMMENT ON FUNCTION dynamo_fdw_handler() IS
  'callbacks of the foreign data wrapper';

COMMENT ON FUNCTION dynamo_fdw_validator(text[], oid) IS
  'checks options of the foreign data wrapper';

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

CREATE FUNCTION dynamo_fdw_whoami(
    server name,
    OUT source text,
    OUT access_key_id text,
    OUT expires timestamptz)
RETURNS record
AS 'MODULE_PATHNAME'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION dynamo_fdw_whoami(name) IS
  'where the credentials of the current user come from, and when they expire';

DROP FUNCTION dynamo_fdw_check_table(regclass);

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
