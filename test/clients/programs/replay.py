"""Statements as a tool sends them, one after the other: argv[1] is the file, argv[2] the schema.

A line "-- step: name" begins a statement, "-- keyed: name" one that must send no Scan. :schema stands for the schema.
"""
import re
import sys

import psycopg2
from reporting import report

with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
connection = psycopg2.connect("")
connection.autocommit = True
cursor = connection.cursor()
cursor.execute("SET timezone = 'UTC'")
for kind, name, sql in re.findall(r"^-- (step|keyed): (.*)\n((?:(?!-- (?:step|keyed): ).*\n)*)", text, re.MULTILINE):
    cursor.execute(sql.replace(":schema", sys.argv[2]))
    report(name, cursor.fetchall() if cursor.description else [], kind == "keyed")
