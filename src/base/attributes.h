/*
 * attributes.h
 *		Defines function attributes for the compiler.
 */
#ifndef DYN_BASE_ATTRIBUTES_H
#define DYN_BASE_ATTRIBUTES_H

/* DYN_NORETURN goes before a declaration, DYN_PRINTF after it. */
#define DYN_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define DYN_NORETURN __attribute__((noreturn))

#endif
