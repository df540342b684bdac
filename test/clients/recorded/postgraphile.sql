-- keyed: one by its key
select to_json(__local_0__."customer_id") as "customerId", to_json(__local_0__."name") as "name", to_json(((__local_0__."since"))::text) as "since"
from ":schema"."customers" as __local_0__ where (__local_0__."customer_id" = 'c24') and (TRUE) and (TRUE)
-- keyed: a connection
with __local_0__ as (
  select to_json((json_build_object('__identifiers'::text, json_build_array(__local_1__."customer_id", __local_1__."ordered_at"), 'total'::text, ((__local_1__."total"))::text))) as "@nodes"
  from (select __local_1__.* from ":schema"."orders" as __local_1__ where (((__local_1__."customer_id" = 'c24'))) and (TRUE) and (TRUE)
        order by __local_1__."customer_id" ASC, __local_1__."ordered_at" ASC limit 10) __local_1__),
__local_2__ as (select json_agg(to_json(__local_0__)) as data from __local_0__)
select coalesce((select __local_2__.data from __local_2__), '[]'::json)::text as "data"
-- keyed: children of each
select to_json(__local_0__."name") as "name", to_json((with __local_1__ as (select to_json((json_build_object('total'::text, ((__local_2__."total"))::text))) as object
  from (select __local_2__.* from ":schema"."orders" as __local_2__ where (__local_2__."customer_id" = __local_0__."customer_id") and (TRUE) order by __local_2__."ordered_at" DESC limit 3) __local_2__)
  select coalesce((select json_agg(__local_1__.object) from __local_1__), '[]'::json)))::text as "@orders"
from ":schema"."customers" as __local_0__ where (__local_0__."customer_id" = any (array['c24', 'c25'])) and (TRUE)
-- keyed: the total count
select count(1)::text from ":schema"."orders" as __local_0__ where (((__local_0__."customer_id" = 'c24'))) and 1 = 1
-- keyed: a page by cursor
select __local_0__."ordered_at"::text from ":schema"."orders" as __local_0__
where (__local_0__."customer_id" = 'c24') and ((((__local_0__."customer_id", __local_0__."ordered_at") > ('c24', '2026-01-10T00:00:00+00:00'::timestamptz)))) order by __local_0__."customer_id" ASC, __local_0__."ordered_at" ASC limit 11
