#include "CBenchCrypto.h"

#include <openssl/bn.h>
#include <stdlib.h>

struct bench_power {
  BN_CTX *context;
  BN_MONT_CTX *montgomery;
  BIGNUM *modulus;
  BIGNUM *base;
  BIGNUM *exponent;
  BIGNUM *result;
};

bench_power *bench_power_new(const uint8_t *base) {
  bench_power *power = calloc(1, sizeof *power);
  if (power == NULL) return NULL;
  power->context = BN_CTX_new();
  power->montgomery = BN_MONT_CTX_new();
  power->modulus = BN_get_rfc3526_prime_3072(NULL);
  power->base = BN_bin2bn(base, 384, NULL);
  power->exponent = BN_new();
  power->result = BN_new();
  if (power->context != NULL && power->montgomery != NULL && power->modulus != NULL && power->base != NULL &&
      power->exponent != NULL && power->result != NULL &&
      BN_MONT_CTX_set(power->montgomery, power->modulus, power->context) == 1)
    return power;
  bench_power_free(power);
  return NULL;
}

void bench_power_free(bench_power *power) {
  if (power == NULL) return;
  BN_free(power->result);
  BN_free(power->exponent);
  BN_free(power->base);
  BN_free(power->modulus);
  BN_MONT_CTX_free(power->montgomery);
  BN_CTX_free(power->context);
  free(power);
}

int bench_power_compute(bench_power *power, const uint8_t *exponent, size_t length, uint8_t *result) {
  if (BN_bin2bn(exponent, (int)length, power->exponent) == NULL) return 0;
  BN_set_flags(power->exponent, BN_FLG_CONSTTIME);
  return BN_mod_exp_mont_consttime(
             power->result, power->base, power->exponent, power->modulus, power->context, power->montgomery) == 1 &&
         BN_bn2binpad(power->result, result, 384) == 384;
}
