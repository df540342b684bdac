/*
 * secret.h
 *		Functions for texts that are overwritten before they are freed.
 */
#ifndef DYN_AWS_SECRET_H
#define DYN_AWS_SECRET_H

#include <stdbool.h>

#include "../base/buffer.h"

/* Copies a text, which may be NULL.  Returns false if memory runs out. */
extern bool dyn_secret_copy(char **to, const char *from);

/* Overwrites and frees a malloc'd text, which may be NULL. */
extern void dyn_secret_free(char *text);

/* Overwrites and frees *text, and sets it to NULL. */
extern void dyn_secret_forget(char **text);

/* Overwrites the memory of a buffer, and frees it as dyn_buffer_free does. */
extern void dyn_secret_free_buffer(DynBuffer *buf);

#endif
