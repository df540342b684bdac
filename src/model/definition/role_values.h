/*
 * role_values.h
 *		The values that AWS accepts for a role to assume.
 *
 * Each returns false, with a sentence in *why, for a value that the security
 * token service would refuse.
 */
#ifndef DYN_MODEL_ROLE_VALUES_H
#define DYN_MODEL_ROLE_VALUES_H

extern bool dyn_role_arn_check(const char *value, const char **why);
extern bool dyn_external_id_check(const char *value, const char **why);
extern bool dyn_session_name_check(const char *value, const char **why);

#endif
