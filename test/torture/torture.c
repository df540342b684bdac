/*
 * torture.c
 *		An allocator that fails on request.
 *
 * The linker's option --wrap gives our functions in place of the C library's,
 * which are then called __real_malloc and so on.  Threads that libraries start
 * may allocate too, which requires the lock.
 */
#include "torture.h"

#include <pthread.h>
#include <string.h>

extern void *__real_malloc(size_t size);
extern void *__real_calloc(size_t count, size_t size);
extern void *__real_realloc(void *block, size_t size);
extern void __real_free(void *block);

extern void *__wrap_malloc(size_t size);
extern void *__wrap_calloc(size_t count, size_t size);
extern void *__wrap_realloc(void *block, size_t size);
extern char *__wrap_strdup(const char *text);
extern void __wrap_free(void *block);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long countdown;			/* allocations until one fails; 0: none does */
static bool fails_onward;
static bool failed;
static long live;

void
torture_arm(long nth, bool onward)
{
	pthread_mutex_lock(&lock);
	countdown = nth;
	fails_onward = onward;
	failed = false;
	pthread_mutex_unlock(&lock);
}

bool
torture_disarm(void)
{
	bool		result;

	pthread_mutex_lock(&lock);
	countdown = 0;
	fails_onward = false;
	result = failed;
	pthread_mutex_unlock(&lock);
	return result;
}

long
torture_live(void)
{
	long		result;

	pthread_mutex_lock(&lock);
	result = live;
	pthread_mutex_unlock(&lock);
	return result;
}

bool
torture_fails(void)
{
	bool		result;

	pthread_mutex_lock(&lock);
	result = countdown == 1 || (failed && fails_onward);
	if (countdown > 0)
		countdown--;
	failed |= result;
	pthread_mutex_unlock(&lock);
	return result;
}

/* Counts a block in or out. */
static void *
count(void *block, long change)
{
	pthread_mutex_lock(&lock);
	live += block != NULL ? change : 0;
	pthread_mutex_unlock(&lock);
	return block;
}

void *
__wrap_malloc(size_t size)
{
	return torture_fails() ? NULL : count(__real_malloc(size), 1);
}

void *
__wrap_calloc(size_t n, size_t size)
{
	return torture_fails() ? NULL : count(__real_calloc(n, size), 1);
}

void *
__wrap_realloc(void *block, size_t size)
{
	if (torture_fails())
		return NULL;
	return block ? __real_realloc(block, size) :
		count(__real_realloc(NULL, size), 1);
}

char *
__wrap_strdup(const char *text)
{
	size_t		size = strlen(text) + 1;
	char	   *copy = __wrap_malloc(size);

	return copy ? memcpy(copy, text, size) : NULL;
}

void
__wrap_free(void *block)
{
	__real_free(count(block, -1));
}

void *
torture_malloc(size_t size)
{
	return __wrap_malloc(size);
}

void
torture_free(void *block)
{
	__wrap_free(block);
}
