"""dbt: sources in the schema, an incremental model that is run twice, a table and a test of it."""
import os
import subprocess
import sys
import tempfile

import psycopg2
from reporting import report

SCHEMA = sys.argv[1]
TARGET = f"dbt_{SCHEMA}"
FILES = {
    "dbt_project.yml": "name: shop\nversion: '1.0.0'\nprofile: shop\nmodel-paths: [models]\nflags: {send_anonymous_usage_stats: false}\n",
    "profiles.yml": f"""shop:
  target: dev
  outputs:
    dev: {{type: postgres, host: "{{{{ env_var('PGHOST') }}}}", port: "{{{{ env_var('PGPORT') | int }}}}", user: "{{{{ env_var('PGUSER') }}}}",
          password: unused, dbname: "{{{{ env_var('PGDATABASE') }}}}", schema: {TARGET}, threads: 2}}
""",
    "models/schema.yml": f"""version: 2
sources:
  - {{name: shop, schema: {SCHEMA}, tables: [{{name: orders}}, {{name: customers}}]}}
models:
  - {{name: busy, columns: [{{name: customer_id, data_tests: [not_null, unique]}}]}}
""",
    "models/recent.sql": """{{ config(materialized='incremental', unique_key=['customer_id', 'ordered_at']) }}
SELECT customer_id, ordered_at, region, total FROM {{ source('shop', 'orders') }}
WHERE customer_id IN ('c01', 'c02')
{% if is_incremental() %} AND ordered_at > (SELECT max(ordered_at) FROM {{ this }}) - interval '1 day'
{% else %} AND ordered_at < '2026-01-20' {% endif %}
""",
    "models/busy.sql": """{{ config(materialized='table') }}
SELECT c.customer_id, c.name, count(*) AS orders, sum(o.total) AS total FROM {{ source('shop', 'customers') }} c
JOIN {{ source('shop', 'orders') }} o USING (customer_id) GROUP BY 1, 2
""",
    "models/seen.sql": "{{ config(materialized='view') }} SELECT * FROM {{ source('shop', 'orders') }} WHERE customer_id = 'c03'\n"}


def table(name):
    """What a model holds."""
    with psycopg2.connect("") as connection, connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {TARGET}.{name}")
        return cursor.fetchall()


with tempfile.TemporaryDirectory(prefix="dynamo_fdw_dbt.") as project:
    for path, text in FILES.items():
        os.makedirs(os.path.dirname(os.path.join(project, path)), exist_ok=True)
        with open(os.path.join(project, path), "w", encoding="utf-8") as file:
            file.write(text)

    def dbt(*arguments):
        """Run it; what it prints is for those who look for a failure."""
        done = subprocess.run([os.path.join(os.path.dirname(sys.executable), "dbt"), *arguments, "--project-dir", project, "--profiles-dir", project],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env={**os.environ, "DO_NOT_TRACK": "1"})
        if done.returncode:
            sys.exit(done.stdout)

    dbt("run", "--select", "recent", "seen")
    report("an incremental model at first", table("recent"), True)
    dbt("run", "--select", "recent")
    report("an incremental model later", table("recent"), True)
    report("a view", table("seen"), True)
    dbt("build", "--select", "busy")
    report("a table of a join, tested", table("busy"))
    dbt("docs", "generate")
    report("the catalogue", [])
