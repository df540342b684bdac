/*
 * test_crc32.c
 *		The folded CRC-32 against zlib, over lengths, alignments and chunks.
 */
#include "harness.h"

#include <stdint.h>
#include <zlib.h>

#include "base/text.h"

static unsigned char data[5000];

static void
fill(void)
{
	uint32_t	x = 12345;
	size_t		i;

	for (i = 0; i < sizeof(data); i++)
	{
		x = x * 1664525u + 1013904223u;
		data[i] = (unsigned char) (x >> 24);
	}
}

static void
knows_the_check_value(void)
{
	CHECK_EQ_INT(dyn_crc32(0, "123456789", 9), 0xCBF43926);
	CHECK_EQ_INT(dyn_crc32(0, "", 0), 0);
}

static void
equals_zlib_at_every_length(void)
{
	size_t		len;
	int			wrong = 0;

	for (len = 0; len <= 700; len++)
		wrong += dyn_crc32(0, data + len % 17, len) !=
			crc32_z(0, data + len % 17, len);
	CHECK_EQ_INT(wrong, 0);
	CHECK_EQ_INT(dyn_crc32(0, data, sizeof(data)),
				 crc32_z(0, data, sizeof(data)));
}

static void
continues_across_chunks(void)
{
	uint32_t	full = (uint32_t) crc32_z(0, data, sizeof(data));
	size_t		split;
	int			wrong = 0;

	for (split = 0; split <= sizeof(data); split += 37)
		wrong += dyn_crc32(dyn_crc32(0, data, split), data + split,
						   sizeof(data) - split) != full;
	CHECK_EQ_INT(wrong, 0);
}

int
main(void)
{
	fill();
	RUN(knows_the_check_value);
	RUN(equals_zlib_at_every_length);
	RUN(continues_across_chunks);
	return DONE("crc32");
}
