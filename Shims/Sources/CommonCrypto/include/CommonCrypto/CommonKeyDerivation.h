// PBKDF2 (RFC 8018 5.2).
#ifndef LATCHKEY_COMMON_KEY_DERIVATION_H
#define LATCHKEY_COMMON_KEY_DERIVATION_H

#include <CommonCrypto/CommonCryptoError.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { kCCPBKDF2 = 2 };
typedef uint32_t CCPBKDFAlgorithm;

enum {
  kCCPRFHmacAlgSHA1 = 1,
  kCCPRFHmacAlgSHA224 = 2,
  kCCPRFHmacAlgSHA256 = 3,
  kCCPRFHmacAlgSHA384 = 4,
  kCCPRFHmacAlgSHA512 = 5,
};
typedef uint32_t CCPseudoRandomAlgorithm;

/// kCCParamError for an unknown algorithm, no rounds, no place for the key, or NULL for bytes whose length is not 0.
int CCKeyDerivationPBKDF(
    CCPBKDFAlgorithm algorithm, const char *password, size_t passwordLen, const uint8_t *salt, size_t saltLen,
    CCPseudoRandomAlgorithm prf, unsigned rounds, uint8_t *derivedKey, size_t derivedKeyLen);

/// The rounds that take about so many milliseconds on this machine, 10000 at least; 0, which no derivation accepts, where the
/// parameters are none that could be measured.
unsigned CCCalibratePBKDF(
    CCPBKDFAlgorithm algorithm, size_t passwordLen, size_t saltLen, CCPseudoRandomAlgorithm prf, size_t derivedKeyLen,
    uint32_t msec);

#ifdef __cplusplus
}
#endif

#endif
