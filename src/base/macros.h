/*
 * macros.h
 *		Defines function attributes, and the number of an array's elements.
 */
#ifndef DYN_BASE_MACROS_H
#define DYN_BASE_MACROS_H

/* DYN_NORETURN goes before a declaration, DYN_PRINTF after it. */
#define DYN_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define DYN_NORETURN __attribute__((noreturn))

#define LENGTHOF(array) (sizeof(array) / sizeof((array)[0]))

#endif
