#ifndef CBENCHPKCS11_H
#define CBENCHPKCS11_H

#include <stdint.h>

/// A PKCS#11 library with one P-256 key in the memory of one session, logged in.
typedef struct bench_token bench_token;

/// NULL if the library at `path` cannot be loaded, or does not make a token and a key: `failure` then names the step
/// that failed. The environment that it needs (SOFTHSM2_CONF) must be set before.
bench_token *bench_token_new(const char *path, const char **failure);
void bench_token_free(bench_token *token);

/// C_SignInit and C_Sign by CKM_ECDSA: 1 if `signature` was filled with 64 bytes.
int bench_token_sign(const bench_token *token, const uint8_t digest[32], uint8_t signature[64]);

#endif
