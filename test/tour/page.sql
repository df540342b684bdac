-- What the pages with items of their own start from. psql variables: endpoint, region, key, secret.
CREATE EXTENSION dynamo_fdw;

CREATE SERVER ddb FOREIGN DATA WRAPPER dynamo_fdw
  OPTIONS (region :'region', endpoint_url :'endpoint', read_capacity '40000', scan_policy 'error');

CREATE USER MAPPING FOR CURRENT_USER SERVER ddb
  OPTIONS (access_key_id :'key', secret_access_key :'secret');

-- The tables are so small that a full scan would often be the better plan.
ALTER DATABASE :"DBNAME" SET enable_hashjoin = off;
ALTER DATABASE :"DBNAME" SET enable_mergejoin = off;
ALTER DATABASE :"DBNAME" SET client_min_messages = log;
ALTER DATABASE :"DBNAME" SET dynamo_fdw.log_requests = on;
