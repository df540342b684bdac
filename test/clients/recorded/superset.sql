-- step: preview of a table
SELECT * FROM :schema.orders LIMIT 101
-- step: the columns of a query
SELECT * FROM (SELECT * FROM :schema.orders) AS virtual_table LIMIT 0
-- keyed: a chart over time
SELECT DATE_TRUNC('day', ordered_at) AS ordered_at, SUM(total) AS "SUM(total)", COUNT(*) AS count
FROM :schema.orders
WHERE ordered_at >= TO_TIMESTAMP('2026-01-05 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US')
  AND ordered_at < TO_TIMESTAMP('2026-01-12 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US') AND region IN ('north', 'east')
GROUP BY DATE_TRUNC('day', ordered_at) ORDER BY "SUM(total)" DESC LIMIT 10000
-- keyed: the values of a filter, of one customer
SELECT status AS status, COUNT(*) AS count FROM :schema.orders WHERE customer_id = 'c05' GROUP BY status ORDER BY count DESC LIMIT 1000
-- step: the values of a filter
SELECT region AS region FROM :schema.orders GROUP BY region ORDER BY region ASC LIMIT 1000
-- step: one big number
SELECT COUNT(*) AS count, AVG(total) AS "AVG(total)" FROM :schema.orders LIMIT 50000
-- keyed: a metric with a filter of its own
SELECT SUM(CASE WHEN status = 'paid' THEN total ELSE 0 END) AS paid, SUM(total) FILTER (WHERE quantity > 3) AS large
FROM :schema.orders WHERE region = 'south' AND ordered_at >= '2026-01-10' AND ordered_at < '2026-01-20' LIMIT 50000
-- step: preview of an entity of a table that may not be scanned
SELECT * FROM :schema_mapped.bookings LIMIT 101
-- step: preview of an entity with few columns
SELECT name AS name, city AS city FROM :schema_mapped.buyers LIMIT 10
-- step: the columns of an entity
SELECT * FROM (SELECT * FROM :schema_mapped.bookings) AS virtual_table LIMIT 0
-- keyed: a chart of one entity
SELECT DATE_TRUNC('month', placed) AS placed, SUM(total) AS "SUM(total)" FROM :schema_mapped.bookings
WHERE buyer_id = 'b07' AND placed >= '2026-02-01' GROUP BY DATE_TRUNC('month', placed) ORDER BY "SUM(total)" DESC LIMIT 10000
