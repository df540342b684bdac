/*
 * ca_store.h
 *		The certificates of a CA file, decoded when they are asked for.
 */
#ifndef DYN_AWS_CA_STORE_H
#define DYN_AWS_CA_STORE_H

#include <stdbool.h>

#include <openssl/x509_vfy.h>

typedef struct DynCaStore DynCaStore;

/*
 * Reads the file; later changes of it do not count.  NULL if OpenSSL itself
 * must load it, or report what is wrong with it: it has something other than
 * certificates, or none, or memory runs out.
 */
extern DynCaStore *dyn_ca_store_open(const char *file);

extern void dyn_ca_store_close(DynCaStore *ca);

/*
 * Verifies like a store that OpenSSL has loaded the file into.  It may be used
 * longer than until dyn_ca_store_close by those with references of their own.
 */
extern X509_STORE *dyn_ca_store_x509(const DynCaStore *ca);

/*
 * Could something not be decoded, perhaps for lack of memory?  Then what
 * should be trusted may be refused from now on.
 */
extern bool dyn_ca_store_is_damaged(const DynCaStore *ca);

#endif
