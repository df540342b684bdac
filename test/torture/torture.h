/*
 * torture.h
 *		An allocator that fails on request.
 *
 * Linked with TORTURE_WRAP (see the makefile of test/unit), what calls malloc,
 * calloc, realloc, strdup or free in the linked objects calls this instead.
 * Libraries are not concerned, except those that take an allocator: they may
 * be given torture_malloc and its like.
 */
#ifndef DYN_TEST_TORTURE_H
#define DYN_TEST_TORTURE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * From now on the nth allocation fails, and if `onward` all after it.  An nth
 * of 0: none does.
 */
extern void torture_arm(long nth, bool onward);

/* Stops that; did an allocation fail since it was armed? */
extern bool torture_disarm(void);

/* Is it this allocation's turn to fail?  For allocators of others. */
extern bool torture_fails(void);

/* Blocks that were allocated and not yet freed. */
extern long torture_live(void);

extern void *torture_malloc(size_t size);
extern void torture_free(void *block);

#endif
