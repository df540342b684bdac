"""A table of one item on the scripted server, for tests of what a single value becomes.

    class Booleans(oneitem.TestCase):
        def test_number(self):
            self.assertEqual(self.shown({"N": "1"}, "boolean"), "true")
            self.assertIn("it is not a valid text", self.failure({"N": "2"}, "boolean").message)
"""
import fixture

def mismatch_hint(value, column, **options):
    """The hint of a mismatch."""
    [kind] = value
    remedy = 'Change the column type or the column option "format".'
    if kind in ("L", "M"):
        remedy = "Change the column type. A jsonb column accepts every DynamoDB type."
    if kind in ("SS", "NS", "BS") and not column.endswith("[]"):
        remedy = "Change the column type. A column of an array type, such as text[], reads sets."
    if kind == "N" and column.startswith(("date", "timestamp")) and not options.get("format", "").startswith("epoch"):
        remedy = 'Set the column option "format" to "epoch" for seconds, or to "epoch_ms" for milliseconds.'
    return f'{remedy} To read such values as NULL, set on_mismatch to "null".'


class TestCase(fixture.TestCase):
    """The item is {"pk": "a", "v": what the test gives}; the foreign table is "t (pk text, v ...)"."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fake = cls.fx.fake("fake", **cls.fake_options())
        cls.addClassCleanup(cls.fake.stop)
        cls.fake.table("t")

    @staticmethod
    def fake_options():
        """Options of the scripted server."""
        return {}

    def put(self, value, column, extra="", **options):
        """Let the item have that value (None: none) and the foreign table that column."""
        self.fake.reset(scripts=True)
        self.fake.tables["t"].items = [{"pk": {"S": "a"}, **({} if value is None else {"v": value})}]
        self.fx.foreign_table("t", f"pk text, v {column} {fixture.options_clause(options)} {extra}", server="fake",
                              scan_policy="allow")

    def shown(self, value, column, sql="SELECT v::text FROM t", **options):
        """What the value is shown as."""
        self.put(value, column, **options)
        return self.fx.value(sql)

    def failure(self, value, column, sql="SELECT pk, v FROM t", **options):
        """The error that reading the value raises."""
        self.put(value, column, **options)
        return self.fx.error(sql)

    def assert_mismatch(self, value, column, reason, excerpt, **options):
        """The entire report of a mismatch, and that it is NULL where the user prefers that."""
        failure = self.failure(value, column, **options)
        self.assertEqual(failure[:4], (
            "HV004", f'cannot convert value in column "v" of foreign table "t": {reason}',
            f'DynamoDB table "t", item pk = "a", value {excerpt}.', mismatch_hint(value, column, **options)))
        self.assertIsNone(self.shown(value, column, **{**options, "on_mismatch": "null"}))
