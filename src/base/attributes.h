/*
 * attributes.h
 *		Defines function attributes for the compiler.
 *
 * DYN_NORETURN goes before a declaration, DYN_PRINTF after it.  Both are empty
 * for compilers that do not support them.
 */
#ifndef DYN_BASE_ATTRIBUTES_H
#define DYN_BASE_ATTRIBUTES_H

#if defined(__GNUC__)
#define DYN_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define DYN_NORETURN __attribute__((noreturn))
#else
#define DYN_PRINTF(f, a)
#define DYN_NORETURN
#endif

#endif
