/*
 * jit.h
 *		No compilation of statements that are expensive because they wait.
 */
#ifndef DYN_PLAN_JIT_H
#define DYN_PLAN_JIT_H

/* Installs the hook.  Called once, when the library is loaded. */
extern void dyn_jit_init(void);

#endif
