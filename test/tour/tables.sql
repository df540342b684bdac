-- The demo's foreign tables. psql variables: endpoint, region, key, secret.
CREATE EXTENSION dynamo_fdw;

CREATE SERVER ddb FOREIGN DATA WRAPPER dynamo_fdw
  OPTIONS (region :'region', endpoint_url :'endpoint', table_prefix 'demo-',
    read_capacity '40000');

CREATE USER MAPPING FOR CURRENT_USER SERVER ddb
  OPTIONS (access_key_id :'key', secret_access_key :'secret');

CREATE FOREIGN TABLE movies (
  name     text COLLATE "C" NOT NULL,
  year     int NOT NULL,
  actor    text,
  actress  text,
  released boolean,
  rating   numeric,
  genres   text[],
  song_ids text[]
) SERVER ddb;

CREATE FOREIGN TABLE songs (
  name     text COLLATE "C" NOT NULL,
  movie_id text COLLATE "C",
  seconds  int,
  singer   text
) SERVER ddb OPTIONS (updatable 'on');

CREATE FOREIGN TABLE users (
  name   text COLLATE "C" NOT NULL,
  age    int,
  emails jsonb
) SERVER ddb;

CREATE FOREIGN TABLE likes (
  user_name text COLLATE "C" NOT NULL,
  song      text COLLATE "C" NOT NULL
) SERVER ddb;

CREATE FOREIGN TABLE orders (
  customer_id text COLLATE "C" NOT NULL,
  ordered_at  timestamptz OPTIONS (format 'iso8601(0)') NOT NULL,
  status      text,
  total       numeric,
  lines       jsonb
) SERVER ddb;

-- Two entities in one table, distinguished by the texts of their keys.
CREATE FOREIGN TABLE cinemas (
  id    text COLLATE "C" NOT NULL,
  city  text,
  seats int
) SERVER ddb OPTIONS (table_name 'program',
    key_templates '{"pk": "CINEMA#${id}", "sk": "PROFILE"}');

CREATE FOREIGN TABLE screenings (
  cinema text COLLATE "C" NOT NULL,
  day    date NOT NULL,
  number int NOT NULL,
  movie  text OPTIONS (attribute 'gpk') COLLATE "C",
  sold   int
) SERVER ddb OPTIONS (table_name 'program', trusted_indexes 'by_movie',
    key_templates '{"pk": "CINEMA#${cinema}", "sk": "SHOW#${day}#${number:padded(2)}",
                "gpk": "MOVIE#${movie}", "gsk": "${day}"}');
