/*
 * crc32.h
 *		Computes CRC-32 (IEEE 802.3, as in zlib), for the header x-amz-crc32.
 *
 * dyn_crc32 continues from `crc` (0 at the beginning) and returns the same
 * values as zlib's crc32(); it is several times faster on processors with
 * carry-less multiplication.
 */
#ifndef DYN_BASE_CRC32_H
#define DYN_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

extern uint32_t dyn_crc32(uint32_t crc, const void *bytes, size_t len);

#endif
