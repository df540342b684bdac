/*
 * lengthof.h
 *		Defines the macro for the number of an array's elements.
 */
#ifndef DYN_BASE_LENGTHOF_H
#define DYN_BASE_LENGTHOF_H

#define LENGTHOF(array) (sizeof(array) / sizeof((array)[0]))

#endif
