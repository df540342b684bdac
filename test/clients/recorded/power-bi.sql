-- step: preview
select "$Table"."customer_id" as "customer_id", "$Table"."ordered_at" as "ordered_at", "$Table"."total" as "total" from ":schema"."orders" "$Table" order by "$Table"."customer_id", "$Table"."ordered_at" limit 1000
-- keyed: rows of a range
select "_"."customer_id", "_"."ordered_at", "_"."total" from ":schema"."orders" "_"
where ("_"."region" = 'west' and "_"."region" is not null) and "_"."ordered_at" >= timestamp '2026-01-05 00:00:00' and "_"."ordered_at" < timestamp '2026-01-08 00:00:00'
-- keyed: a group of them
select "rows"."status" as "status", sum(cast("rows"."total" as decimal)) as "a0", cast(count(1) as bigint) as "a1"
from (select "_"."customer_id", "_"."status", "_"."total" from ":schema"."orders" "_" where "_"."customer_id" = 'c23' and "_"."customer_id" is not null) "rows"
group by "status" limit 1000001
-- keyed: two conditions that are the same
select "_"."ordered_at" from ":schema"."orders" "_" where ("_"."customer_id" = 'c23' and "_"."customer_id" is not null) and ("_"."customer_id" = 'c23') and ("_"."quantity" = 3 and "_"."quantity" is not null)
-- keyed: a table beside its parent
select "$Outer"."customer_id", "$Inner"."name" from (select "_"."customer_id", "_"."total" from ":schema"."orders" "_" where "_"."customer_id" = 'c23') "$Outer"
left outer join ":schema"."customers" "$Inner" on ("$Outer"."customer_id" = "$Inner"."customer_id")
-- step: distinct values
select "rows"."region" as "region" from (select "region" from ":schema"."orders" "$Table") "rows" group by "region" order by "region" limit 501
