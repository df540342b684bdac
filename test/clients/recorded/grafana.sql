-- keyed: a time series
SELECT floor(extract(epoch from ordered_at)/21600)*21600 AS "time", avg(total) AS "total" FROM :schema.orders
WHERE ordered_at BETWEEN '2026-01-05T00:00:00Z' AND '2026-01-11T23:59:59Z' AND region = 'north' GROUP BY 1 ORDER BY 1
-- keyed: a table of the last ones
SELECT ordered_at AS time, customer_id, total::float8 FROM :schema.orders WHERE region = 'south' AND ordered_at > '2026-01-20T00:00:00Z'::timestamptz
ORDER BY ordered_at DESC, customer_id LIMIT 100
-- keyed: epochs
SELECT extract(epoch from ordered_at) AS time, quantity FROM :schema.orders
WHERE extract(epoch from ordered_at) >= 1767571200 AND extract(epoch from ordered_at) <= 1767744000 AND customer_id = 'c02' ORDER BY 1
-- step: a variable
SELECT DISTINCT city AS __text, customer_id AS __value FROM :schema.customers
-- keyed: annotations
SELECT ordered_at AS time, status AS text, array_to_string(tags, ',') AS tags FROM :schema.orders
WHERE ordered_at BETWEEN to_timestamp(1767571200) AND to_timestamp(1767744000) AND customer_id IN ('c01','c02','c03')
