-- keyed: create
INSERT INTO ":schema"."products" ("id", "name", "price", "stock", "version", "changed") VALUES ('ra1', 'Ada', 1.5, 1, 0, '2026-03-01 12:30:00') RETURNING "id"
-- keyed: update with lock_version
UPDATE ":schema"."products" SET "name" = 'Bea', "version" = 1 WHERE "products"."id" = 'ra1' AND "products"."version" = 0 RETURNING 1
-- keyed: a stale update
UPDATE ":schema"."products" SET "name" = 'Cyd', "version" = 1 WHERE "products"."id" = 'ra1' AND "products"."version" = 0 RETURNING 1
-- keyed: increment_counter
UPDATE ":schema"."products" SET "stock" = COALESCE("products"."stock", 0) + 1 WHERE "products"."id" = 'ra1' RETURNING stock
-- keyed: insert_all
INSERT INTO ":schema"."products" ("id","name","version") VALUES ('ra1', 'x', 0), ('ra2', 'y', 0) ON CONFLICT DO NOTHING RETURNING "id"
-- keyed: upsert_all
INSERT INTO ":schema"."products" ("id","name","version") VALUES ('ra1', 'Dee', 0), ('ra3', 'Eve', 0) ON CONFLICT ("id") DO UPDATE SET changed=(CASE WHEN ("products"."name" IS NOT DISTINCT FROM excluded."name") THEN "products".changed ELSE '2026-04-01 00:00:00+00' END),"name"=excluded."name" RETURNING "id"
-- keyed: destroy
DELETE FROM ":schema"."products" WHERE "products"."id" = 'ra2'
-- step: rows
SELECT * FROM ":schema"."products" WHERE id LIKE 'ra%'
