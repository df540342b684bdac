/*
 * xml.h
 *		Reads single values from the replies of AWS's query services.
 */
#ifndef DYN_CREDENTIALS_XML_H
#define DYN_CREDENTIALS_XML_H

#include <stdbool.h>
#include <stddef.h>

#include "../base/buffer.h"

typedef enum DynXml
{
	DYN_XML_FOUND,				/* the value is in *value */
	DYN_XML_MISSING,			/* valid document without the element */
	DYN_XML_MALFORMED,
	DYN_XML_MEMORY
} DynXml;

/*
 * Reads the text of the element at `path` ("Root/Child/Leaf", case-sensitive),
 * NUL-terminated and without white space around it.  The full document is
 * checked: it must be UTF-8, and contain only the forms that xml.c describes.
 * The element must not occur twice, and must contain text only.  *value must
 * be empty, and remains empty unless the element is found; the caller wipes
 * and frees it in any case.
 */
extern DynXml dyn_xml_find(const char *text, size_t len, const char *path,
						   DynBuffer *value);

#endif
