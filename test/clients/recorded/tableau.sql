-- step: the columns of a table
SELECT * FROM ":schema"."orders" "orders" LIMIT 0
-- keyed: sums by year
SELECT CAST(TRUNC(EXTRACT(YEAR FROM "orders"."ordered_at")) AS INTEGER) AS "yr:ordered_at:ok", SUM("orders"."total") AS "sum:total:ok"
FROM ":schema"."orders" "orders" WHERE ("orders"."customer_id" = 'c21') GROUP BY 1
-- keyed: months of a range
SELECT DATE_TRUNC( 'MONTH', CAST("orders"."ordered_at" AS DATE) ) AS "tmn:ordered_at:ok", COUNT(1) AS "cnt"
FROM ":schema"."orders" "orders"
WHERE (("orders"."region" = 'east') AND ("orders"."ordered_at" >= (TIMESTAMP '2026-01-05 00:00:00.000')) AND ("orders"."ordered_at" <= (TIMESTAMP '2026-01-09 23:59:59.000')))
GROUP BY 1
-- keyed: a filter on several values
SELECT "orders"."status" AS "status", SUM("orders"."quantity") AS "sum" FROM ":schema"."orders" "orders"
WHERE (("orders"."customer_id" IN ('c21', 'c22')) AND (NOT ("orders"."status" IS NULL))) GROUP BY 1
-- keyed: a relation of two tables
SELECT "customers"."name" AS "name", "t0"."x" AS "x" FROM ":schema"."customers" "customers"
INNER JOIN (SELECT "orders"."customer_id" AS "id", SUM("orders"."total") AS "x" FROM ":schema"."orders" "orders" WHERE ("orders"."customer_id" = 'c21') GROUP BY 1) "t0"
ON ("customers"."customer_id" IS NOT DISTINCT FROM "t0"."id") WHERE ("customers"."customer_id" = 'c21')
-- step: the domain of a dimension
SELECT "customers"."city" AS "city" FROM ":schema"."customers" "customers" GROUP BY 1 ORDER BY 1
-- keyed: a quarter
SELECT COUNT(1) FROM ":schema"."orders" "orders" WHERE (DATE_TRUNC('QUARTER', "orders"."ordered_at") = (TIMESTAMP '2026-01-01 00:00:00')) AND ("orders"."customer_id" = 'c21')
