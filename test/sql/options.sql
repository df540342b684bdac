-- Every option: where it may stand, its values, and the error of a wrong one. No request is sent to DynamoDB.
CREATE EXTENSION dynamo_fdw;
SELECT context, name, default_value, superuser_only FROM dynamo_fdw_options()
 ORDER BY context COLLATE "C", name COLLATE "C";
SELECT count(*) FROM dynamo_fdw_options() WHERE help IS NULL OR help = '';

-- all options at once
CREATE SERVER full_server FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (region 'eu-west-1', endpoint_url 'http://localhost:8000',
  table_prefix 'dev-', max_concurrency '4', max_read_units_per_second '12.5', connect_timeout '100', request_timeout '2000',
  max_attempts '3', ca_bundle '/etc/ssl/certs/ca-certificates.crt', fetch_size '100', scan_policy 'error',
  consistent_read 'on');
CREATE USER MAPPING FOR CURRENT_USER SERVER full_server
  OPTIONS (access_key_id 'a', secret_access_key 'b', session_token 'c');
CREATE FOREIGN TABLE full_table (
  a text OPTIONS (attribute 'A', on_mismatch 'null'),
  b int OPTIONS (path 'info.rating'),
  c text OPTIONS (path 'tags[0]'),
  d timestamptz OPTIONS (format 'iso8601(3)'),
  e boolean OPTIONS (format 'bool(Y,N)')
) SERVER full_server OPTIONS (table_name 'T', fetch_size '10', scan_policy 'warn', consistent_read 'off', on_mismatch 'error');

-- misspelled, and in the wrong place
CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (regoin 'eu-west-1');
CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (endpiont 'http://localhost');
CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (table_name 't');
CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (secret_access_key 'secret');
CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (zzzzzzzzzzzzzzz 'x');
CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS ("Region" 'eu-west-1');
ALTER FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (ADD region 'eu-west-1');
CREATE USER MAPPING FOR PUBLIC SERVER full_server OPTIONS (acces_key_id 'x');
CREATE USER MAPPING FOR PUBLIC SERVER full_server OPTIONS (region 'eu-west-1');
CREATE FOREIGN TABLE t (a text) SERVER full_server OPTIONS (tablename 't');
CREATE FOREIGN TABLE t (a text) SERVER full_server OPTIONS (attribute 't');
CREATE FOREIGN TABLE t (a text OPTIONS (atribute 'x')) SERVER full_server;
CREATE FOREIGN TABLE t (a text OPTIONS (table_name 'x')) SERVER full_server;

-- values
CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (region '');
CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (region 'eu west 1');
CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (region 'EU-WEST-1');
CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (endpoint_url 'localhost:8000');
CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (endpoint_url 'ftp://localhost');
CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (endpoint_url 'http://');
CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (endpoint_url 'http://host/path');
CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (endpoint_url 'http://user:password@host');
CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (max_concurrency '0');
CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (max_concurrency '257');
CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (max_concurrency '4x');
CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (max_concurrency '99999999999999999999');
CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (max_read_units_per_second '-1');
CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (max_read_units_per_second 'NaN');
CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (connect_timeout '0');
CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (connect_timeout '2 apples');
CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (max_attempts '-1');
CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (fetch_size '-1');
CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (scan_policy 'maybe');
CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (scan_policy '');
CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (consistent_read 'perhaps');
CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (region 'eu-west-1', region 'eu-west-2');
CREATE FOREIGN TABLE t (a text) SERVER full_server OPTIONS (table_name '');
CREATE FOREIGN TABLE t (a text) SERVER full_server OPTIONS (on_mismatch 'ignore');
CREATE FOREIGN TABLE t (a text OPTIONS (path '')) SERVER full_server;
CREATE FOREIGN TABLE t (a text OPTIONS (path 'a..b')) SERVER full_server;
CREATE FOREIGN TABLE t (a text OPTIONS (path 'a[x]')) SERVER full_server;
CREATE FOREIGN TABLE t (a text OPTIONS (path 'a[1')) SERVER full_server;
CREATE FOREIGN TABLE t (a text OPTIONS (attribute 'x', path 'y')) SERVER full_server;
CREATE FOREIGN TABLE t (a timestamptz OPTIONS (format 'iso8602')) SERVER full_server;
CREATE FOREIGN TABLE t (a timestamptz OPTIONS (format 'iso8601(99)')) SERVER full_server;
CREATE FOREIGN TABLE t (a boolean OPTIONS (format 'bool(Y)')) SERVER full_server;

-- a later change is checked like the first
ALTER SERVER full_server OPTIONS (SET fetch_size 'many');
ALTER SERVER full_server OPTIONS (DROP fetch_size);
ALTER FOREIGN TABLE full_table ALTER COLUMN b OPTIONS (SET path 'info.');
ALTER FOREIGN TABLE full_table ALTER COLUMN b OPTIONS (SET path 'info.score');
ALTER USER MAPPING FOR CURRENT_USER SERVER full_server OPTIONS (ADD secret_acces_key 'hidden');

-- booleans and times in PostgreSQL's forms
CREATE SERVER b3 FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (connect_timeout '2s');
CREATE SERVER b1 FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (consistent_read 'TRUE');
CREATE SERVER b2 FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (consistent_read '0');

-- who may set what
CREATE ROLE regress_dynamo_user;
GRANT USAGE ON FOREIGN DATA WRAPPER dynamo_fdw TO regress_dynamo_user;
SET ROLE regress_dynamo_user;
CREATE SERVER s FOREIGN DATA WRAPPER dynamo_fdw OPTIONS (region 'eu-west-1');
ALTER SERVER s OPTIONS (ADD ca_bundle '/etc/passwd');
ALTER SERVER s OPTIONS (ADD proxy 'http://localhost');
CREATE USER MAPPING FOR CURRENT_USER SERVER s OPTIONS (access_key_id 'a', secret_access_key 'b');
RESET ROLE;

-- writing is off, and is refused before anything is sent
CREATE FOREIGN TABLE t (a text) SERVER s;
INSERT INTO t VALUES ('x');
TRUNCATE t;
DROP SERVER s CASCADE;
REVOKE ALL ON FOREIGN DATA WRAPPER dynamo_fdw FROM regress_dynamo_user;
DROP ROLE regress_dynamo_user;
\set VERBOSITY terse
SET client_min_messages = warning;
DROP EXTENSION dynamo_fdw CASCADE;
