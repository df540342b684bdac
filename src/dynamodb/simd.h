/*
 * simd.h
 *		Definitions for 16-byte SIMD steps, and hints for the compiler.
 *
 * DYN_SCAN_SSE2 is defined if SSE2 is available; without it (other machines,
 * or -DDYN_NO_SIMD in tests) plain C does the same work.
 */
#ifndef DYN_DYNAMODB_SIMD_H
#define DYN_DYNAMODB_SIMD_H

#include <stdint.h>

#if defined(__SSE2__) && !defined(DYN_NO_SIMD)
#define DYN_SCAN_SSE2 1
#include <emmintrin.h>
#endif

#define DYN_LIKELY(x)	__builtin_expect((x) != 0, 1)
#define DYN_UNLIKELY(x) __builtin_expect((x) != 0, 0)
#define DYN_HOT			inline __attribute__((always_inline))
#define DYN_COLD		__attribute__((noinline, cold))
#define DYN_NOINLINE	__attribute__((noinline))

/* Returns the number of trailing zero bits of a mask that is not zero. */
static DYN_HOT int
dyn_scan_ctz(uint32_t mask)
{
	return __builtin_ctz(mask);
}

#endif
