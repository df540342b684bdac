"""Tables whose key a template composes, against the same pages with plain columns."""
from latencies import plan_ratio
from report import Figure, ratios
from scans import alternate_cpu
from world import TYPED

TEXT = ("mapped_text", TYPED.replace("id text", "ident text"), '{"id": "id-${ident}"}')
NUMBER = ("mapped_number", TYPED.replace("id text", "ident integer"), '{"id": "id-${ident:padded(8)}"}')


def mapped(world):
    """CPU of complete scans, and planning of a key lookup, where the key is composed by a template"""
    url = world.serve()
    world.foreign_table("unmapped", url)
    figures = []
    with world.connect() as connection:
        for name, columns, templates in (TEXT, NUMBER):
            connection.execute(f"CREATE FOREIGN TABLE {name} ({columns}) SERVER unmapped OPTIONS (table_name 'bench', key_templates '{templates}')")
    for what, statement in (("SELECT sum(n)", "SELECT sum(n) FROM {}"), ("SELECT n, price", "SELECT sum(n + price) FROM {}")):
        for name, _, _ in (TEXT, NUMBER):
            ours, theirs = alternate_cpu(world, statement.format(name), statement.format("unmapped"))
            figures += [Figure(f"{what}, {name.replace('_', ' of ')}, of a plain table's CPU", ratios(ours, theirs), 1.3, unit=" x"),
                        Figure("    mapped", ours, unit=" s"), Figure("    plain", theirs, unit=" s")]
    world.csv_table("mapped_rows")
    with world.connect() as connection:
        connection.execute("CREATE TABLE unmapped_here AS SELECT substr(id, 4) AS ident, * FROM mapped_rows;"
                           "ALTER TABLE unmapped_here ADD PRIMARY KEY (ident); ANALYZE unmapped_here")
        return figures + plan_ratio(connection, "lookup by a mapped key", "SELECT * FROM {} WHERE ident = '00000000'", "mapped_text",
                                    "unmapped_here", limit=4)
