-- What CREATE EXTENSION makes, and that it goes without a trace.
CREATE EXTENSION dynamo_fdw;
SELECT extversion, extrelocatable FROM pg_extension WHERE extname = 'dynamo_fdw';
SELECT fdwname, fdwhandler::regproc, fdwvalidator::regproc FROM pg_foreign_data_wrapper WHERE fdwname = 'dynamo_fdw';
SELECT p.oid::regprocedure AS function, p.provolatile, p.proisstrict, p.proparallel
  FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.deptype = 'e'
  JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'dynamo_fdw'
 ORDER BY p.oid::regprocedure::text COLLATE "C";

-- each of them has a description
SELECT p.oid::regprocedure AS undescribed FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.deptype = 'e'
  JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'dynamo_fdw'
 WHERE obj_description(p.oid, 'pg_proc') IS NULL;
SELECT obj_description(oid, 'pg_foreign_data_wrapper') FROM pg_foreign_data_wrapper WHERE fdwname = 'dynamo_fdw';

-- parameters, with their defaults and who may set them
SELECT name, setting, unit, vartype, context, min_val, max_val, enumvals
  FROM pg_settings WHERE name LIKE 'dynamo\_fdw.%' ORDER BY name COLLATE "C";

-- a backend that sent no request
SELECT * FROM dynamo_fdw_stats();
SELECT dynamo_fdw_disconnect_all();

-- the functions follow the extension's schema
CREATE SCHEMA aws;
ALTER EXTENSION dynamo_fdw SET SCHEMA aws;
SELECT aws.dynamo_fdw_disconnect_all();
DROP EXTENSION dynamo_fdw;
SELECT count(*) FROM pg_foreign_data_wrapper WHERE fdwname = 'dynamo_fdw';
CREATE EXTENSION dynamo_fdw SCHEMA aws;
DROP EXTENSION dynamo_fdw;
DROP SCHEMA aws;
