"""What a program written by hand with boto3 needs for a join: the other yardstick.

usage: boto3_client.py URL

Each line of the input is a JSON object: "table" and "attribute" name a key, "keys" its values, one for each row of
the outer side, "how" reports what to do with them:

    query   a Query for each
    get     a GetItem for each
    batch   BatchGetItem, 100 at a time

and "threads" how many threads share the work; 1 is the loop that everybody writes first. For each line one is
printed: the seconds that it took, and the items that came.
"""
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import boto3
from botocore.config import Config

BATCH = 100


def query(client, table, attribute, key):
    """The items of a partition."""
    response = client.query(TableName=table, KeyConditionExpression="#k = :k", ExpressionAttributeNames={"#k": attribute},
                          ExpressionAttributeValues={":k": {"S": key}})
    return len(response["Items"])


def get(client, table, attribute, key):
    """One item."""
    return int("Item" in client.get_item(TableName=table, Key={attribute: {"S": key}}))


def batch(client, table, attribute, keys):
    """Up to 100 items."""
    response = client.batch_get_item(RequestItems={table: {"Keys": [{attribute: {"S": key}} for key in keys]}})
    return len(response["Responses"][table])


def result_of(client, pool, command):
    """(seconds, items) of one command."""
    start = time.monotonic()
    call = {"query": query, "get": get, "batch": batch}[command["how"]]
    work = command["keys"]
    if call is batch:
        work = [work[i:i + BATCH] for i in range(0, len(work), BATCH)]
    apply = map if command["threads"] == 1 else pool.map
    items = sum(apply(lambda key: call(client, command["table"], command["attribute"], key), work))
    return time.monotonic() - start, items


def main(url):
    """Serve commands until the input ends."""
    client = boto3.client("dynamodb", endpoint_url=url, region_name="us-east-1", aws_access_key_id="test",
                          aws_secret_access_key="test", config=Config(max_pool_connections=16))
    with ThreadPoolExecutor(16) as pool:
        for line in sys.stdin:
            print(*result_of(client, pool, json.loads(line)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
