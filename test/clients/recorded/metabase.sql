-- step: preview of a table
SELECT ":schema"."orders"."customer_id" AS "customer_id", ":schema"."orders"."ordered_at" AS "ordered_at", ":schema"."orders"."total" AS "total"
FROM ":schema"."orders" ORDER BY ":schema"."orders"."customer_id" ASC, ":schema"."orders"."ordered_at" ASC LIMIT 2000
-- keyed: one object by its key
SELECT ":schema"."orders".* FROM ":schema"."orders"
WHERE (":schema"."orders"."customer_id" = 'c08') AND (":schema"."orders"."ordered_at" = timestamp with time zone '2026-01-01 06:08:00.000Z') LIMIT 2
-- keyed: by month
SELECT DATE_TRUNC('month', ":schema"."orders"."ordered_at") AS "ordered_at", SUM(":schema"."orders"."total") AS "sum"
FROM ":schema"."orders"
WHERE (":schema"."orders"."customer_id" = 'c08') AND (":schema"."orders"."ordered_at" >= DATE_TRUNC('month', timestamp '2026-01-15'))
  AND (":schema"."orders"."ordered_at" < DATE_TRUNC('month', (timestamp '2026-01-15' + INTERVAL '1 month')))
GROUP BY DATE_TRUNC('month', ":schema"."orders"."ordered_at") ORDER BY 1 ASC
-- keyed: on a day
SELECT COUNT(*) AS "count" FROM ":schema"."orders"
WHERE (CAST(":schema"."orders"."ordered_at" AS date) = date '2026-01-09') AND (":schema"."orders"."customer_id" = 'c08')
-- keyed: a join of two tables
SELECT "source"."customer_id", "Customers"."name" AS "Customers__name", "source"."sum" FROM (
  SELECT ":schema"."orders"."customer_id" AS "customer_id", SUM(":schema"."orders"."total") AS "sum" FROM ":schema"."orders"
  WHERE ":schema"."orders"."region" = 'west' GROUP BY ":schema"."orders"."customer_id") "source"
LEFT JOIN ":schema"."customers" AS "Customers" ON "source"."customer_id" = "Customers"."customer_id" WHERE "source"."customer_id" IN ('c01', 'c02') LIMIT 1048575
-- step: a fingerprint
SELECT SUBSTRING("c"."name", 1, 1234) AS "substring", "c"."since" FROM ":schema"."customers" AS "c" ORDER BY "c"."customer_id" LIMIT 10000
-- step: text that contains
SELECT ":schema"."customers"."name" FROM ":schema"."customers" WHERE (LOWER(":schema"."customers"."name") LIKE '%ï 1%') LIMIT 2000
-- step: the values of a field
SELECT ":schema"."orders"."status" AS "status" FROM ":schema"."orders" GROUP BY ":schema"."orders"."status" ORDER BY ":schema"."orders"."status" ASC LIMIT 1000
