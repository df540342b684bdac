/*
 * page_check.c
 *		Checks that a response matches its request.
 *
 * Each operation has required and allowed members, as DynamoDB and its
 * emulators send them:
 * - Query, Scan: always Count and ScannedCount; Items unless Select is COUNT
 * - BatchGetItem: Responses, with an array (empty if no key has an item) for
 *   the table; the array may be missing if keys are unprocessed
 * - GetItem: Item; if no item has the key, only ConsumedCapacity or nothing
 *
 * Unknown members are ignored, because the service adds members without
 * notice.  They are an error only in a GetItem response that has no other
 * members, because it might be the response of another operation.
 *
 * In a Query, all items have the same partition key, usually with the same
 * bytes, so each item is first compared with the previous item.
 *
 * A response may encode a key differently from the request (JSON escapes,
 * numbers from some emulators), so keys that seem to differ are decoded.
 */
#include "page_check.h"

#include <string.h>

#include "../base/number.h"
#include "item.h"

const char	dyn_check_memory[] = "requires more memory than is available";

#define NOT_REQUESTED	"contains an item that was not requested"

/* ---- members ---------------------------------------------------------- */

typedef struct MemberRule
{
	unsigned	required;
	unsigned	allowed;		/* other members that may be present */
} MemberRule;

#define COUNTS	(DYN_PAGE_COUNT | DYN_PAGE_SCANNED_COUNT)
#define WITH_ANY	(DYN_PAGE_UNITS | DYN_PAGE_OTHER)

static const MemberRule get_rule = {0, DYN_PAGE_ITEM | WITH_ANY};
static const MemberRule batch_rule = {DYN_PAGE_RESPONSES,
DYN_PAGE_UNPROCESSED | WITH_ANY};
static const MemberRule read_rule = {COUNTS | DYN_PAGE_ITEMS,
DYN_PAGE_LAST_KEY | WITH_ANY};
static const MemberRule count_rule = {COUNTS, DYN_PAGE_LAST_KEY | WITH_ANY};

static const char *
check_members(const DynPage *page, const DynExpected *expected)
{
	const MemberRule *rule = expected->op == DYN_OP_GET_ITEM ? &get_rule :
		expected->op == DYN_OP_BATCH_GET_ITEM ? &batch_rule :
		expected->count_only ? &count_rule : &read_rule;
	unsigned	members = page->members;
	unsigned	missing = rule->required & ~members;

	if (members & DYN_PAGE_TYPE)
		return "is an error document, but has a success status";
	if (members & DYN_PAGE_EMPTY_LAST_KEY)
		return "has an empty LastEvaluatedKey";
	if (missing != 0)
		return missing & DYN_PAGE_ITEMS ? "lacks the member Items"
			: missing & DYN_PAGE_COUNT ? "lacks the member Count"
			: missing & DYN_PAGE_SCANNED_COUNT ? "lacks the member ScannedCount"
			: "lacks the member Responses";
	if (members & ~(rule->required | rule->allowed))
		return "has members of another operation's response";
	if (expected->op == DYN_OP_GET_ITEM && members == DYN_PAGE_OTHER)
		return "lacks the member Item, but has other members";
	if (expected->op != DYN_OP_QUERY && expected->op != DYN_OP_SCAN)
		return NULL;
	if (!expected->count_only && page->count != page->nitems)
		return "has a number of items that differs from its Count";
	if (page->count > page->scanned_count)
		return "has a Count greater than its ScannedCount";
	return NULL;
}

/* ---- tables ----------------------------------------------------------- */

const char *
dyn_table_name(const char *table)
{
	const char *name = strncmp(table, "arn:", 4) == 0 ? strstr(table, ":table/") : NULL;

	return name != NULL ? name + 7 : table;
}

bool
dyn_names_table(const char *requested, const char *name, size_t len)
{
	const char *plain = dyn_table_name(requested);

	return (strlen(requested) == len && memcmp(requested, name, len) == 0) ||
		(strlen(plain) == len && memcmp(plain, name, len) == 0);
}

/*
 * Checks that Responses or UnprocessedKeys names no table except the requested
 * one and, if `required`, that it does name the requested one.
 */
static const char *
check_table(const DynPage *page, const DynExpected *expected, bool required,
			DynBuffer *scratch)
{
	size_t		len;

	if (page->ntables == 0)
		return required ? "does not name the table" : NULL;
	dyn_buffer_reset(scratch);
	if (!dyn_buffer_reserve(scratch, page->table.len + 1))
		return dyn_check_memory;
	len = dyn_value_text(&page->table, scratch->data);
	if (page->ntables > 1 ||
		!dyn_names_table(expected->table, scratch->data, len))
		return "contains a table that was not requested";
	return NULL;
}

/* ---- keys of items ---------------------------------------------------- */

/*
 * Sets key[i] to an item's value for slots[i].  *at is the index of the item's
 * first tape entry (item.h), and is advanced to the next item.  Consecutive
 * items without any wanted attribute are reported by a single call, as if they
 * were one item.  Returns false after the last item.
 */
static bool
next_item_key(const DynPageTape *tape, const int *slots, int nparts, size_t *at,
			  DynValue *key)
{
	const DynTapeEntry *entry;
	int			missing = nparts;

	if (*at == tape->count)
		return false;
	memset(key, 0, nparts * sizeof(key[0]));
	do
	{
		entry = &tape->entries[(*at)++];
		if (entry->type == DYN_TYPE_ABSENT)
			break;
		for (int part = 0; missing > 0 && part < nparts; part++)
			if (slots[part] == entry->slot)
			{
				missing--;
				key[part] = (DynValue) {tape->buf + entry->offset, entry->len,
					entry->type, entry->flags & ~DYN_TAPE_LAST};
				break;
			}
	} while ((entry->flags & DYN_TAPE_LAST) == 0);
	return true;
}

/* Decodes the key parts; ABSENT replaces invalid parts, so no key matches. */
static const char *
decode_key(const DynExpected *expected, const DynValue *key, DynBuffer *scratch,
		   DynScalar *parts)
{
	size_t		need = 0;

	for (int i = 0; i < expected->nparts; i++)
		need += key[i].len + DYN_NUMBER_BUFSIZE;
	dyn_buffer_reset(scratch);
	if (!dyn_buffer_reserve(scratch, need))
		return dyn_check_memory;
	for (int i = 0; i < expected->nparts; i++)
	{
		if (expected->slots[i] >= 0 &&
			!dyn_scalar_read(&key[i], scratch, &parts[i]))
			parts[i].type = DYN_TYPE_ABSENT;
	}
	return NULL;
}

static bool
is_key(const DynExpected *expected, const DynScalar *parts, int number)
{
	const DynKeyPart *key = &expected->keys[number * expected->nparts];

	for (int i = 0; i < expected->nparts; i++)
	{
		if (expected->slots[i] >= 0 &&
			!dyn_scalar_equal(&parts[i], &key[i].value))
			return false;
	}
	return true;
}

static bool
repeats(const DynExpected *expected, const DynValue *key, const DynValue *before)
{
	for (int i = 0; i < expected->nparts; i++)
	{
		const DynValue *a = &key[i];
		const DynValue *b = &before[i];

		if (expected->slots[i] >= 0 &&
			!(a->type == b->type && a->len == b->len && a->type != 0 &&
			  memcmp(a->data, b->data, a->len) == 0))
			return false;
	}
	return true;
}

/* Returns true if all projected key attributes exist, with the right types. */
static bool
has_key(const DynExpected *expected, const DynValue *key)
{
	for (int i = 0; i < expected->nparts; i++)
	{
		if (expected->slots[i] >= 0 &&
			key[i].type != expected->keys[i].value.type)
			return false;
	}
	return true;
}

/* Checks the items' keys; those of a GetItem or Query must be as requested. */
static const char *
check_keys(const DynPage *page, const DynExpected *expected, DynBuffer *scratch)
{
	DynScalar	parts[DYN_MAX_EXPECTED_PARTS];
	DynValue	key[DYN_MAX_EXPECTED_PARTS];
	DynValue	before[DYN_MAX_EXPECTED_PARTS] = {{0}};
	size_t		at = 0;
	bool		projected = false;

	for (int i = 0; i < expected->nparts; i++)
		projected |= expected->slots[i] >= 0;
	if (!projected)
		return NULL;
	while (next_item_key(page->tape, expected->slots, expected->nparts, &at, key))
	{
		const char *err;

		if (expected->op == DYN_OP_SCAN)
		{
			if (!has_key(expected, key))
				return "contains an item without its key";
			continue;
		}
		if (repeats(expected, key, before))
			continue;
		err = decode_key(expected, key, scratch, parts);
		if (err != NULL)
			return err;
		if (!is_key(expected, parts, 0))
			return NOT_REQUESTED;
		memcpy(before, key, sizeof(key));
	}
	return NULL;
}

/* ---- order across the pages of a Query --------------------------------- */

void
dyn_seam_begin(DynSeam *seam, int slot, bool backward, bool unique)
{
	seam->slot = slot;
	seam->backward = backward;
	seam->unique = unique;
	seam->type = DYN_TYPE_ABSENT;
	dyn_buffer_reset(&seam->value);
}

void
dyn_seam_free(DynSeam *seam)
{
	dyn_buffer_free(&seam->value);
}

/*
 * Sets *scalar to the value in a slot of the item that begins at `at`, or to
 * ABSENT if the slot has no valid S, N or B.
 */
static const char *
read_slot(const DynPageTape *tape, size_t at, int slot, DynBuffer *scratch,
		  DynScalar *scalar)
{
	DynValue	value;

	dyn_buffer_reset(scratch);
	if (!next_item_key(tape, &slot, 1, &at, &value) ||
		!dyn_scalar_read(&value, scratch, scalar) || scalar->type > DYN_TYPE_B)
		scalar->type = DYN_TYPE_ABSENT;
	return scratch->failed ? dyn_check_memory : NULL;
}

static const char *
check_seam(const DynPage *page, DynSeam *seam, DynBuffer *scratch)
{
	const DynPageTape *tape = page->tape;
	DynScalar	before;
	DynScalar	value;
	const char *err;
	size_t		last;
	int			order;

	if (seam == NULL || seam->slot < 0 || page->nitems == 0)
		return NULL;
	before = (DynScalar) {seam->type, seam->value.data, seam->value.len};
	err = read_slot(tape, 0, seam->slot, scratch, &value);
	if (err == NULL && value.type != DYN_TYPE_ABSENT &&
		value.type == before.type)
	{
		order = dyn_scalar_compare(&value, &before);
		if (order == 0 ? seam->unique : (order < 0) != seam->backward)
			err = "does not begin after the items of the previous page";
	}
	/* find the first entry of the last item */
	for (last = tape->count - 1; last > 0; last--)
		if (tape->entries[last - 1].type == DYN_TYPE_ABSENT ||
			(tape->entries[last - 1].flags & DYN_TAPE_LAST) != 0)
			break;
	if (err == NULL)
		err = read_slot(tape, last, seam->slot, scratch, &value);
	if (err != NULL)
		return err;
	seam->type = value.type;
	dyn_buffer_reset(&seam->value);
	if (value.type != DYN_TYPE_ABSENT && value.len > 0)
		dyn_buffer_append(&seam->value, value.data, value.len);
	return seam->value.failed ? dyn_check_memory : NULL;
}

/* ---- batches ---------------------------------------------------------- */

void
dyn_batch_begin(DynBatch *batch, int nkeys)
{
	batch->nkeys = nkeys;
	memset(batch->state, DYN_KEY_OPEN, sizeof(batch->state));
}

int
dyn_batch_request(DynBatch *batch, int most, uint8_t *picked)
{
	int			n = 0;

	for (int i = 0; i < batch->nkeys && n < most; i++)
	{
		if (batch->state[i] != DYN_KEY_OPEN)
			continue;
		batch->state[i] = DYN_KEY_REQUESTED;
		picked[n++] = (uint8_t) i;
	}
	return n;
}

static void
change_state(DynBatch *batch, DynKeyState from, DynKeyState to)
{
	for (int i = 0; i < batch->nkeys; i++)
	{
		if (batch->state[i] == from)
			batch->state[i] = (uint8_t) to;
	}
}

void
dyn_batch_reopen(DynBatch *batch)
{
	change_state(batch, DYN_KEY_REQUESTED, DYN_KEY_OPEN);
}

int
dyn_batch_count(const DynBatch *batch, DynKeyState state)
{
	int			n = 0;

	for (int i = 0; i < batch->nkeys; i++)
		n += batch->state[i] == state;
	return n;
}

/* Returns true if the item has key `number`, encoded as in the request. */
static bool
encodes_key(const DynExpected *expected, const DynValue *item, int number)
{
	const DynKeyPart *key = &expected->keys[number * expected->nparts];

	for (int i = 0; i < expected->nparts; i++)
	{
		if (!dyn_value_encodes(&item[i], &key[i].value))
			return false;
	}
	return true;
}

/*
 * Sets *number to the index of the item's key in the batch; -1 if there is
 * none.  Tries the key after the previous *number first: items are often in
 * the order of the keys.
 */
static const char *
find_item(const DynExpected *expected, const DynValue *item, DynBuffer *scratch,
		  int *number)
{
	DynScalar	parts[DYN_MAX_EXPECTED_PARTS];
	const char *err;
	int			next = *number + 1;

	if (next < expected->nkeys && encodes_key(expected, item, next))
	{
		*number = next;
		return NULL;
	}
	*number = -1;
	err = decode_key(expected, item, scratch, parts);
	for (int i = next; err == NULL && i < next + expected->nkeys; i++)
	{
		if (is_key(expected, parts, i % expected->nkeys))
		{
			*number = i % expected->nkeys;
			break;
		}
	}
	return err;
}

/*
 * Changes the state of each key that the page contains from REQUESTED to
 * `state`.  Returns NULL on success; `unexpected` if a key is not in the
 * batch; `twice` if its state is not REQUESTED; or the error of find_item.
 */
static const char *
mark_keys(const DynPage *page, const DynExpected *expected, DynKeyState state,
		  const char *unexpected, const char *twice, DynBuffer *scratch)
{
	DynValue	key[DYN_MAX_EXPECTED_PARTS];
	size_t		at = 0;
	int			number = -1;

	while (next_item_key(page->tape, expected->slots, expected->nparts, &at, key))
	{
		const char *err = find_item(expected, key, scratch, &number);

		if (err != NULL)
			return err;
		if (number < 0)
			return unexpected;
		if (expected->batch->state[number] != DYN_KEY_REQUESTED)
			return twice;
		expected->batch->state[number] = (uint8_t) state;
	}
	return NULL;
}

/*
 * Checks the items, then the unprocessed keys; no key may occur twice.  All
 * other requested keys become COMPLETE, because no item has them.
 */
static const char *
check_batch(const DynPage *page, const DynPage *left,
			const DynExpected *expected, DynBuffer *scratch)
{
	const char *err = check_table(page, expected, left == NULL, scratch);

	if (err == NULL && left != NULL)
		err = check_table(left, expected, true, scratch);
	if (err == NULL)
		err = mark_keys(page, expected, DYN_KEY_COMPLETE, NOT_REQUESTED,
						"contains an item twice", scratch);
	if (err == NULL && left != NULL)
		err = mark_keys(left, expected, DYN_KEY_OPEN,
						"lists an unprocessed key that was not requested",
						"lists a key as unprocessed, but contains its item",
						scratch);
	if (err == NULL)
		change_state(expected->batch, DYN_KEY_REQUESTED, DYN_KEY_COMPLETE);
	return err;
}

/* ---- the check -------------------------------------------------------- */

const char *
dyn_page_check(const DynPage *page, const DynPage *left,
			   const DynExpected *expected, DynBuffer *scratch)
{
	const char *err = check_members(page, expected);

	if (err != NULL)
		return err;
	if (expected->op == DYN_OP_BATCH_GET_ITEM)
		return check_batch(page, left, expected, scratch);
	err = check_keys(page, expected, scratch);
	if (err == NULL && expected->op == DYN_OP_QUERY)
		err = check_seam(page, expected->seam, scratch);
	return err;
}

/* ---- progress --------------------------------------------------------- */

void
dyn_progress_begin(DynProgress *progress)
{
	dyn_buffer_reset(&progress->last);
	dyn_buffer_reset(&progress->older);
	progress->pages = 0;
	progress->replace_at = 1;
}

void
dyn_progress_free(DynProgress *progress)
{
	dyn_buffer_free(&progress->last);
	dyn_buffer_free(&progress->older);
}

static bool
holds(const DynBuffer *buf, const char *key, size_t len)
{
	return buf->len == len && len > 0 && memcmp(buf->data, key, len) == 0;
}

const char *
dyn_progress_note(DynProgress *progress, const char *key, size_t len,
				  const char *repeated)
{
	if (holds(&progress->last, key, len) || holds(&progress->older, key, len))
		return repeated;
	dyn_buffer_reset(&progress->last);
	dyn_buffer_append(&progress->last, key, len);
	if (++progress->pages == progress->replace_at)
	{
		dyn_buffer_reset(&progress->older);
		dyn_buffer_append(&progress->older, key, len);
		progress->replace_at *= 2;
	}
	return progress->last.failed || progress->older.failed ?
		dyn_check_memory : NULL;
}
