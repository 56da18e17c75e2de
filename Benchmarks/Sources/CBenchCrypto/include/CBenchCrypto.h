#ifndef CBENCHCRYPTO_H
#define CBENCHCRYPTO_H

#include <stddef.h>
#include <stdint.h>

/// libcrypto's side of an ECDH on secp192k1: one private key and one peer, both set up and checked beforehand.
typedef struct bench_ecdh bench_ecdh;

/// NULL if libcrypto refuses: `private_key` is 24 bytes, `peer` is 04, x and y, 49 bytes, all big-endian.
bench_ecdh *bench_ecdh_new(const uint8_t *private_key, const uint8_t *peer);
void bench_ecdh_free(bench_ecdh *ecdh);

/// ECDH_compute_key alone, without any validation: 1 if `secret` was filled with 24 bytes.
int bench_ecdh_compute(const bench_ecdh *ecdh, uint8_t *secret);

/// EC_KEY_generate_key on a fresh EC_KEY: 1 on success.
int bench_ecdh_generate(void);

/// libcrypto's side of a power modulo RFC 3526's prime of 3072 bits: the modulus and the base are set up beforehand.
typedef struct bench_power bench_power;

/// NULL if libcrypto refuses: `base` is 384 bytes, big-endian, below the modulus.
bench_power *bench_power_new(const uint8_t *base);
void bench_power_free(bench_power *power);

/// BN_mod_exp_mont_consttime: 1 if `result` was filled with 384 bytes.
int bench_power_compute(bench_power *power, const uint8_t *exponent, size_t length, uint8_t *result);

/// The linked libcrypto's version.
const char *bench_libcrypto_version(void);

/// The process's CPU time.
uint64_t bench_cpu_nanoseconds(void);

/// A counter that is as fine as the processor has one.
uint64_t bench_ticks(void);

/// How often malloc and its kin were called in this process so far: they are interposed.
uint64_t bench_allocations(void);

#endif
