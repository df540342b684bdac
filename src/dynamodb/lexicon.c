/*
 * lexicon.c
 *		Keeps the words: adding, finding, forgetting.
 *
 * All of this runs when a name is met for the first time in a page, or out of
 * its usual order; the hot half is dyn_word_matches in the header.
 */
#include "lexicon.h"

#include <stdlib.h>

#define FIRST_WORDS		32

void
dyn_lexicon_init(DynLexicon *lexicon)
{
	lexicon->words = NULL;
	lexicon->count = lexicon->cap = 0;
	memset(lexicon->table, 0, sizeof(lexicon->table));
}

void
dyn_lexicon_free(DynLexicon *lexicon)
{
	free(lexicon->words);
	dyn_lexicon_init(lexicon);
}

size_t
dyn_lexicon_memory(const DynLexicon *lexicon)
{
	return lexicon->cap * sizeof(DynWord);
}

static bool
grow(DynLexicon *lexicon)
{
	uint32_t	cap = lexicon->cap == 0 ? FIRST_WORDS : lexicon->cap * 2;
	DynWord    *words = realloc(lexicon->words, cap * sizeof(*words));

	if (words == NULL)
		return false;
	lexicon->words = words;
	lexicon->cap = cap;
	return true;
}

bool
dyn_lexicon_reset(DynLexicon *lexicon, const DynShape *shape)
{
	if (lexicon->cap == 0 && !grow(lexicon))
		return false;
	if (lexicon->count > 1)
		memset(lexicon->table, 0, sizeof(lexicon->table));
	memset(&lexicon->words[0], 0, sizeof(lexicon->words[0]));
	lexicon->words[0].want = &shape->nodes[0];
	lexicon->count = 1;
	return true;
}

static inline uint32_t
first_slot(uint16_t context, uint32_t hash)
{
	return (hash + context * UINT32_C(0x9e3779b1)) % DYN_LEXICON_SLOTS;
}

uint16_t
dyn_lexicon_find(const DynLexicon *lexicon, uint16_t context,
				 const char *name, size_t len, uint32_t hash)
{
	uint32_t	slot = first_slot(context, hash);
	uint16_t	index;

	while ((index = lexicon->table[slot]) != 0)
	{
		const DynWord *word = &lexicon->words[index];

		if (word->hash == hash && word->parent == context &&
			word->len == len && memcmp(word->name, name, len) == 0)
			return index;
		slot = (slot + 1) % DYN_LEXICON_SLOTS;
	}
	return DYN_WORD_ROOT;
}

static void
write_head(DynWord *word)
{
	size_t		size = word->len + 3;

	memset(word->head, 0, sizeof(word->head));
	word->need = 0;
	if (size > sizeof(word->head))
		return;
	word->head[0] = '"';
	memcpy(word->head + 1, word->name, word->len);
	word->head[size - 2] = '"';
	word->head[size - 1] = ':';
	word->need = (UINT32_C(1) << size) - 1;
}

uint16_t
dyn_lexicon_add(DynLexicon *lexicon, uint16_t context, const char *name,
				size_t len, uint32_t hash, const DynShapeNode *want)
{
	uint32_t	slot = first_slot(context, hash);
	DynWord    *word;

	if (lexicon->count == DYN_LEXICON_MAX ||
		(lexicon->count == lexicon->cap && !grow(lexicon)))
		return DYN_WORD_ROOT;
	while (lexicon->table[slot] != 0)
		slot = (slot + 1) % DYN_LEXICON_SLOTS;
	lexicon->table[slot] = (uint16_t) lexicon->count;

	word = &lexicon->words[lexicon->count];
	memset(word, 0, sizeof(*word));
	word->name = name;
	word->len = (uint32_t) len;
	word->hash = hash;
	word->parent = context;
	word->want = want;
	write_head(word);
	return (uint16_t) lexicon->count++;
}
