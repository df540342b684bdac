/* dynamo_fdw 1.0 to 1.1 */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION dynamo_fdw UPDATE TO '1.1'" to load this file. \quit

COMMENT ON FOREIGN DATA WRAPPER dynamo_fdw IS
  'reads Amazon DynamoDB tables';

COMMENT ON FUNCTION dynamo_fdw_handler() IS
  'callbacks of the foreign data wrapper';

COMMENT ON FUNCTION dynamo_fdw_validator(text[], oid) IS
  'checks options of the foreign data wrapper';
