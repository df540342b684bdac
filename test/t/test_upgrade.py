"""ALTER EXTENSION ... UPDATE gives what CREATE EXTENSION gives."""
import hashlib
import os
import re

import fixture

SQL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "sql")

# Released scripts never change: a database has what they said when they ran.
RELEASED = {"dynamo_fdw--1.0.sql": "4ac261081cdc26c0e6132cab4313966646a891d2f270ab04d2eb114b3d57465d"}

MEMBERS = """
    SELECT pg_describe_object(classid, objid, 0) AS object, obj_description(objid, classid::regclass::text) AS comment,
           CASE WHEN classid = 'pg_proc'::regclass THEN pg_get_functiondef(objid) END AS definition,
           (SELECT proacl::text FROM pg_proc WHERE oid = objid AND classid = 'pg_proc'::regclass) AS acl,
           (SELECT ARRAY[fdwhandler::regproc::text, fdwvalidator::regproc::text, fdwacl::text, fdwoptions::text]
              FROM pg_foreign_data_wrapper WHERE oid = objid AND classid = 'pg_foreign_data_wrapper'::regclass) AS wrapper
      FROM pg_depend JOIN pg_extension e ON e.oid = refobjid AND refclassid = 'pg_extension'::regclass
     WHERE deptype = 'e' AND extname = 'dynamo_fdw' ORDER BY 1"""


class Upgrade(fixture.TestCase):
    """From every version that was installed before."""

    def versions(self):
        """All versions with an install script of their own, oldest first."""
        scripts = (re.fullmatch(r"dynamo_fdw--([\d.]+)\.sql", name) for name in os.listdir(SQL))
        return sorted((match.group(1) for match in scripts if match), key=lambda version: [int(part) for part in version.split(".")])

    def test_same_objects(self):
        """The members, their definitions, comments and privileges."""
        fresh = self.fx.rows(MEMBERS)
        current = self.fx.value("SELECT extversion FROM pg_extension WHERE extname = 'dynamo_fdw'")
        self.assertEqual(current, self.fx.value("SELECT default_version FROM pg_available_extensions WHERE name = 'dynamo_fdw'"))
        self.assertIn("1.0", self.versions())
        for version in self.versions():
            with self.subTest(version):
                self.fx.execute(f"DROP EXTENSION dynamo_fdw CASCADE; CREATE EXTENSION dynamo_fdw VERSION '{version}'")
                before = self.fx.rows(MEMBERS)
                self.fx.execute("ALTER EXTENSION dynamo_fdw UPDATE")
                self.assertEqual(self.fx.value("SELECT extversion FROM pg_extension WHERE extname = 'dynamo_fdw'"), current)
                self.assertEqual(self.fx.rows(MEMBERS), fresh)
                self.assertTrue(version == current or before != fresh)

    def test_what_exists_stays(self):
        """Servers, mappings, foreign tables and views over functions survive, and go on to work with the old version, too."""
        self.fx.execute("DROP EXTENSION dynamo_fdw CASCADE; CREATE SCHEMA aws; CREATE EXTENSION dynamo_fdw VERSION '1.0' SCHEMA aws")
        self.addCleanup(self.fx.execute, "DROP SCHEMA aws CASCADE; CREATE EXTENSION dynamo_fdw")
        fake = self.fx.fake("kept")
        self.addCleanup(fake.stop)
        fake.table("t", ("pk", "S"), items=[{"pk": {"S": "a"}}])
        self.fx.foreign_table("t", "pk text NOT NULL", server="kept")
        self.fx.execute("CREATE VIEW v AS SELECT * FROM aws.dynamo_fdw_tables('kept')")
        for _ in range(2):
            self.assertEqual(self.fx.rows("SELECT pk FROM t WHERE pk = 'a'"), [("a",)])
            self.assertEqual(self.fx.rows("SELECT * FROM v"), [("t",)])
            self.fx.execute("ALTER EXTENSION dynamo_fdw UPDATE")

    def test_released_scripts(self):
        """They are what they were, byte for byte."""
        for name, checksum in RELEASED.items():
            with open(os.path.join(SQL, name), "rb") as file:
                self.assertEqual(hashlib.sha256(file.read()).hexdigest(), checksum, name)
