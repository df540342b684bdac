/*
 * crc32.c
 *		Computes CRC-32 by folding if the processor supports it, else by zlib.
 *
 * The message is a polynomial over GF(2).  Its CRC is the remainder of the
 * division by a fixed polynomial P of degree 32.  The remainder stays the same
 * if the first bits of the message are folded into later bits.  To fold a block
 * of 128 bits into the block D bits later, the first block is multiplied by
 * (x^D mod P), and the product is added to the later block.  A carry-less
 * multiplication takes 64 bits, so eight of them fold 64 bytes into the next
 * 64.  In the end, the folded bytes are reduced to 16 bytes with the same
 * remainder.  zlib computes the CRC of these 16 and of the unfolded bytes.
 *
 * CRC-32 takes the lowest bit of a byte as the highest power of x.  So each
 * half (64 bits) of a register, and each constant factor, is a mirrored
 * polynomial.  Because of the mirroring, the low half is multiplied by
 * x^(D+32) mod P, and the high half by x^(D-32) mod P.  The product of two
 * mirrored polynomials, read as a mirrored polynomial, is x times their
 * product.  So each factor is divided by x: it is shifted to the left by one
 * bit, and has 33 bits.
 */
#include "text.h"

#include <zlib.h>

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define FOLDING __attribute__((target("pclmul,sse4.1")))

#define SHORTEST_FOLDED	128

/* Each constant is the power of x next to it, mod P, mirrored and shifted. */
#define FOLD_512_LOW	0x0154442bd4ULL /* x^(512+32) */
#define FOLD_512_HIGH	0x01c6e41596ULL /* x^(512-32) */
#define FOLD_128_LOW	0x01751997d0ULL /* x^(128+32) */
#define FOLD_128_HIGH	0x00ccaa009eULL /* x^(128-32) */

FOLDING
static inline __m128i
fold(__m128i above, __m128i constants, __m128i below)
{
	__m128i		low = _mm_clmulepi64_si128(above, constants, 0x00);
	__m128i		high = _mm_clmulepi64_si128(above, constants, 0x11);

	return _mm_xor_si128(_mm_xor_si128(low, high), below);
}

FOLDING
static inline __m128i
load(const unsigned char *bytes)
{
	return _mm_loadu_si128((const __m128i *) bytes);
}

/* Requires len >= 64.  Four accumulators hide the multiplier's latency. */
FOLDING
static uint32_t
crc32_folded(uint32_t crc, const unsigned char *bytes, size_t len)
{
	const __m128i by512 = _mm_set_epi64x(FOLD_512_HIGH, FOLD_512_LOW);
	const __m128i by128 = _mm_set_epi64x(FOLD_128_HIGH, FOLD_128_LOW);
	unsigned char rest[16];
	__m128i		a = _mm_xor_si128(load(bytes), _mm_cvtsi32_si128((int) ~crc));
	__m128i		b = load(bytes + 16);
	__m128i		c = load(bytes + 32);
	__m128i		d = load(bytes + 48);

	for (bytes += 64, len -= 64; len >= 64; bytes += 64, len -= 64)
	{
		a = fold(a, by512, load(bytes));
		b = fold(b, by512, load(bytes + 16));
		c = fold(c, by512, load(bytes + 32));
		d = fold(d, by512, load(bytes + 48));
	}
	a = fold(a, by128, b);
	a = fold(a, by128, c);
	a = fold(a, by128, d);
	for (; len >= 16; bytes += 16, len -= 16)
		a = fold(a, by128, load(bytes));

	/*
	 * zlib complements the CRC at the beginning and at the end.  `rest`
	 * already includes the CRC of all bytes so far, so start from the value
	 * whose complement is zero.
	 */
	_mm_storeu_si128((__m128i *) rest, a);
	crc = (uint32_t) crc32_z(0xFFFFFFFFU, rest, sizeof(rest));
	return (uint32_t) crc32_z(crc, bytes, len);
}

#endif

uint32_t
dyn_crc32(uint32_t crc, const void *bytes, size_t len)
{
#ifdef FOLDING
	if (len >= SHORTEST_FOLDED && __builtin_cpu_supports("pclmul") &&
		__builtin_cpu_supports("sse4.1"))
		return crc32_folded(crc, bytes, len);
#endif
	return (uint32_t) crc32_z(crc, bytes, len);
}
