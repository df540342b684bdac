"""Statements that write: made at random for a table, the same text for the foreign and the local one."""
import itertools

from values import quote

NESTED, SHARED = "conditions on columns inside of each other", "assignments to columns inside of each other"
# Values that cannot be stored, by type, or by type and format.
ODD = {"numeric": ["NaN", "1e126", "12345678901234567890123456789012345678.5", "1e-131"], "float8": ["NaN", "Infinity", "1e200", "1e-200"], "float4": ["NaN", "-Infinity"],
       "timestamptz": ["infinity", "0044-03-15 10:00:00+00 BC", "2024-01-01 00:00:00.000001+00", "2024-01-01 00:00:00.5+00"], "timestamp": ["-infinity", "10000-01-01 00:00:00"],
       "date": ["infinity", "10000-01-01", "0044-03-15 BC"], "jsonb": ["null", '{"": 1}', "[1e200]", "[" * 33 + "]" * 33], "epoch_days": ["infinity"], "epoch": ["-infinity"], "epoch_ms": ["infinity", "2024-01-01 00:00:00.000001+00"], "set": ["{}", "{1,1}"], "list": ["{{a},{b}}"],
       "text": ["", "x" * 2049, "a#b", "é"], "bytea": ["\\x", "\\x" + "00" * 1025], "int4": ["100000", "-1"]}


class Const:
    """A constant: a literal or a parameter."""

    def __init__(self, text, sqltype):
        self.text, self.sqltype = text, sqltype

    def literal(self):
        """As a literal."""
        return "NULL::" + self.sqltype if self.text is None else f"{quote(self.text)}::{self.sqltype}"


class Statement:        # pylint: disable=too-few-public-methods
    """SQL with constants; what it was made as."""

    def __init__(self, form, table, sql, consts):
        self.form, self.table, self.sql, self.consts = form, table, sql, consts
        self.odd = False            # a constant that may be refused, or a key that changes
        self.copy = None            # the rows of COPY
        self.mode = "text"
        self.atomic = False
        self.error = None           # what happens to a write
        self.met = None             # the operation of that write
        self.assigned = []          # columns
        self.many = False           # more than one row may be written
        self.kinds = set()          # what of NESTED and SHARED it has

    def text(self, write):
        """The SQL, with constants as write() has them."""
        sql = self.sql
        for number, const in enumerate(self.consts):
            sql = sql.replace(f"\x01{number}\x01", write(number, const))
        return sql

    def literal(self):
        """With literals."""
        return self.text(lambda _, const: const.literal())


class Maker:
    """Makes statements for tables of one world."""

    def __init__(self, rng, table, view=None, partitions=()):
        self.rng, self.table, self.view = rng, table, view
        self.partitions = partitions
        self.consts, self.odd, self.rows = [], False, []
        self.quiet = False      # no constants that cannot be stored
        self.through_view, self.fresh, self.kinds = False, None, set()

    # Constants

    def const(self, text, sqltype):
        """A place for a constant."""
        self.consts.append(Const(text, sqltype))
        return f"\x01{len(self.consts) - 1}\x01"

    def value(self, column, odd=0.04):
        """A constant for a column."""
        rng = self.rng
        if not self.odd and not self.quiet and rng.random() < odd:
            found = ODD.get(column.format) or ODD.get(column.base) or []
            if column.wrong and rng.random() < 0.5:
                self.odd = True
                return self.const(column.wrong, column.sqltype)
            if found and not (column.base == "text" and column.kind.sqltype != "text"):
                self.odd = True
                return self.const(rng.choice(found), column.base)
        if column.name == "i4" and self.through_view and not self.odd:
            return self.const(str(rng.randint(1, 9)), "int4")
        if column.name == "ends" and self.quiet:        # not expired: what is inserted twice is a conflict
            return self.const(rng.choice(["2040-01-01 00:00:00+00", "1999-01-01 00:00:00+00"]), "timestamptz")
        if not column.writes and (self.odd or self.quiet or rng.random() < 0.9):
            return self.const(None, column.sqltype)
        needed = column.attribute in self.table.filter and not column.part or column.name == "region"
        if needed and (self.odd or self.quiet or rng.random() < 0.9):
            return self.const(rng.choice(column.pool)[0], column.base)
        if rng.random() < (0 if column.key or odd < 0 or self.quiet and column.name == "rest" else 0.15):
            self.odd = self.odd or needed
            return self.const(None, column.sqltype)
        self.odd = self.odd or not column.writes
        return self.const(rng.choice(column.writes or column.pool)[0], column.base if column.base != "char" else column.sqltype)

    # Parts

    def settable(self):
        """Columns that are assigned."""
        return [c for c in self.table.columns if not c.key and not c.generated and not c.fixed and not c.shared and c.name not in ("region", "rest")]

    def expression(self, column, alias):
        """Something to assign to a column."""
        rng, own = self.rng, f"{alias}.{column.sql}" if alias else column.sql
        if rng.random() < 0.45 or column.attribute in self.table.filter:
            return self.value(column)
        base = column.base
        if base in ("text", "varchar"):
            return rng.choice([f"{own} || 'x'", f"upper({own})", f"left({own}, 3)", f"coalesce({own}, 'z')", f"CASE WHEN {own} IS NULL THEN 'n' ELSE NULL END", "DEFAULT", f"{own}"])
        if base in ("int2", "int4", "int8"):
            return rng.choice([f"{own} + 1", f"coalesce({own}, 0) - 2", f"-{own}", "DEFAULT", f"(SELECT max(n) FROM src WHERE src.n >= coalesce({own}, 0))", f"nullif({own}, 3)"])
        if base in ("numeric", "float8", "float4"):
            return rng.choice([f"{own} + 1", f"{own} * 2", f"-{own}", f"coalesce({own}, 0) + 0.5", "NULL", f"(SELECT sum(n) FROM src)"])
        if base == "boolean":
            return rng.choice([f"NOT {own}", f"{own} IS NULL", f"coalesce({own}, true)"])
        if base in ("timestamptz", "timestamp"):
            return rng.choice([f"{own} + interval '1 day'", f"date_trunc('second', {own})", f"{own} - interval '1 second'"])
        if base == "date":
            return rng.choice([f"{own} + 1", f"coalesce({own}, '2024-05-05')"])
        if base == "jsonb":
            return rng.choice([f"jsonb_build_object('was', {own} IS NULL)", f"CASE jsonb_typeof({own}) WHEN 'object' THEN jsonb_set({own}, '{{k}}', '\"new\"') END" if rng.random() < 0.5 else f"coalesce({own}, '{{}}') || '{{\"n\": 5}}'", f"{own} -> 'a'"])
        if base.endswith("[]"):
            word = "'q'" if base == "text[]" else "77"
            return rng.choice([f"array_append({own}, {word}::{base[:-2]})", f"array_remove({own}, {word}::{base[:-2]})", f"coalesce({own}, ARRAY[{word}]::{base})"])
        return own

    def assignments(self, alias, source=None):
        """SET, and which columns."""
        rng = self.rng
        columns = rng.sample(self.settable(), min(len(self.settable()), rng.choice([1, 1, 1, 2, 2, 3, 5])))
        parts = []
        if len(columns) >= 2 and rng.random() < 0.15 and not source:
            pair = [c for c in columns[:2]]
            values = [self.expression(c, alias) for c in pair]
            if "DEFAULT" not in values and "NULL" not in values:
                parts.append(f"({pair[0].sql}, {pair[1].sql}) = (SELECT {values[0]}, {values[1]})")
                columns = columns[2:] + pair
        done = 2 if parts else 0
        for column in columns[:len(columns) - done]:
            value = f"{source}.{column.sql}" if source and rng.random() < 0.6 else self.expression(column, alias)
            parts.append(f"{column.sql} = {value}")
        if rng.random() < 0.08:
            key = rng.choice(self.table.keys)
            if rng.random() < 0.5:
                parts.append(f"{key.sql} = {alias + '.' if alias else ''}{key.sql}")
            elif not self.odd:
                self.odd = True
                parts.append(f"{key.sql} = {self.value(key, 0)}")
        if self.table.agreeing and rng.random() < 0.5:
            shared = self.shared_assignments(alias, source)
            parts, columns = parts + [f"{column.sql} = {value}" for column, value in shared.items()], columns + list(shared)
        rng.shuffle(parts)
        return ", ".join(parts), columns

    def shared_assignments(self, alias, source):
        """{column: value} of columns inside of each other: agreeing ones, but for some."""
        rng, columns = self.rng, self.table.by_name
        self.kinds.add(SHARED)
        document, mid, code, at = (columns[name] for name in ("whole", "mid", "code", "at"))
        own = lambda column: f"{alias + '.' if alias else ''}{column.sql}"
        number = rng.choice([3, 42])
        text = f"to_jsonb('{number:05}'::text)"
        pick = rng.random()
        if source and (pick < 0.5 or alias == source):
            return {column: f"{source}.{column.sql}" for column in self.table.shared()}
        if pick < 0.3:
            values = rng.choice(self.table.agreeing)
            return {column: self.const(values[column.name][0], column.base) for column in self.table.shared()}
        if pick < 0.45:     # a member that no column shows
            return {document: f"CASE jsonb_typeof({own(document)}) WHEN 'object' THEN {own(document)} || '{{\"new\": {number}}}' ELSE {own(document)} END"}
        object_or = f"CASE WHEN jsonb_typeof({own(mid)}) = 'object' THEN {{}} ELSE {{}} END"
        changed = {code: object_or.format(number, own(code)), mid: object_or.format(f"jsonb_set({own(mid)}, ARRAY[{quote(code.path[-1])}], {text})", own(mid)),
                   document: object_or.format(f"jsonb_set({own(document)}, ARRAY[{', '.join(map(quote, code.path))}], {text})", own(document))}
        if pick < 0.8:
            return changed
        alone = rng.choice([code, mid, at])     # not what others show of it; where they are NULL, they would follow it
        return {alone: changed[alone]} if alone is not at else {at: f"CASE WHEN {own(at)} IS NOT NULL THEN '2020-01-01 00:00:00+00'::timestamptz END"}

    def agreed(self):
        """Values for the shared columns of one row: {name: text}."""
        return {name: text for name, (text, _) in self.rng.choice(self.table.agreeing or [{}]).items()}

    def condition(self, alias):         # pylint: disable=too-many-return-statements
        """One condition."""
        rng, table = self.rng, self.table
        column = rng.choice([c for c in table.columns if c.base not in ("jsonb", "text[]", "int4[]")])
        name = f"{alias}.{column.sql}" if alias else column.sql
        pick = rng.random()
        if self.rows and pick < 0.4:
            row = rng.choice(self.rows)
            return " AND ".join(f"{alias + '.' if alias else ''}{key.sql} = {self.const(row[key.name], key.base)}" for key in table.keys)
        if pick < 0.55:
            return f"{name} IS {rng.choice(['', 'NOT '])}NULL"
        if column.base == "boolean":
            return rng.choice([name, f"NOT {name}"])
        if column.base == "inet" or column.base == "mood":
            return f"{name} = {self.const(rng.choice(column.pool)[0], column.sqltype)}"
        value = self.const(rng.choice(column.pool)[0], column.base if column.base != "char" else "bpchar")
        if pick < 0.75:
            return f"{name} {rng.choice(['<', '>', '<=', '>=', '<>'])} {value}"
        if pick < 0.85:
            return f"{name} = {value}"
        if pick < 0.92:
            return f"{name} IN ({value}, {self.const(rng.choice(column.pool)[0], column.base if column.base != 'char' else 'bpchar')})"
        return f"EXISTS (SELECT 1 FROM src WHERE src.n % 2 = {rng.choice([0, 1])} AND ({name} = {value} OR src.n = 3))"

    def where(self, alias):
        """WHERE, or nothing."""
        rng = self.rng
        if rng.random() < 0.06:
            return ""
        parts = [self.condition(alias) for _ in range(rng.choice([1, 1, 1, 2, 3]))]
        joined = parts[0]
        for part in parts[1:]:
            joined = f"({joined}) {rng.choice(['AND', 'OR'])} ({part})"
        nested = [c for c in self.table.columns if (c.shared if rng.random() < 0.4 else c.fixed)]
        if nested and rng.random() < 0.7:
            self.kinds.add(NESTED)
            parts = [f"{alias + '.' if alias else ''}{c.sql} {rng.choice(['IS NOT NULL', 'IS NOT NULL', '<> jsonb_build_array(0)'] if c.base == 'jsonb' else ['IS NOT NULL', 'IS NULL', 'IS NULL'])}"
                     for c in rng.sample(nested, rng.choice([2, 3, len(nested)]))]
            joined = " AND ".join(rng.choice([[], [f"({joined})"]]) + parts)
        return f" WHERE {joined}"

    def returning(self, alias, chance=0.35, rest=False):
        """RETURNING, or nothing; whether a row is inserted, of which the rest is known."""
        rng, table = self.rng, self.table
        if rng.random() > chance:
            return ""
        name = (alias + "." if alias else "")
        keys = [name + key.sql for key in table.keys]
        shown = [c for c in table.columns if rest or c.name != "rest"]
        columns = [name + c.sql for c in rng.sample(shown, min(3, len(shown)))]
        picks = [f"{name}*" if shown == table.columns else ", ".join(name + c.sql for c in shown), ", ".join(dict.fromkeys(keys + columns)), f"{keys[0]} IS NULL AS missing, {columns[0]}"]
        return " RETURNING " + rng.choice(picks)

    # Statements

    def make(self, rows, forms=None):
        """One statement; `rows` are those of the table now."""
        rng = self.rng
        self.consts, self.odd, self.rows, self.through_view, self.kinds = [], False, rows, False, set()
        names, weights = zip(*[(name, weight) for name, weight in FORMS if not forms or name in forms])
        form = rng.choices(names, weights)[0]
        statement = getattr(self, form)()
        statement.form, statement.consts, statement.odd = form, self.consts, self.odd
        statement.kinds = self.kinds
        return statement

    def target(self):
        """The table, or a view of it."""
        self.through_view = bool(self.view) and self.rng.random() < 0.3
        return self.view if self.through_view else self.table.name

    def statement(self, sql, assigned, many=False):
        """Put together."""
        made = Statement("", self.table, sql, self.consts)
        made.assigned, made.many = assigned, many
        return made

    def values_of_row(self, columns):
        """One row of VALUES."""
        if self.fresh is not None:
            key = {**self.agreed(), **(self.fresh.pop() if len(self.fresh) > 1 else self.fresh[0])}
            return "(" + ", ".join(self.const(key[c.name], c.base) if c.name in key else self.value(c) for c in columns) + ")"
        linked, agreed = [c for group in self.table.linked() for c in group], self.agreed()
        one = not self.quiet and not self.odd and self.rng.random() < 0.1       # one of them without the other
        self.odd = self.odd or one and bool(linked)
        return "(" + ", ".join(self.const(agreed[c.name], c.base) if c.name in agreed else self.const(self.rng.choice(c.pool)[0], c.base) if c in linked and not one else
                               "DEFAULT" if self.rng.random() < 0.05 and not c.key and c.name != "region" else self.value(c) for c in columns) + ")"

    def fresh_keys(self):
        """Keys that no row has, so that both parts of a WITH succeed."""
        keys = self.table.keys
        stored = lambda texts: repr([key.store(text) for key, text in zip(keys, texts)])
        taken = {stored([row[key.name] for key in keys]) for row in self.rows}
        found = [dict(zip([k.name for k in keys], values)) for values in itertools.product(*[[text for text, _ in k.writes] for k in keys]) if stored(values) not in taken]
        return self.rng.sample(found, min(len(found), 6))

    def insert_columns(self):
        """All of them or some, in some order."""
        rng, table = self.rng, self.table
        columns = [c for c in table.columns if not c.generated and not c.fixed]
        if rng.random() < 0.6:
            columns = [c for c in columns if c.key or c.name == "region" or rng.random() < 0.4]
        for linked in table.linked() + [[c for c in table.columns if c.shared]]:
            if set(linked) & set(columns):
                columns = [c for c in columns if c not in linked] + linked
        rng.shuffle(columns)
        return columns

    def values(self, most=4):
        """INSERT ... VALUES, and its columns."""
        columns = self.insert_columns()
        number = self.rng.choice([1, 1, 2, most])
        self.quiet = number > 1
        rows = ", ".join(self.values_of_row(columns) for _ in range(number))
        self.quiet = False
        return f"({', '.join(c.sql for c in columns)}) VALUES {rows}", columns, number > 1

    def insert(self):
        """INSERT ... VALUES."""
        target = self.target()
        body, columns, many = self.values()
        return self.statement(f"INSERT INTO {target} {body}{self.returning('', rest=True)}", columns, many)

    def insert_select(self):
        """INSERT ... SELECT from a local table, or from itself."""
        rng, table = self.rng, self.table
        columns = [c for c in table.columns if not c.generated and c.writes]
        key = table.keys[-1]
        names = ", ".join(c.sql for c in columns)
        if rng.random() < 0.5:
            return self.statement(f"INSERT INTO {table.name} ({names}) SELECT {names} FROM src_{table.name} s{self.where('s')}{self.returning('')}", columns, True)
        other = f"{key.sql} || '+'" if key.base == "text" else f"{key.sql} + 7" if key.base.startswith("int") else f"{key.sql} || '\\x07'" if key.base == "bytea" else f"{key.sql} + interval '1 hour'"
        columns = [c for c in columns if c.format != "set" and not c.shared]       # items may have lists without elements
        names = ", ".join(c.sql for c in columns)
        selected = ", ".join(other if c is key else c.sql for c in columns)
        conflict = rng.choice(["", "", " ON CONFLICT DO NOTHING"])
        returning = "" if conflict else self.returning("")
        return self.statement(f"INSERT INTO {table.name} ({names}) SELECT {selected} FROM {table.name} t{self.where('t')}{conflict}{returning}", columns, True)

    def do_nothing(self):
        """ON CONFLICT DO NOTHING."""
        body, columns, many = self.values()
        keys = ", ".join(self.rng.sample([k.sql for k in self.table.keys], len(self.table.keys)))
        target = f" ({keys})" if self.rng.random() < 0.5 and not self.partitions else ""
        return self.statement(f"INSERT INTO {self.table.name} {body} ON CONFLICT{target} DO NOTHING{self.returning('', rest=True)}", columns, many)

    def do_update(self):
        """ON CONFLICT DO UPDATE."""
        rng, table = self.rng, self.table
        body, columns, many = self.values(2)
        keys = ", ".join(rng.sample([k.sql for k in table.keys], len(table.keys)))
        parts, assigned = self.assignments("t", "EXCLUDED")
        where = f" WHERE {self.condition('t')}" if rng.random() < 0.3 else ""
        return self.statement(f"INSERT INTO {table.name} AS t {body} ON CONFLICT ({keys}) DO UPDATE SET {parts}{where}{self.returning('t')}", columns + assigned, many)

    def update(self):
        """UPDATE."""
        target = self.target()
        parts, columns = self.assignments("")
        return self.statement(f"UPDATE {target} SET {parts}{self.where('')}{self.returning('')}", columns, True)

    def update_from(self):
        """UPDATE ... FROM a table with the same key, or itself."""
        rng, table = self.rng, self.table
        other = f"src_{table.name}" if rng.random() < 0.7 else table.name
        parts, columns = self.assignments("s" if rng.random() < 0.3 else "t", "s")
        same = " AND ".join(f"s.{key.sql} = t.{key.sql}" for key in table.keys)
        more = f" AND ({self.condition(rng.choice('ts'))})" if rng.random() < 0.5 else ""
        return self.statement(f"UPDATE {table.name} t SET {parts} FROM {other} s WHERE {same}{more}{self.returning('t')}", columns, True)

    def update_subquery(self):
        """Values and conditions from a subquery over the table itself."""
        rng, table = self.rng, self.table
        column = rng.choice(self.settable())
        key = table.keys[0]
        first = f"(SELECT b.{column.sql} FROM {table.name} b WHERE b.{column.sql} IS NOT NULL AND b.{key.sql} {rng.choice(['=', '>='])} t.{key.sql} ORDER BY {', '.join('b.' + k.sql for k in table.keys)} LIMIT 1)"
        where = rng.choice([self.where("t"), f" WHERE t.{key.sql} IN (SELECT c.{key.sql} FROM {table.name} c{self.where('c')})"])
        return self.statement(f"UPDATE {table.name} t SET {column.sql} = {first}{where}{self.returning('t')}", [column], True)

    def delete(self):
        """DELETE."""
        return self.statement(f"DELETE FROM {self.target()}{self.where('') or ' WHERE true'}{self.returning('')}", [], True)

    def delete_using(self):
        """DELETE ... USING."""
        rng, table = self.rng, self.table
        other = f"src_{table.name}" if rng.random() < 0.6 else table.name
        same = f"s.{table.keys[0].sql} = t.{table.keys[0].sql}"
        more = f" AND ({self.condition(rng.choice('ts'))})" if rng.random() < 0.7 else ""
        return self.statement(f"DELETE FROM {table.name} t USING {other} s WHERE {same}{more}{self.returning('t')}", [], True)

    def with_two(self):
        """Two writes in one statement: new rows, and changes of the old ones."""
        rng, table = self.rng, self.table
        self.quiet, self.fresh = True, self.fresh_keys() if rng.random() < 0.6 else None
        if self.fresh == []:
            self.quiet = False
            return self.update()
        body, columns, _ = self.values(2)
        self.fresh = None
        parts, assigned = self.assignments("")
        self.quiet = False
        shown = ", ".join(c.sql for c in table.columns if c.name != "rest")
        second = rng.choice([f"UPDATE {table.name} SET {parts}{self.where('')} RETURNING {shown}", f"DELETE FROM {table.name}{self.where('')} RETURNING {shown}"])
        fresh = f"INSERT INTO {table.name} {body} RETURNING {shown}"
        shape = rng.choice(["WITH a AS ({0}), b AS ({1}) SELECT count(*) FROM b", "WITH a AS ({0}) {1}", "WITH b AS ({1}) {0}", "WITH a AS ({0}), b AS ({1}) SELECT (SELECT count(*) FROM a), (SELECT count(*) FROM b)",
                            "WITH b AS ({1}) INSERT INTO kept SELECT count(*), 'x' FROM b", "WITH b AS ({1}), a AS ({0}) SELECT 1"])
        return self.statement(shape.format(fresh, second), columns + assigned, True)

    def copy(self):
        """COPY FROM."""
        columns = self.insert_columns()
        lines = []
        for _ in range(self.rng.choice([1, 1, 2, 5])):
            self.consts, texts = [], []
            self.quiet = True
            linked, agreed = [c for group in self.table.linked() for c in group], self.agreed()
            for column in columns:
                if column.name not in agreed:
                    self.value(column, 0 if column not in linked else -1)
                texts.append(agreed[column.name] if column.name in agreed else self.consts[-1].text)
            lines.append("\t".join("\\N" if t is None else t.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n") for t in texts))
        self.consts, self.quiet = [], False
        made = self.statement(f"COPY {self.table.name} ({', '.join(c.sql for c in columns)}) FROM STDIN", columns, len(lines) > 1)
        made.copy = "\n".join(lines) + "\n"
        return made


FORMS = [("insert", 20), ("insert_select", 8), ("do_nothing", 8), ("do_update", 14), ("update", 24), ("update_from", 9), ("update_subquery", 6), ("delete", 6), ("delete_using", 3), ("with_two", 6), ("copy", 5)]
