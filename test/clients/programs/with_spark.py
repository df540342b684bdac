"""Reads tables by segments with PySpark, as one Spark session that takes its commands from its input.

Each line of the input is a JSON object with the URL of JDBC, the name of a table, and what to do with it; for each, a
line of JSON is printed: the result, and the seconds that it took.
"""
import json
import os
import sys
import time

from pyspark.sql import SparkSession, functions

# Tasks at a time, and how often one of them may fail.
MASTER = "local[{},4]"

COLUMNS = ("id", "n", "price", "name", "created", "active", "note", "info")


def source(spark, url, table):
    """A table over JDBC."""
    return spark.read.format("jdbc").option("driver", "org.postgresql.Driver").option("url", url).option("dbtable", table)


def read(spark, command):
    """The DataFrame of a table, divided by its segments."""
    return (source(spark, command["url"], command["table"]).option("partitionColumn", "seg").option("lowerBound", 0).option("upperBound", command["segments"])
            .option("numPartitions", command["partitions"]).option("fetchsize", 10000).load())


def summary(_, frame, __):
    """Counts, sums, minima and maxima of every column; the segments as well."""
    wanted = [functions.count("*").alias("rows"), functions.countDistinct("seg").alias("segments")]
    for name in (name for name in COLUMNS if name in frame.columns):
        wanted.append(functions.count(name).alias(f"count {name}"))
        if dict(frame.dtypes)[name] == "boolean":
            wanted.append(functions.sum(functions.col(name).cast("int")).alias(f"sum {name}"))
            continue
        shown = functions.date_format(name, "yyyy-MM-dd HH:mm:ss") if name == "created" else functions.col(name)
        wanted += [functions.min(shown).alias(f"min {name}"), functions.max(shown).alias(f"max {name}")]
        if name in ("n", "price"):
            wanted.append(functions.sum(name).alias(f"sum {name}"))
    return {name: None if value is None else str(value) for name, value in frame.agg(*wanted).first().asDict().items()}


def joined(spark, frame, command):
    """Joined with a local table, by the last digit of n."""
    groups = source(spark, command["url"], command["other"]).load()
    found = frame.join(groups, frame.n % 10 == groups.digit).groupBy("word").agg(functions.count("*").alias("rows"), functions.sum("n").alias("sum"))
    return sorted([row["word"], str(row["rows"]), str(row["sum"])] for row in found.collect())


def written(spark, frame, command):
    """Written to Parquet, and what that has."""
    frame.write.mode("overwrite").parquet(command["path"])
    return summary(spark, spark.read.parquet(command["path"]), command)


DOES = {"summary": summary, "join": joined, "parquet": written}


def main():
    """Run the commands."""
    spark = (SparkSession.builder.master(MASTER.format(os.environ["SPARK_TASKS"])).appName("segments")
             .config("spark.jars", os.environ["PGJDBC"]).config("spark.ui.enabled", "false")
             .config("spark.sql.session.timeZone", "UTC").config("spark.driver.memory", "3g")
             .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1").getOrCreate())
    spark.sparkContext.setLogLevel("OFF")
    for line in sys.stdin:
        command, began = json.loads(line), time.monotonic()
        try:
            result = {"result": DOES[command["do"]](spark, read(spark, command), command), "seconds": time.monotonic() - began}
        except Exception as failure:    # noqa: BLE001  (shown by the caller)
            result = {"error": str(failure)}
        print(json.dumps(result), flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
