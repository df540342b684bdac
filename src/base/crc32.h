/*
 * crc32.h
 *		CRC-32 (IEEE 802.3, the one of zlib), as x-amz-crc32 carries it.
 *
 * dyn_crc32 continues from `crc` (0 at the beginning), like zlib's function of
 * the same meaning, and gives the same values; it is several times faster
 * where the processor multiplies without carries.
 */
#ifndef DYN_BASE_CRC32_H
#define DYN_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

extern uint32_t dyn_crc32(uint32_t crc, const void *bytes, size_t len);

#endif
