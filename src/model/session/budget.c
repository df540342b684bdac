/*
 * budget.c
 *		Enforces budgets of read and write units in shared memory.
 *
 * A spinlock protects all buckets.  It is held for arithmetic, and for a
 * search through 256 entries if a budget is new, but never while waiting, or
 * where an error could be raised.  If a backend dies, the charges of its
 * requests in flight are never corrected.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/spin.h"

#include "budget.h"

#define MAX_BUCKETS		256

/* Maximum delay (ms) until an empty budget is checked again. */
#define LONGEST_LOOK_MS	100.0

/* Margin added to a delay, so that rounding does not end it too early. */
#define MARGIN_MS		0.1

typedef struct Bucket
{
	DynBudget	budget;			/* rate 0: the bucket is unused */
	double		level;			/* units left; negative if in debt */
	double		filled_ms;
} Bucket;

typedef struct BucketTable
{
	slock_t		lock;
	Bucket		buckets[MAX_BUCKETS];
} BucketTable;

/* This session's buckets, used if the shared table is full. */
static BucketTable own_table;
static bool overflowed = false;
static bool warned = false;

static void
init_table(void *table)
{
	memset(table, 0, sizeof(BucketTable));
	SpinLockInit(&((BucketTable *) table)->lock);
}

/* The name ends with a version: older sessions may use another layout. */
static DynSharedBlock block = {
	.name = "dynamo_fdw budgets 1",.purpose = "limited",.size = sizeof(BucketTable),.init = init_table
};

void
dyn_budget_init(void)
{
	dyn_request_shared_memory(&block);
}

static uint64
hash_text(const char *text, uint64 seed)
{
	return hash_bytes_extended((const unsigned char *) text, strlen(text) + 1,
							   seed);
}

void
dyn_budgets_add(DynBudgets *budgets, const DynConnection *connection,
				DynBudgetKind kind, const char *table, const char *capacity,
				double rate)
{
	DynBudget  *budget;
	uint64		hash;

	if (rate <= 0)
		return;
	Assert(budgets->nbudgets < lengthof(budgets->budgets));
	budget = &budgets->budgets[budgets->nbudgets++];
	memset(budget, 0, sizeof(DynBudget));
	budget->key.database = MyDatabaseId;
	budget->key.server = connection->serverid;
	hash = hash_text(connection->service.url, (uint64) kind);
	hash = hash_text(connection->service.region, hash);
	hash = hash_text(table ? dyn_session_table_id(connection, table) : "", hash);
	/* hash the rate: foreign tables with other limits use other buckets */
	if (table != NULL && capacity == NULL)
		hash = hash_bytes_extended((const unsigned char *) &rate, sizeof(rate), hash);
	budget->key.hash = capacity ? hash_text(capacity, hash) : hash;
	budget->rate = rate;
}

void
dyn_budget_append_text(StringInfo list, double rate, const char *owner)
{
	if (rate > 0)
		appendStringInfo(list, "%s%g per second of %s",
						 list->len > 0 ? ", " : "", rate, owner);
}

void
dyn_budget_show(const char *label, StringInfo list, ExplainState *es)
{
	if (list->len == 0)
		return;
	/* attach to shared memory now, to find out whether it is available */
	(void) dyn_shared_memory(&block);
	ExplainPropertyText(label, psprintf(dyn_has_shared_memory(&block) ? "%s, shared by all sessions"
										: "%s, for this session alone", list->data), es);
}

/* ---- buckets, under the lock ---- */

/*
 * Returns a bucket for a new budget, or NULL.  Of the buckets that are unused
 * or full again, the one that has been idle for the longest time is replaced.
 * In the session's own table, any bucket may be replaced, even one in debt.
 */
static Bucket *
reusable_bucket(BucketTable *table, double now)
{
	Bucket	   *best = NULL;

	for (int i = 0; i < MAX_BUCKETS; i++)
	{
		Bucket	   *bucket = &table->buckets[i];
		double		rate = bucket->budget.rate;
		/* 0 if another budget of the same request has just used the bucket */
		double		idle = now - bucket->filled_ms;
		bool		is_full = rate == 0 ||
			(idle > 0 && bucket->level + rate * idle / 1000 >= rate);

		if ((table == &own_table || is_full) &&
			(best == NULL || bucket->filled_ms < best->filled_ms))
			best = bucket;
	}
	return best;
}

static bool
is_of(const Bucket *bucket, const DynBudget *budget)
{
	return bucket->budget.rate > 0 &&
		memcmp(&bucket->budget.key, &budget->key, sizeof(budget->key)) == 0;
}

/* Returns the bucket, refilled until `now`; NULL if the table is full. */
static Bucket *
find_bucket(BucketTable *table, DynBudget *budget, double now)
{
	Bucket	   *bucket = &table->buckets[budget->slot];
	double		elapsed;

	for (int i = 0; i < MAX_BUCKETS && !is_of(bucket, budget); i++)
		bucket = &table->buckets[i];
	if (!is_of(bucket, budget))
	{
		bucket = reusable_bucket(table, now);
		if (bucket == NULL)
			return NULL;
		bucket->budget = *budget;
		bucket->level = budget->rate;
		bucket->filled_ms = now;
	}
	budget->slot = bucket - table->buckets;
	elapsed = Max(now - bucket->filled_ms, 0);
	bucket->level = Min(budget->rate, bucket->level + budget->rate * elapsed / 1000);
	bucket->filled_ms = Max(now, bucket->filled_ms);
	/* options may have changed since the last request */
	bucket->budget.rate = budget->rate;
	return bucket;
}

static Bucket *
bucket_of(BucketTable *shared, DynBudget *budget, double now)
{
	Bucket	   *bucket = find_bucket(shared, budget, now);

	if (bucket != NULL)
		return bucket;
	overflowed = true;
	return find_bucket(&own_table, budget, now);
}

/* ---- taking and returning units ---- */

static BucketTable *
lock_buckets(void)
{
	BucketTable *shared = dyn_shared_memory(&block);

	SpinLockAcquire(&shared->lock);
	return shared;
}

static void
unlock_buckets(BucketTable *shared)
{
	SpinLockRelease(&shared->lock);
	if (!overflowed || warned || !dyn_has_shared_memory(&block))
		return;
	warned = true;
	ereport(WARNING,
			(errmsg("too many budgets of read or write units are in use"),
			 errdetail("Sessions can share at most %d budgets. This session uses separate ones for the others.",
					   MAX_BUCKETS)));
}

double
dyn_budgets_take(DynBudgets *budgets, double units, double now_ms)
{
	BucketTable *shared;
	Bucket	   *buckets[lengthof(budgets->budgets)];
	double		delay = 0;

	if (budgets->nbudgets == 0)
		return 0;
	shared = lock_buckets();
	for (int i = 0; i < budgets->nbudgets; i++)
	{
		buckets[i] = bucket_of(shared, &budgets->budgets[i], now_ms);
		if (buckets[i]->level <= 0)
			delay = Max(delay, Min(-buckets[i]->level / buckets[i]->budget.rate * 1000 +
								   MARGIN_MS, LONGEST_LOOK_MS));
	}
	for (int i = 0; delay == 0 && i < budgets->nbudgets; i++)
		buckets[i]->level -= units;
	unlock_buckets(shared);
	return delay;
}

void
dyn_budgets_correct(DynBudgets *budgets, double charged, double used,
					double now_ms)
{
	BucketTable *shared;

	if (budgets == NULL || budgets->nbudgets == 0)
		return;
	shared = lock_buckets();
	for (int i = 0; i < budgets->nbudgets; i++)
	{
		DynBudget  *budget = &budgets->budgets[i];
		Bucket	   *bucket = bucket_of(shared, budget, now_ms);

		bucket->level = Min(bucket->level + charged - used, budget->rate);
	}
	unlock_buckets(shared);
}
