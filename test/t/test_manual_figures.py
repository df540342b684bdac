"""Figures of the manual, each compared with what it comes from; a figure that no line here explains is a failure."""
import glob
import os
import re
import unittest
from types import SimpleNamespace

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
KB, MB, GB = 1 << 10, 1 << 20, 1 << 30
WORDS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 10: "ten", 60: "sixty", 100: "a hundred", 10_000_000: "ten million"}

# What a page contains, with expressions in place of its figures: constants of the source (by their file, if they are its own), ranges and defaults
# of options, and factors that the planner has from PostgreSQL.
FIGURES = {
    "README.md": """
        This statement sends one Query, which costs {HALF[DYN_LEAST_UNITS]} a read capacity unit (RCU)
        complete primary keys, the items are read in batches of {WORDS[DYN_BATCH_GET_MAX_KEYS]}
        sends its Queries {option.max_concurrency} at a time, so it takes about {WORDS[round(1000 / option.max_concurrency, -1)]} round trips
        A full scan of 1 GB is {GB / DYN_READ_UNIT_BYTES:,.0f} units
        """,
    "docs/architecture.md": """
        one batch of up to {DYN_BATCH_GET_MAX_KEYS} keys
        """,
    "docs/bi.md": """
        one BatchGetItem for each {DYN_BATCH_GET_MAX_KEYS} keys
        sets the maximum, by default {option.preview_units} units. In
        """,
    "docs/cost.md": """
        | GetItem, BatchGetItem | 0.5 for each {cost.ITEM_UNIT_BYTES / KB:.0f} KB of an item, rounded up for each item; \
            {DYN_LEAST_UNITS} for a key without an item
        | Query, Scan | 0.5 for each {DYN_READ_UNIT_BYTES / 2 / KB:.0f} KB of the sum
        So 100 items of 200 bytes cost {100 * DYN_LEAST_UNITS:.0f} units with BatchGetItem, and \
            {-(-100 * 200 // 4096) / 2} units with one Query
        {parameter.analyze_read_units} by default: {parameter.analyze_read_units * DYN_READ_UNIT_BYTES / 1024 / 1000:.0f} MB, or
        (2^40 bytes, {DYN_READ_UNIT_BYTES / KB:.0f} KB for each unit)
        | on demand, new table | {metadata.ON_DEMAND_UNITS:,.0f} |
        | on demand, default quota of the account | {metadata.ON_DEMAND_QUOTA:,.0f} |
        up to {option.max_concurrency} requests (`max_concurrency`) are in flight
        a hot partition: {units.UNITS_OF_PARTITION:,.0f} units a second
        A statement that exceeds the limit fails (SQLSTATE 54000)
        at 0.10 dollars a gigabyte, {GB / MB * 0.1:.0f} dollars for 1 TB
        """,
    "docs/monitoring.md": """
        The shared memory has space for {usage.MAX_ENTRIES} rows, for all databases together.
        """,
    "docs/cookbook-single-table.md": """
        which is read one page after the other, at no more than {units.UNITS_OF_PARTITION:,.0f} units a second
        """,
    "docs/cookbook-keys-and-time.md": """
        With the wrong format, years are around {YEAR(1.78e9 / 1000):.0f} or {round(YEAR(1.78e12), -3):.0f}, without
        """,
    "docs/credentials.md": """
        lasts {AN[sts.LONGEST_CHAINED / 3600]} hour at most
        """,
    "docs/credentials-providers.md": """
        at most {DYN_EXCHANGE_LONGEST / 1024:.0f} kB with
        The program must end within {source.PROCESS_DEADLINE_US / 1e6:.0f} seconds
        Credentials are renewed {provider.LATEST_REFRESH / 60:.0f} to {provider.EARLIEST_REFRESH / 60:.0f} minutes before they expire
        is queried again after {provider.FIRST_PAUSE}, {2 * provider.FIRST_PAUSE}, {4 * provider.FIRST_PAUSE} seconds and so on, \
            up to {provider.LONGEST_PAUSE}.
        less than {config.REWRITE_SECONDS} seconds ago
        the provider is queried after {provider.FIRST_PAUSE}, {2 * provider.FIRST_PAUSE}, {4 * provider.FIRST_PAUSE} seconds and so on, up to {provider.LONGEST_PAUSE}.
        the refresh is stopped, and a pause of {provider.FIRST_PAUSE} second begins. If further statements also stop a refresh, the pauses are \
            {2 * provider.FIRST_PAUSE}, {4 * provider.FIRST_PAUSE} seconds and so on, up to {provider.LONGEST_PAUSE}.
        starts the refresh again, and waits for the new credentials for at most {A[provider.REFRESH_WAIT_US / 1e6]} second.
        queries the service again after {(source.STALE_LIFE - provider.LATEST_REFRESH) / 60:.0f} to \
            {(2 * source.STALE_LIFE - provider.LATEST_REFRESH) / 60:.0f} minutes
        """,
    "docs/install.md": """
        are read again [every {WORDS[parameter.metadata_cache_ttl / 60]} minutes]
        """,
    "docs/security.md": """
        and every {WORDS[parameter.metadata_cache_ttl / 60]} minutes
        """,
    "docs/relations.md": """
        then with batching. Each request takes {pictures.MS:.0f} ms:
        Each request takes {pictures.MS:.0f} ms, and requests on different lanes
        are requested in batches of {DYN_BATCH_GET_MAX_KEYS}
        keys are looked up {WORDS[DYN_BATCH_GET_MAX_KEYS]} at a time
        one BatchGetItem for each {DYN_BATCH_GET_MAX_KEYS} distinct keys
        at least one BatchGetItem for each {DYN_BATCH_GET_MAX_KEYS} items
        the first batch is {WORDS[readahead.FIRST_LAZY_ROWS]} row, and each further batch is {WORDS[readahead.LAZY_GROWTH]} times the size of the previous one
        If the rows of a batch take more than {PART[readahead.PART]} of `work_mem`, they go to a temporary file
        """,
    "docs/troubleshooting.md": """
        more than {budget.MAX_BUCKETS} budgets are in use
        page by page, {DYN_PAGE_BYTES / MB:.0f} MB each
        with SQLSTATE 42P10
        """,
    "docs/options.md": """
        number of segments of a parallel Scan, {least.segment} to {most.segment}.
        between statements, {least.max_idle_connections} to {most.max_idle_connections} |
        requests that one statement may have in flight, {least.max_concurrency} to {most.max_concurrency}. A scan
        read units per second for all sessions together, at least {least.max_read_units_per_second};
        write units per second for all sessions together, at least {least.max_write_units_per_second};
        maximum read units of one statement, at least {least.max_read_units_per_statement};
        percentage of the read capacity that statements may use, {least.read_percent} to {most.read_percent};
        pages of {DYN_PAGE_BYTES / MB:.0f} MB, DynamoDB's own limit
        assumed duration of one request in milliseconds, {least.round_trip_ms} to {most.round_trip_ms} |
        For emulators, which never throttle, set {metadata.ON_DEMAND_QUOTA:.0f} |
        an attempt to connect fails, {least.connect_timeout} to {most.connect_timeout} (
        one attempt of a request fails, {least.request_timeout} to {most.request_timeout}, see
        attempts of one request, {least.max_attempts} to {most.max_attempts}, see
        number of items per page, {least.fetch_size} to {most.fetch_size};
        each table and index provides, at least {least.read_capacity}. The
        the planner's [costs](planner.md#costs), {least.unit_cost_ms} to {most.unit_cost_ms}; 0: read
        seconds that a role session lasts, {least.role_duration} to {most.role_duration} (
        from which columns and types are derived, {least.sample_items} to {most.sample_items};
        share a quota of {DYN_RETRY_QUOTA} tokens. An *outage* begins
        Each outage takes {retry.TRANSIENT} tokens, even if many requests are retried.
        ReplicatedWriteConflictException takes {retry.CONFLICT} tokens.
        adds {retry.FINAL} token to the quota. In addition, {retry.REFILL_A_SECOND:.0f} token is added every second.
        idle for more than {http.LONGEST_IDLE_S} seconds
        for at most one and a half round trips plus {A[connections.HANDSHAKE_US / 1000]} millisecond
        wait for this connection for up to {connections.LONGEST_WAIT_US / 1e6} seconds
        """,
    "docs/types.md": """
        N, all {DYN_NUMBER_MAX_DIGITS} digits
        with up to {MAX_TIMESTAMP_PRECISION} fractional digits
        (n from 1 to {DYN_PADDED_MAX_DIGITS}): in `padded(3)`, 7 is
        A ULID has {datetime.ULID_LEN} characters
        If n is at most {MAX_TIMESTAMP_PRECISION}, `iso8601(n)` and `epoch(n)` do not truncate
        the number 1790000000000 is a day in the year {YEAR(1790000000000):.0f}
        1790000000 is the {1790000000 // 86400000 + 1}st of January {YEAR(1790000000 / 1000):.0f}
        A current time has {len("1790000000")} digits in seconds, {len("1790000000000")} in milliseconds, and {len("1790000000000000")} in microseconds.
        """,
    "docs/tables.md": """
        is in the last {WORDS[item_filter.FIVE_YEARS / 86400 / 365]} years before the start of the transaction
        expects one row for every {WORDS[1 / size.ROW_SHARE]} items
        expects each item to produce {WORDS[size.ITEM_ROWS]} rows
        each value becomes a separate Query, up to {DYN_MAX_SORT_RANGES} for each partition
        With more than {DYN_MAX_MEMBERS:,} members in a partition key, or more than {DYN_MAX_SORT_MEMBERS} in a sort key, an enumeration needs a
        which reads at most {DYN_PAGE_BYTES / MB:.0f} MB. If `scan_policy` is
        truncated to {NAMEDATALEN - 1} bytes, the limit of PostgreSQL
        attributes beyond {MAX_ATTRIBUTES:,} columns, and attributes whose name is empty, exceeds {LONGEST_ATTRIBUTE:,} bytes
        """,
    "docs/pushdown.md": """
        read units ({option.preview_units} by default) to find its rows
        With `preview_units` {least.preview_units}, the scan fails
        A BatchGetItem has at most {DYN_BATCH_GET_MAX_KEYS} keys
        An OR of more than {union_path.MAX_ARMS} branches does not become a Union
        When the sum exceeds {union_path.MAX_MATCHED:,}, no further OR is examined.
        constants below 2^{DYN_EXACT_DOUBLES.bit_length() - 1}
        A range can contain at most {DYN_MAX_EACH:,} values, or {DYN_MAX_EACH * enumerate.JOIN_FACTOR:,} if a bound comes from another table.
        (above {DYN_MAX_HASH_BYTES} bytes in a partition key, {DYN_MAX_RANGE_BYTES} in a sort key)
        a number, `uuid`, date or time as {index_complete.MAX_PART_BYTES} bytes
        the value has {DYN_MAX_RANGE_BYTES + 1} to {DYN_MAX_HASH_BYTES} bytes
        in batches of {DYN_BATCH_GET_MAX_KEYS}. Partitions are read by up to
        a number of more than {DYN_NUMBER_MAX_DIGITS} digits
        only up to {PART[shared.PART]} of `work_mem`
        (expressions of {DYN_EXPR_MAX_BYTES / KB:.0f} kB, {DYN_EXPR_MAX_OPERATORS} operators, lists of {DYN_EXPR_MAX_IN} values)
        together have at most {DYN_SMALL_READ_BYTES / MB:.0f} MB. Their size is estimated from the average
        ({units.DYN_UNKNOWN_ITEM_BYTES} bytes if it is unknown)
        After `LIMIT` plus `OFFSET` items, or {DYN_SMALL_READ_BYTES / MB:.0f} MB, the rest of the Scan
        reads 3 items if every item is a row
        are expected to contain 3 rows. Such a page has at least as many items as {DYN_LEAST_BYTES / KB:.0f} kB contain
        `preview_units` read units ({option.preview_units} by default)
        """,
    "docs/planner.md": """
        takes one Query for each value, for up to {DYN_MAX_SORT_RANGES} values.
        each of these partitions is assumed to have the size of a full page ({DYN_PAGE_BYTES / MB:.0f} MB).
        for [LIMIT scans of mapped tables](pushdown.md#limit-scans-of-mapped-tables); {parameter.preview_units}: the option applies
        The cost of a scan is {cost.COST_PER_MS:.0f} × (T
        plus {units.MS_PER_MEGABYTE:.0f} ms for each megabyte that is read
        at least {metadata.ON_DEMAND_UNITS:,.0f} units a second
        With `read_percent` {most.read_percent}, also the burst capacity of {units.SAVED_SECONDS:.0f} seconds |
        at most {units.UNITS_OF_PARTITION:,.0f} units a second; the number of partitions
        created less than {A[cost.DAY / 86400]} day ago, and its reported size is 0, the planner assumes {cost.UNKNOWN_BYTES / GB:.0f} GB.
        from another table or from a list is assumed to read {cost.UNKNOWN_LENGTH:.0f} items
        the Query is assumed to read at least {cost.ITEM_UNIT_BYTES:.0f} bytes of items
        a table with more than {DYN_COLLECTION_ITEMS * DEFAULT_NUM_DISTINCT:,.0f} items is {DYN_COLLECTION_ITEMS:.0f} for each value
        a page of {DYN_PAGE_BYTES / MB:.0f} MB ({DYN_PAGE_BYTES / DYN_READ_UNIT_BYTES:.0f} units)
        the budget of {HALF[pacing.REQUEST_SECONDS]} a second
        `read_percent` also sets budgets if it is below {most.read_percent}:
        two full pages ({DYN_PAGE_BYTES / MB:.0f} MB, {DYN_PAGE_BYTES / DYN_READ_UNIT_BYTES:.0f} units each)
        with a budget of 300 units a second, a Scan sends the requests for its first {WORDS[3]} pages ({3 * DYN_PAGE_BYTES / DYN_READ_UNIT_BYTES:.0f} units)
        This is {3 * DYN_PAGE_BYTES / DYN_READ_UNIT_BYTES - 300:.0f} units more than the budget of a second, so the fourth request waits for up to \
            {(3 * DYN_PAGE_BYTES / DYN_READ_UNIT_BYTES - 300) / 300:.2f} seconds
        At most {budget.MAX_BUCKETS} budgets can be shared
        Each of its partitions serves at most {units.UNITS_OF_PARTITION:,.0f}.
        throttled for more than {A[pacing.WARN_AFTER_MS / 1000]} second raises a warning
        does not count if they are more than {pace.END_OF_EPISODE_MS / 1000:.0f} seconds apart.
        {parameter.analyze_read_units} units read {parameter.analyze_read_units * DYN_READ_UNIT_BYTES / 1024 / 1000:.0f} MB
        of a table again, at most {highest.metadata_cache_ttl} s |
        of one statement, {lowest.fetch_memory / KB:.0f} MB to {highest.fetch_memory / MB:.0f} GB, see
        more than {guc.MOST_FETCH_MEMORY / KB:.0f} MB
        can use {PART[lookup.SPACE_PART]} of `dynamo_fdw.fetch_memory` for keys, and {PART[lookup.SPACE_PART]} for cached results
        at most {connection.MAX_RESPONSE / MB:.0f} MB of JSON
        requests at most as many keys as are expected to return {scandesc.BATCH_BYTES / MB:.0f} MB
        after {session.REFRESH_PAUSE / 1000:.0f} seconds
        """,
    "docs/functions.md": """
        one issue for each pair, at most {check_table.MAX_PAIRS}.
        Scan of one page, which samples at most {describe.SAMPLE_ITEMS} items.
        If {describe.SAMPLE_ITEMS} items of average size take more than {DYN_SMALL_READ_BYTES / MB:.0f} MB
        can each be an array of up to {WORDS[DYN_MAX_KEY_ATTRS]} columns
        """,
    "docs/explain.md": """
        Text format omits times below {explain.AT_BEST} seconds |
        """,
    "docs/writing.md": """
        limited to {DYN_TRANSACTION_MAX_WRITES} items and 4 MB
        more than 38 digits
        items above 400 kB
        failed conditions exceed {connection.MAX_RESPONSE / MB:.0f} MB of JSON
        An item of up to 1 KB costs one write unit
        If two sessions send this UPDATE, one gets 1 row and the other 0
        fail with SQLSTATE 42P10
        at each of {outcome.MOST_ROUNDS} attempts
        the condition of the next attempt would compare more than {row_write.MOST_GUARDED} columns
        reads up to {DYN_BATCH_GET_MAX_KEYS} of these keys by one BatchGetItem
        """,
    "docs/errors.md": """
        HTTP status 429 |
        more than {WORDS[DYN_MAX_KEYS]} keys in one scan
        more than 10 GB for one partition key
        fails with SQLSTATE 42P10
        an item above {DYN_MAX_ITEM_BYTES / 1024:.0f} kB; more than {DYN_TRANSACTION_MAX_WRITES} items or 4 MB
        """,
    "docs/tutorial.md": """
        Reading {DYN_READ_UNIT_BYTES / 2 / KB:.0f} KB costs half a unit, or a full unit if the read is strongly consistent.
        """,
}

# Other digits: no figures of the program, or those that test_docs.py compares.
OTHER = r"""
    \b(before\s)?(PostgreSQL|Debian|libcurl|version|psycopg)\s\d[\d.]*(,?\s(to|and|or|in)\s\d+)*(?=\W) | \bfrom\s17\son | or,\sin\s15\sand\s16
    | \b(UTF-8|ISO\s8601|base64|U\+0000|S3|N\+1)\b | \b(since\s)?\d{4}-\d\d-\d\d\b | \b(before|since)\s1970\b | \blibcurl\sbefore\s7\.87 | (N|numbers)\s0\sand\s1\b
    | \|\s(server|user\smapping|foreign\stable|import\sof\sa\sforeign\sschema)\s\|\s[\d.]+\s\|
    | \bfrom\s0\b | \b0(?=:|\sif|\slogs|\son\b|\sand\sbelow) | -1(:\sthe\soption|\snone) | \btook\s\d+\sms\b | \bbefore\sversion\s1 | \bsize\ssuch\sas\s1000\b | \(the\snumber\s1\sdoes\snot | \(5\.5\)
    | ^\#+\s\d+\.\s | ^\s*\d\.\s | \(0\sto\s9,\ssee\sbelow\) | from\s7\sto\s9,
    | \bEC2\b | \bAWS_EC2_\w+ | \bIPv6\b | \bIMDSv2\b | hop\slimit\s(to\s2|of\s1)\b | A\slimit\sof\s1\b | \bN\+1\b | \bwith\sstatus\s0\b
    """

# What Figures of test_docs.py computes.
COMPUTED = {
    "README.md": r", or [\d.]+ dollars|Version 1\.0|19 RC 1",
    "docs/large-tables.md": r"1,000,000 items of 243 bytes|took 2\.4 s|, to 7,|number of segments, such as 256|12,800 read units|serves 12,000 read units|the 12,800 that one|pages of 1 MB"
                            r"|for example 32 Spark|lower bound: 0;|\| 10000 \||24 MB by default|2,000 read units a second|, ?\s*to 7,",
    "docs/monitoring.md": r"HTTP status 500 and above|usually HTTP status 400|More than 5 %|more than 10,000 units",
    "docs/cost.md": r"12 charts.*? statements|[\d.]+ dollars|1 TB|134 million|.*\| [\d.,]+ \| [\d.,]+ \| [\d.]+ \|"
                    r"|\| provisioned, .*\||[\d h]+ (min|hours) \|",
}


def read(path):
    """A file of the project."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def prose(page):
    """A page without blocks and comments, on one line for each paragraph."""
    text = re.sub(r"^ *```.*?^ *```$|<!--.*?-->", "", read(page), flags=re.M | re.S)
    return re.sub(r"(?<=\S)\n *(?=[^\s|*#-])(?!\d\. )", " ", text)


class Sources:
    """Namespaces for the expressions: the constants of each file, the options and the parameters."""

    def __init__(self):
        self.raw, self.known = {}, {}
        for path in glob.glob(os.path.join(ROOT, "src", "**", "*.[ch]"), recursive=True):
            stem = os.path.splitext(os.path.basename(path))[0]
            for name, value in re.findall(r"^#define[ \t]+([A-Z]\w+)[ \t]+(.*?)[ \t]*(?:/\*.*)?$", read(path), re.M):
                self.raw.setdefault(stem, {})[name] = value
        everywhere = {name: value for names in self.raw.values() for name, value in names.items()}
        self.names = {stem: SimpleNamespace(**{name: value for name, text in names.items()
                                               if (value := self.number(text, everywhere)) is not None})
                      for stem, names in self.raw.items()}
        self.names.update({name: self.number(text, everywhere) for name, text in everywhere.items() if name.startswith("DYN_")})
        options = re.findall(r'^\t\{"(\w+)", [^,]+, VALUE_\w+, ([\d.e]+), (\w[\w.]*), \w+,\s+"([^"]*)"', read("src/model/definition/options.c"), re.M)
        self.names["least"], self.names["most"], self.names["option"] = (
            SimpleNamespace(**{row[0]: self.number(row[at], {}) for row in options}) for at in (1, 2, 3))
        defaults = re.findall(r'Define\w+Variable\("dynamo_fdw\.(\w+)"(?:[^;]*?)&dyn_guc_\w+, ([^,]+),', read("src/model/session/guc.c"))
        self.names["parameter"] = SimpleNamespace(**{name: self.number(value, {}) for name, value in defaults})
        limits = re.findall(r'Define\w+Variable\("dynamo_fdw\.(\w+)"[^;]*?&dyn_guc_\w+, [^,]+, (\d[\d *]*), (\d[\d *]*),', read("src/model/session/guc.c"))
        self.names["lowest"], self.names["highest"] = (SimpleNamespace(**{row[0]: self.number(row[at], {}) for row in limits}) for at in (1, 2))
        self.names["explain"] = SimpleNamespace(AT_BEST=self.found(r"seconds >= ([\d.]+)", "src/exec/node/explain.c"))
        self.names["pictures"] = SimpleNamespace(MS=1000 * self.found(r"^DELAY = ([\d.]+)", "test/lib/pictures.py"))
        for stem, path in (("readahead", "src/exec/node/readahead.c"), ("shared", "src/exec/source/shared.c")):
            vars(self.names.setdefault(stem, SimpleNamespace())).update(PART=self.found(r"\bwork_mem(?: \* 1024)? / (\d)", path))
        costs = re.findall(r"\[DYN_RETRY_(\w+)\] = \{\d+, (\d+)\}", read("src/aws/retry.c"))
        vars(self.names["retry"]).update({name: int(value) for name, value in costs})

    @staticmethod
    def found(pattern, path):
        """A figure that is not a constant by itself."""
        return float(re.search(pattern, read(path), re.M).group(1))

    @classmethod
    def number(cls, text, names):
        """The value of a constant expression, None if it is none."""
        text = re.sub(r"\(size_t\)|\(int64_t\)|INT64CONST", "", text)
        text = re.sub(r"\b(\d[\d.]*)(?:L|UL|ULL)\b", r"\1", text)
        text = re.sub(r"\b[A-Z]\w+\b", lambda match: str(cls.number(names.get(match.group(0), ""), names)), text)
        if not re.fullmatch(r"[\d.e\s()*/+<-]+", text) or text.count("(") != text.count(")"):
            return None
        value = eval(text)                              # pylint: disable=eval-used
        return int(value) if value == int(value) else value


def documented_figures():
    """page -> the phrases, with figures."""
    names = dict(Sources().names, WORDS=WORDS, KB=KB, MB=MB, GB=GB, A={1: "a"}, AN={1: "an"}, HALF={0.5: "half"}, PART={2: "half", 4: "a quarter", 8: "an eighth"},
                 NAMEDATALEN=64, MAX_ATTRIBUTES=1600, LONGEST_ATTRIBUTE=4096, DEFAULT_NUM_DISTINCT=200, MAX_TIMESTAMP_PRECISION=6,
                 YEAR=lambda seconds: 1970 + seconds // 31556952)
    return {page: [eval(f"f'''{' '.join(line.split())}'''", names) for line in lines.strip().splitlines()]  # pylint: disable=eval-used
            for page, lines in FIGURES.items()}


class Figures(unittest.TestCase):
    """The figures of the pages."""

    def test_are_those_of_the_source(self):
        for page, phrases in documented_figures().items():
            text = prose(page)
            for phrase in phrases:
                with self.subTest(page=page):
                    self.assertIn(phrase, text)

    def test_are_all_explained(self):
        phrases = documented_figures()
        for path in [os.path.join(ROOT, "README.md"), *glob.glob(os.path.join(ROOT, "docs", "*.md"))]:
            page = os.path.relpath(path, ROOT)
            text = prose(page)
            for phrase in phrases.get(page, ()):
                text = text.replace(phrase, "")
            text = re.sub(r"!\[[^\]]*\]|`[^`\n]*`|\]\([^)]*\)|\"[^\"\n]*\"", "", text)
            text = re.sub(COMPUTED.get(page, "(?!)"), "", re.sub(OTHER, "", text, flags=re.X | re.M))
            shown = set(re.findall(r"\w+", " ".join(re.findall(r"^```text$(.*?)^```$", read(page), re.M | re.S))))
            states = set(re.findall(r"^\| `(\w{5})` \|", read("docs/errors.md"), re.M))
            text = re.sub(r"\b(?:error|SQLSTATE) (\w{5})\b", lambda match: match.group(0) * (match.group(1) not in states), text)
            text = re.sub(r"\b\d{3,}\b", lambda match: match.group(0) * (match.group(0) not in shown), text)
            for figure in re.findall(r"[^\n]{,40}\d[^\n]{,30}", text):
                with self.subTest(page=page):
                    self.fail(figure)
