/*
 * attributes.h
 *		What the compiler is told about functions.
 *
 * Put before a declaration (DYN_NORETURN) or behind it (DYN_PRINTF); empty
 * where the compiler does not know it.
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
